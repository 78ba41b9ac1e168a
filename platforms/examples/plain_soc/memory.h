// SPDX-License-Identifier: Apache-2.0
// A target: a memory as one would write it for any platform.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tlm_utils/simple_target_socket.h>
#include <systemc>
#include <tlm>

namespace soc {

/// Reads and writes bytes, each access in the same time; knows byte enables and no extensions. A
/// payload without a command it answers with OK and does nothing, as IEEE 1666 asks.
class memory : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<memory> target_socket{"target_socket"};

  memory(const sc_core::sc_module_name& name, std::uint64_t base, std::size_t size,
         const sc_core::sc_time& latency)
      : sc_module(name), base_(base), latency_(latency), bytes_(size) {
    target_socket.register_b_transport(this, &memory::b_transport);
    target_socket.register_transport_dbg(this, &memory::transport_dbg);
  }

  /// Accesses with a command so far.
  std::uint64_t accesses() const { return accesses_; }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    delay += latency_;
    if (payload.get_command() != tlm::TLM_IGNORE_COMMAND) ++accesses_;
    const bool inside = transfer(payload) == payload.get_data_length();
    payload.set_response_status(inside ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }

  unsigned transport_dbg(tlm::tlm_generic_payload& payload) { return transfer(payload); }

  /// Returns the number of bytes that are here, all or none.
  unsigned transfer(tlm::tlm_generic_payload& payload) {
    const std::uint64_t offset = payload.get_address() - base_;
    const unsigned length = payload.get_data_length();
    if (offset > bytes_.size() || length > bytes_.size() - offset) return 0;
    unsigned char* data = payload.get_data_ptr();
    const unsigned char* enables = payload.get_byte_enable_ptr();
    for (unsigned i = 0; i < length; ++i) {
      const bool enabled = enables == nullptr || enables[i % payload.get_byte_enable_length()] != 0;
      if (enabled && payload.is_read()) data[i] = bytes_[offset + i];
      if (enabled && payload.is_write()) bytes_[offset + i] = data[i];
    }
    return length;
  }

  std::uint64_t base_;
  sc_core::sc_time latency_;
  std::vector<unsigned char> bytes_;
  std::uint64_t accesses_ = 0;
};

}  // namespace soc
