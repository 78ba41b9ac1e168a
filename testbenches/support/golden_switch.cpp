// SPDX-License-Identifier: Apache-2.0
#include "golden_switch.h"

#include <cmath>
#include <utility>

namespace tributary::testing {
namespace {

bool forms_combine(const combining_switch_config& config, form first, form second) {
  if (!config.combining) return false;
  return config.combine.enabled[static_cast<unsigned>(first)] &&
         config.combine.enabled[static_cast<unsigned>(second)] && composes(first, second);
}

}  // namespace

golden_switch::golden_switch(const combining_switch_config& config, unsigned route_bit)
    : config_(config), route_bit_(route_bit) {
  if (config.microarchitecture != queue_microarchitecture::systolic) return;
  const auto combine = [config](form first, form second) {
    return forms_combine(config, first, second);
  };
  for (output& each : outputs_) {
    each.columns.assign(2, golden_systolic_queue(config.slots, config.coupled, combine));
  }
}

std::size_t golden_switch::limit(const output& port, unsigned which) const {
  if (config_.adaptation == queue_adaptation::crude) return config_.adaptive_limit;
  // From the most that a queue with room holds, and one, down to the crude limit: evenly over the
  // rates from an eighth to 104 of 256.
  std::size_t most = config_.slots + 1 - (config_.type == queue_type::a ? 2 : 1);
  if (most <= config_.adaptive_limit) return most;
  const std::size_t falls = most - config_.adaptive_limit;
  for (std::size_t i = 1; i <= falls; ++i) {
    const double from = 32 + std::floor(72.0 * static_cast<double>(i) / static_cast<double>(falls));
    if (port.rates[which] >= from) --most;
  }
  return most;
}

std::size_t golden_switch::coming(unsigned at, unsigned which) const {
  std::size_t count = 0;
  for (unsigned input = 0; input < 2; ++input) {
    const auto& request = registered_.requests[input];
    if (request && route(index(request->module())) == at && queue_for(input) == which) ++count;
  }
  return count;
}

std::size_t golden_switch::coming_back(unsigned input) const {
  std::size_t count = 0;
  for (unsigned at = 0; at < 2; ++at) {
    const auto& response = registered_.replies[at];
    if (!response) continue;
    if (route(response->pe) == input) ++count;
    for (const partner& each : outputs_[at].waiting) {
      if (each.first == response->id() && route(each.second.pe) == input) ++count;
    }
  }
  return count;
}

bool golden_switch::queue_ready(unsigned at, unsigned which) const {
  const output& port = outputs_[at];
  const std::deque<entry>& queue = port.queues[which];
  std::size_t combined = 0;
  for (const entry& each : queue) combined += each.second ? 1 : 0;
  if (config_.adaptive_limit != 0 && combined >= limit(port, which)) return false;
  const std::size_t writers = config_.type == queue_type::a ? 2 : 1;
  return queue.size() + coming(at, which) + writers <= config_.slots;
}

std::uint8_t golden_switch::request_ready(unsigned input) const {
  unsigned bits = 0;
  for (unsigned o = 0; o < 2; ++o) {
    bits |= queue_ready(o, queue_for(input)) ? 1U << o : 0U;
  }
  return static_cast<std::uint8_t>(bits);
}

bool golden_switch::reply_ready() const {
  return reverse_[0].size() + coming_back(0) + 4 <= config_.reverse_slots &&
         reverse_[1].size() + coming_back(1) + 4 <= config_.reverse_slots;
}

bool golden_switch::can_leave(const output& port, unsigned which, std::uint8_t next_ready) const {
  const std::deque<entry>& queue = port.queues[which];
  if (queue.empty()) return false;
  if (queue.front().second && port.full(config_.wait_buffer_entries)) return false;
  // The next switch routes by the next lower bit; a memory module behind the last stage has one
  // queue and says so in bit 0.
  const std::uint64_t module = index(queue.front().request.module());
  const auto wanted =
      static_cast<unsigned>(route_bit_ == 0 ? 0 : (module >> (route_bit_ - 1)) & 1U);
  return ((next_ready >> wanted) & 1U) != 0;
}

std::optional<unsigned> golden_switch::grant(const output& port, std::uint8_t next_ready) const {
  if (port.link_busy != 0) return std::nullopt;
  for (const unsigned which : {port.first_choice, 1 - port.first_choice}) {
    if (can_leave(port, which, next_ready)) return which;
  }
  return std::nullopt;
}

switch_traffic golden_switch::depart(const std::array<std::uint8_t, 2>& next_request_ready,
                                     const std::array<bool, 2>& next_reply_ready) const {
  switch_traffic leaving;
  for (unsigned o = 0; o < 2; ++o) {
    const auto which = grant(outputs_[o], next_request_ready[o]);
    if (which) leaving.requests[o] = outputs_[o].queues[*which].front().request;
  }
  for (unsigned i = 0; i < 2; ++i) {
    if (!reverse_[i].empty() && reverse_link_busy_[i] == 0 && next_reply_ready[i]) {
      leaving.replies[i] = reverse_[i].front();
    }
  }
  return leaving;
}

std::optional<std::size_t> golden_switch::match(const std::deque<entry>& queue,
                                                const packet& arrival, unsigned input,
                                                bool head_leaves, bool buffer_full) const {
  if (buffer_full || arrival.combinable == 0) return std::nullopt;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const entry& waiting = queue[i];
    if (i == 0 && (!config_.coupled || head_leaves)) continue;
    if (waiting.request.location != arrival.location || waiting.request.combinable == 0) continue;
    if (waiting.second) continue;
    if (config_.order == match_order::ordered && waiting.sealed[input]) continue;
    if (forms_combine(config_, waiting.request.kind, arrival.kind)) return i;
  }
  return std::nullopt;
}

