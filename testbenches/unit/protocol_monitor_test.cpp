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
#include <vector>

#include <tributary/sim/statistics.h>
#include <tributary/systemc/messages.h>
#include <tributary/systemc/payload_pool.h>

#include "support/systemc_test.h"

namespace tributary {

std::ostream& operator<<(std::ostream& out, protocol_rule rule) { return out << name_of(rule); }

namespace {

using sc_core::sc_time;
using tlm::tlm_generic_payload;
using tlm::tlm_phase;
using tlm::tlm_sync_enum;

DECLARE_EXTENDED_PHASE(phase_of_an_extension);

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

/// An initiator, a monitor and a target, and two payloads that a case sends between them.
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

  tlm_sync_enum forward(tlm_generic_payload& payload, tlm_phase phase, unsigned delay = 0) {
    sc_time annotated = ns(delay);
    return initiator.socket->nb_transport_fw(payload, phase, annotated);
  }
  tlm_sync_enum backward(tlm_generic_payload& payload, tlm_phase phase, unsigned delay = 0) {
    sc_time annotated = ns(delay);
    return target.socket->nb_transport_bw(payload, phase, annotated);
  }
  /// A target that has read the word and says so.
  tlm_sync_enum respond(tlm_generic_payload& payload, unsigned delay = 0) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return backward(payload, tlm::BEGIN_RESP, delay);
  }
  void block(tlm_generic_payload& payload, unsigned delay = 0) {
    sc_time annotated = ns(delay);
    initiator.socket->b_transport(payload, annotated);
  }
  /// As far as the accepted request.
  void request(tlm_generic_payload& payload) {
    forward(payload, tlm::BEGIN_REQ);
    backward(payload, tlm::END_REQ);
  }
  /// Everything after that.
  void response(tlm_generic_payload& payload) {
    respond(payload);
    forward(payload, tlm::END_RESP);
  }
  void whole(tlm_generic_payload& payload) {
    request(payload);
    response(payload);
  }

  payload_pool pool;
  scripted_initiator initiator{"initiator"};
  scripted_target target{"target"};
  protocol_monitor<> monitor{"monitor"};
  std::set<protocol_rule> broken;
  std::vector<std::string> texts;

  tlm_generic_payload& read = pool.acquire_word(tlm::TLM_READ_COMMAND, 0x40);
  tlm_generic_payload& write = pool.acquire_word(tlm::TLM_WRITE_COMMAND, 0x48, 5);
  tlm_generic_payload& fetch = pool.acquire_fetch_op(0x50, {form::add, 1, 0});
  std::array<unsigned char, word_bytes> enables{0xff, 0, 0xff, 0, 0xff, 0, 0xff, 0};
  std::array<unsigned char, word_bytes> bytes{};
};

struct breach {
  const char* name;
  protocol_rule rule;
  std::function<void(hop&)> act;
};

std::ostream& operator<<(std::ostream& out, const breach& each) { return out << each.name; }

/// A case that changes something between the request and the response.
std::function<void(hop&)> while_under_way(void (*change)(hop&)) {
  return [change](hop& h) {
    h.request(h.read);
    change(h);
    h.respond(h.read);
  };
}

