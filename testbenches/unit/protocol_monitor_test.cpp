// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/protocol_monitor.h>

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <array>
#include <cstdint>
#include <fstream>
#include <functional>
#include <iterator>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <tributary/sim/statistics.h>
#include <tributary/systemc/messages.h>
#include <tributary/systemc/payload_pool.h>

#include "support/foreign_phase.h"
#include "support/systemc_test.h"
#include "support/text_checks.h"

namespace tributary {

std::ostream& operator<<(std::ostream& out, protocol_rule rule) { return out << name_of(rule); }

namespace {

using testing::contains;

using sc_core::sc_time;
using testing::foreign_phase;
using tlm::tlm_generic_payload;
using tlm::tlm_phase;
using tlm::tlm_sync_enum;

sc_time ns(unsigned count) { return {static_cast<double>(count), sc_core::SC_NS}; }

/// What one side does when it is called; what a case does not set accepts.
using nonblocking = std::function<tlm_sync_enum(tlm_generic_payload&, tlm_phase&, sc_time&)>;

/// An answer that returns `status` with this phase, later by `added`.
nonblocking answer(tlm_sync_enum status, tlm_phase next, unsigned added = 0) {
  return [=](tlm_generic_payload& payload, tlm_phase& phase, sc_time& delay) {
    if (status == tlm::TLM_COMPLETED || next == tlm::BEGIN_RESP) {
      payload.set_response_status(tlm::TLM_OK_RESPONSE);
    }
    phase = next;
    delay += ns(added);
    return status;
  };
}

class scripted_initiator : public sc_core::sc_module, private tlm::tlm_bw_transport_if<> {
 public:
  tlm::tlm_initiator_socket<> socket{"socket"};
  nonblocking on_backward;
  unsigned invalidations = 0;
  /// Run by a method process, which the event starts.
  std::function<void()> in_method;
  sc_core::sc_event start_method;

  explicit scripted_initiator(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
    SC_METHOD(run_method);
    sensitive << start_method;
    dont_initialize();
  }

 private:
  TRIBUTARY_HAS_PROCESS(scripted_initiator);

  void run_method() { in_method(); }
  tlm_sync_enum nb_transport_bw(tlm_generic_payload& payload, tlm_phase& phase,
                                sc_time& delay) override {
    return on_backward ? on_backward(payload, phase, delay) : tlm::TLM_ACCEPTED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override { ++invalidations; }
};

class scripted_target : public sc_core::sc_module, private tlm::tlm_fw_transport_if<> {
 public:
  tlm::tlm_target_socket<> socket{"socket"};
  nonblocking on_forward;
  std::function<void(tlm_generic_payload&, sc_time&)> on_blocking;
  std::function<bool(tlm_generic_payload&, tlm::tlm_dmi&)> on_dmi;
  std::function<unsigned(tlm_generic_payload&)> on_debug;

  explicit scripted_target(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
  }

 private:
  tlm_sync_enum nb_transport_fw(tlm_generic_payload& payload, tlm_phase& phase,
                                sc_time& delay) override {
    return on_forward ? on_forward(payload, phase, delay) : tlm::TLM_ACCEPTED;
  }
  void b_transport(tlm_generic_payload& payload, sc_time& delay) override {
    if (on_blocking) return on_blocking(payload, delay);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  bool get_direct_mem_ptr(tlm_generic_payload& payload, tlm::tlm_dmi& descriptor) override {
    return on_dmi && on_dmi(payload, descriptor);
  }
  unsigned transport_dbg(tlm_generic_payload& payload) override {
    return on_debug ? on_debug(payload) : 0;
  }
};

/// The payloads that a case sends between initiator and target.
enum transfer : std::uint8_t { read, write, fetch };

/// An initiator, a monitor and a target.
struct hop {
  hop() {
    initiator.socket.bind(monitor.target_socket);
    monitor.initiator_socket.bind(target.socket);
    monitor.checker().on_violation([this](const protocol_violation& violation) {
      broken.insert(violation.rule);
      texts.push_back(violation.text);
    });
    run(1);
  }

  void run(unsigned nanoseconds) { sc_core::sc_start(ns(nanoseconds)); }

  tlm_generic_payload& operator[](transfer chosen) { return *payloads.at(chosen); }
  fetch_op& operation() { return *payloads[fetch]->get_extension<fetch_op>(); }

