// SPDX-License-Identifier: Apache-2.0
#include <tributary/protocols/coherence/coherence.h>

#include <iterator>

#include <tributary/controller/cost_table.h>
#include <tributary/controller/handler_context.h>
#include <tributary/controller/handler_table.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

using coherence::message_type;
using run = coherence::handlers<handler_context>;

constexpr locality local = locality::local;
constexpr locality remote = locality::remote;
constexpr speculation read_line = speculation::read_other_line;

constexpr handler_entry<run> table[] = {
    for_processor("processor_read", &run::processor_read, common_type::line_read, local, read_line),
    for_processor("processor_read_exclusive", &run::processor_read_exclusive,
                  common_type::line_read_exclusive, local, read_line),
    for_processor("processor_upgrade", &run::processor_upgrade, common_type::line_upgrade, local),
    for_processor("processor_write_back", &run::processor_write_back, common_type::line_write_back,
                  local),
    for_processor("processor_replaced", &run::processor_replaced, common_type::line_replaced,
                  local),
    for_processor("ask_read", &run::ask_read, common_type::line_read, remote),
    for_processor("ask_read_exclusive", &run::ask_read_exclusive, common_type::line_read_exclusive,
                  remote),
    for_processor("ask_upgrade", &run::ask_upgrade, common_type::line_upgrade, remote),
    for_processor("send_write_back", &run::send_write_back, common_type::line_write_back, remote),
    for_processor("send_replaced", &run::send_replaced, common_type::line_replaced, remote),
    for_network("home_read", &run::home_read, message_type::read, local, read_line),
    for_network("home_read_exclusive", &run::home_read_exclusive, message_type::read_exclusive,
                local, read_line),
    for_network("home_upgrade", &run::home_upgrade, message_type::upgrade, local),
    for_network("home_write_back", &run::home_write_back, message_type::write_back, local),
    for_network("home_replaced", &run::home_replaced, message_type::replaced, local),
    for_network("forwarded_read", &run::forwarded_read, message_type::forward_read, remote),
    for_network("forwarded_read_exclusive", &run::forwarded_read_exclusive,
                message_type::forward_read_exclusive, remote),
    for_network("invalidate", &run::invalidate, message_type::invalidate, remote),
    for_network("take_shared", &run::take_shared, message_type::shared, locality::any),
    for_network("take_exclusive", &run::take_exclusive, message_type::exclusive, locality::any),
    for_network("take_upgraded", &run::take_upgraded, message_type::upgraded, locality::any),
    for_network("take_refused", &run::take_refused, message_type::refused, locality::any),
    for_network("take_all_invalidated", &run::take_all_invalidated, message_type::all_invalidated,
                locality::any),
    for_network("invalidated", &run::invalidated, message_type::invalidated, local),
    for_network("shared_back", &run::shared_back, message_type::shared_back, local),
    for_network("owner_moved", &run::owner_moved, message_type::owner_moved, local),
    for_network("forward_refused", &run::forward_refused, message_type::forward_refused, local),
    for_network("home_own", &run::home_own, message_type::own, local, read_line),
    for_network("forwarded_own", &run::forwarded_own, message_type::forward_own, remote),
    for_network("take_owned", &run::take_owned, message_type::owned, locality::any),
    for_network("take_own_refused", &run::take_own_refused, message_type::own_refused,
                locality::any),
    put_off("go_on_invalidating", &run::go_on_invalidating),
    put_off("grant_late", &run::grant_late),
    put_off("tell_complete", &run::tell_complete),
    put_off("ask_owned", &run::ask_owned)};

/// In the order of `coherence::statistic`.
constexpr protocol_statistic counted[] = {
    {"refused.pending", counted_kind::events, "refusals", "The line was pending."},
    {"refused.not_shared", counted_kind::events, "refusals",
     "An upgrade came from a node that had lost the line."},
    {"refused.leaving", counted_kind::events, "refusals",
     "The owner did not have the line: its write-back, or its grant, was on the way."},
    {"refused.buffer", counted_kind::events, "refusals", "No data buffer was free."},
    {"refused.room", counted_kind::events, "refusals",
     "The request lane had no room for a forwarded request, or an invalidation."},
    {"refused.record", counted_kind::events, "refusals",
     "All records of writes were in use (coherence.records)."},
    {"served.local_memory", counted_kind::events, "misses",
     "Misses of this node's processor that this node's memory served."},
    {"served.remote_memory", counted_kind::events, "misses",
     "Misses of other nodes that this node's memory served."},
    {"served.cache_in_two_hops", counted_kind::events, "misses",
     "Misses of other nodes that this node's cache served, where the home was this node or the "
     "reader."},
    {"served.cache_in_three_hops", counted_kind::events, "misses",
     "Misses of other nodes that this node's cache served, by a request that a third node "
     "forwarded."},
    {"served.upgrade", counted_kind::events, "misses",
     "Upgrades that this node granted as the home."},
    {"sharers", counted_kind::sizes, "caches",
     "Caches that a write took a clean line from, of each write that took it from any."},
    {"reclaimed", counted_kind::events, "lines",
     "Reads for which sharers lost a line, because all list elements were in use "
     "(coherence.elements)."},
    {"elements", counted_kind::level, "elements", "List elements in use, at most."},
    {"records", counted_kind::level, "records", "Records of writes in use, at most."},
    {"pending_lines", counted_kind::level, "lines", "Lines pending at once, at most."}};

}  // namespace

