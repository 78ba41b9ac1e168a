// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/register_target.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <tributary/systemc/message_interface_module.h>

namespace tributary {

namespace registers = interface_registers;

register_target::register_target(message_interface_module& owner)
    : word_target(owner, *owner.core_, owner.clock_), owner_(owner) {}

register_target::~register_target() = default;

const char* register_target::socket_name() const { return owner_.registers.name(); }

tlm::tlm_response_status register_target::check_place(const access& asked) const {
  const bool writes = asked.function.kind != form::identity;
  const bool is_readable = registers::is_readable(asked.address);
  const bool is_writable = registers::is_writable(asked.address);
  if (writes ? is_writable : is_readable) return tlm::TLM_OK_RESPONSE;
  return is_readable || is_writable ? tlm::TLM_COMMAND_ERROR_RESPONSE
                                    : tlm::TLM_ADDRESS_ERROR_RESPONSE;
}

void register_target::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  tlm::tlm_response_status status = check(payload);
  if (status == tlm::TLM_OK_RESPONSE) {
    word_t value = 0;
    if (!owner_.perform(access_of(payload), value)) {
      status = tlm::TLM_GENERIC_ERROR_RESPONSE;
    } else if (payload.is_read()) {
      std::memcpy(payload.get_data_ptr(), &value, word_bytes);
    }
    delay += owner_.register_time_;
  }
  payload.set_response_status(status);
}

unsigned register_target::transport_dbg(tlm::tlm_generic_payload& payload) {
  if (!payload.is_read() || !has_debug_data(socket_name(), payload)) return 0;
  unsigned done = 0;
  while (done < payload.get_data_length()) {
    const std::uint64_t address = payload.get_address() + done;
    const std::uint64_t in_word = address % word_bytes;
    word_t word = 0;
    if (!registers::is_readable(address - in_word) ||
        !owner_.core_->peek_register(address - in_word, word)) {
      break;
    }
    const auto count = static_cast<unsigned>(
        std::min<std::uint64_t>(word_bytes - in_word, payload.get_data_length() - done));
    std::memcpy(payload.get_data_ptr() + done, reinterpret_cast<unsigned char*>(&word) + in_word,
                count);
    done += count;
  }
  return done;
}

}  // namespace tributary
