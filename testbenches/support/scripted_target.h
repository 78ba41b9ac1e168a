// SPDX-License-Identifier: Apache-2.0
// An approximately timed memory that does what a test says.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <vector>

#include <tributary/memory/word_store.h>
#include <tributary/sim/random_stream.h>
#include <tributary/systemc/fetch_op.h>
#include <tributary/systemc/protocol_monitor.h>
#include <tributary/systemc/systemc.h>

#include "foreign_phase.h"

namespace tributary::testing {

/// How the target goes through the phases.
enum class target_way : std::uint8_t {
  four_phases,        ///< a call for each
  foreign_answer,     ///< the same, but TLM_UPDATED with a phase of another protocol to BEGIN_REQ
  end_req_returned,   ///< TLM_UPDATED with END_REQ and a delay, then a call of BEGIN_RESP
  end_req_implied,    ///< BEGIN_RESP without END_REQ
  response_returned,  ///< TLM_UPDATED with BEGIN_RESP and a delay
  completed,          ///< TLM_COMPLETED with a delay
  any_order,          ///< calls, and responses in random order
  awaits_end_resp     ///< calls, and no response before a call of END_RESP ended the one before
};

/// What it does with a fetch_op.
enum class target_skill : std::uint8_t {
  performs,  ///< the extension
  silent,    ///< nothing, and answers OK
  refuses,   ///< answers with a command error
  moody      ///< at random as one that performs or one that is silent
};

/// Words with a socket behind a protocol monitor. Serves a transaction when it answers, so that
/// what answers out of order also acts out of order.
class scripted_target : public sc_core::sc_module, private tlm::tlm_fw_transport_if<> {
 public:
  TRIBUTARY_HAS_PROCESS(scripted_target);

  explicit scripted_target(const sc_core::sc_module_name& name, std::uint64_t seed = 1)
      : sc_module(name), random_(seed, 0U, 7U) {
    own_socket.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
    monitor.initiator_socket.bind(own_socket);
    SC_METHOD(act);
    sensitive << due_;
    dont_initialize();
  }

  tlm::tlm_target_socket<> own_socket{"own_socket"};
  protocol_monitor<> monitor{"monitor"};
  /// To be bound to an initiator.
  tlm::tlm_target_socket<>& target_socket() { return monitor.target_socket; }

  target_way way = target_way::four_phases;
  target_skill skill = target_skill::performs;
  bool skilled_by_blocking = true;  ///< whether b_transport performs what the skill says
  sc_core::sc_time request_time;    ///< from BEGIN_REQ to END_REQ
  sc_core::sc_time response_time;   ///< from BEGIN_REQ to BEGIN_RESP, the longest if in any order
  sc_core::sc_time blocking_time;   ///< that b_transport waits before it acts
  /// What it answers instead of serving, if anything.
  std::function<tlm::tlm_response_status(const tlm::tlm_generic_payload&)> refusal;
  /// Whether it serves and leaves the response incomplete.
  bool sets_no_status = false;
  /// The phase that it returns with TLM_UPDATED to BEGIN_REQ instead of serving, if any.
  tlm::tlm_phase odd_answer = tlm::UNINITIALIZED_PHASE;
  word_store words;
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t asked = 0;          ///< transactions with a fetch_op
  std::uint64_t ended_by_call = 0;  ///< responses
  std::vector<std::uint64_t> addresses;
  tlm::tlm_dmi direct;
  bool grants = false;

  void invalidate(std::uint64_t first, std::uint64_t last) {
    own_socket->invalidate_direct_mem_ptr(first, last);
  }