  tlm_sync_enum forward(tlm_generic_payload& payload, tlm_phase phase, unsigned delay = 0) {
    sc_time annotated = ns(delay);
    return initiator.socket->nb_transport_fw(payload, phase, annotated);
  }
  tlm_sync_enum backward(tlm_generic_payload& payload, tlm_phase phase, unsigned delay = 0) {
    sc_time annotated = ns(delay);
    return target.socket->nb_transport_bw(payload, phase, annotated);
  }
  void block(tlm_generic_payload& payload, unsigned delay = 0) {
    sc_time annotated = ns(delay);
    initiator.socket->b_transport(payload, annotated);
  }
  bool ask_for_pointer() {
    tlm::tlm_dmi descriptor;
    return initiator.socket->get_direct_mem_ptr(*payloads[read], descriptor);
  }

  payload_pool pool;
  scripted_initiator initiator{"initiator"};
  scripted_target target{"target"};
  protocol_monitor<> monitor{"monitor"};
  std::set<protocol_rule> broken;
  std::vector<std::string> texts;

  std::array<tlm_generic_payload*, 3> payloads{&pool.acquire_word(tlm::TLM_READ_COMMAND, 0x40),
                                               &pool.acquire_word(tlm::TLM_WRITE_COMMAND, 0x48, 5),
                                               &pool.acquire_fetch_op(0x50, {form::add, 1, 0})};
  std::array<unsigned char, word_bytes> enables{0xff, 0, 0xff, 0, 0xff, 0, 0xff, 0};
  std::array<unsigned char, word_bytes> bytes{};
};

// --- the steps of a case ---------------------------------------------------------------------

using step = std::function<void(hop&)>;

template <class... Steps>
step in_order(Steps... all) {
  return [=](hop& h) { (step(all)(h), ...); };
}

step forward(transfer chosen, const tlm_phase& phase, unsigned delay = 0) {
  return [=](hop& h) { h.forward(h[chosen], phase, delay); };
}
step backward(transfer chosen, const tlm_phase& phase, unsigned delay = 0) {
  return [=](hop& h) { h.backward(h[chosen], phase, delay); };
}
step begin(transfer chosen, unsigned delay = 0) { return forward(chosen, tlm::BEGIN_REQ, delay); }
step accept(transfer chosen, unsigned delay = 0) { return backward(chosen, tlm::END_REQ, delay); }
/// A target that has done its work and says so.
step respond(transfer chosen, unsigned delay = 0) {
  return [=](hop& h) {
    h[chosen].set_response_status(tlm::TLM_OK_RESPONSE);
    h.backward(h[chosen], tlm::BEGIN_RESP, delay);
  };
}
step finish(transfer chosen, unsigned delay = 0) { return forward(chosen, tlm::END_RESP, delay); }
step block(transfer chosen, unsigned delay = 0) {
  return [=](hop& h) { h.block(h[chosen], delay); };
}
/// As far as the accepted request.
step request(transfer chosen) { return in_order(begin(chosen), accept(chosen)); }
/// Everything after that.
step response(transfer chosen) { return in_order(respond(chosen), finish(chosen)); }
step whole(transfer chosen) { return in_order(request(chosen), response(chosen)); }
step run(unsigned nanoseconds) {
  return [=](hop& h) { h.run(nanoseconds); };
}

/// From here on the target or the initiator answers so.
step target_returns(tlm_sync_enum status, const tlm_phase& phase, unsigned added = 0) {
  return [=](hop& h) { h.target.on_forward = answer(status, phase, added); };
}
step initiator_returns(tlm_sync_enum status, const tlm_phase& phase, unsigned added = 0) {
  return [=](hop& h) { h.initiator.on_backward = answer(status, phase, added); };
}
void target_accepts(hop& h) { h.target.on_forward = nullptr; }
tlm_sync_enum complete(tlm_generic_payload&, tlm_phase&, sc_time&) { return tlm::TLM_COMPLETED; }

/// A change between the request and the response.
step while_under_way(const step& change) { return in_order(request(read), change, respond(read)); }
/// A change that is there before the request.
step at_the_start(const step& change, transfer chosen = read) {
  return in_order(change, begin(chosen));
}
/// A change between the response and its end.
step after_the_response(const step& change, transfer chosen = read) {
  return in_order(request(chosen), respond(chosen), change, finish(chosen));
}

/// A payload that nobody holds, or that has no memory manager.
struct lone_payload : tlm_generic_payload {
  explicit lone_payload(tlm::tlm_mm_interface* manager = nullptr) : tlm_generic_payload(manager) {
    set_streaming_width(word_bytes);
  }
};

/// The target grants a pointer with this descriptor.
step grants(std::function<void(hop&, tlm::tlm_dmi&)> describe) {
  return [describe = std::move(describe)](hop& h) {
    h.target.on_dmi = [&h, describe](tlm_generic_payload&, tlm::tlm_dmi& descriptor) {
      describe(h, descriptor);
      return true;
    };
  };
}
void ask_for_pointer(hop& h) { h.ask_for_pointer(); }
void read_for_debug(hop& h) { h.initiator.socket->transport_dbg(h[read]); }
step enable_bytes(transfer chosen) {
  return [=](hop& h) {
    h[chosen].set_byte_enable_ptr(h.enables.data());
    h[chosen].set_byte_enable_length(word_bytes);
  };
}

struct breach {
  const char* name;
  protocol_rule rule;
  step act;
};

std::ostream& operator<<(std::ostream& out, const breach& each) { return out << each.name; }

using rule = protocol_rule;

const std::vector<breach> breaches = {
    {"end_req_forward", rule::phase_path, in_order(begin(read), forward(read, tlm::END_REQ))},
    {"end_resp_backward", rule::phase_path, backward(read, tlm::END_RESP)},
    {"uninitialized_phase", rule::phase_path, forward(read, tlm::UNINITIALIZED_PHASE)},
    {"end_resp_to_begin_req", rule::wrong_return,
     in_order(target_returns(tlm::TLM_UPDATED, tlm::END_RESP), begin(read))},
    {"begin_req_to_begin_resp", rule::wrong_return,
     in_order(request(read), initiator_returns(tlm::TLM_UPDATED, tlm::BEGIN_REQ), respond(read))},
    {"end_req_of_nothing", rule::phase_order, accept(read)},
    {"begin_resp_of_nothing", rule::phase_order, respond(read)},
    {"end_resp_of_nothing", rule::phase_order, finish(read)},
    {"end_req_twice", rule::phase_order, in_order(request(read), accept(read))},
    {"begin_resp_twice", rule::phase_order, in_order(request(read), respond(read), respond(read))},
    {"end_req_after_begin_resp", rule::phase_order,
     in_order(begin(read), respond(read), accept(read))},
    {"end_resp_before_begin_resp", rule::phase_order, in_order(request(read), finish(read))},
    {"end_resp_twice", rule::phase_order, in_order(whole(read), finish(read))},
    {"completed_after_end_req_from_within", rule::phase_order,
     in_order(
         [](hop& h) {
           h.target.on_forward = [&h](tlm_generic_payload& payload, tlm_phase&, sc_time&) {
             h.backward(payload, tlm::END_REQ);
             return tlm::TLM_COMPLETED;
           };
         },
         begin(read))},
    {"updated_to_end_req", rule::wrong_return,
     in_order(initiator_returns(tlm::TLM_UPDATED, tlm::END_RESP), request(read))},
    {"completed_to_end_req", rule::wrong_return,
     in_order([](hop& h) { h.initiator.on_backward = complete; }, request(read))},
    {"updated_to_end_resp", rule::wrong_return,
     after_the_response(target_returns(tlm::TLM_UPDATED, tlm::END_RESP))},
    {"accepted_with_another_phase", rule::accepted_change,
     in_order(target_returns(tlm::TLM_ACCEPTED, tlm::END_REQ), begin(read))},
    {"accepted_with_another_delay", rule::accepted_change,
     while_under_way(initiator_returns(tlm::TLM_ACCEPTED, tlm::BEGIN_RESP, 3))},
    {"begin_req_while_requested", rule::reused_object, in_order(request(read), begin(read))},
    {"begin_req_while_responded", rule::reused_object, while_under_way([](hop& h) {
       h.initiator.on_backward = [&h](tlm_generic_payload& payload, tlm_phase&, sc_time&) {
         payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
         h.forward(payload, tlm::BEGIN_REQ);
         return tlm::TLM_ACCEPTED;
       };
     })},
    {"b_transport_within_b_transport", rule::reused_object,
     in_order(
         [](hop& h) {
           h.target.on_blocking = [&h](tlm_generic_payload& payload, sc_time&) {
             h.target.on_blocking = nullptr;
             h.block(payload);
           };
         },
         block(read))},
    {"b_transport_while_requested", rule::mixed_transport, in_order(request(read), block(read))},
    {"begin_req_within_b_transport", rule::mixed_transport,
     in_order(
         [](hop& h) {
           h.target.on_blocking = [&h](tlm_generic_payload& payload, sc_time&) {
             h.forward(payload, tlm::BEGIN_REQ);
             payload.set_response_status(tlm::TLM_OK_RESPONSE);
           };
         },
         block(read))},
    {"b_transport_in_a_method", rule::blocking_in_method,
     in_order(
         [](hop& h) {
           h.initiator.in_method = [&h] { h.block(h[read]); };
           h.initiator.start_method.notify(ns(1));
         },
         run(2))},
    {"begin_req_before_end_req", rule::request_exclusion, in_order(begin(read), begin(write))},
    {"begin_resp_before_end_resp", rule::response_exclusion,
     in_order(request(read), request(write), respond(read), respond(write))},
    {"begin_resp_returned_before_end_resp", rule::response_exclusion,
     in_order(request(read), respond(read), target_returns(tlm::TLM_UPDATED, tlm::BEGIN_RESP),
              begin(write))},
    {"end_req_earlier_than_begin_req", rule::decreasing_time,
     in_order(begin(read, 5), accept(read, 4))},
    {"end_resp_earlier_than_begin_resp", rule::decreasing_time,
     in_order(request(read), respond(read, 5), finish(read, 4))},
    {"returned_earlier_than_called", rule::decreasing_time,
     in_order(
         [](hop& h) {
           h.target.on_forward = [](tlm_generic_payload&, tlm_phase& phase, sc_time& delay) {
             phase = tlm::END_REQ;
             delay = ns(1);
             return tlm::TLM_UPDATED;
           };
         },
         begin(read, 2))},
    {"b_transport_returns_earlier", rule::decreasing_time,
     in_order(
         [](hop& h) {
           h.target.on_blocking = [](tlm_generic_payload& payload, sc_time& delay) {
             delay = ns(1);
             payload.set_response_status(tlm::TLM_OK_RESPONSE);
           };
         },
         block(read, 2))},
    {"begin_req_effective_before_end_req", rule::request_spacing,
     in_order(target_returns(tlm::TLM_UPDATED, tlm::END_REQ, 5), begin(read), begin(write, 4))},
    {"begin_resp_effective_before_end_resp", rule::response_spacing,
     in_order(request(read), request(write), initiator_returns(tlm::TLM_UPDATED, tlm::END_RESP, 5),
              respond(read), respond(write, 4))},
    {"no_memory_manager", rule::memory_manager,
     [](hop& h) {
       lone_payload payload;
       h.forward(payload, tlm::BEGIN_REQ);
     }},
    {"nobody_holds_it_forward", rule::reference_count,
     in_order(request(fetch), respond(fetch),
              [](hop& h) {
                lone_payload payload(&h.pool);
                h.forward(payload, tlm::BEGIN_REQ);
              })},
    {"nobody_holds_it_blocking", rule::reference_count,
     [](hop& h) {
       lone_payload payload(&h.pool);
       h.block(payload);
     }},
    {"read_without_data", rule::data_pointer,
     at_the_start([](hop& h) { h[read].set_data_ptr(nullptr); })},
    {"write_of_no_bytes", rule::data_length,
     in_order([](hop& h) { h[write].set_data_length(0); }, block(write))},
    {"no_byte_enables_at_a_pointer", rule::byte_enables,
     at_the_start([](hop& h) { h[read].set_byte_enable_ptr(h.enables.data()); })},
    {"half_a_byte_enabled", rule::byte_enables,
     in_order([](hop& h) { h.enables[3] = 0x0f; }, enable_bytes(read), begin(read))},
    {"no_streaming_width", rule::streaming_width,
     at_the_start([](hop& h) { h[fetch].set_streaming_width(0); }, fetch)},
    {"dmi_hint_left_over", rule::dmi_hint,
     at_the_start([](hop& h) { h[read].set_dmi_allowed(true); })},
    {"status_left_over", rule::initial_status, in_order(whole(read), begin(read))},
    {"option_at_the_start", rule::payload_option,
     at_the_start([](hop& h) { h[read].set_gp_option(tlm::TLM_FULL_PAYLOAD); })},
    {"option_changed", rule::payload_option,
     while_under_way([](hop& h) { h[read].set_gp_option(tlm::TLM_FULL_PAYLOAD); })},
    {"fetch_op_left_over", rule::initial_fetch_op,
     at_the_start([](hop& h) { h.operation().answer(3); }, fetch)},
    {"command", rule::changed_command,
     while_under_way([](hop& h) { h[read].set_command(tlm::TLM_IGNORE_COMMAND); })},
    {"address", rule::changed_address, while_under_way([](hop& h) { h[read].set_address(0); })},
    {"data_pointer_to_another_buffer", rule::changed_data_pointer,
     while_under_way([](hop& h) { h[read].set_data_ptr(h.bytes.data()); })},
    {"data_length", rule::changed_data_length,
     while_under_way([](hop& h) { h[read].set_data_length(1U << 30); })},
    {"byte_enable_pointer", rule::changed_byte_enables,
     while_under_way([](hop& h) { h[read].set_byte_enable_ptr(h.enables.data()); })},
    {"byte_enable_length", rule::changed_byte_enables,
     while_under_way([](hop& h) { h[read].set_byte_enable_length(1); })},
    {"byte_enable", rule::changed_byte_enables,
     in_order(
         enable_bytes(write), request(write), [](hop& h) { h.enables[1] = 0xff; }, respond(write))},
    {"streaming_width", rule::changed_streaming_width,
     while_under_way([](hop& h) { h[read].set_streaming_width(4); })},
    {"data_of_a_write", rule::changed_write_data,
     in_order(
         begin(write), [](hop& h) { h[write].get_data_ptr()[0] = 6; }, accept(write))},
    {"data_of_a_blocking_write", rule::changed_write_data,
     in_order(
         [](hop& h) {
           h.target.on_blocking = [](tlm_generic_payload& payload, sc_time&) {
             payload.get_data_ptr()[0] = 6;
             payload.set_response_status(tlm::TLM_OK_RESPONSE);
           };
         },
         block(write))},
    {"function", rule::changed_fetch_op,
     in_order(
         request(fetch),
         [](hop& h) {
           h.operation().ask({form::add, 2, 0});
         },
         respond(fetch))},
    {"extension_taken_away", rule::changed_fetch_op,
     [](hop& h) {
       fetch_op& request_of_it = h.operation();
       request(fetch)(h);
       h[fetch].clear_extension<fetch_op>();
       respond(fetch)(h);
       h[fetch].set_extension(&request_of_it);
     }},
    {"begin_resp_without_status", rule::missing_status,
     in_order(request(read), backward(read, tlm::BEGIN_RESP))},
    {"early_completion_without_status", rule::missing_status,
     at_the_start([](hop& h) { h.target.on_forward = complete; })},
    {"b_transport_without_status", rule::missing_status,
     in_order([](hop& h) { h.target.on_blocking = [](tlm_generic_payload&, sc_time&) {}; },
              block(read))},
    {"status_of_a_response", rule::changed_response, after_the_response([](hop& h) {
       h[read].set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
     })},
    {"data_of_a_response", rule::changed_response,
     after_the_response([](hop& h) { h[read].get_data_ptr()[7] = 1; })},
    {"result_of_a_response", rule::changed_response,
     after_the_response([](hop& h) { h.operation().answer(1); }, fetch)},
    {"used_descriptor", rule::dmi_descriptor,
     [](hop& h) {
       tlm::tlm_dmi descriptor;
       descriptor.allow_read();
       h.initiator.socket->get_direct_mem_ptr(h[read], descriptor);
     }},
    {"grant_without_pointer", rule::dmi_grant,
     in_order(grants([](hop&, tlm::tlm_dmi& descriptor) { descriptor.allow_read_write(); }),
              ask_for_pointer)},
    {"grant_of_no_access", rule::dmi_grant,
     in_order(
         grants([](hop& h, tlm::tlm_dmi& descriptor) { descriptor.set_dmi_ptr(h.bytes.data()); }),
         ask_for_pointer)},
    {"grant_elsewhere", rule::dmi_grant,
     in_order(grants([](hop& h, tlm::tlm_dmi& descriptor) {
                descriptor.set_dmi_ptr(h.bytes.data());
                descriptor.allow_read_write();
                descriptor.set_start_address(0x48);
              }),
              ask_for_pointer)},
    {"invalidation_of_nothing", rule::dmi_range,
     [](hop& h) { h.target.socket->invalidate_direct_mem_ptr(8, 7); }},
    {"debug_read_to_nowhere", rule::debug_data,
     in_order([](hop& h) { h[read].set_data_ptr(nullptr); }, read_for_debug)},
    {"debug_read_of_too_much", rule::debug_count,
     in_order([](hop& h) { h.target.on_debug = [](tlm_generic_payload&) { return 9U; }; },
              read_for_debug)},
};

class protocol_breach_test : public testing::systemc_test,
                             public ::testing::WithParamInterface<breach> {};

TEST_P(protocol_breach_test, is_seen_as_what_it_is) {
  hop h;
  GetParam().act(h);
  EXPECT_EQ(h.broken, std::set<protocol_rule>{GetParam().rule});
  EXPECT_EQ(h.monitor.checker().violations(), h.texts.size());
}

TEST_P(protocol_breach_test, is_reported_as_an_error_unless_somebody_listens) {
  expect_report(messages::protocol, testing::after_report::goes_on);
  hop h;
  h.monitor.checker().on_violation(nullptr);
  GetParam().act(h);
  ASSERT_FALSE(reports(messages::protocol).empty());
  const std::string start = "monitor: " + std::string(name_of(GetParam().rule)) + ": ";
  EXPECT_EQ(reports(messages::protocol)[0].substr(0, start.size()), start);
}

TEST_P(protocol_breach_test, is_passed_over_where_the_rule_is_ignored) {
  hop h;
  h.monitor.checker().ignore(GetParam().rule);
  GetParam().act(h);
  EXPECT_EQ(h.broken, std::set<protocol_rule>{});
  EXPECT_EQ(h.monitor.checker().violations(), 0U);
}

std::string breach_name(const ::testing::TestParamInfo<breach>& info) {
  return std::string(name_of(info.param.rule)) + "__" + info.param.name;
}

INSTANTIATE_TEST_SUITE_P(breaches, protocol_breach_test, ::testing::ValuesIn(breaches),
                         breach_name);

struct conduct {
  const char* name;
  unsigned transactions;
  step act;
};

std::ostream& operator<<(std::ostream& out, const conduct& each) { return out << each.name; }

const std::vector<conduct> legal = {
    {"four_phases", 1, whole(read)},
    {"end_req_on_return", 1,
     in_order(target_returns(tlm::TLM_UPDATED, tlm::END_REQ, 2), begin(read, 1), target_accepts,
              run(3), response(read))},
    {"begin_resp_on_return", 1,
     in_order(target_returns(tlm::TLM_UPDATED, tlm::BEGIN_RESP, 4), begin(read), target_accepts,
              finish(read, 4))},
    {"begin_resp_implies_end_req", 2,
     in_order(begin(read), respond(read), begin(write), finish(read), response(write))},
    {"end_resp_on_return", 2,
     in_order(request(read), request(write), initiator_returns(tlm::TLM_UPDATED, tlm::END_RESP, 3),
              respond(read), respond(write, 3))},
    {"completed_by_the_initiator", 2,
     in_order(request(read), request(write), initiator_returns(tlm::TLM_COMPLETED, tlm::BEGIN_RESP),
              respond(read), respond(write))},
    {"completed_early_by_the_target", 2,
     in_order(target_returns(tlm::TLM_COMPLETED, tlm::BEGIN_REQ, 3), begin(read), begin(write, 3))},
    {"end_resp_answered_by_completed", 1,
     after_the_response(target_returns(tlm::TLM_COMPLETED, tlm::END_RESP))},
    {"out_of_order", 2, in_order(request(read), request(write), response(write), response(read))},
    {"request_during_a_response", 2,
     in_order(request(read), respond(read), request(write), finish(read), response(write))},
    {"error_response", 1,
     in_order(
         request(read),
         [](hop& h) { h[read].set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE); },
         backward(read, tlm::BEGIN_RESP), finish(read))},
    {"status_and_data_set_before_end_req", 1,
     in_order(
         begin(read),
         [](hop& h) {
           h[read].get_data_ptr()[0] = 9;
           h[read].set_response_status(tlm::TLM_OK_RESPONSE);
           h[read].set_dmi_allowed(true);
         },
         accept(read), response(read))},
    {"phases_of_an_extension", 1,
     in_order(begin(read), backward(read, foreign_phase), accept(read), respond(read),
              forward(read, foreign_phase), finish(read))},
    {"object_used_again_after_its_end", 2,
     in_order(
         whole(read), [](hop& h) { h[read].set_response_status(tlm::TLM_INCOMPLETE_RESPONSE); },
         whole(read))},
    {"object_released_within_the_response", 1,
     in_order([](hop& h) { h.payloads[read] = &h.pool.acquire_word(tlm::TLM_READ_COMMAND, 8); },
              request(read),
              [](hop& h) {
                h.initiator.on_backward = [](tlm_generic_payload& ended, tlm_phase&, sc_time&) {
                  ended.release();
                  return tlm::TLM_COMPLETED;
                };
              },
              respond(read))},
    {"write_with_byte_enables", 1, in_order(enable_bytes(write), whole(write))},
    {"fetch_op_performed", 1,
     in_order(
         request(fetch),
         [](hop& h) {
           word_t word = 4;
           perform_fetch_op(h[fetch], reinterpret_cast<unsigned char*>(&word));
         },
         response(fetch))},
    {"fetch_op_of_an_ignorant_target", 1, whole(fetch)},
    {"blocking", 3,
     in_order(block(read), block(write, 3),
              [](hop& h) {
                lone_payload without_manager;
                h.block(without_manager);
              })},
    {"blocking_beside_nonblocking", 2, in_order(request(read), block(write), response(read))},
    {"transaction_of_the_same_time", 2,
     in_order(target_returns(tlm::TLM_UPDATED, tlm::END_REQ, 5), begin(read), begin(write, 5),
              target_accepts, run(10), response(read), response(write))},
    {"direct_memory_and_debug", 0,
     in_order(grants([](hop& h, tlm::tlm_dmi& descriptor) {
                descriptor.set_dmi_ptr(h.bytes.data());
                descriptor.allow_read();
                descriptor.set_start_address(0x40);
                descriptor.set_end_address(0x47);
              }),
              [](hop& h) {
                h.target.on_debug = [](tlm_generic_payload&) { return 8U; };
                tlm::tlm_dmi descriptor;
                EXPECT_TRUE(h.initiator.socket->get_direct_mem_ptr(h[read], descriptor));
                EXPECT_EQ(descriptor.get_dmi_ptr(), h.bytes.data());
                EXPECT_EQ(h.initiator.socket->transport_dbg(h[read]), 8U);
                h.target.socket->invalidate_direct_mem_ptr(0x40, 0x47);
                EXPECT_EQ(h.initiator.invalidations, 1U);
                h.target.on_dmi = nullptr;
                EXPECT_FALSE(h.ask_for_pointer());
              })},
};

class protocol_conduct_test : public testing::systemc_test,
                              public ::testing::WithParamInterface<conduct> {};

TEST_P(protocol_conduct_test, breaks_nothing) {
  hop h;
  GetParam().act(h);
  EXPECT_EQ(h.texts, std::vector<std::string>{});
  EXPECT_EQ(h.monitor.checker().transactions(), GetParam().transactions);
  EXPECT_EQ(h.monitor.checker().outstanding(), 0U);
}

INSTANTIATE_TEST_SUITE_P(legal, protocol_conduct_test, ::testing::ValuesIn(legal),
                         [](const auto& each) { return std::string(each.param.name); });

class protocol_monitor_test : public testing::systemc_test {};

TEST_F(protocol_monitor_test, has_a_breach_of_every_rule_among_its_tests) {
  std::set<protocol_rule> tested;
  for (const breach& each : breaches) tested.insert(each.rule);
  for (std::size_t i = 0; i < protocol_rule_count; ++i) {
    EXPECT_EQ(tested.count(static_cast<protocol_rule>(i)), 1U) << static_cast<protocol_rule>(i);
  }
}

TEST_F(protocol_monitor_test, has_a_page_that_lists_every_rule) {
  std::ifstream page(std::string(TRIBUTARY_SOURCE_DIR) + "/docs/models/protocol_monitor.md");
  const std::string text{std::istreambuf_iterator<char>(page), {}};
  for (std::size_t i = 0; i < protocol_rule_count; ++i) {
    const auto each = static_cast<protocol_rule>(i);
    const std::string row = "| `" + std::string(name_of(each)) + "` | " +
                            std::string(sentence_of(each)) + " | " + std::string(clause_of(each)) +
                            " |\n";
    EXPECT_TRUE(contains(text, row)) << row;
  }
}

TEST_F(protocol_monitor_test, passes_phase_delay_and_status_both_ways) {
  hop h;
  h.target.on_forward = answer(tlm::TLM_UPDATED, tlm::END_REQ, 7);
  tlm_phase phase = tlm::BEGIN_REQ;
  sc_time delay = ns(2);
  EXPECT_EQ(h.initiator.socket->nb_transport_fw(h[read], phase, delay), tlm::TLM_UPDATED);
  EXPECT_EQ(phase, tlm::END_REQ);
  EXPECT_EQ(delay, ns(9));

  h.initiator.on_backward = answer(tlm::TLM_UPDATED, tlm::END_RESP, 1);
  h[read].set_response_status(tlm::TLM_OK_RESPONSE);
  phase = tlm::BEGIN_RESP;
  delay = ns(10);
  EXPECT_EQ(h.target.socket->nb_transport_bw(h[read], phase, delay), tlm::TLM_UPDATED);
  EXPECT_EQ(phase, tlm::END_RESP);
  EXPECT_EQ(delay, ns(11));

  h.target.on_blocking = [](tlm_generic_payload& payload, sc_time& annotated) {
    annotated += ns(4);
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  };
  delay = ns(1);
  h.initiator.socket->b_transport(h[write], delay);
  EXPECT_EQ(delay, ns(5));
  EXPECT_EQ(h[write].get_response_status(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

TEST_F(protocol_monitor_test, throws_a_breach_where_it_was_seen) {
  expect_report(messages::protocol);
  hop h;
  h.monitor.checker().on_violation(nullptr);
  EXPECT_THROW(h.forward(h[read], tlm::END_RESP), sc_core::sc_report);
  const std::string text = reports(messages::protocol).at(0);
  EXPECT_TRUE(contains(text, "END_RESP after no transaction"));
  EXPECT_TRUE(contains(text, "IEEE 1666-2011, 15.2.4"));
}

TEST_F(protocol_monitor_test, says_which_transaction_and_when) {
  hop h;
  h.forward(h[write], tlm::BEGIN_REQ, 3);
  h.backward(h[write], tlm::END_REQ, 2);
  ASSERT_EQ(h.texts.size(), 1U);
  EXPECT_TRUE(contains(h.texts[0], "write of 8 bytes at 0x48"));
  EXPECT_TRUE(contains(h.texts[0], "at 1 ns, effective at 3 ns"));
}

TEST_F(protocol_monitor_test, says_once_what_changed) {
  hop h;
  request(read)(h);
  h[read].set_address(8);
  response(read)(h);
  EXPECT_EQ(h.texts.size(), 1U);
}

TEST_F(protocol_monitor_test, counts_transactions_and_those_under_way) {
  hop h;
  whole(read)(h);
  request(write)(h);
  h.backward(h[write], tlm::END_REQ);
  statistics_group group;
  h.monitor.checker().report(group);
  const std::string text = group.to_json().to_text();
  EXPECT_EQ(h.monitor.checker().transactions(), 2U);
  EXPECT_EQ(h.monitor.checker().outstanding(), 1U);
  EXPECT_EQ(h.monitor.checker().violations(), 1U);
  EXPECT_TRUE(contains(text, "transactions"));
}

/// An initiator with four phases behind an unmodified socket of tlm_utils.
class utility_initiator : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<utility_initiator> socket{"socket"};
  unsigned responses = 0;

  explicit utility_initiator(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_nb_transport_bw(this, &utility_initiator::nb_transport_bw);
    SC_THREAD(run);
  }

 private:
  TRIBUTARY_HAS_PROCESS(utility_initiator);

  void run() {
    for (std::uint64_t i = 0; i < 10; ++i) {
      tlm_generic_payload& payload = pool_.acquire_word(tlm::TLM_WRITE_COMMAND, 8 * i, i);
      tlm_phase phase = tlm::BEGIN_REQ;
      sc_time delay = ns(static_cast<unsigned>(i % 3));
      const bool blocking = i % 4 == 3;
      if (blocking) {
        socket->b_transport(payload, delay);
        wait(delay);
      } else if (socket->nb_transport_fw(payload, phase, delay) == tlm::TLM_ACCEPTED ||
                 phase == tlm::END_REQ) {
        wait(responded_);
        phase = tlm::END_RESP;
        delay = ns(0);
        socket->nb_transport_fw(payload, phase, delay);
      }
      ++responses;
      payload.release();
      wait(ns(20));
    }
  }

  tlm_sync_enum nb_transport_bw(tlm_generic_payload&, tlm_phase& phase, sc_time& delay) {
    if (phase == tlm::BEGIN_RESP) responded_.notify(delay);
    return tlm::TLM_ACCEPTED;
  }

  payload_pool pool_;
  sc_core::sc_event responded_;
};

class utility_target : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<utility_target> socket{"socket"};

  explicit utility_target(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_b_transport(this, &utility_target::b_transport);
  }

 private:
  void b_transport(tlm_generic_payload& payload, sc_time& delay) {
    wait(ns(3));
    delay += ns(2);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

TEST_F(protocol_monitor_test, finds_nothing_wrong_with_the_sockets_of_tlm_utils) {
  utility_initiator initiator("initiator");
  protocol_monitor<> first("first");
  protocol_monitor<> second("second");
  utility_target target("target");
  initiator.socket.bind(first.target_socket);
  first.initiator_socket.bind(second.target_socket);
  second.initiator_socket.bind(target.socket);
  sc_core::sc_start(ns(1000));
  EXPECT_EQ(initiator.responses, 10U);
  EXPECT_EQ(first.checker().transactions(), 10U);
  EXPECT_EQ(second.checker().outstanding(), 0U);
  end_spawned_threads();
}

}  // namespace
}  // namespace tributary