void golden_switch::arrive(output& port, std::array<std::vector<entry>, 2>& inserts,
                           const packet& arrival, unsigned input,
                           const std::array<bool, 2>& head_leaves, bool buffer_full) {
  const unsigned which = queue_for(input);
  std::deque<entry>& queue = port.queues[which];
  const auto joins = match(queue, arrival, input, head_leaves[which], buffer_full);
  // Rule 12: a sixteenth of the way to 256 or to 0, rounded down or up.
  unsigned& rate = port.rates[which];
  rate = joins ? rate + (256 - rate) / 16 : rate - rate / 16 - (rate % 16 != 0 ? 1 : 0);
  const std::size_t older = joins ? *joins : queue.size();
  for (std::size_t i = 0; i < older; ++i) {
    if (queue[i].request.location == arrival.location) queue[i].sealed[input] = true;
  }
  if (joins) {
    entry& first = queue[*joins];
    first.second = partner{first.request.id(), arrival.id(), first.request.function()};
    first.request.set_function(compose(first.request.function(), arrival.function()));
    return;
  }
  for (entry& each : inserts[which]) {
    if (each.request.location == arrival.location) each.sealed[input] = true;
  }
  inserts[which].push_back({arrival, std::nullopt, {false, false}});
}

void golden_switch::commit_requests(unsigned at, const switch_traffic& leaving,
                                    const switch_traffic& arriving) {
  output& port = outputs_[at];
  const bool buffer_full = port.full(config_.wait_buffer_entries);
  std::array<bool, 2> head_leaves{false, false};
  if (leaving.requests[at]) {
    // Two heads never carry one identity.
    for (unsigned which = 0; which < 2; ++which) {
      const std::deque<entry>& queue = port.queues[which];
      head_leaves[which] =
          !queue.empty() && queue.front().request.id() == leaving.requests[at]->id();
    }
  }
  std::array<std::vector<entry>, 2> inserts;
  for (unsigned input = 0; input < 2; ++input) {
    const auto& arrival = arriving.requests[input];
    if (!arrival || route(index(arrival->module())) != at || !port.columns.empty()) continue;
    arrive(port, inserts, *arrival, input, head_leaves, buffer_full);
  }
  if (port.link_busy != 0) --port.link_busy;
  for (unsigned which = 0; which < 2; ++which) {
    if (!head_leaves[which]) continue;
    if (port.queues[which].front().second) {
      port.waiting.push_back(*port.queues[which].front().second);
    }
    port.queues[which].pop_front();
    port.link_busy = config_.link_cycles - 1;
    if (config_.type == queue_type::b) port.first_choice = 1 - which;
  }
  for (unsigned which = 0; which < 2; ++which) {
    for (const entry& each : inserts[which]) port.queues[which].push_back(each);
  }
  if (!port.columns.empty()) step_columns(at, head_leaves, buffer_full, arriving);
}

void golden_switch::step_columns(unsigned at, const std::array<bool, 2>& head_leaves,
                                 bool buffer_full, const switch_traffic& arriving) {
  output& port = outputs_[at];
  for (unsigned input = 0; input < 2; ++input) {
    std::optional<packet> arrival = arriving.requests[input];
    if (arrival && route(index(arrival->module())) != at) arrival.reset();
    port.columns[input].step(head_leaves[input], buffer_full, arrival);
    port.queues[input].clear();
    for (const auto& [request, second] : port.columns[input].entries()) {
      port.queues[input].push_back({request, second, {false, false}});
    }
  }
}

void golden_switch::take_reply(unsigned at, const reply& arrival) {
  reverse_[route(arrival.pe)].push_back(arrival);
  std::vector<partner>& waiting = outputs_[at].waiting;
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    if (waiting[i].first != arrival.id()) continue;
    const partner found = waiting[i];
    waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(i));
    reverse_[route(found.second.pe)].push_back(
        {apply(found.kept, arrival.value), found.second.sequence, found.second.pe});
    return;
  }
}

void golden_switch::commit(const switch_traffic& leaving, const switch_traffic& arriving) {
  const switch_traffic entering =
      config_.arrival_registers ? std::exchange(registered_, arriving) : arriving;
  for (unsigned o = 0; o < 2; ++o) commit_requests(o, leaving, entering);
  for (unsigned i = 0; i < 2; ++i) {
    if (reverse_link_busy_[i] != 0) --reverse_link_busy_[i];
    if (!leaving.replies[i]) continue;
    reverse_[i].pop_front();
    reverse_link_busy_[i] = config_.link_cycles - 1;
  }
  for (unsigned o = 0; o < 2; ++o) {
    if (entering.replies[o]) take_reply(o, *entering.replies[o]);
  }
}

bool golden_switch::idle() const {
  for (unsigned i = 0; i < 2; ++i) {
    if (!reverse_[i].empty() || !outputs_[i].waiting.empty()) return false;
    if (registered_.requests[i] || registered_.replies[i]) return false;
    if (!outputs_[i].queues[0].empty() || !outputs_[i].queues[1].empty()) return false;
  }
  return true;
}

}  // namespace tributary::testing
