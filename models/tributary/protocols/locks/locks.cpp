// SPDX-License-Identifier: Apache-2.0
#include <tributary/protocols/locks/locks.h>

#include <tributary/controller/cost_table.h>
#include <tributary/controller/handler_table.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

using locks::message_type;
using run = locks::handlers<handler_context>;

constexpr locality local = locality::local;

constexpr handler_entry<run> table[] = {
    for_processor("read_state", &run::read_state, common_type::line_read, local),
    for_processor("write_back", &run::write_back, common_type::line_write_back, local),
    for_processor("processor_write", &run::processor_write, common_type::uncached_write, local),
    for_network("request_token", &run::request_token, message_type::request, local),
    for_network("grant_token", &run::grant_token, message_type::grant, local),
    for_network("unknown_lock", &run::unknown_lock, message_type::unknown, local),
    put_off("request_later", &run::request_later),
    put_off("steal_later", &run::steal_later),
    put_off("tick", &run::tick),
    put_off("check", &run::check)};

}  // namespace

void locks_config::bind(parameter_set& parameters) {
  parameters.add("count", count, interval<std::uint64_t>{0, lock_command::most}, "locks",
                 "Locks that the controllers keep; 0 for none.");
  parameters.add("queues", queues, interval<std::uint64_t>{1, 256}, "locks",
                 "Locks of which each node may be the home (FLASH Figure 6.7: 256 at most).");
  parameters.add("timeout", timeout, interval<std::uint64_t>{0, std::uint64_t{1} << 40}, "cycles",
                 "Cycles after which a token that its processor has not used goes to who waits, at "
                 "the next multiple of node.idle_handler.period; 0 for never (FLASH 6.1.6: "
                 "several ms).");
}

void lock_costs::bind(parameter_set& parameters) {
  cost_binder add(parameters);
  add("read_state", read_state,
      "Giving the state to the processor's caches (not published; 14 fits 0.45 us of a round trip, "
      "FLASH 6.1.8).");
  add("write_back", write_back,
      "Taking it back (not published; 26 pairs of instructions, assumed).");
  add("get_token", get_token, "Asking for the token (not published; 10 fits Table 6.2).");
  add("unlock", unlock, "Giving it to who waits (not published; 26 fits Table 6.3).");
  add("request", request, "Taking a request of another node (not published; 8 fits Table 6.2).");
  add("new_request", new_request,
      "What the home does more for another node than for its own processor (not published; 21 fits "
      "Table 6.2).");
  add("swap_tail", swap_tail, "Queueing it up at the home (not published; 6 fits Table 6.2).");
  add("steal", steal,
      "Deciding whether the token goes, without what the caches take to answer (not published; 15 "
      "fits Table 6.2).");
  add("grant", grant, "Taking the token (not published; 19 fits Table 6.3).");
  add("defer", defer, "Putting a request off (assumed).");
  add("check", check, "Each time at which unused tokens are looked for (assumed).");
  add("initialize", initialize, "Receiving the home of a lock (assumed).");
}

locks_protocol::locks_protocol(const locks_config& config, const lock_costs& costs,
                               std::uint32_t nodes, line_size line) {
  check_ranges(config);
  settings_.costs = costs;
  settings_.timeout = config.timeout;
  settings_.places.count = config.count;
  settings_.places.queues = config.queues;
  settings_.places.nodes = nodes;
  settings_.places.line = line;
}

std::vector<dispatch_rule> locks_protocol::rules() const {
  return rules_of(table, lock_command::space);
}

std::vector<handler> locks_protocol::handlers() { return bodies_of(table, settings_); }

std::vector<message_name> locks_protocol::message_names() const {
  const message_number lock = [](std::uint64_t offset) {
    return lock_command::number(offset, line_size());
  };
  return {{static_cast<std::uint8_t>(message_type::request), "lock_request", lock},
          {static_cast<std::uint8_t>(message_type::grant), "lock_grant", lock},
          {static_cast<std::uint8_t>(message_type::unknown), "lock_unknown", lock}};
}

std::uint64_t locks_protocol::storage_bytes() const { return settings_.places.bytes(); }

void locks_protocol::initialize(const protocol_storage& where, word_memory&) {
  settings_.places.base = where.address;
  settings_.request_later = number_of(table, &run::request_later, where.first_handler);
  settings_.steal_later = number_of(table, &run::steal_later, where.first_handler);
  settings_.tick = number_of(table, &run::tick, where.first_handler);
  settings_.check = number_of(table, &run::check, where.first_handler);
}

}  // namespace tributary
