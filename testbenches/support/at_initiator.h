// SPDX-License-Identifier: Apache-2.0
// An approximately timed initiator that does what a test says and notes what happens.
#pragma once

#include <gtest/gtest.h>
#include <cstdint>
#include <deque>
#include <functional>

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <tributary/systemc/payload_pool.h>
#include <tributary/systemc/protocol_monitor.h>
#include <tributary/systemc/systemc.h>

#include "foreign_phase.h"

namespace tributary::testing {

/// How the initiator ends a response.
enum class response_end : std::uint8_t {
  completed,  ///< nb_transport_bw returns TLM_COMPLETED with the delay
  updated,    ///< nb_transport_bw returns TLM_UPDATED, END_RESP and the delay
  call,       ///< TLM_ACCEPTED, and a call of END_RESP after the delay
  foreign     ///< as call, but nb_transport_bw returns TLM_UPDATED with a phase of another protocol
};

/// Sends payloads one after the other, each as soon as the request before has ended, from a process
/// of its own, never from within nb_transport_bw. A protocol monitor stands before its socket.
class at_initiator : public sc_core::sc_module, private tlm::tlm_bw_transport_if<> {
 public:
  /// What became of a transaction.
  struct outcome {
    tlm::tlm_generic_payload* payload = nullptr;
    sc_core::sc_time accepted;  ///< END_REQ
    sc_core::sc_time answered;  ///< BEGIN_RESP
    tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;
  };

  explicit at_initiator(const sc_core::sc_module_name& name) : sc_module(name) {
    own_socket.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
    own_socket.bind(monitor.target_socket);
    SC_METHOD(send_next);
    sensitive << may_send_;
    dont_initialize();
    SC_METHOD(end_responses);
    sensitive << end_due_;
    dont_initialize();
  }

  tlm::tlm_initiator_socket<> own_socket{"own_socket"};
  protocol_monitor<> monitor{"monitor"};
  /// To be bound to a target.
  tlm::tlm_initiator_socket<>& initiator_socket() { return monitor.initiator_socket; }

  response_end end = response_end::completed;
  sc_core::sc_time end_delay;   ///< from BEGIN_RESP to END_RESP
  sc_core::sc_time annotation;  ///< of BEGIN_REQ
  payload_pool pool;
  std::vector<outcome> outcomes;  ///< in the order of responses
  std::vector<std::pair<std::uint64_t, std::uint64_t>> invalidated;
  /// Whether the target may answer as it is called, with a delay, or without END_REQ. Else each of
  /// its phases is expected as a call of its own, at its time.
  bool takes_every_answer = false;
  /// Told of each response, beside `outcomes`; sees the payload before it is released.
  std::function<void(tlm::tlm_generic_payload&)> on_response;

  /// Queues a payload, whose reference passes to the initiator.
  void send(tlm::tlm_generic_payload& payload) {
    waiting_.push_back(&payload);
    may_send_.notify(sc_core::SC_ZERO_TIME);
  }
  std::size_t under_way() const { return waiting_.size() + (requesting_ != nullptr) + requested_; }

 private:
  TRIBUTARY_HAS_PROCESS(at_initiator);

  void send_next() {
    if (waiting_.empty() || requesting_ != nullptr) return;
    requesting_ = waiting_.front();
    waiting_.pop_front();
    tlm::tlm_generic_payload& payload = *requesting_;
    tlm::tlm_phase begun = tlm::BEGIN_REQ;
    sc_core::sc_time delay = annotation;
    const tlm::tlm_sync_enum returned = own_socket->nb_transport_fw(payload, begun, delay);
    EXPECT_TRUE(takes_every_answer || returned == tlm::TLM_ACCEPTED);
    if (returned == tlm::TLM_ACCEPTED) return;
    end_request(delay);
    if (returned == tlm::TLM_COMPLETED) {
      note_response(payload, delay);
      payload.release();
    }
  }

  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& begun,
                                     sc_core::sc_time& delay) override {
    if (!takes_every_answer) {
      EXPECT_EQ(delay, sc_core::SC_ZERO_TIME);
      EXPECT_EQ(begun, requesting_ == &payload ? tlm::END_REQ : tlm::BEGIN_RESP);
    }
    if (requesting_ == &payload) end_request(delay);
    if (begun == tlm::END_REQ) return tlm::TLM_ACCEPTED;
    note_response(payload, delay);
    if (end == response_end::call || end == response_end::foreign) {
      ending_ = &payload;
      end_due_.notify(delay + end_delay);
      if (end == response_end::call) return tlm::TLM_ACCEPTED;
      begun = foreign_phase;
      return tlm::TLM_UPDATED;
    }
    delay += end_delay;
    if (end == response_end::updated) begun = tlm::END_RESP;
    payload.release();
    return end == response_end::updated ? tlm::TLM_UPDATED : tlm::TLM_COMPLETED;
  }

  void end_request(const sc_core::sc_time& delay) {
    accepted_[requesting_] = sc_core::sc_time_stamp() + delay;
    requesting_ = nullptr;
    ++requested_;
    may_send_.notify(delay);
  }
  void note_response(tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay) {
    --requested_;
    outcomes.push_back({&payload, accepted_[&payload], sc_core::sc_time_stamp() + delay,
                        payload.get_response_status()});
    if (on_response) on_response(payload);
  }

  void end_responses() {
    tlm::tlm_phase begun = tlm::END_RESP;
    sc_core::sc_time delay;
    EXPECT_EQ(own_socket->nb_transport_fw(*ending_, begun, delay), tlm::TLM_COMPLETED);
    ending_->release();
  }

  void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override {
    invalidated.emplace_back(first, last);
  }

  std::deque<tlm::tlm_generic_payload*> waiting_;
  tlm::tlm_generic_payload* requesting_ = nullptr;
  std::size_t requested_ = 0;
  std::unordered_map<tlm::tlm_generic_payload*, sc_core::sc_time> accepted_;
  tlm::tlm_generic_payload* ending_ = nullptr;
  sc_core::sc_event may_send_;
  sc_core::sc_event end_due_;
};

}  // namespace tributary::testing
