// SPDX-License-Identifier: Apache-2.0
#include "cpu.h"

namespace soc {

cpu::cpu(const sc_core::sc_module_name& name, const cpu_config& config)
    : sc_module(name), config_(config) {
  initiator_socket.register_nb_transport_bw(this, &cpu::nb_transport_bw);
  SC_THREAD(run);
}

void cpu::run() {
  const std::uint64_t start = load(config_.timer);
  for (std::size_t i = 0; i < config_.rounds; ++i) {
    post_store(config_.log + 8 * i, fetch_and_add(config_.counter, 1));
  }
  ticks_ = load(config_.timer) - start;
  ended_ = true;
}

std::uint64_t cpu::load(std::uint64_t address) {
  tlm::tlm_generic_payload& payload = memory_manager_.make(tlm::TLM_READ_COMMAND, address);
  send_and_wait(payload);
  const std::uint64_t data = heap_manager::data_of(payload);
  payload.release();
  return data;
}

// [fetch_and_add]
std::uint64_t cpu::fetch_and_add(std::uint64_t address, std::uint64_t increment) {
  using tributary::fetch_op;
  auto* request = new fetch_op(fetch_op::of(tributary::operation::fetch_add, increment));
  tlm::tlm_generic_payload& payload = memory_manager_.make(tlm::TLM_IGNORE_COMMAND, address);
  payload.set_extension(request);
  send_and_wait(payload);
  if (!request->performed()) failed_ = true;
  const std::uint64_t old = request->result();
  payload.release();  // and the extension with it
  return old;
}
// [end]

void cpu::post_store(std::uint64_t address, std::uint64_t data) {
  send(memory_manager_.make(tlm::TLM_WRITE_COMMAND, address, data));
}

/// Begins an access; returns when it has left, so that another one may begin.
void cpu::send(tlm::tlm_generic_payload& payload) {
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  requesting_ = &payload;
  ++under_way_;
  switch (initiator_socket->nb_transport_fw(payload, phase, delay)) {
    case tlm::TLM_COMPLETED:
      requesting_ = nullptr;
      wait(delay);
      return finish(payload);
    case tlm::TLM_UPDATED:
      phases_.notify(payload, phase, delay);
      break;
    case tlm::TLM_ACCEPTED:
      break;
  }
  while (requesting_ != nullptr) wait(request_ended_);
}

void cpu::send_and_wait(tlm::tlm_generic_payload& payload) {
  awaited_ = &payload;
  send(payload);
  while (awaited_ != nullptr) wait(response_);
}

tlm::tlm_sync_enum cpu::nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                        sc_core::sc_time& delay) {
  phases_.notify(payload, phase, delay);
  return tlm::TLM_ACCEPTED;
}

void cpu::take_phase(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase) {
  if (requesting_ == &payload) {  // END_REQ, or a BEGIN_RESP that stands for both
    requesting_ = nullptr;
    request_ended_.notify();
  }
  if (phase != tlm::BEGIN_RESP) return;
  tlm::tlm_phase end = tlm::END_RESP;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  initiator_socket->nb_transport_fw(payload, end, delay);
  finish(payload);
}

void cpu::finish(tlm::tlm_generic_payload& payload) {
  --under_way_;
  if (!payload.is_response_ok()) failed_ = true;
  if (awaited_ == &payload) {
    awaited_ = nullptr;
    response_.notify();
  } else {
    payload.release();
  }
}

}  // namespace soc
