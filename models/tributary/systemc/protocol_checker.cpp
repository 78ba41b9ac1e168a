// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/protocol_checker.h>

#include <algorithm>
#include <array>
#include <sstream>

#include <tributary/sim/statistics.h>
#include <tributary/systemc/messages.h>

namespace tributary {
namespace {

struct rule_text {
  std::string_view name;
  std::string_view clause;
  std::string_view sentence;
};

constexpr rule_text rule_texts[] = {
#define TRIBUTARY_PROTOCOL_RULE(name, clause, sentence) {#name, clause, sentence},
#include <tributary/systemc/protocol_rules.def>
};

const rule_text& text_of_rule(protocol_rule rule) {
  return rule_texts[static_cast<std::size_t>(rule)];
}

const char* name_of(tlm::tlm_command command) {
  switch (command) {
    case tlm::TLM_READ_COMMAND:
      return "read";
    case tlm::TLM_WRITE_COMMAND:
      return "write";
    case tlm::TLM_IGNORE_COMMAND:
      return "ignore";
  }
  return "unknown command";
}

bool same_bytes(const std::vector<unsigned char>& kept, const unsigned char* now) {
  return std::equal(kept.begin(), kept.end(), now);
}

std::vector<unsigned char> bytes_at(const unsigned char* start, unsigned length) {
  if (start == nullptr) return {};
  return {start, start + length};
}

/// An ignorable phase of an extended protocol.
bool is_extended(const tlm::tlm_phase& phase) { return phase > tlm::END_RESP; }

/// Whether a call with phase `called` may return TLM_UPDATED with `returned`, or TLM_COMPLETED.
bool may_return(const tlm::tlm_phase& called, const tlm::tlm_phase& returned,
                tlm::tlm_sync_enum status) {
  if (is_extended(called)) return true;
  if (status == tlm::TLM_COMPLETED) return called != tlm::END_REQ;
  if (called == tlm::BEGIN_REQ) {
    return returned == tlm::END_REQ || returned == tlm::BEGIN_RESP || is_extended(returned);
  }
  return called == tlm::BEGIN_RESP && (returned == tlm::END_RESP || is_extended(returned));
}

}  // namespace

std::string_view name_of(protocol_rule rule) { return text_of_rule(rule).name; }
std::string_view clause_of(protocol_rule rule) { return text_of_rule(rule).clause; }
std::string_view sentence_of(protocol_rule rule) { return text_of_rule(rule).sentence; }

protocol_checker::protocol_checker(std::string name) : name_(std::move(name)) {}

void protocol_checker::report(statistics_group& group) const {
  group.add("transactions", transactions_, "transactions", "Begun, by either transport call.");
  group.add("violations", violations_, "violations", "Breaches of protocol rules.");
  group.add("outstanding", outstanding(), "transactions", "Begun and not ended.");
}

// What a transaction is and what must stay of it.

protocol_checker::image protocol_checker::image_of(const payload_type& payload) {
  image seen;
  seen.command = payload.get_command();
  seen.address = payload.get_address();
  seen.data = payload.get_data_ptr();
  seen.length = payload.get_data_length();
  seen.byte_enables = payload.get_byte_enable_ptr();
  seen.byte_enable_length = payload.get_byte_enable_length();
  seen.streaming_width = payload.get_streaming_width();
  seen.request = payload.get_extension<fetch_op>();
  if (seen.request != nullptr) seen.function = seen.request->function();
  return seen;
}

void protocol_checker::copy_arrays(image& each, const payload_type& payload) {
  if (payload.is_write()) each.write_bytes = bytes_at(each.data, each.length);
  each.enable_bytes = bytes_at(each.byte_enables, each.byte_enable_length);
}

protocol_checker::response_image protocol_checker::response_of(const payload_type& payload,
                                                               bool arrays_readable) {
  response_image seen;
  seen.status = payload.get_response_status();
  const fetch_op* request = payload.get_extension<fetch_op>();
  if (arrays_readable && (payload.is_read() || request != nullptr)) {
    seen.bytes = bytes_at(payload.get_data_ptr(), payload.get_data_length());
  }
  if (request != nullptr) {
    seen.result = request->result();
    seen.performed = request->performed();
  }
  return seen;
}

protocol_checker::record* protocol_checker::find(const payload_type& payload) {
  const auto found = records_.find(&payload);
  return found == records_.end() ? nullptr : &found->second;
}

protocol_checker::record& protocol_checker::start(const payload_type& payload, stage at) {
  ++transactions_;
  record& each = records_[&payload];
  each = record{at, image_of(payload), {}, effective_, true};
  copy_arrays(each.initial, payload);
  return each;
}

void protocol_checker::forget(const payload_type& payload) {
  if (requesting_ == &payload) requesting_ = nullptr;
  if (responding_ == &payload) responding_ = nullptr;
  records_.erase(&payload);
}

// Reports.

void protocol_checker::violate(protocol_rule rule, const payload_type* payload,
                               const std::string& problem) {
  if (ignored_.test(static_cast<std::size_t>(rule))) return;
  ++violations_;
  const protocol_violation violation{rule, payload, sc_core::sc_time_stamp(), effective_,
                                     text_of(rule, payload, problem)};
  if (listener_) {
    listener_(violation);
  } else {
    SC_REPORT_ERROR(messages::protocol, violation.text.c_str());
  }
}

void protocol_checker::demand(bool kept, protocol_rule rule, const payload_type& payload,
                              const char* problem) {
  if (!kept) violate(rule, &payload, problem);
}

std::string protocol_checker::text_of(protocol_rule rule, const payload_type* payload,
                                      const std::string& problem) const {
  std::ostringstream text;
  text << name_ << ": " << name_of(rule) << ": " << problem << "; the rule: " << sentence_of(rule);
  if (clause_of(rule) != "-") text << " (IEEE 1666-2011, " << clause_of(rule) << ")";
  if (payload != nullptr) text << "; payload " << static_cast<const void*>(payload);
  const auto found = records_.find(payload);
  if (found != records_.end()) {
    const image& initial = found->second.initial;
    text << ", " << name_of(initial.command) << " of " << initial.length << " bytes at 0x"
         << std::hex << initial.address << std::dec;
  }
  text << "; at " << sc_core::sc_time_stamp() << ", effective at " << effective_;
  return text.str();
}

// Checks of one payload.

void protocol_checker::check_held(const payload_type& payload, bool nonblocking) {
  if (nonblocking) demand(payload.has_mm(), protocol_rule::memory_manager, payload, "it has none");
  demand(!payload.has_mm() || payload.get_ref_count() >= 1, protocol_rule::reference_count, payload,
         "its reference count is 0");
}

void protocol_checker::check_start(const payload_type& payload) {
  if (payload.get_command() != tlm::TLM_IGNORE_COMMAND) {
    demand(payload.get_data_ptr() != nullptr, protocol_rule::data_pointer, payload, "it is null");
    demand(payload.get_data_length() != 0, protocol_rule::data_length, payload, "it is 0");
  }
  check_byte_enables(payload);
  demand(payload.get_streaming_width() != 0, protocol_rule::streaming_width, payload, "it is 0");
  demand(!payload.is_dmi_allowed(), protocol_rule::dmi_hint, payload, "it is true");
  demand(payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE,
         protocol_rule::initial_status, payload, payload.get_response_string().c_str());
  demand(payload.get_gp_option() == tlm::TLM_MIN_PAYLOAD, protocol_rule::payload_option, payload,
         "it starts as another");
  const fetch_op* request = payload.get_extension<fetch_op>();
  demand(request == nullptr || !request->performed(), protocol_rule::initial_fetch_op, payload,
         "it says that it was performed");
}

void protocol_checker::check_byte_enables(const payload_type& payload) {
  const unsigned char* enables = payload.get_byte_enable_ptr();
  if (enables == nullptr) return;
  const unsigned length = payload.get_byte_enable_length();
  demand(length != 0, protocol_rule::byte_enables, payload, "their length is 0");
  const bool legal = std::all_of(enables, enables + length, [](unsigned char each) {
    return each == TLM_BYTE_DISABLED || each == TLM_BYTE_ENABLED;
  });
  demand(legal, protocol_rule::byte_enables, payload, "one of them is neither");
}

void protocol_checker::check_unchanged(record& each, const payload_type& payload) {
  image& was = each.initial;
  image now = image_of(payload);
  const bool same_data = now.data == was.data;
  const bool same_length = now.length == was.length;
  const bool same_enables =
      now.byte_enables == was.byte_enables && now.byte_enable_length == was.byte_enable_length;
  each.arrays_readable = each.arrays_readable && same_data && same_length && same_enables;
  now.write_bytes = std::move(was.write_bytes);
  now.enable_bytes = std::move(was.enable_bytes);
  // Kept before anything is reported, so that a change is reported once.
  std::swap(was, now);
  demand(was.command == now.command, protocol_rule::changed_command, payload, "it changed");
  demand(was.address == now.address, protocol_rule::changed_address, payload, "it changed");
  demand(same_data, protocol_rule::changed_data_pointer, payload, "it changed");
  demand(same_length, protocol_rule::changed_data_length, payload, "it changed");
  demand(same_enables, protocol_rule::changed_byte_enables, payload, "pointer or length changed");
  demand(was.streaming_width == now.streaming_width, protocol_rule::changed_streaming_width,
         payload, "it changed");
  demand(payload.get_gp_option() == tlm::TLM_MIN_PAYLOAD, protocol_rule::payload_option, payload,
         "it changed");
  demand(was.request == now.request && was.function == now.function,
         protocol_rule::changed_fetch_op, payload, "it changed");
  if (each.arrays_readable) check_arrays(each, payload);
}

void protocol_checker::check_arrays(record& each, const payload_type& payload) {
  image& was = each.initial;
  const bool same_data = same_bytes(was.write_bytes, payload.get_data_ptr());
  const bool same_enables = same_bytes(was.enable_bytes, payload.get_byte_enable_ptr());
  if (!same_data || !same_enables) copy_arrays(was, payload);
  demand(same_data, protocol_rule::changed_write_data, payload, "they changed");
  demand(same_enables, protocol_rule::changed_byte_enables, payload, "one of them changed");
}

void protocol_checker::check_response(const record& each, const payload_type& payload) {
  const response_image now = response_of(payload, each.arrays_readable);
  const response_image& was = each.response;
  demand(now.status == was.status, protocol_rule::changed_response, payload, "the status changed");
  demand(!each.arrays_readable || now.bytes == was.bytes, protocol_rule::changed_response, payload,
         "the data changed");
  demand(now.result == was.result && now.performed == was.performed,
         protocol_rule::changed_response, payload, "the fetch_op changed");
}

void protocol_checker::advance_to(record& each, const payload_type& payload,
                                  const sc_core::sc_time& effective) {
  if (effective < each.last) {
    violate(protocol_rule::decreasing_time, &payload,
            "the one before was effective at " + each.last.to_string());
  }
  each.last = std::max(each.last, effective);
}

// Phases.

void protocol_checker::pass_phase(path where, const payload_type& payload,
                                  const tlm::tlm_phase& phase) {
  if (is_extended(phase)) return;
  const bool goes_forward = phase == tlm::BEGIN_REQ || phase == tlm::END_RESP;
  if (phase == tlm::UNINITIALIZED_PHASE || goes_forward != (where == path::forward)) {
    const char* way = where == path::forward ? " went forward" : " went backward";
    violate(protocol_rule::phase_path, &payload, phase.get_name() + std::string(way));
  } else if (phase == tlm::BEGIN_REQ) {
    begin_request(payload);
  } else if (phase == tlm::END_REQ) {
    end_request(payload);
  } else if (phase == tlm::BEGIN_RESP) {
    begin_response(payload);
  } else {
    end_response(payload);
  }
}

void protocol_checker::wrong_order(const payload_type& payload, const char* phase) {
  const record* each = find(payload);
  const char* state = "no transaction";
  if (each != nullptr) {
    constexpr std::array<const char*, 4> names = {"b_transport", "BEGIN_REQ", "END_REQ",
                                                  "BEGIN_RESP"};
    state = names[static_cast<std::size_t>(each->at)];
  }
  violate(protocol_rule::phase_order, &payload, std::string(phase) + " after " + state);
}

void protocol_checker::begin_request(const payload_type& payload) {
  const record* before = find(payload);
  if (before != nullptr && before->at == stage::blocking) {
    violate(protocol_rule::mixed_transport, &payload, "BEGIN_REQ during its b_transport");
    return;
  }
  if (before != nullptr) {
    violate(protocol_rule::reused_object, &payload, "BEGIN_REQ before its transaction has ended");
    forget(payload);
  }
  start(payload, stage::request);
  check_request_slot(payload);
  requesting_ = &payload;
  check_start(payload);
}

void protocol_checker::check_request_slot(const payload_type& payload) {
  if (requesting_ != nullptr) {
    violate(protocol_rule::request_exclusion, &payload, "BEGIN_REQ before END_REQ of another");
  } else if (effective_ < request_end_) {
    violate(protocol_rule::request_spacing, &payload,
            "the request before it ends at " + request_end_.to_string());
  }
}

void protocol_checker::check_response_slot(const payload_type& payload) {
  if (responding_ != nullptr) {
    violate(protocol_rule::response_exclusion, &payload, "BEGIN_RESP before END_RESP of another");
  } else if (effective_ < response_end_) {
    violate(protocol_rule::response_spacing, &payload,
            "the response before it ends at " + response_end_.to_string());
  }
}

void protocol_checker::free_request_slot(const payload_type& payload) {
  if (requesting_ != &payload) return;
  requesting_ = nullptr;
  request_end_ = effective_;
}

void protocol_checker::free_response_slot(const payload_type& payload) {
  if (responding_ != &payload) return;
  responding_ = nullptr;
  response_end_ = effective_;
}

void protocol_checker::end_request(const payload_type& payload) {
  record* each = find(payload);
  if (each == nullptr || each->at != stage::request) {
    wrong_order(payload, "END_REQ");
    return;
  }
  each->at = stage::requested;
  free_request_slot(payload);
}

void protocol_checker::begin_response(const payload_type& payload) {
  record* each = find(payload);
  if (each == nullptr || (each->at != stage::request && each->at != stage::requested)) {
    wrong_order(payload, "BEGIN_RESP");
    return;
  }
  free_request_slot(payload);
  each->at = stage::response;
  each->response = response_of(payload, each->arrays_readable);
  check_response_slot(payload);
  responding_ = &payload;
  demand(payload.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE,
         protocol_rule::missing_status, payload, "BEGIN_RESP without one");
}

void protocol_checker::end_response(const payload_type& payload) {
  const record* each = find(payload);
  if (each == nullptr || each->at != stage::response) {
    wrong_order(payload, "END_RESP");
    return;
  }
  free_response_slot(payload);
  forget(payload);
}

void protocol_checker::complete_early(const payload_type& payload) {
  record* each = find(payload);
  if (each == nullptr || each->at != stage::request) {
    wrong_order(payload, "TLM_COMPLETED");
    return;
  }
  demand(payload.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE,
         protocol_rule::missing_status, payload, "TLM_COMPLETED without one");
  free_request_slot(payload);
  forget(payload);
}

// Calls and returns.

bool protocol_checker::check_return(const payload_type& payload, const nonblocking_call& call,
                                    const nonblocking_call& returned, tlm::tlm_sync_enum status) {
  if (status == tlm::TLM_ACCEPTED) {
    demand(returned.phase == call.phase && returned.delay == call.delay,
           protocol_rule::accepted_change, payload, "the callee changed one");
    return false;
  }
  if (may_return(call.phase, returned.phase, status)) return true;
  const bool updated = status == tlm::TLM_UPDATED;
  violate(protocol_rule::wrong_return, &payload,
          call.phase.get_name() + std::string(" was answered by ") +
              (updated ? std::string("TLM_UPDATED with ") + returned.phase.get_name()
                       : std::string("TLM_COMPLETED")));
  return false;
}

void protocol_checker::forward_call(const payload_type& payload, const nonblocking_call& call) {
  effective_ = sc_core::sc_time_stamp() + call.delay;
  check_held(payload, true);
  record* each = find(payload);
  if (each != nullptr && call.phase != tlm::BEGIN_REQ) {
    check_unchanged(*each, payload);
    advance_to(*each, payload, effective_);
    if (each->at == stage::response) check_response(*each, payload);
  }
  pass_phase(path::forward, payload, call.phase);
}

void protocol_checker::forward_return(const payload_type& payload, const nonblocking_call& call,
                                      const nonblocking_call& returned, tlm::tlm_sync_enum status) {
  effective_ = sc_core::sc_time_stamp() + returned.delay;
  if (!check_return(payload, call, returned, status) || call.phase == tlm::END_RESP) return;
  if (record* each = find(payload)) {
    check_unchanged(*each, payload);
    advance_to(*each, payload, effective_);
  }
  if (status == tlm::TLM_UPDATED) {
    pass_phase(path::backward, payload, returned.phase);
  } else if (call.phase == tlm::BEGIN_REQ) {
    complete_early(payload);
  }
}

void protocol_checker::backward_call(const payload_type& payload, const nonblocking_call& call) {
  effective_ = sc_core::sc_time_stamp() + call.delay;
  check_held(payload, true);
  if (record* each = find(payload)) {
    check_unchanged(*each, payload);
    advance_to(*each, payload, effective_);
  }
  pass_phase(path::backward, payload, call.phase);
}

// The initiator may have released the payload before it returned: nothing is read from it here.
void protocol_checker::backward_return(const payload_type& payload, const nonblocking_call& call,
                                       const nonblocking_call& returned,
                                       tlm::tlm_sync_enum status) {
  effective_ = sc_core::sc_time_stamp() + returned.delay;
  if (!check_return(payload, call, returned, status)) return;
  if (record* each = find(payload)) advance_to(*each, payload, effective_);
  if (status == tlm::TLM_UPDATED) {
    pass_phase(path::forward, payload, returned.phase);
  } else if (call.phase == tlm::BEGIN_RESP) {
    end_response(payload);
  }
}

void protocol_checker::blocking_call(const payload_type& payload, const sc_core::sc_time& delay) {
  effective_ = sc_core::sc_time_stamp() + delay;
  check_held(payload, false);
  const sc_core::sc_process_handle caller = sc_core::sc_get_current_process_handle();
  demand(caller.proc_kind() != sc_core::SC_METHOD_PROC_, protocol_rule::blocking_in_method, payload,
         "it was");
  if (const record* before = find(payload)) {
    const bool twice = before->at == stage::blocking;
    violate(twice ? protocol_rule::reused_object : protocol_rule::mixed_transport, &payload,
            "b_transport before its transaction has ended");
    return;
  }
  start(payload, stage::blocking);
  check_start(payload);
}

void protocol_checker::blocking_return(const payload_type& payload, const sc_core::sc_time& delay) {
  effective_ = sc_core::sc_time_stamp() + delay;
  record* each = find(payload);
  if (each == nullptr || each->at != stage::blocking) return;
  check_unchanged(*each, payload);
  advance_to(*each, payload, effective_);
  demand(payload.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE,
         protocol_rule::missing_status, payload, "b_transport returned without one");
  forget(payload);
}

void protocol_checker::blocking_unwound(const payload_type& payload) {
  const record* each = find(payload);
  if (each != nullptr && each->at == stage::blocking) forget(payload);
}

void protocol_checker::dmi_call(const payload_type& payload, const tlm::tlm_dmi& descriptor) {
  effective_ = sc_core::sc_time_stamp();
  const bool initial = descriptor.get_dmi_ptr() == nullptr && descriptor.is_none_allowed() &&
                       descriptor.get_start_address() == 0 &&
                       descriptor.get_end_address() == ~sc_dt::uint64{0} &&
                       descriptor.get_read_latency() == sc_core::SC_ZERO_TIME &&
                       descriptor.get_write_latency() == sc_core::SC_ZERO_TIME;
  demand(initial, protocol_rule::dmi_descriptor, payload, "it was used before; call its init()");
}

void protocol_checker::dmi_return(const payload_type& payload, const tlm::tlm_dmi& descriptor,
                                  bool granted) {
  effective_ = sc_core::sc_time_stamp();
  if (!granted) return;
  demand(descriptor.get_dmi_ptr() != nullptr, protocol_rule::dmi_grant, payload, "no pointer");
  demand(!descriptor.is_none_allowed(), protocol_rule::dmi_grant, payload, "no access");
  demand(descriptor.get_start_address() <= payload.get_address() &&
             payload.get_address() <= descriptor.get_end_address(),
         protocol_rule::dmi_grant, payload, "the range does not include the address");
}

void protocol_checker::dmi_invalidation(std::uint64_t start, std::uint64_t end) {
  effective_ = sc_core::sc_time_stamp();
  if (end < start) violate(protocol_rule::dmi_range, nullptr, "it does");
}

void protocol_checker::debug_call(const payload_type& payload) {
  effective_ = sc_core::sc_time_stamp();
  demand(payload.get_data_length() == 0 || payload.get_data_ptr() != nullptr,
         protocol_rule::debug_data, payload, "it is null");
}

void protocol_checker::debug_return(const payload_type& payload, unsigned count) {
  effective_ = sc_core::sc_time_stamp();
  demand(count <= payload.get_data_length(), protocol_rule::debug_count, payload,
         "it returned more");
}

}  // namespace tributary