const std::vector<breach> breaches = {
    {"end_req_forward", protocol_rule::phase_path,
     [](hop& h) {
       h.forward(h.read, tlm::BEGIN_REQ);
       h.forward(h.read, tlm::END_REQ);
     }},
    {"end_resp_backward", protocol_rule::phase_path,
     [](hop& h) { h.backward(h.read, tlm::END_RESP); }},
    {"uninitialized_phase", protocol_rule::phase_path,
     [](hop& h) { h.forward(h.read, tlm::UNINITIALIZED_PHASE); }},
    {"end_resp_to_begin_req", protocol_rule::wrong_return,
     [](hop& h) {
       h.target.on_forward = answer(tlm::TLM_UPDATED, tlm::END_RESP);
       h.forward(h.read, tlm::BEGIN_REQ);
     }},
    {"begin_req_to_begin_resp", protocol_rule::wrong_return,
     [](hop& h) {
       h.request(h.read);
       h.initiator.on_backward = answer(tlm::TLM_UPDATED, tlm::BEGIN_REQ);
       h.respond(h.read);
     }},
    {"end_req_of_nothing", protocol_rule::phase_order,
     [](hop& h) { h.backward(h.read, tlm::END_REQ); }},
    {"begin_resp_of_nothing", protocol_rule::phase_order, [](hop& h) { h.respond(h.read); }},
    {"end_resp_of_nothing", protocol_rule::phase_order,
     [](hop& h) { h.forward(h.read, tlm::END_RESP); }},
    {"end_req_twice", protocol_rule::phase_order,
     [](hop& h) {
       h.request(h.read);
       h.backward(h.read, tlm::END_REQ);
     }},
    {"begin_resp_twice", protocol_rule::phase_order,
     [](hop& h) {
       h.request(h.read);
       h.respond(h.read);
       h.respond(h.read);
     }},
    {"end_req_after_begin_resp", protocol_rule::phase_order,
     [](hop& h) {
       h.forward(h.read, tlm::BEGIN_REQ);
       h.respond(h.read);
       h.backward(h.read, tlm::END_REQ);
     }},
    {"end_resp_before_begin_resp", protocol_rule::phase_order,
     [](hop& h) {
       h.request(h.read);
       h.forward(h.read, tlm::END_RESP);
     }},
    {"end_resp_twice", protocol_rule::phase_order,
     [](hop& h) {
       h.whole(h.read);
       h.forward(h.read, tlm::END_RESP);
     }},
    {"completed_after_end_req_from_within", protocol_rule::phase_order,
     [](hop& h) {
       h.target.on_forward = [&](tlm_generic_payload& payload, tlm_phase&, sc_time&) {
         h.backward(payload, tlm::END_REQ);
         return tlm::TLM_COMPLETED;
       };
       h.forward(h.read, tlm::BEGIN_REQ);
     }},
    {"updated_to_end_req", protocol_rule::wrong_return,
     [](hop& h) {
       h.initiator.on_backward = answer(tlm::TLM_UPDATED, tlm::END_RESP);
       h.request(h.read);
     }},
    {"completed_to_end_req", protocol_rule::wrong_return,
     [](hop& h) {
       h.initiator.on_backward = [](tlm_generic_payload&, tlm_phase&, sc_time&) {
         return tlm::TLM_COMPLETED;
       };
       h.request(h.read);
     }},
    {"updated_to_end_resp", protocol_rule::wrong_return,
     [](hop& h) {
       h.request(h.read);
       h.respond(h.read);
       h.target.on_forward = answer(tlm::TLM_UPDATED, tlm::END_RESP);
       h.forward(h.read, tlm::END_RESP);
     }},
    {"accepted_with_another_phase", protocol_rule::accepted_change,
     [](hop& h) {
       h.target.on_forward = answer(tlm::TLM_ACCEPTED, tlm::END_REQ);
       h.forward(h.read, tlm::BEGIN_REQ);
     }},
    {"accepted_with_another_delay", protocol_rule::accepted_change,
     [](hop& h) {
       h.request(h.read);
       h.initiator.on_backward = answer(tlm::TLM_ACCEPTED, tlm::BEGIN_RESP, 3);
       h.respond(h.read);
     }},
    {"begin_req_while_requested", protocol_rule::reused_object,
     [](hop& h) {
       h.request(h.read);
       h.forward(h.read, tlm::BEGIN_REQ);
     }},
    {"begin_req_while_responded", protocol_rule::reused_object,
     [](hop& h) {
       h.request(h.read);
       h.initiator.on_backward = [&](tlm_generic_payload& payload, tlm_phase&, sc_time&) {
         payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
         h.forward(payload, tlm::BEGIN_REQ);
         return tlm::TLM_ACCEPTED;
       };
       h.respond(h.read);
     }},
    {"b_transport_within_b_transport", protocol_rule::reused_object,
     [](hop& h) {
       h.target.on_blocking = [&](tlm_generic_payload& payload, sc_time&) {
         h.target.on_blocking = nullptr;
         h.block(payload);
       };
       h.block(h.read);
     }},
    {"b_transport_while_requested", protocol_rule::mixed_transport,
     [](hop& h) {
       h.request(h.read);
       h.block(h.read);
     }},
    {"begin_req_within_b_transport", protocol_rule::mixed_transport,
     [](hop& h) {
       h.target.on_blocking = [&](tlm_generic_payload& payload, sc_time&) {
         h.forward(payload, tlm::BEGIN_REQ);
         payload.set_response_status(tlm::TLM_OK_RESPONSE);
       };
       h.block(h.read);
     }},
    {"b_transport_in_a_method", protocol_rule::blocking_in_method,
     [](hop& h) {
       h.initiator.in_method = [&] { h.block(h.read); };
       h.initiator.start_method.notify(ns(1));
       h.run(2);
     }},
    {"begin_req_before_end_req", protocol_rule::request_exclusion,
     [](hop& h) {
       h.forward(h.read, tlm::BEGIN_REQ);
       h.forward(h.write, tlm::BEGIN_REQ);
     }},
    {"begin_resp_before_end_resp", protocol_rule::response_exclusion,
     [](hop& h) {
       h.request(h.read);
       h.request(h.write);
       h.respond(h.read);
       h.respond(h.write);
     }},
    {"begin_resp_returned_before_end_resp", protocol_rule::response_exclusion,
     [](hop& h) {
       h.request(h.read);
       h.respond(h.read);
       h.target.on_forward = answer(tlm::TLM_UPDATED, tlm::BEGIN_RESP);
       h.forward(h.write, tlm::BEGIN_REQ);
     }},
    {"end_req_earlier_than_begin_req", protocol_rule::decreasing_time,
     [](hop& h) {
       h.forward(h.read, tlm::BEGIN_REQ, 5);
       h.backward(h.read, tlm::END_REQ, 4);
     }},
    {"end_resp_earlier_than_begin_resp", protocol_rule::decreasing_time,
     [](hop& h) {
       h.request(h.read);
       h.respond(h.read, 5);
       h.forward(h.read, tlm::END_RESP, 4);
     }},
    {"returned_earlier_than_called", protocol_rule::decreasing_time,
     [](hop& h) {
       h.target.on_forward = [](tlm_generic_payload&, tlm_phase& phase, sc_time& delay) {
         phase = tlm::END_REQ;
         delay = ns(1);
         return tlm::TLM_UPDATED;
       };
       h.forward(h.read, tlm::BEGIN_REQ, 2);
     }},
    {"b_transport_returns_earlier", protocol_rule::decreasing_time,
     [](hop& h) {
       h.target.on_blocking = [](tlm_generic_payload& payload, sc_time& delay) {
         delay = ns(1);
         payload.set_response_status(tlm::TLM_OK_RESPONSE);
       };
       h.block(h.read, 2);
     }},
    {"begin_req_effective_before_end_req", protocol_rule::request_spacing,
     [](hop& h) {
       h.target.on_forward = answer(tlm::TLM_UPDATED, tlm::END_REQ, 5);
       h.forward(h.read, tlm::BEGIN_REQ);
       h.forward(h.write, tlm::BEGIN_REQ, 4);
     }},
    {"begin_resp_effective_before_end_resp", protocol_rule::response_spacing,
     [](hop& h) {
       h.request(h.read);
       h.request(h.write);
       h.initiator.on_backward = answer(tlm::TLM_UPDATED, tlm::END_RESP, 5);
       h.respond(h.read);
       h.respond(h.write, 4);
     }},
    {"no_memory_manager", protocol_rule::memory_manager,
     [](hop& h) {
       tlm_generic_payload payload;
       payload.set_streaming_width(8);
       h.forward(payload, tlm::BEGIN_REQ);
     }},
    {"nobody_holds_it_forward", protocol_rule::reference_count,
     [](hop& h) {
       h.request(h.fetch);
       h.respond(h.fetch);
       tlm_generic_payload payload(&h.pool);
       payload.set_streaming_width(8);
       h.forward(payload, tlm::BEGIN_REQ);
     }},
    {"nobody_holds_it_blocking", protocol_rule::reference_count,
     [](hop& h) {
       tlm_generic_payload payload(&h.pool);
       payload.set_streaming_width(8);
       h.block(payload);
     }},
    {"read_without_data", protocol_rule::data_pointer,
     [](hop& h) {
       h.read.set_data_ptr(nullptr);
       h.forward(h.read, tlm::BEGIN_REQ);
     }},
    {"write_of_no_bytes", protocol_rule::data_length,
     [](hop& h) {
       h.write.set_data_length(0);
       h.block(h.write);
     }},
    {"no_byte_enables_at_a_pointer", protocol_rule::byte_enables,
     [](hop& h) {
       h.read.set_byte_enable_ptr(h.enables.data());
       h.forward(h.read, tlm::BEGIN_REQ);
     }},
    {"half_a_byte_enabled", protocol_rule::byte_enables,
     [](hop& h) {
       h.enables[3] = 0x0f;
       h.read.set_byte_enable_ptr(h.enables.data());
       h.read.set_byte_enable_length(8);
       h.forward(h.read, tlm::BEGIN_REQ);
     }},
    {"no_streaming_width", protocol_rule::streaming_width,
     [](hop& h) {
       h.fetch.set_streaming_width(0);
       h.forward(h.fetch, tlm::BEGIN_REQ);
     }},
    {"dmi_hint_left_over", protocol_rule::dmi_hint,
     [](hop& h) {
       h.read.set_dmi_allowed(true);
       h.forward(h.read, tlm::BEGIN_REQ);
     }},
    {"status_left_over", protocol_rule::initial_status,
     [](hop& h) {
       h.whole(h.read);
       h.forward(h.read, tlm::BEGIN_REQ);
     }},
    {"option_at_the_start", protocol_rule::payload_option,
     [](hop& h) {
       h.read.set_gp_option(tlm::TLM_FULL_PAYLOAD);
       h.forward(h.read, tlm::BEGIN_REQ);
     }},
    {"option_changed", protocol_rule::payload_option,
     while_under_way([](hop& h) { h.read.set_gp_option(tlm::TLM_FULL_PAYLOAD); })},
    {"fetch_op_left_over", protocol_rule::initial_fetch_op,
     [](hop& h) {
       h.fetch.get_extension<fetch_op>()->answer(3);
       h.forward(h.fetch, tlm::BEGIN_REQ);
     }},
    {"command", protocol_rule::changed_command,
     while_under_way([](hop& h) { h.read.set_command(tlm::TLM_IGNORE_COMMAND); })},
    {"address", protocol_rule::changed_address,
     while_under_way([](hop& h) { h.read.set_address(0); })},
    {"data_pointer_to_another_buffer", protocol_rule::changed_data_pointer,
     while_under_way([](hop& h) { h.read.set_data_ptr(h.bytes.data()); })},
    {"data_length", protocol_rule::changed_data_length,
     while_under_way([](hop& h) { h.read.set_data_length(1U << 30); })},
    {"byte_enable_pointer", protocol_rule::changed_byte_enables,
     while_under_way([](hop& h) { h.read.set_byte_enable_ptr(h.enables.data()); })},
    {"byte_enable_length", protocol_rule::changed_byte_enables,
     while_under_way([](hop& h) { h.read.set_byte_enable_length(1); })},
    {"byte_enable", protocol_rule::changed_byte_enables,
     [](hop& h) {
       h.write.set_byte_enable_ptr(h.enables.data());
       h.write.set_byte_enable_length(8);
       h.request(h.write);
       h.enables[1] = 0xff;
       h.respond(h.write);
     }},
    {"streaming_width", protocol_rule::changed_streaming_width,
     while_under_way([](hop& h) { h.read.set_streaming_width(4); })},
    {"data_of_a_write", protocol_rule::changed_write_data,
     [](hop& h) {
       h.forward(h.write, tlm::BEGIN_REQ);
       h.write.get_data_ptr()[0] = 6;
       h.backward(h.write, tlm::END_REQ);
     }},
    {"data_of_a_blocking_write", protocol_rule::changed_write_data,
     [](hop& h) {
       h.target.on_blocking = [](tlm_generic_payload& payload, sc_time&) {
         payload.get_data_ptr()[0] = 6;
         payload.set_response_status(tlm::TLM_OK_RESPONSE);
       };
       h.block(h.write);
     }},
    {"function", protocol_rule::changed_fetch_op,
     [](hop& h) {
       h.request(h.fetch);
       h.fetch.get_extension<fetch_op>()->ask({form::add, 2, 0});
       h.respond(h.fetch);
     }},
    {"extension_taken_away", protocol_rule::changed_fetch_op,
     [](hop& h) {
       fetch_op* request = h.fetch.get_extension<fetch_op>();
       h.request(h.fetch);
       h.fetch.clear_extension<fetch_op>();
       h.respond(h.fetch);
       h.fetch.set_extension(request);
     }},
    {"begin_resp_without_status", protocol_rule::missing_status,
     [](hop& h) {
       h.request(h.read);
       h.backward(h.read, tlm::BEGIN_RESP);
     }},
    {"early_completion_without_status", protocol_rule::missing_status,
     [](hop& h) {
       h.target.on_forward = [](tlm_generic_payload&, tlm_phase&, sc_time&) {
         return tlm::TLM_COMPLETED;
       };
       h.forward(h.read, tlm::BEGIN_REQ);
     }},
    {"b_transport_without_status", protocol_rule::missing_status,
     [](hop& h) {
       h.target.on_blocking = [](tlm_generic_payload&, sc_time&) {};
       h.block(h.read);
     }},
    {"status_of_a_response", protocol_rule::changed_response,
     [](hop& h) {
       h.request(h.read);
       h.respond(h.read);
       h.read.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
       h.forward(h.read, tlm::END_RESP);
     }},
    {"data_of_a_response", protocol_rule::changed_response,
     [](hop& h) {
       h.request(h.read);
       h.respond(h.read);
       h.read.get_data_ptr()[7] = 1;
       h.forward(h.read, tlm::END_RESP);
     }},
    {"result_of_a_response", protocol_rule::changed_response,
     [](hop& h) {
       h.request(h.fetch);
       h.respond(h.fetch);
       h.fetch.get_extension<fetch_op>()->answer(1);
       h.forward(h.fetch, tlm::END_RESP);
     }},
    {"used_descriptor", protocol_rule::dmi_descriptor,
     [](hop& h) {
       tlm::tlm_dmi descriptor;
       descriptor.allow_read();
       h.initiator.socket->get_direct_mem_ptr(h.read, descriptor);
     }},
    {"grant_without_pointer", protocol_rule::dmi_grant,
     [](hop& h) {
       h.target.on_dmi = [](tlm_generic_payload&, tlm::tlm_dmi& descriptor) {
         descriptor.allow_read_write();
         return true;
       };
       tlm::tlm_dmi descriptor;
       h.initiator.socket->get_direct_mem_ptr(h.read, descriptor);
     }},
    {"grant_of_no_access", protocol_rule::dmi_grant,
     [](hop& h) {
       h.target.on_dmi = [&](tlm_generic_payload&, tlm::tlm_dmi& descriptor) {
         descriptor.set_dmi_ptr(h.bytes.data());
         return true;
       };
       tlm::tlm_dmi descriptor;
       h.initiator.socket->get_direct_mem_ptr(h.read, descriptor);
     }},
    {"grant_elsewhere", protocol_rule::dmi_grant,
     [](hop& h) {
       h.target.on_dmi = [&](tlm_generic_payload&, tlm::tlm_dmi& descriptor) {
         descriptor.set_dmi_ptr(h.bytes.data());
         descriptor.allow_read_write();
         descriptor.set_start_address(0x48);
         return true;
       };
       tlm::tlm_dmi descriptor;
       h.initiator.socket->get_direct_mem_ptr(h.read, descriptor);
     }},
    {"invalidation_of_nothing", protocol_rule::dmi_range,
     [](hop& h) { h.target.socket->invalidate_direct_mem_ptr(8, 7); }},
    {"debug_read_to_nowhere", protocol_rule::debug_data,
     [](hop& h) {
       h.read.set_data_ptr(nullptr);
       h.initiator.socket->transport_dbg(h.read);
     }},
    {"debug_read_of_too_much", protocol_rule::debug_count,
     [](hop& h) {
       h.target.on_debug = [](tlm_generic_payload&) { return 9U; };
       h.initiator.socket->transport_dbg(h.read);
     }},
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
  std::function<void(hop&)> act;
};

