// SPDX-License-Identifier: Apache-2.0
// Watches one hop of the TLM-2.0 base protocol and reports what breaks its rules.
#pragma once

#include <tributary/systemc/protocol_checker.h>
#include <tributary/systemc/systemc.h>

namespace tributary {

/// Stands between an initiator's and a target's socket and passes everything on unchanged:
///
///     initiator.socket.bind(monitor.target_socket);
///     monitor.initiator_socket.bind(target.socket);
///
/// A breach of a rule is an SC_REPORT_ERROR under messages::protocol, thrown where it was seen
/// unless the user chose other actions; `checker().on_violation` collects instead. BUSWIDTH is that
/// of the two sockets.
template <unsigned int BUSWIDTH = 32>
class protocol_monitor : public sc_core::sc_module,
                         private tlm::tlm_fw_transport_if<>,
                         private tlm::tlm_bw_transport_if<> {
 public:
  tlm::tlm_target_socket<BUSWIDTH> target_socket{"target_socket"};
  tlm::tlm_initiator_socket<BUSWIDTH> initiator_socket{"initiator_socket"};

  explicit protocol_monitor(const sc_core::sc_module_name& name)
      : sc_module(name), checker_(this->name()) {
    target_socket.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
    initiator_socket.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
  }

  const char* kind() const override { return "tributary::protocol_monitor"; }

  protocol_checker& checker() { return checker_; }
  const protocol_checker& checker() const { return checker_; }

 private:
  using call = protocol_checker::nonblocking_call;

  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    const call original{phase, delay};
    checker_.forward_call(payload, original);
    const tlm::tlm_sync_enum status = initiator_socket->nb_transport_fw(payload, phase, delay);
    checker_.forward_return(payload, original, {phase, delay}, status);
    return status;
  }

  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    const call original{phase, delay};
    checker_.backward_call(payload, original);
    const tlm::tlm_sync_enum status = target_socket->nb_transport_bw(payload, phase, delay);
    checker_.backward_return(payload, original, {phase, delay}, status);
    return status;
  }

  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override {
    checker_.blocking_call(payload, delay);
    try {
      initiator_socket->b_transport(payload, delay);
    } catch (...) {
      checker_.blocking_unwound(payload);
      throw;
    }
    checker_.blocking_return(payload, delay);
  }

  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& descriptor) override {
    checker_.dmi_call(payload, descriptor);
    const bool granted = initiator_socket->get_direct_mem_ptr(payload, descriptor);
    checker_.dmi_return(payload, descriptor, granted);
    return granted;
  }

  unsigned int transport_dbg(tlm::tlm_generic_payload& payload) override {
    checker_.debug_call(payload);
    const unsigned int count = initiator_socket->transport_dbg(payload);
    checker_.debug_return(payload, count);
    return count;
  }

  void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) override {
    checker_.dmi_invalidation(start, end);
    target_socket->invalidate_direct_mem_ptr(start, end);
  }

  protocol_checker checker_;
};

}  // namespace tributary
