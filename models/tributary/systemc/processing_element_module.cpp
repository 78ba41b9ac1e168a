// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/processing_element_module.h>

#include <algorithm>
#include <utility>

#include <tributary/sim/parameters.h>
#include <tributary/sim/random_stream.h>
#include <tributary/systemc/fetch_op.h>
#include <tributary/systemc/messages.h>
#include <tributary/systemc/socket_ends.h>

namespace tributary {

void processing_element_module_config::bind(parameter_set& parameters) {
  timing.bind(parameters);
  parameters.add("outstanding", outstanding, interval<std::uint32_t>{1, 4096}, "requests",
                 "Requests that an element has under way at a time.");
}

processing_element_module::processing_element_module(const sc_core::sc_module_name& name,
                                                     const processing_element_module_config& config,
                                                     pe_id element, std::uint64_t seed,
                                                     request_source next_request)
    : timed_module(name),
      config_(make_or_report(*this, messages::configuration,
                             [&] {
                               check_ranges(config);
                               return config;
                             })),
      element_(element),
      seed_(seed),
      next_request_(std::move(next_request)),
      slots_(config_.outstanding) {
  initiator_socket.bind(*this);
  SC_METHOD(issue);
  sensitive << event_;
  dont_initialize();
}

void processing_element_module::report(statistics_group& group) const {
  group.add("latency", statistics_.latency, "cycles", "From END_REQ to BEGIN_RESP.");
  group.add("request_phase", statistics_.request_phase, "cycles",
            "From BEGIN_REQ to END_REQ, 1 if the first switch takes the request at once.");
  group.add("responses", statistics_.responses, "responses", "Responses, served or not.");
  group.add("refused", statistics_.refused, "responses", "Responses with an error.");
  group.add("undone", statistics_.undone, "responses",
            "Responses that are OK although the operation was not performed.");
}

void processing_element_module::begin() {
  random_stream starts(seed_, element_, purpose::start);
  for (std::uint32_t each = 0; each < config_.outstanding; ++each) {
    wakeups_.schedule((config_.timing.draw_start(starts) - 1) * period(), each);
  }
  event_.notify(delay_to(wakeups_.next_wakeup()));
}

void processing_element_module::issue() {
  std::uint32_t due = 0;
  while (requesting_ == nullptr && request_free_from_ <= time() && !stopped_ &&
         wakeups_.pop_due(time(), due)) {
    make_request(due);
  }
  if (requesting_ != nullptr || stopped_ || wakeups_.empty()) return;
  event_.notify(delay_to(std::max(wakeups_.next_wakeup(), request_free_from_)));
}

void processing_element_module::make_request(std::size_t number) {
  const std::optional<access> next = next_request_();
  if (!next) return;
  slot& entry = slots_[number];
  entry.request = *next;
  const word_function& function = entry.request.function;
  entry.payload = function.kind == form::identity
                      ? &payloads_.acquire_word(tlm::TLM_READ_COMMAND, entry.request.address)
                      : &payloads_.acquire_fetch_op(entry.request.address, function);
  entry.begun = time();
  entry.accepted = not_yet;
  ++outstanding_;
  requesting_ = &entry;
  send(entry);
}

void processing_element_module::send(slot& entry) {
  tlm::tlm_generic_payload& payload = *entry.payload;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  const tlm::tlm_sync_enum returned = initiator_socket->nb_transport_fw(payload, phase, delay);
  if (only_accepted(returned, phase)) return;
  if (returned == tlm::TLM_UPDATED && phase == tlm::END_REQ) {
    end_request(entry, time_after(delay));
    return;
  }
  if (returned == tlm::TLM_UPDATED && !answers_request(initiator_socket.name(), phase)) return;
  const ticks when = time_after(delay);
  if (returned == tlm::TLM_UPDATED) {
    phase = tlm::END_RESP;
    initiator_socket->nb_transport_fw(payload, phase, delay);
  }
  end_transaction(entry, when);
}

tlm::tlm_sync_enum processing_element_module::nb_transport_bw(tlm::tlm_generic_payload& payload,
                                                              tlm::tlm_phase& phase,
                                                              sc_core::sc_time& delay) {
  if (phase != tlm::END_REQ && phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;  // ignorable
  slot* const entry = find(payload);
  if (entry == nullptr) {
    report_protocol(initiator_socket.name(),
                    "END_REQ or BEGIN_RESP of a transaction that is not under way");
    return tlm::TLM_ACCEPTED;
  }
  if (phase == tlm::END_REQ) {
    end_request(*entry, time_after(delay));
    return tlm::TLM_ACCEPTED;
  }
  end_transaction(*entry, time_after(delay));
  return tlm::TLM_COMPLETED;
}

processing_element_module::slot* processing_element_module::find(
    const tlm::tlm_generic_payload& payload) {
  const auto found = std::find_if(slots_.begin(), slots_.end(),
                                  [&](const slot& each) { return each.payload == &payload; });
  return found == slots_.end() ? nullptr : &*found;
}

void processing_element_module::end_request(slot& entry, ticks when) {
  if (requesting_ != &entry) {
    report_protocol(initiator_socket.name(),
                    "END_REQ of a transaction that is in no request phase");
    return;
  }
  requesting_ = nullptr;
  entry.accepted = when;
  request_free_from_ = when;
  if (wakeups_.empty()) return;
  event_.notify(delay_to(std::max(wakeups_.next_wakeup(), when)));
}

void processing_element_module::end_transaction(slot& entry, ticks when) {
  if (requesting_ == &entry) end_request(entry, when);
  const element_response got = response_of(entry);
  count(entry, when, got.status);
  entry.payload->release();
  entry.payload = nullptr;
  --outstanding_;
  const auto slot_number = static_cast<std::uint32_t>(&entry - slots_.data());
  wakeups_.schedule(when + (config_.timing.turnaround - 1) * period(), slot_number);
  if (requesting_ == nullptr) {
    event_.notify(delay_to(std::max(wakeups_.next_wakeup(), request_free_from_)));
  }
  if (told_) told_(got);
}

element_response processing_element_module::response_of(const slot& entry) const {
  const tlm::tlm_generic_payload& payload = *entry.payload;
  element_response got{entry.request, payload_pool::word_of(payload),
                       payload.get_response_status()};
  const auto* const asked = payload.get_extension<fetch_op>();
  if (asked == nullptr) return got;
  got.value = asked->result();
  if (payload.is_response_ok() && !asked->performed()) {
    got.status = tlm::TLM_INCOMPLETE_RESPONSE;
  }
  return got;
}

void processing_element_module::count(const slot& entry, ticks when,
                                      tlm::tlm_response_status status) {
  statistics_.latency.add((when - entry.accepted) / period());
  statistics_.request_phase.add((entry.accepted - entry.begun) / period());
  ++statistics_.responses;
  if (status == tlm::TLM_INCOMPLETE_RESPONSE) {
    ++statistics_.undone;
  } else if (status != tlm::TLM_OK_RESPONSE) {
    ++statistics_.refused;
  }
}

}  // namespace tributary