void coherence_config::bind(parameter_set& parameters) {
  parameters.add_choice(
      "consistency", consistency,
      {{"relaxed", consistency_kind::relaxed}, {"sequential", consistency_kind::sequential}},
      "When a write is granted that others lose the line for: at once "
      "(relaxed; FLASH 6.3.4), or when all have acknowledged (sequential).");
  parameters.add("elements", elements, interval<std::uint64_t>{1, (1U << 24) - 1}, "elements",
                 "List elements of a node's directory (not published; 4096 is proposed).");
  parameters.add("records", records, interval<std::uint64_t>{1, 255}, "records",
                 "Writes whose invalidations may be under way at a home (not published; 32 is "
                 "proposed).");
  parameters.add("owned_lines", owned_lines, interval<std::uint64_t>{1, 8}, "lines",
                 "Lines that a node's protocol processor may ask for or own at once (FLASH Figure "
                 "4.4: 4).");
  parameters.add(
      "exclusive_on_read", exclusive_on_read,
      "Whether a read of a line that no cache has is answered exclusive, so that a store "
      "behind it asks no other node. FLASH answers shared (Figure 5.19).");
}

void coherence_costs::bind(parameter_set& parameters) {
  cost_binder add(parameters);
  add("read", read, "A line from memory (not published, unverified: 11).");
  add("write", write, "An exclusive line from memory (not published, unverified: 14).");
  add("invalidation", invalidation, "Each invalidation of it (not published, unverified: 10-15).");
  add("ask_home", ask_home, "Passing a request on to its home (not published, unverified: 3).");
  add("ask_owner", ask_owner, "Passing it on to the owner (not published, unverified: 18).");
  add("retrieve", retrieve,
      "After the caches' state is known, until the line is sent; with the "
      "other message 38 (not published, unverified).");
  add("retrieved", retrieved, "From there to the end of the handler (not published).");
  add("reply", reply, "Passing a reply on to the processor (not published, unverified: 2).");
  add("refuse", refuse, "Refusing (not published).");
  add("invalidate", invalidate, "Taking a line from the processor's caches (not published).");
  add("acknowledged", acknowledged, "An acknowledgement of an invalidation (FLASH 5.4.3: 22).");
  add("local_write_back", local_write_back,
      "A line that the home's processor gives up (not published, unverified: 10).");
  add("write_back", write_back, "One that another gives up (not published, unverified: 8).");
  add("local_replaced", local_replaced,
      "A hint of the home's processor (not published, unverified: 7).");
  add("replaced", replaced, "A hint of another (not published, unverified: 17).");
  add("list_element", list_element,
      "Each list element that it looks at (not published, unverified: 14).");
  add("owner_moved", owner_moved, "Noting who owns a line (not published).");
}

coherence_protocol::coherence_protocol(const coherence_config& config, const coherence_costs& costs,
                                       std::uint64_t bytes, line_size line,
                                       const pp_ownership_costs& ownership_costs) {
  check_ranges(config);
  settings_.costs = costs;
  settings_.ownership_costs = ownership_costs;
  settings_.sequential = config.consistency == consistency_kind::sequential;
  settings_.exclusive_on_read = config.exclusive_on_read;
  settings_.layout.lines = line.number(bytes);
  while (std::uint32_t{1} << settings_.layout.line_shift < line.bytes()) {
    ++settings_.layout.line_shift;
  }
  settings_.layout.elements = config.elements;
  settings_.layout.records = config.records;
  settings_.layout.owned = config.owned_lines;
}

std::uint64_t coherence_protocol::storage_bytes() const { return settings_.layout.bytes(); }

// Lines of other spaces are not coherent.
std::vector<dispatch_rule> coherence_protocol::rules() const { return rules_of(table, 0); }

std::vector<handler> coherence_protocol::handlers() { return bodies_of(table, settings_); }

std::vector<message_name> coherence_protocol::message_names() const {
  std::vector<message_name> names;
  for (const coherence::message_description& each : coherence::message_descriptions) {
    names.push_back({static_cast<std::uint8_t>(each.type), each.name});
  }
  return names;
}

std::vector<protocol_statistic> coherence_protocol::statistics() const {
  return {std::begin(counted), std::end(counted)};
}

void coherence_protocol::initialize(const protocol_storage& where, word_memory&) {
  settings_.layout.base = where.address;
  settings_.first = where.first_handler;
  const auto number = [&](void (run::*body)()) {
    return number_of(table, body, where.first_handler);
  };
  settings_.deferred = {number(&run::go_on_invalidating), number(&run::grant_late),
                        number(&run::tell_complete), number(&run::ask_owned)};
}

}  // namespace tributary