std::ostream& operator<<(std::ostream& out, const conduct& each) { return out << each.name; }

const std::vector<conduct> legal = {
    {"four_phases", 1, [](hop& h) { h.whole(h.read); }},
    {"end_req_on_return", 1,
     [](hop& h) {
       h.target.on_forward = answer(tlm::TLM_UPDATED, tlm::END_REQ, 2);
       h.forward(h.read, tlm::BEGIN_REQ, 1);
       h.target.on_forward = nullptr;
       h.run(3);
       h.response(h.read);
     }},
    {"begin_resp_on_return", 1,
     [](hop& h) {
       h.target.on_forward = answer(tlm::TLM_UPDATED, tlm::BEGIN_RESP, 4);
       h.forward(h.read, tlm::BEGIN_REQ);
       h.target.on_forward = nullptr;
       h.forward(h.read, tlm::END_RESP, 4);
     }},
    {"begin_resp_implies_end_req", 2,
     [](hop& h) {
       h.forward(h.read, tlm::BEGIN_REQ);
       h.respond(h.read);
       h.forward(h.write, tlm::BEGIN_REQ);
       h.forward(h.read, tlm::END_RESP);
       h.response(h.write);
     }},
    {"end_resp_on_return", 2,
     [](hop& h) {
       h.request(h.read);
       h.request(h.write);
       h.initiator.on_backward = answer(tlm::TLM_UPDATED, tlm::END_RESP, 3);
       h.respond(h.read);
       h.respond(h.write, 3);
     }},
    {"completed_by_the_initiator", 2,
     [](hop& h) {
       h.request(h.read);
       h.request(h.write);
       h.initiator.on_backward = answer(tlm::TLM_COMPLETED, tlm::BEGIN_RESP);
       h.respond(h.read);
       h.respond(h.write);
     }},
    {"completed_early_by_the_target", 2,
     [](hop& h) {
       h.target.on_forward = answer(tlm::TLM_COMPLETED, tlm::BEGIN_REQ, 3);
       h.forward(h.read, tlm::BEGIN_REQ);
       h.forward(h.write, tlm::BEGIN_REQ, 3);
     }},
    {"end_resp_answered_by_completed", 1,
     [](hop& h) {
       h.request(h.read);
       h.respond(h.read);
       h.target.on_forward = answer(tlm::TLM_COMPLETED, tlm::END_RESP);
       h.forward(h.read, tlm::END_RESP);
     }},
    {"out_of_order", 2,
     [](hop& h) {
       h.request(h.read);
       h.request(h.write);
       h.response(h.write);
       h.response(h.read);
     }},
    {"request_during_a_response", 2,
     [](hop& h) {
       h.request(h.read);
       h.respond(h.read);
       h.request(h.write);
       h.forward(h.read, tlm::END_RESP);
       h.response(h.write);
     }},
    {"error_response", 1,
     [](hop& h) {
       h.request(h.read);
       h.read.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
       h.backward(h.read, tlm::BEGIN_RESP);
       h.forward(h.read, tlm::END_RESP);
     }},
    {"status_and_data_set_before_end_req", 1,
     [](hop& h) {
       h.forward(h.read, tlm::BEGIN_REQ);
       h.read.get_data_ptr()[0] = 9;
       h.read.set_response_status(tlm::TLM_OK_RESPONSE);
       h.read.set_dmi_allowed(true);
       h.backward(h.read, tlm::END_REQ);
       h.response(h.read);
     }},
    {"phases_of_an_extension", 1,
     [](hop& h) {
       h.forward(h.read, tlm::BEGIN_REQ);
       h.backward(h.read, phase_of_an_extension);
       h.backward(h.read, tlm::END_REQ);
       h.respond(h.read);
       h.forward(h.read, phase_of_an_extension);
       h.forward(h.read, tlm::END_RESP);
     }},
    {"object_used_again_after_its_end", 2,
     [](hop& h) {
       h.whole(h.read);
       h.read.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
       h.whole(h.read);
     }},
    {"object_released_within_the_response", 1,
     [](hop& h) {
       tlm_generic_payload& payload = h.pool.acquire_word(tlm::TLM_READ_COMMAND, 8);
       h.request(payload);
       h.initiator.on_backward = [](tlm_generic_payload& ended, tlm_phase&, sc_time&) {
         ended.release();
         return tlm::TLM_COMPLETED;
       };
       h.respond(payload);
     }},
    {"write_with_byte_enables", 1,
     [](hop& h) {
       h.write.set_byte_enable_ptr(h.enables.data());
       h.write.set_byte_enable_length(8);
       h.whole(h.write);
     }},
    {"fetch_op_performed", 1,
     [](hop& h) {
       h.request(h.fetch);
       word_t word = 4;
       perform_fetch_op(h.fetch, reinterpret_cast<unsigned char*>(&word));
       h.response(h.fetch);
     }},
    {"fetch_op_of_an_ignorant_target", 1, [](hop& h) { h.whole(h.fetch); }},
    {"blocking", 3,
     [](hop& h) {
       h.block(h.read);
       h.block(h.write, 3);
       tlm_generic_payload without_manager;
       without_manager.set_streaming_width(1);
       h.block(without_manager);
     }},
    {"blocking_beside_nonblocking", 2,
     [](hop& h) {
       h.request(h.read);
       h.block(h.write);
       h.response(h.read);
     }},
    {"transaction_of_the_same_time", 2,
     [](hop& h) {
       h.target.on_forward = answer(tlm::TLM_UPDATED, tlm::END_REQ, 5);
       h.forward(h.read, tlm::BEGIN_REQ);
       h.forward(h.write, tlm::BEGIN_REQ, 5);
       h.target.on_forward = nullptr;
       h.run(10);
       h.response(h.read);
       h.response(h.write);
     }},
    {"direct_memory_and_debug", 0,
     [](hop& h) {
       h.target.on_dmi = [&](tlm_generic_payload&, tlm::tlm_dmi& descriptor) {
         descriptor.set_dmi_ptr(h.bytes.data());
         descriptor.allow_read();
         descriptor.set_start_address(0x40);
         descriptor.set_end_address(0x47);
         return true;
       };
       h.target.on_debug = [](tlm_generic_payload&) { return 8U; };
       tlm::tlm_dmi descriptor;
       EXPECT_TRUE(h.initiator.socket->get_direct_mem_ptr(h.read, descriptor));
       EXPECT_EQ(descriptor.get_dmi_ptr(), h.bytes.data());
       EXPECT_EQ(h.initiator.socket->transport_dbg(h.read), 8U);
       h.target.socket->invalidate_direct_mem_ptr(0x40, 0x47);
       EXPECT_EQ(h.initiator.invalidations, 1U);
       h.target.on_dmi = nullptr;
       descriptor.init();
       EXPECT_FALSE(h.initiator.socket->get_direct_mem_ptr(h.read, descriptor));
     }},
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
    const auto rule = static_cast<protocol_rule>(i);
    const std::string row = "| `" + std::string(name_of(rule)) + "` | " +
                            std::string(sentence_of(rule)) + " | " + std::string(clause_of(rule)) +
                            " |\n";
    EXPECT_NE(text.find(row), std::string::npos) << row;
  }
}

