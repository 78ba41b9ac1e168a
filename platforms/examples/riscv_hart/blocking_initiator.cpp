// SPDX-License-Identifier: Apache-2.0
#include "blocking_initiator.h"

namespace riscv {

blocking_initiator::blocking_initiator(const sc_core::sc_module_name& name, transport_style style)
    : sc_module(name), style_(style) {
  initiator_socket.register_nb_transport_bw(this, &blocking_initiator::nb_transport_bw);
}

void blocking_initiator::transport(tlm::tlm_generic_payload& payload,
                                   const sc_core::sc_time& ahead) {
  if (style_ == transport_style::loosely_timed) return transport_loosely_timed(payload, ahead);
  if (ahead != sc_core::SC_ZERO_TIME) wait(ahead);
  transport_approximately_timed(payload);
}

void blocking_initiator::transport_loosely_timed(tlm::tlm_generic_payload& payload,
                                                 sc_core::sc_time delay) {
  initiator_socket->b_transport(payload, delay);
  if (delay != sc_core::SC_ZERO_TIME) wait(delay);
}

void blocking_initiator::transport_approximately_timed(tlm::tlm_generic_payload& payload) {
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  const tlm::tlm_sync_enum status = initiator_socket->nb_transport_fw(payload, phase, delay);
  if (status == tlm::TLM_COMPLETED) return wait(delay);
  if (status == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP) {
    wait(delay);
    return end_response(payload);
  }
  wait(response_);
}

void blocking_initiator::end_response(tlm::tlm_generic_payload& payload) {
  tlm::tlm_phase phase = tlm::END_RESP;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  initiator_socket->nb_transport_fw(payload, phase, delay);
}

tlm::tlm_sync_enum blocking_initiator::nb_transport_bw(tlm::tlm_generic_payload&,
                                                       tlm::tlm_phase& phase,
                                                       sc_core::sc_time& delay) {
  // END_REQ would let another access begin, but the thread wants the response first.
  if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
  response_.notify(delay);
  return tlm::TLM_COMPLETED;
}

}  // namespace riscv
