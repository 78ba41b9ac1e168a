// SPDX-License-Identifier: Apache-2.0
// A memory manager for payloads, as every approximately timed initiator needs one.
#pragma once

#include <cstdint>

#include <systemc>
#include <tlm>

namespace soc {

/// Makes payloads with a doubleword of data, and deletes them, with their extensions, when no part
/// holds them any more.
class heap_manager : public tlm::tlm_mm_interface {
 public:
  /// A payload that its maker holds.
  tlm::tlm_generic_payload& make(tlm::tlm_command command, std::uint64_t address,
                                 std::uint64_t data = 0) {
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

  /// The doubleword of a payload that was made here.
  static std::uint64_t data_of(const tlm::tlm_generic_payload& payload) {
    return static_cast<const payload_with_data&>(payload).data;
  }

  void free(tlm::tlm_generic_payload* payload) override { delete payload; }

 private:
  struct payload_with_data : tlm::tlm_generic_payload {
    using tlm_generic_payload::tlm_generic_payload;
    std::uint64_t data = 0;
  };
};

}  // namespace soc