TEST_F(protocol_monitor_test, passes_phase_delay_and_status_both_ways) {
  hop h;
  h.target.on_forward = answer(tlm::TLM_UPDATED, tlm::END_REQ, 7);
  tlm_phase phase = tlm::BEGIN_REQ;
  sc_time delay = ns(2);
  EXPECT_EQ(h.initiator.socket->nb_transport_fw(h.read, phase, delay), tlm::TLM_UPDATED);
  EXPECT_EQ(phase, tlm::END_REQ);
  EXPECT_EQ(delay, ns(9));

  h.initiator.on_backward = answer(tlm::TLM_UPDATED, tlm::END_RESP, 1);
  h.read.set_response_status(tlm::TLM_OK_RESPONSE);
  phase = tlm::BEGIN_RESP;
  delay = ns(10);
  EXPECT_EQ(h.target.socket->nb_transport_bw(h.read, phase, delay), tlm::TLM_UPDATED);
  EXPECT_EQ(phase, tlm::END_RESP);
  EXPECT_EQ(delay, ns(11));

  h.target.on_blocking = [](tlm_generic_payload& payload, sc_time& annotated) {
    annotated += ns(4);
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  };
  delay = ns(1);
  h.initiator.socket->b_transport(h.write, delay);
  EXPECT_EQ(delay, ns(5));
  EXPECT_EQ(h.write.get_response_status(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

TEST_F(protocol_monitor_test, throws_a_breach_where_it_was_seen) {
  expect_report(messages::protocol);
  hop h;
  h.monitor.checker().on_violation(nullptr);
  EXPECT_THROW(h.forward(h.read, tlm::END_RESP), sc_core::sc_report);
  const std::string text = reports(messages::protocol).at(0);
  EXPECT_NE(text.find("END_RESP after no transaction"), std::string::npos) << text;
  EXPECT_NE(text.find("IEEE 1666-2011, 15.2.4"), std::string::npos) << text;
}

TEST_F(protocol_monitor_test, says_which_transaction_and_when) {
  hop h;
  h.forward(h.write, tlm::BEGIN_REQ, 3);
  h.backward(h.write, tlm::END_REQ, 2);
  ASSERT_EQ(h.texts.size(), 1U);
  EXPECT_NE(h.texts[0].find("write of 8 bytes at 0x48"), std::string::npos) << h.texts[0];
  EXPECT_NE(h.texts[0].find("at 1 ns, effective at 3 ns"), std::string::npos) << h.texts[0];
}

TEST_F(protocol_monitor_test, says_once_what_changed) {
  hop h;
  h.request(h.read);
  h.read.set_address(8);
  h.response(h.read);
  EXPECT_EQ(h.texts.size(), 1U);
}

TEST_F(protocol_monitor_test, counts_transactions_and_those_under_way) {
  hop h;
  h.whole(h.read);
  h.request(h.write);
  h.backward(h.write, tlm::END_REQ);
  statistics_group group;
  h.monitor.checker().report(group);
  const std::string text = group.to_json().to_text();
  EXPECT_EQ(h.monitor.checker().transactions(), 2U);
  EXPECT_EQ(h.monitor.checker().outstanding(), 1U);
  EXPECT_EQ(h.monitor.checker().violations(), 1U);
  EXPECT_NE(text.find("transactions"), std::string::npos);
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
