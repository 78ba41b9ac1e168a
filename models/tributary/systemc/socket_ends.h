// SPDX-License-Identifier: Apache-2.0
// What the ends of a hop of the base protocol do alike, whatever their transactions mean.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <tributary/sim/fifo.h>
#include <tributary/systemc/messages.h>
#include <tributary/systemc/payload_checks.h>
#include <tributary/systemc/systemc.h>

namespace tributary {

/// Whether a call of nb_transport that returned `answer` with `phase` only took the call: it
/// returned TLM_ACCEPTED, or a phase of another protocol, which those who do not know it ignore
/// (IEEE 1666-2011, 15.2.5).
inline bool only_accepted(tlm::tlm_sync_enum answer, const tlm::tlm_phase& phase) {
  return answer == tlm::TLM_ACCEPTED || (answer == tlm::TLM_UPDATED && phase > tlm::END_RESP);
}

/// Whether `phase` may come with TLM_UPDATED as a target's answer to BEGIN_REQ; what may not is
/// reported for the initiator's socket of that name.
inline bool answers_request(const char* socket, const tlm::tlm_phase& phase) {
  if (phase == tlm::END_REQ || phase == tlm::BEGIN_RESP) return true;
  const std::string problem =
      std::string("TLM_UPDATED with ") + phase.get_name() +
      " in answer to BEGIN_REQ; a target answers with END_REQ or BEGIN_RESP";
  report_protocol(socket, problem.c_str());
  return false;
}

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

  /// Takes a reference to a payload whose response is to come.
  void open(tlm::tlm_generic_payload& payload) {
    open_.push_back(&payload);
    payload.acquire();
  }
  /// Whether a payload is open and has not ended.
  bool has(const tlm::tlm_generic_payload& payload) const {
    return std::find(open_.begin(), open_.end(), &payload) != open_.end();
  }

  /// The response of an open payload, whose status is set, begins at time `when` or later.
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
    open_.erase(std::find(open_.begin(), open_.end(), payload));
    payload->release();
  }

  tlm::tlm_bw_transport_if<>* initiator_ = nullptr;
  sc_core::sc_event* again_ = nullptr;
  tlm::tlm_generic_payload* responding_ = nullptr;
  std::uint64_t free_from_ = 0;
  fifo<response> waiting_;
  std::vector<const tlm::tlm_generic_payload*> open_;
};

/// A target's end of a socket: the order of the phases, and the responses.
class target_end : public tlm::tlm_fw_transport_if<> {
 public:
  /// See `response_channel`.
  void connect(tlm::tlm_bw_transport_if<>& initiator, sc_core::sc_event& again) {
    responses_.connect(initiator, again);
  }
  void resume() { responses_.resume(); }

  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) final {
    if (phase == tlm::END_RESP) {
      if (responses_.end(payload, delay)) return tlm::TLM_COMPLETED;
      report_protocol(socket_name(), "END_RESP of a transaction that is in no response phase");
      return tlm::TLM_ACCEPTED;
    }
    if (phase != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;  // of an extended protocol: ignorable
    // First, since the response of a payload under way is not to be touched.
    if (const char* const problem = problem_of(payload)) {
      return refuse_request(socket_name(), payload, problem);
    }
    const tlm::tlm_response_status status = check(payload);
    if (status != tlm::TLM_OK_RESPONSE) {
      payload.set_response_status(status);
      return tlm::TLM_COMPLETED;
    }
    responses_.open(payload);
    return begin_request(payload, phase, delay);
  }

  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) override {
    payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) override {
    dmi.init();
    dmi.allow_read_write();  // what is refused
    return false;
  }
  unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }

 protected:
  ~target_end() = default;

  virtual const char* socket_name() const = 0;
  /// TLM_OK_RESPONSE, or the response that refuses the transaction.
  virtual tlm::tlm_response_status check(const tlm::tlm_generic_payload& payload) const = 0;
  /// Takes a request that is held by a reference now, and answers its BEGIN_REQ.
  virtual tlm::tlm_sync_enum begin_request(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                           sc_core::sc_time& delay) = 0;

  tlm::tlm_generic_payload* requesting_ = nullptr;  // before its END_REQ
  response_channel responses_;

 private:
  const char* problem_of(const tlm::tlm_generic_payload& payload) const {
    if (responses_.has(payload)) return begun_twice;
    return requesting_ != nullptr ? begun_early : holding_problem(payload);
  }
};

/// An initiator's end of a socket, whose messages have no result: each ends its request, then
/// itself.
class initiator_end : public tlm::tlm_bw_transport_if<> {
 public:
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) final {
    if (phase == tlm::END_REQ) end_request(payload, delay);
    if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
    end_request(payload, delay);
    message_ended(payload, delay);
    return tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) final {}

 protected:
  ~initiator_end() = default;

  /// Begins the request of a message, whose BEGIN_REQ has that delay.
  void begin(tlm::tlm_fw_transport_if<>& target, tlm::tlm_generic_payload& payload,
             sc_core::sc_time delay) {
    requesting_ = &payload;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    const tlm::tlm_sync_enum answer = target.nb_transport_fw(payload, phase, delay);
    if (only_accepted(answer, phase)) return;
    if (answer == tlm::TLM_UPDATED && !answers_request(socket_name(), phase)) return;
    const bool responds = answer == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP;
    end_request(payload, delay);
    if (responds) {
      phase = tlm::END_RESP;
      target.nb_transport_fw(payload, phase, delay);
    }
    if (responds || answer == tlm::TLM_COMPLETED) message_ended(payload, delay);
  }

  virtual const char* socket_name() const = 0;
  /// The request has ended, or will after the delay.
  virtual void request_ended(const sc_core::sc_time& delay) = 0;
  /// The same of the message, whose reference is to be released.
  virtual void message_ended(tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay) = 0;

  tlm::tlm_generic_payload* requesting_ = nullptr;  // before its END_REQ

 private:
  void end_request(const tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay) {
    if (requesting_ != &payload) return;
    requesting_ = nullptr;
    request_ended(delay);
  }
};

}  // namespace tributary
