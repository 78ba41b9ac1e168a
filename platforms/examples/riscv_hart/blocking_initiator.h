// SPDX-License-Identifier: Apache-2.0
// A TLM-2.0 initiator for threads that wait for each access.
#pragma once

#include <cstdint>

#include <tributary/systemc/systemc.h>

#include <tlm_utils/simple_initiator_socket.h>

namespace riscv {

/// How accesses are made.
enum class transport_style : std::uint8_t {
  approximately_timed,  ///< nb_transport with four phases: accesses are timed by the network
  loosely_timed         ///< b_transport: faster, with estimated times
};

/// Carries out one access at a time for the thread that calls it, which is suspended meanwhile.
class blocking_initiator : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<blocking_initiator> initiator_socket{"initiator_socket"};

  blocking_initiator(const sc_core::sc_module_name& name, transport_style style);

  /// Returns when the response is there, at its time. `ahead`: how far the caller's time is ahead
  /// of the kernel's; the access begins then. `payload` needs a memory manager if the style is
  /// approximately timed.
  void transport(tlm::tlm_generic_payload& payload, const sc_core::sc_time& ahead);

 private:
  void transport_loosely_timed(tlm::tlm_generic_payload& payload, sc_core::sc_time delay);
  void transport_approximately_timed(tlm::tlm_generic_payload& payload);
  void end_response(tlm::tlm_generic_payload& payload);
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);

  transport_style style_;
  sc_core::sc_event response_;
};

}  // namespace riscv
