// SPDX-License-Identifier: Apache-2.0
// A target: a register that counts ticks.
#pragma once

#include <cstdint>
#include <cstring>

#include <tlm_utils/simple_target_socket.h>
#include <systemc>
#include <tlm>

namespace soc {

/// One doubleword at address `base` that can be read and not written: the ticks since time 0.
class timer : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<timer> target_socket{"target_socket"};

  timer(const sc_core::sc_module_name& name, std::uint64_t base, const sc_core::sc_time& tick)
      : sc_module(name), base_(base), tick_(tick) {
    target_socket.register_b_transport(this, &timer::b_transport);
  }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const std::uint64_t ticks = (sc_core::sc_time_stamp() + delay).value() / tick_.value();
    if (payload.get_address() != base_) {
      payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    } else if (!payload.is_read()) {
      payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    } else if (payload.get_data_length() != sizeof(ticks)) {
      payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    } else {
      std::memcpy(payload.get_data_ptr(), &ticks, sizeof(ticks));
      payload.set_response_status(tlm::TLM_OK_RESPONSE);
    }
  }

  std::uint64_t base_;
  sc_core::sc_time tick_;
};

}  // namespace soc
