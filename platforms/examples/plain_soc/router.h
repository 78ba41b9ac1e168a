// SPDX-License-Identifier: Apache-2.0
// An interconnect: from several initiators to several targets by address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <systemc>
#include <tlm>

namespace soc {

/// Forwards accesses to the target whose range has the address, and leaves addresses as they are.
/// The targets are loosely timed and never wait, so a non-blocking request is complete at once,
/// with the target's delay.
class router : public sc_core::sc_module {
 public:
  sc_core::sc_vector<tlm_utils::simple_target_socket_tagged<router>> target_sockets;
  sc_core::sc_vector<tlm_utils::simple_initiator_socket<router>> initiator_sockets;

  /// The bytes that the target behind one initiator socket answers for.
  struct range {
    std::uint64_t base = 0;
    std::uint64_t size = 0;
  };

  /// `inputs` target sockets, and an initiator socket for each of `ranges`.
  router(const sc_core::sc_module_name& name, std::size_t inputs, const std::vector<range>& ranges)
      : sc_module(name),
        target_sockets("target_sockets", inputs),
        initiator_sockets("initiator_sockets", ranges.size()),
        ranges_(ranges) {
    for (auto& socket : target_sockets) {
      socket.register_nb_transport_fw(this, &router::nb_transport_fw, 0);
      socket.register_b_transport(this, &router::b_transport, 0);
      socket.register_transport_dbg(this, &router::transport_dbg, 0);
    }
  }

 private:
  tlm::tlm_sync_enum nb_transport_fw(int, tlm::tlm_generic_payload& payload, tlm::tlm_phase&,
                                     sc_core::sc_time& delay) {
    b_transport(0, payload, delay);
    return tlm::TLM_COMPLETED;
  }

  void b_transport(int, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const std::size_t target = target_of(payload.get_address());
    if (target == ranges_.size()) {
      return payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    }
    initiator_sockets[target]->b_transport(payload, delay);
  }

  unsigned transport_dbg(int, tlm::tlm_generic_payload& payload) {
    const std::size_t target = target_of(payload.get_address());
    return target == ranges_.size() ? 0 : initiator_sockets[target]->transport_dbg(payload);
  }

  std::size_t target_of(std::uint64_t address) const {
    std::size_t target = 0;
    while (target < ranges_.size() && address - ranges_[target].base >= ranges_[target].size) {
      ++target;
    }
    return target;
  }

  std::vector<range> ranges_;
};

}  // namespace soc
