// SPDX-License-Identifier: Apache-2.0
#include "heap_manager.h"

namespace soc {

struct heap_manager::payload_with_data : tlm::tlm_generic_payload {
  using tlm_generic_payload::tlm_generic_payload;
  std::uint64_t data = 0;
};

tlm::tlm_generic_payload& heap_manager::make(tlm::tlm_command command, std::uint64_t address,
                                             std::uint64_t data) {
  auto* payload = new payload_with_data(this);
  payload->acquire();
  payload->data = data;
  payload->set_command(command);
  payload->set_address(address);
  payload->set_data_ptr(reinterpret_cast<unsigned char*>(&payload->data));
  payload->set_data_length(sizeof(data));
  payload->set_streaming_width(sizeof(data));
  return *payload;
}

std::uint64_t heap_manager::data_of(const tlm::tlm_generic_payload& payload) {
  return static_cast<const payload_with_data&>(payload).data;
}

}  // namespace soc