 private:
  struct event {
    tlm::tlm_generic_payload* payload;
    bool response;
  };

  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    if (phase == tlm::END_RESP) end_response();
    if (phase != tlm::BEGIN_REQ) return tlm::TLM_COMPLETED;
    if (odd_answer != tlm::UNINITIALIZED_PHASE) {
      phase = odd_answer;
      return tlm::TLM_UPDATED;
    }
    const sc_core::sc_time begun = sc_core::sc_time_stamp() + delay;
    switch (way) {
      case target_way::completed:
        serve(payload);
        delay += response_time;
        return tlm::TLM_COMPLETED;
      case target_way::response_returned:
        serve(payload);
        delay += response_time;
        phase = tlm::BEGIN_RESP;
        return tlm::TLM_UPDATED;
      case target_way::end_req_returned:
        plan(payload, true, begun + response_time);
        delay += request_time;
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
      case target_way::end_req_implied:
        plan(payload, true, begun + response_time);
        return tlm::TLM_ACCEPTED;
      case target_way::foreign_answer:
        plan(payload, false, begun + request_time);
        plan(payload, true, begun + time_to_answer());
        phase = testing::foreign_phase;
        return tlm::TLM_UPDATED;
      default:
        plan(payload, false, begun + request_time);
        plan(payload, true, begun + time_to_answer());
        return tlm::TLM_ACCEPTED;
    }
  }

  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override {
    if (blocking_time != sc_core::SC_ZERO_TIME) wait(blocking_time);
    const target_skill usual = skill;
    if (!skilled_by_blocking) skill = target_skill::silent;
    serve(payload);
    skill = usual;
    delay += response_time;
  }

  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override {
    addresses.push_back(payload.get_address());
    const std::uint64_t location = payload.get_address() / word_bytes;
    word_t word = words.read(location);
    unsigned char* const byte =
        reinterpret_cast<unsigned char*>(&word) + payload.get_address() % word_bytes;
    if (payload.is_read()) std::memcpy(payload.get_data_ptr(), byte, payload.get_data_length());
    if (payload.is_write()) {
      std::memcpy(byte, payload.get_data_ptr(), payload.get_data_length());
      words.write(location, word);
    }
    return payload.get_data_length();
  }

  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override {
    addresses.push_back(payload.get_address());
    dmi = direct;
    return grants;
  }

  sc_core::sc_time time_to_answer() {
    if (way != target_way::any_order) return response_time;
    const sc_core::sc_time least = request_time;
    return least + sc_core::sc_time::from_value(random_.below((response_time - least).value() + 1));
  }

  void plan(tlm::tlm_generic_payload& payload, bool response, const sc_core::sc_time& when) {
    payload.acquire();
    plans_.insert({when, {&payload, response}});
    due_.notify(plans_.begin()->first - sc_core::sc_time_stamp());
  }

  /// As the arbiter of DRAMSys 5.1, which takes TLM_COMPLETED for no END_RESP.
  void end_response() {
    ++ended_by_call;
    responding_ = false;
    if (held_.empty()) return;
    plan(*held_.front(), true, sc_core::sc_time_stamp());
    held_.front()->release();
    held_.pop_front();
  }

  bool holds(const event& next) {
    if (!next.response || way != target_way::awaits_end_resp) return false;
    if (responding_) held_.push_back(next.payload);
    const bool held = responding_;
    responding_ = true;
    return held;
  }

  void act() {
    while (!plans_.empty() && plans_.begin()->first <= sc_core::sc_time_stamp()) {
      const event next = plans_.begin()->second;
      plans_.erase(plans_.begin());
      if (holds(next)) continue;
      if (next.response) serve(*next.payload);
      tlm::tlm_phase phase = next.response ? tlm::BEGIN_RESP : tlm::END_REQ;
      sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
      own_socket->nb_transport_bw(*next.payload, phase, delay);
      next.payload->release();
    }
    if (!plans_.empty()) due_.notify(plans_.begin()->first - sc_core::sc_time_stamp());
  }

  void serve(tlm::tlm_generic_payload& payload) {
    addresses.push_back(payload.get_address());
    const tlm::tlm_response_status status = refusal ? refusal(payload) : tlm::TLM_OK_RESPONSE;
    payload.set_response_status(status);
    if (status != tlm::TLM_OK_RESPONSE) return;
    const std::uint64_t location = payload.get_address() / word_bytes;
    word_t word = words.read(location);
    if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) {
      ++asked;
      perform(payload, word);
    } else {
      transfer(payload, word);
    }
    words.write(location, word);
    if (sets_no_status) payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  }

  void perform(tlm::tlm_generic_payload& payload, word_t& word) {
    const bool willing = skill == target_skill::moody && random_.below(2) == 0;
    if (skill == target_skill::performs || willing) {
      perform_fetch_op(payload, reinterpret_cast<unsigned char*>(&word));
    } else if (skill == target_skill::refuses) {
      payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    }
  }

  void transfer(tlm::tlm_generic_payload& payload, word_t& word) {
    auto* const bytes =
        reinterpret_cast<unsigned char*>(&word) + payload.get_address() % word_bytes;
    const unsigned char* const enables = payload.get_byte_enable_ptr();
    for (unsigned i = 0; i < payload.get_data_length(); ++i) {
      if (enables != nullptr && enables[i] == TLM_BYTE_DISABLED) continue;
      if (payload.is_read()) payload.get_data_ptr()[i] = bytes[i];
      if (payload.is_write()) bytes[i] = payload.get_data_ptr()[i];
    }
    ++(payload.is_read() ? reads : writes);
  }

  random_stream random_;
  std::multimap<sc_core::sc_time, event> plans_;
  bool responding_ = false;
  std::deque<tlm::tlm_generic_payload*> held_;
  sc_core::sc_event due_;
};

}  // namespace tributary::testing
