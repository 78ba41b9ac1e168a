// SPDX-License-Identifier: Apache-2.0
// The responses of a target on one socket, one after the other.
#pragma once

#include <algorithm>
#include <cstdint>

#include <tributary/sim/fifo.h>
#include <tributary/systemc/systemc.h>

namespace tributary {

/// Gives BEGIN_RESP to the initiator in the order of `respond`, each once the response before has
/// ended, and lets go of the payloads.
class response_channel {
 public:
  /// `initiator` is the backward path. `again` is notified when `resume` has to be called, from a
  /// process. Both must outlive the channel.
  void connect(tlm::tlm_bw_transport_if<>& initiator, sc_core::sc_event& again) {
    initiator_ = &initiator;
    again_ = &again;
  }

  /// The response of a payload, whose status is set, begins at time `when` or later. The channel
  /// takes over the reference of the target.
  void respond(tlm::tlm_generic_payload& payload, std::uint64_t when) {
    waiting_.push({&payload, when});
    resume();
  }

  /// Begins what can begin.
  void resume() {
    while (!waiting_.empty() && responding_ == nullptr) {
      const response next = waiting_.front();
      waiting_.pop();
      begin(next);
    }
  }

  /// A call of END_RESP; whether it belongs to the response that is under way.
  bool end(const tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay) {
    if (responding_ != &payload) return false;
    finish(delay);
    if (!waiting_.empty()) again_->notify(sc_core::SC_ZERO_TIME);
    return true;
  }

  bool idle() const { return responding_ == nullptr && waiting_.empty(); }

  /// When the last response ended: the state of a channel that is idle.
  std::uint64_t free_from() const { return free_from_; }
  void set_free_from(std::uint64_t time) { free_from_ = time; }

 private:
  struct response {
    tlm::tlm_generic_payload* payload;
    std::uint64_t when;
  };

  void begin(const response& next) {
    const std::uint64_t now = sc_core::sc_time_stamp().value();
    responding_ = next.payload;
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay =
        sc_core::sc_time::from_value(std::max({next.when, free_from_, now}) - now);
    const tlm::tlm_sync_enum answer = initiator_->nb_transport_bw(*next.payload, phase, delay);
    const bool ended =
        answer == tlm::TLM_COMPLETED || (answer == tlm::TLM_UPDATED && phase == tlm::END_RESP);
    if (ended && responding_ == next.payload) finish(delay);
  }

  void finish(const sc_core::sc_time& delay) {
    free_from_ = sc_core::sc_time_stamp().value() + delay.value();
    tlm::tlm_generic_payload* const payload = responding_;
    responding_ = nullptr;
    payload->release();
  }

  tlm::tlm_bw_transport_if<>* initiator_ = nullptr;
  sc_core::sc_event* again_ = nullptr;
  tlm::tlm_generic_payload* responding_ = nullptr;
  std::uint64_t free_from_ = 0;
  fifo<response> waiting_;
};

}  // namespace tributary
