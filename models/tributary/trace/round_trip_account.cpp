// SPDX-License-Identifier: Apache-2.0
#include <tributary/trace/round_trip_account.h>

#include <numeric>

#include <tributary/sim/parameters.h>
#include <tributary/sim/statistics.h>

namespace tributary {
namespace {

namespace events = communication_events;
using type = communication_message;
using purpose = communication_purpose;

constexpr std::uint64_t round_trip = 2;  // in halves
constexpr std::uint64_t one_way = 1;

purpose purpose_of(const trace_event& event) {
  return static_cast<purpose>(events::purpose.in(event.details));
}

request_part part_of(const trace_event& event) {
  return static_cast<request_part>(events::request.in(event.details));
}

/// Whether nobody waits for it, or for no longer than for another one.
bool is_free(request_part part) {
  return part == request_part::further || part == request_part::ahead ||
         part == request_part::replacing;
}

bool is_of_tree(purpose of) {
  return of == purpose::broadcast || of == purpose::reduce || of == purpose::barrier;
}

/// Who asks whom for what, as one number.
std::uint64_t exchange(std::uint64_t asks, std::uint64_t asked, std::uint64_t of) {
  return (asks << events::to.bits | asked) << events::purpose.bits | of;
}

}  // namespace

void round_trip_config::bind(parameter_set& parameters) {
  parameters.add("enabled", enabled,
                 "Whether the round trips for which processors wait are counted (Klaiber 5.6.1); "
                 "not with the architectures magic and smp, nor without the account.");
}

round_trip_account::category round_trip_account::category_of(std::uint64_t of) {
  switch (static_cast<purpose>(of)) {
    case purpose::broadcast:
    case purpose::reduce:
      return category::broadcast_reduce;
    case purpose::barrier:
      return category::synchronization;
    default:
      return category::get_send;
  }
}

void round_trip_account::on_event(const trace_event& event) {
  if (event.kind == &events::sent) {
    sent(event);
  } else if (event.kind == &events::arrived) {
    arrived(event);
  }
}

void round_trip_account::arrived(const trace_event& event) {
  const auto is = static_cast<type>(events::message.in(event.details));
  if (purpose_of(event) != purpose::broadcast || (is != type::write && is != type::tagged)) return;
  const auto at = nodes_.find(events::to.in(event.details));
  if (at != nodes_.end() && at->second.hop_start == event.address) at->second.in_hop = false;
}

void round_trip_account::sent(const trace_event& event) {
  if (events::cold.in(event.details) == 1 && !config_.count_cold) return;
  if (is_free(part_of(event))) return;
  if (part_of(event) == request_part::passed_on) {
    passed_on(event);
    return;
  }
  node_entry& node = nodes_[event.identity.origin()];
  switch (static_cast<type>(events::message.in(event.details))) {
    case type::read:
    case type::write:
    case type::tagged:
      sent_word(event, node);
      return;
    case type::fetch_line:
      fetched(event, node);
      return;
    case type::invalidate:
      written(event, node);
      return;
    case type::update:
      is_of_tree(purpose_of(event)) ? hopped(event, node) : written(event, node);
      return;
    default:
      return;  // answers
  }
}

void round_trip_account::sent_word(const trace_event& event, node_entry& node) {
  const std::uint64_t from = event.identity.origin();
  const std::uint64_t to = events::to.in(event.details);
  const std::uint64_t of = events::purpose.in(event.details);
  if (static_cast<type>(events::message.in(event.details)) == type::read) {
    ++open_reads_[exchange(from, to, of)];
    ++reads_;
    charge(category_of(of), round_trip);
    return;
  }
  const auto asked = open_reads_.find(exchange(to, from, of));
  if (asked != open_reads_.end()) {
    if (--asked->second == 0) open_reads_.erase(asked);
    return;
  }
  is_of_tree(purpose_of(event)) ? hopped(event, node) : written(event, node);
}

void round_trip_account::fetched(const trace_event& event, node_entry& node) {
  if (events::writes.in(event.details) == 1) {
    written(event, node);
    return;
  }
  ++reads_;
  charge(category_of(events::purpose.in(event.details)), round_trip);
}

/// By a home, for who waits: the way there is longer by one hop.
void round_trip_account::passed_on(const trace_event& event) {
  const bool writes = events::writes.in(event.details) == 1;
  const bool is_update = static_cast<type>(events::message.in(event.details)) == type::update;
  if (writes && is_of_tree(purpose_of(event)) && (is_update || config_.asynchronous_writes)) {
    hopped(event, homes_[event.identity.origin()]);
  } else if (!writes || !config_.asynchronous_writes) {
    charge(category_of(events::purpose.in(event.details)), one_way);
  }
}

void round_trip_account::written(const trace_event& event, node_entry& node) {
  const category to = category_of(events::purpose.in(event.details));
  if (!config_.asynchronous_writes) {
    if (part_of(event) == request_part::at_home) return;
    ++writes_;
    charge(to, round_trip);
  } else if (is_of_tree(purpose_of(event))) {
    hopped(event, node);
  } else {
    node.writes = true;
    node.of = static_cast<std::uint8_t>(to);
  }
}

void round_trip_account::hopped(const trace_event& event, node_entry& node) {
  if (purpose_of(event) != purpose::broadcast) {
    settle(node);
    node.in_hop = false;
  } else if (goes_on(event, node)) {
    return;
  }
  ++hops_;
  charge(category_of(events::purpose.in(event.details)), one_way);
}

/// A message of a broadcast; if it begins a hop, so do later ones with its address.
bool round_trip_account::goes_on(const trace_event& event, node_entry& node) {
  const std::uint64_t to = events::to.in(event.details);
  const bool is_line = static_cast<type>(events::message.in(event.details)) == type::update;
  const std::uint64_t bytes = is_line ? config_.line_bytes : events::bytes.in(event.details);
  const bool follows = node.in_hop && node.hop_to == to && node.hop_address == event.address &&
                       starts_.count(event.address) == 0;
  if (!follows) {
    node.in_hop = true;
    node.hop_to = to;
    node.hop_start = event.address;
    ++starts_[event.address];
  }
  node.hop_address = event.address + bytes;
  return follows;
}

void round_trip_account::settle(node_entry& node) {
  if (!node.writes) return;
  node.writes = false;
  ++writes_;
  charge(static_cast<category>(node.of), round_trip);
}

void round_trip_account::reset() {
  halves_ = {};
  reads_ = 0;
  writes_ = 0;
  hops_ = 0;
}

void round_trip_account::report(statistics_group& into) const {
  const auto add = [&](const char* name, count halves, const char* what) {
    into.add(name, static_cast<double>(halves) / round_trip, "round trips", what);
  };
  const auto of = [this](category each) { return halves_[static_cast<std::size_t>(each)]; };
  add("get_send", of(category::get_send), "For gets and sends.");
  add("broadcast_reduce", of(category::broadcast_reduce), "For broadcasts and reductions.");
  add("synchronization", of(category::synchronization), "For barriers, and flags of the tree.");
  add("all", std::accumulate(halves_.begin(), halves_.end(), count{0}),
      "For which processors wait, summed over them.");
  into.add("reads", reads_, "reads", "Of other nodes' data, for which processors wait.");
  into.add("writes", writes_, "waits", "For writes to other nodes' data.");
  into.add("hops", hops_, "hops", "Of the tree.");
}

}  // namespace tributary
