// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/network_interface_module.h>

#include <algorithm>

#include <tributary/sim/on_exit.h>
#include <tributary/systemc/byte_runs.h>
#include <tributary/systemc/debug_view.h>
#include <tributary/systemc/messages.h>
#include <tributary/systemc/socket_ends.h>

namespace tributary {
namespace {

/// The payloads of a large machine are seldom in the cache when their answers come.
void prefetch_payload(const tlm::tlm_generic_payload& payload) {
  constexpr std::size_t line = 64;
  const auto* const bytes = reinterpret_cast<const char*>(&payload);
  for (std::size_t at = 0; at < sizeof payload; at += line) __builtin_prefetch(bytes + at, 1);
}

}  // namespace

network_interface_module::network_interface_module(const sc_core::sc_module_name& name,
                                                   const network_interface_module_config& config,
                                                   const address_map& addresses,
                                                   const omega_network_config& network)
    : core_module(name,
                  [interface = config.interface.resolved(true), &addresses, network] {
                    network.validate();
                    return network_interface(interface, addresses, network.stages() - 1,
                                             network.switches.link_cycles,
                                             network.processing_elements);
                  }),
      target_sockets("target_sockets", network.processing_elements),
      addresses_(addresses),
      aliases_(make_or_report(*this, messages::configuration,
                              [&] { return alias_map(config.aliases, addresses); })),
      estimate_(make_or_report(*this, messages::configuration,
                               [&] {
                                 return latency_estimate(
                                     config.estimate, network.processing_elements, network.stages(),
                                     network.switches.link_cycles);
                               })),
      pointers_(addresses),
      stages_(network.stages()),
      link_cycles_(network.switches.link_cycles),
      initiators_(network.processing_elements),
      ports_(network.processing_elements),
      no_local_(network.processing_elements) {
  for (std::uint32_t pe = 0; pe < network.processing_elements; ++pe) {
    interfaces_.emplace_back(*this, pe);
    target_sockets[pe].bind(interfaces_.back());
  }
}

network_interface_module::socket_port::~socket_port() = default;

void network_interface_module::end_of_elaboration() {
  request_out.open(packet_link<packet>::end::sender, ports_.size());
  reply_in.open(packet_link<reply>::end::receiver, ports_.size());
  for (std::size_t pe = 0; pe < ports_.size(); ++pe) {
    target_socket& socket = target_sockets[pe];
    if (socket.get_base_port().size() != 0) initiators_[pe] = socket.operator->();
  }
  find_clock();
  memory->on_invalidation([this](std::uint64_t first, std::uint64_t last) {
    for (tlm::tlm_bw_transport_if<>* initiator : initiators_) {
      if (initiator != nullptr) initiator->invalidate_direct_mem_ptr(first, last);
    }
  });
}

// Phases of a cycle.

void network_interface_module::ready() {
  see_edge();
  reply_in.publish_all(1);
  take_calls();
}

void network_interface_module::depart() {
  core().depart(request_out.ready(), no_local_.data());
  core().advance();
  core().release_requests(
      now(),
      [&](std::size_t pe, const packet& request) {
        if (sink() != nullptr) {
          sink()->request(request_events::accepted, processor_side, pe, request, request.id());
        }
        request_out.send(pe, request);
        estimate_.count(now(), now(), 1);
        transaction& asked = transactions_[ports_[pe].requesting];
        if (--asked.to_accept == 0) accepted_.push_back(static_cast<std::uint32_t>(pe));
      },
      [](std::size_t, const packet&) {});
}

void network_interface_module::commit() {
  end_requests();
  release_held();
  receive_replies();
}

void network_interface_module::reset() {
  see_edge();
  reply_in.publish_all(0);
  const observer_list<offered_request> offers = core().offers();
  reset_core();
  core().offers() = offers;
  estimate_.reset();
  resetting_ = true;
  take_calls();
  abandon_all();
  end_requests();
  release_held();
  reset_statistics();
  resetting_ = false;
}

// Calls of initiators.

tlm::tlm_sync_enum network_interface_module::forward(std::uint32_t pe,
                                                     tlm::tlm_generic_payload& payload,
                                                     const tlm::tlm_phase& begun,
                                                     const sc_core::sc_time& delay) {
  switch (begun) {
    case tlm::BEGIN_REQ:
      return begin_request(pe, payload, delay);
    case tlm::END_RESP: {
      const transaction_index number = ports_[pe].responding;
      if (number == none || transactions_[number].payload != &payload) {
        complain(pe, "END_RESP for a transaction that has no BEGIN_RESP; send it once, after it");
        return tlm::TLM_ACCEPTED;
      }
      end_response(pe, delay);
      return tlm::TLM_COMPLETED;
    }
    case tlm::END_REQ:
    case tlm::BEGIN_RESP:
    case tlm::UNINITIALIZED_PHASE:
      complain(pe, "a phase that is not an initiator's; send BEGIN_REQ or END_RESP");
      return tlm::TLM_ACCEPTED;
    default:  // phases of other protocols are ignored (IEEE 1666-2011, 15.2.5)
      return tlm::TLM_ACCEPTED;
  }
}

bool network_interface_module::is_under_way(const tlm::tlm_generic_payload& payload) const {
  return std::any_of(transactions_.begin(), transactions_.end(),
                     [&](const transaction& each) { return each.payload == &payload; });
}

const char* network_interface_module::problem_of(std::uint32_t pe,
                                                 const tlm::tlm_generic_payload& payload) const {
  // What is under way is held here as well as by its initiator, so few have to be looked for.
  if (payload.get_ref_count() > 1 && is_under_way(payload)) return begun_twice;
  return ports_[pe].requesting != none ? begun_early : holding_problem(payload);
}

tlm::tlm_sync_enum network_interface_module::begin_request(std::uint32_t pe,
                                                           tlm::tlm_generic_payload& payload,
                                                           const sc_core::sc_time& delay) {
  if (const char* const problem = problem_of(pe, payload)) {
    return refuse_request(target_sockets[pe].name(), payload, problem);
  }
  payload.acquire();
  ports_[pe].requesting = open_transaction(pe, payload);
  calls_.push_back({(sc_core::sc_time_stamp() + delay).value(), pe, true});
  return tlm::TLM_ACCEPTED;
}

network_interface_module::transaction_index network_interface_module::open_transaction(
    std::uint32_t pe, tlm::tlm_generic_payload& payload) {
  if (free_.empty()) {
    free_.push_back(static_cast<transaction_index>(transactions_.size()));
    transactions_.emplace_back();
  }
  const transaction_index number = free_.back();
  free_.pop_back();
  transaction& opened = transactions_[number];
  opened.payload = &payload;
  opened.port = pe;
  ++ports_[pe].under_way;
  opened.to_accept = opened.to_deliver = 0;
  return number;
}

void network_interface_module::end_response(std::uint32_t pe, const sc_core::sc_time& delay) {
  port_state& port = ports_[pe];
  const transaction_index number = port.responding;
  tlm::tlm_generic_payload& payload = *transactions_[number].payload;
  transactions_[number].payload = nullptr;
  free_.push_back(number);
  port.responding = none;
  port.channel = response_channel::ended;
  --port.under_way;
  calls_.push_back({(sc_core::sc_time_stamp() + delay).value(), pe, false});
  payload.release();
}

tlm::tlm_response_status network_interface_module::open(payload_words& words, std::uint32_t pe,
                                                        tlm::tlm_generic_payload& payload) {
  if (lacks_streaming_width(payload)) warn_of_streaming_width(pe);
  return words.open(payload, addresses_, aliases_, ports_[pe].registers);
}

// By itself, as a socket's name lies where a large machine seldom looks.
void network_interface_module::warn_of_streaming_width(std::uint32_t pe) {
  tributary::warn_of_streaming_width(ports_[pe].no_streaming_width, target_sockets[pe].name());
}

void network_interface_module::complain(std::uint32_t pe, const char* problem) const {
  report_protocol(target_sockets[pe].name(), problem);
}

// What they come to at an edge.

void network_interface_module::take_calls() {
  for (const call& each : calls_) {
    if (each.time < edge_) {
      take(each);
    } else {
      later_.push_back(each);
      std::push_heap(later_.begin(), later_.end());
    }
  }
  calls_.clear();
  while (!later_.empty() && later_.front().time < edge_) {
    take(later_.front());
    std::pop_heap(later_.begin(), later_.end());
    later_.pop_back();
  }
}

void network_interface_module::take(const call& begun) {
  if (begun.request) {
    offer(begun.port);
    return;
  }
  port_state& port = ports_[begun.port];
  port.channel = response_channel::free;
  if (!port.held.empty()) released_.push_back(begun.port);
}

void network_interface_module::offer(std::uint32_t pe) {
  port_state& port = ports_[pe];
  transaction& asked = transactions_[port.requesting];
  payload_words words;
  asked.response = resetting_ ? tlm::TLM_GENERIC_ERROR_RESPONSE : open(words, pe, *asked.payload);
  if (asked.response == tlm::TLM_OK_RESPONSE) {
    access request;
    for (std::size_t place = 0; place < words.count(); ++place) {
      if (!words.request(place, request)) continue;
      request.tag = (std::uint64_t{port.requesting} << 32) | place;
      core().offer(pe, request, now());
      ++asked.to_accept;
    }
  }
  asked.answers = static_cast<const payload_answers&>(words);
  asked.to_deliver = asked.to_accept;
  if (asked.to_accept == 0) accepted_.push_back(pe);
}

void network_interface_module::end_requests() {
  for (const std::uint32_t pe : accepted_) {
    const transaction_index number = ports_[pe].requesting;
    ports_[pe].requesting = none;
    tlm::tlm_phase begun = tlm::END_REQ;
    sc_core::sc_time delay;
    const auto answer =
        initiators_[pe]->nb_transport_bw(*transactions_[number].payload, begun, delay);
    if (answer != tlm::TLM_ACCEPTED) complain(pe, "another answer to END_REQ than TLM_ACCEPTED");
    if (transactions_[number].to_deliver == 0) finish(number);
  }
  accepted_.clear();
}

void network_interface_module::release_held() {
  for (const std::uint32_t pe : released_) {
    fifo<held_response>& held = ports_[pe].held;
    while (!held.empty() && ports_[pe].channel == response_channel::free) {
      const held_response oldest = held.front();
      held.pop();
      if (oldest.finished == none) {
        deliver(take_word(pe, oldest.word, oldest.delivered));
      } else {
        respond(oldest.finished);
      }
    }
  }
  released_.clear();
}

void network_interface_module::receive_replies() {
  reply_in.receive([&](std::size_t line, const reply& word) {
    const auto pe = static_cast<std::uint32_t>(line);
    if (sink() != nullptr) {
      sink()->response(request_events::delivered, processor_side, pe, word, word.id());
    }
    if (ports_[pe].channel == response_channel::free) {
      arrivals_.push_back(take_word(pe, word, now()));
    } else {
      ports_[pe].held.push({word, now(), none});
    }
  });
  for (const arrival& each : arrivals_) deliver(each);
  arrivals_.clear();
}

network_interface_module::arrival network_interface_module::take_word(std::uint32_t pe,
                                                                      const reply& word,
                                                                      cycle_t delivered) {
  const memory_response taken = core().deliver(pe, word, delivered);
  const auto number = static_cast<transaction_index>(taken.tag >> 32);
  prefetch_payload(*transactions_[number].payload);
  return {number, static_cast<std::uint32_t>(taken.tag), taken.value, word.status};
}

void network_interface_module::deliver(const arrival& word) {
  transaction& asked = transactions_[word.transaction];
  if (word.status == 0) {
    asked.answers.answer(word.place, word.value);
  } else if (asked.response == tlm::TLM_OK_RESPONSE) {
    asked.response = response_of(word.status);
  }
  if (--asked.to_deliver == 0) finish(word.transaction);
}

void network_interface_module::finish(transaction_index number) {
  port_state& port = ports_[transactions_[number].port];
  if (port.channel == response_channel::free) {
    respond(number);
  } else {
    port.held.push({{}, 0, number});
  }
}

void network_interface_module::respond(transaction_index number) {
  const std::uint32_t pe = transactions_[number].port;
  tlm::tlm_generic_payload& payload = *transactions_[number].payload;
  payload.set_response_status(transactions_[number].response);
  if (payload.is_response_error()) ++counters_.refused;
  ports_[pe].responding = number;
  ports_[pe].channel = response_channel::begun;
  tlm::tlm_phase begun = tlm::BEGIN_RESP;
  sc_core::sc_time delay;
  const auto answer = initiators_[pe]->nb_transport_bw(payload, begun, delay);
  if (only_accepted(answer, begun)) return;
  if (answer == tlm::TLM_UPDATED && begun != tlm::END_RESP) {
    complain(pe, "another phase than END_RESP in answer to BEGIN_RESP");
  } else if (ports_[pe].responding != number) {
    complain(pe, "END_RESP twice, by a call and by an answer to BEGIN_RESP");
  } else {
    end_response(pe, delay);
  }
}

void network_interface_module::abandon_all() {
  released_.clear();
  for (port_state& port : ports_) {
    while (!port.held.empty()) port.held.pop();
    port.registers = {};
  }
  for (transaction_index number = 0; number < transactions_.size(); ++number) {
    transaction& lost = transactions_[number];
    if (lost.payload == nullptr || ports_[lost.port].responding == number) continue;
    if (ports_[lost.port].requesting == number) {
      if (lost.to_accept == 0) continue;  // not yet effective, or refused just now
      accepted_.push_back(lost.port);
    }
    lost.response = tlm::TLM_GENERIC_ERROR_RESPONSE;
    lost.to_accept = lost.to_deliver = 0;
    if (ports_[lost.port].requesting != number) finish(number);
  }
}

// Direct and debug accesses.

bool network_interface_module::direct(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  ++counters_.direct;
  const ticks way = ticks{2} * stages_ * period_.ticks();
  return pointers_.grant(payload, *memory[0], sc_core::sc_time::from_value(way), dmi);
}

unsigned network_interface_module::debug(std::uint32_t pe, tlm::tlm_generic_payload& payload) {
  ++counters_.debug;
  if (!has_debug_data(target_sockets[pe].name(), payload)) return 0;
  const omega_network* const waiting = core().total_outstanding() != 0 ? network_ : nullptr;
  return debug_view(addresses_, aliases_, *memory[0], waiting)
      .transfer(payload, ports_[pe].registers);
}

// Loosely timed accesses.

void network_interface_module::find_clock() {
  period_.ask(clock);
  const sc_core::sc_clock* const source = clock_of(clock);
  if (source == nullptr) return;
  edge_ = source->start_time().value();
  if (!source->posedge_first()) {
    edge_ += (source->period() * (1 - source->duty_cycle())).value();
  }
}

void network_interface_module::see_edge() {
  edge_ = sc_core::sc_time_stamp().value();
  period_.see_edge(edge_);
}

cycle_t network_interface_module::edges_until_after(ticks time) const {
  return time < edge_ ? 0 : (time - edge_) / period_.ticks() + 1;
}

void network_interface_module::blocking(std::uint32_t pe, tlm::tlm_generic_payload& payload,
                                        sc_core::sc_time& delay) {
  if (ports_[pe].under_way != 0) {
    complain(pe, "b_transport while an nb_transport transaction is under way; wait for its end");
    payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    return;
  }
  while (!period_.known()) sc_core::wait(clock.posedge_event());
  if (in_reset()) {
    ++counters_.refused;
    payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    return;
  }
  const ticks called = (sc_core::sc_time_stamp() + delay).value();
  const cycle_t ahead = edges_until_after(called);
  payload_words words;
  tlm::tlm_response_status response = open(words, pe, payload);
  ticks done = edge_ + ahead * period_.ticks();
  if (response == tlm::TLM_OK_RESPONSE) {
    word_pace pace = pace_from(done, words);
    const ticks answered =
        words.moves_bytes() ? transfer(payload, pace, response) : operate(words, pace, response);
    done = std::max(done, answered);
  }
  payload.set_response_status(response);
  if (payload.is_response_error()) ++counters_.refused;
  if (payload.is_response_ok()) pointers_.pass_hint(payload, *memory[0]);
  counters_.loosely_timed_delay.add(done - called);
  const ticks present = sc_core::sc_time_stamp().value();
  delay = sc_core::sc_time::from_value(std::max(done, present) - present);
}

word_pace network_interface_module::pace_from(ticks start, const payload_words& words) const {
  // A word of the same address waits for the one before.
  const std::size_t batch =
      std::min<std::size_t>(core().config().outstanding, words.words_per_beat());
  const ticks period = period_.ticks();
  return {start, {batch, link_cycles_ * period, period, ticks{2} * stages_ * period}};
}

/// An operation, on one word; none if the transaction asks for nothing.
network_interface_module::ticks network_interface_module::operate(
    const payload_words& words, word_pace& pace, tlm::tlm_response_status& response) {
  access request;
  if (words.count() == 0 || !words.request(0, request)) return 0;
  return at_memory(pace, 1, [&](sc_core::sc_time& delay) {
    word_t old = 0;
    response = memory->access(addresses_.module_of(request.address), request.address,
                              request.function, old, delay);
    if (response == tlm::TLM_OK_RESPONSE) words.answer(0, old);
  });
}

/// A plain read or write: one call for the bytes that follow each other in a module.
network_interface_module::ticks network_interface_module::transfer(
    tlm::tlm_generic_payload& payload, word_pace& pace, tlm::tlm_response_status& response) {
  ticks last = 0;
  for_each_run(payload, addresses_, [&](const byte_run& run) {
    const bool whole = run.length == payload.get_data_length();
    const ticks done =
        whole ? forward_whole(payload, run, pace) : forward_run(payload, run, pace, response);
    last = std::max(last, done);
    if (whole) response = payload.get_response_status();
  });
  return last;
}

/// The initiator's own payload, with whatever extensions it has. The target gets a legal streaming
/// width, and the initiator its own back.
network_interface_module::ticks network_interface_module::forward_whole(
    tlm::tlm_generic_payload& payload, const byte_run& run, word_pace& pace) {
  const unsigned width = payload.get_streaming_width();
  const on_exit restore([&] { payload.set_streaming_width(width); });
  if (width == 0) payload.set_streaming_width(payload.get_data_length());
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  return at_memory(pace, run.words(), [&](sc_core::sc_time& delay) {
    memory->transport(run.module, payload, delay);
    payload.set_dmi_allowed(false);  // pass_hint decides
  });
}

network_interface_module::ticks network_interface_module::forward_run(
    const tlm::tlm_generic_payload& payload, const byte_run& run, word_pace& pace,
    tlm::tlm_response_status& response) {
  run_enables enables(payload, run);
  if (enables.none()) return 0;
  tlm::tlm_generic_payload& part = payloads_.acquire(
      payload.get_command(), run.address, payload.get_data_ptr() + run.in_data, run.length);
  const on_exit release([&] { part.release(); });
  enables.set(part);
  const ticks done = at_memory(pace, run.words(), [&](sc_core::sc_time& delay) {
    memory->transport(run.module, part, delay);
  });
  if (response == tlm::TLM_OK_RESPONSE) response = part.get_response_status();
  return done;
}

/// Lets words enter the network and calls memory for them, `ask(delay)`, at the time at which the
/// last of them reaches its module. Returns when their answer is back.
template <class Call>
network_interface_module::ticks network_interface_module::at_memory(word_pace& pace,
                                                                    std::uint64_t words,
                                                                    Call&& ask) {
  const ticks first = pace.enter(1);
  const ticks entered = words == 1 ? first : pace.enter(words - 1);
  estimate_.count(now(), now() + edges_until_after(first - 1),
                  now() + edges_until_after(entered - 1), words);
  const ticks present = sc_core::sc_time_stamp().value();
  const ticks at_module = std::max(present, entered + stages_ * period_.ticks());
  sc_core::sc_time delay = sc_core::sc_time::from_value(at_module - present);
  ask(delay);
  const ticks answered = (sc_core::sc_time_stamp() + delay).value();
  const auto excess = static_cast<ticks>(estimate_.excess() * static_cast<double>(period_.ticks()));
  const ticks offered = edge_ + edges_until_after(answered - 1) * period_.ticks();
  const ticks done = offered + stages_ * period_.ticks() + excess;
  pace.answered(done - entered);
  return done;
}

// Statistics.

void network_interface_module::reset_statistics() {
  core_module::reset_statistics();
  counters_ = {};
}

void network_interface_module::report(statistics_group& group) const {
  core_module::report(group);
  group.add("refused", counters_.refused, "transactions",
            "Transactions that were answered with an error response.");
  const average& delay = counters_.loosely_timed_delay;
  group.add("loosely_timed", delay.count(), "transactions", "Transactions by b_transport.");
  group.add("loosely_timed_delay",
            delay.count() == 0 ? 0.0 : delay.mean() / static_cast<double>(period_.ticks()),
            "cycles", "Mean time from a b_transport to the end that its delay tells.");
  group.add("debug", counters_.debug, "transactions", "Accesses by transport_dbg.");
  group.add("direct", counters_.direct, "requests", "Requests for a direct memory pointer.");
}

}  // namespace tributary
