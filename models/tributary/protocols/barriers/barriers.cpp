// SPDX-License-Identifier: Apache-2.0
#include <tributary/protocols/barriers/barriers.h>

#include <tributary/controller/cost_table.h>
#include <tributary/controller/handler_table.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

using barriers::message_type;
using run = barriers::handlers<handler_context>;

constexpr locality local = locality::local;

constexpr handler_entry<run> table[] = {
    for_processor("processor_join", &run::processor_join, common_type::uncached_read, local),
    for_processor("processor_write", &run::processor_write, common_type::uncached_write, local),
    for_processor("read_status", &run::read_status, common_type::line_read, local),
    for_network("child_joined", &run::child_joined, message_type::join, local),
    for_network("released", &run::released, message_type::release, local),
    put_off("join_later", &run::join_later),
    put_off("release_later", &run::release_later)};

}  // namespace

void barriers_config::bind(parameter_set& parameters) {
  parameters.add("count", count, interval<std::uint64_t>{0, barrier_command::most}, "barriers",
                 "Barriers that each node keeps for its processor; 0 for none.");
}

void barrier_costs::bind(parameter_set& parameters) {
  cost_binder add(parameters);
  add("processor_join", processor_join,
      "Answering a processor that joins, and counting it (not published; 43 fits FLASH Table "
      "6.5).");
  add("child_joined", child_joined,
      "Counting a child that joins (not published; 14 fits Table 6.6).");
  add("send_join", send_join, "Telling the parent (not published; 12 fits Table 6.6).");
  add("released", released, "Taking the parent's release (not published; 10 fits Table 6.7).");
  add("release", release, "Turning the sense (not published; 4 fits Tables 6.5 to 6.7).");
  add("send_release", send_release, "Telling a child (not published; 8 fits Tables 6.5 and 6.7).");
  add("end_at_root", end_at_root,
      "Ending an episode, at the root behind its children (not published; 25 fits Table 6.5).");
  add("read_status", read_status,
      "Giving the sense to the processor's caches (not published; 14 fits 0.45 us of a round trip, "
      "FLASH 6.1.8).");
  add("configure", configure, "Receiving the shape of the trees (assumed).");
}

barriers_protocol::barriers_protocol(const barriers_config& config, const barrier_costs& costs) {
  check_ranges(config);
  settings_.costs = costs;
  settings_.count = config.count;
}

std::vector<dispatch_rule> barriers_protocol::rules() const {
  return rules_of(table, barrier_command::space);
}

std::vector<handler> barriers_protocol::handlers() { return bodies_of(table, settings_); }

std::vector<message_name> barriers_protocol::message_names() const {
  const message_number barrier = [](std::uint64_t offset) {
    return barrier_command::number(offset, line_size());
  };
  return {{static_cast<std::uint8_t>(message_type::join), "barrier_join", barrier},
          {static_cast<std::uint8_t>(message_type::release), "barrier_release", barrier}};
}

std::uint64_t barriers_protocol::storage_bytes() const { return settings_.bytes(); }

void barriers_protocol::initialize(const protocol_storage& where, word_memory&) {
  settings_.lie_at(where.address, where.line);
  settings_.join_later = number_of(table, &run::join_later, where.first_handler);
  settings_.release_later = number_of(table, &run::release_later, where.first_handler);
}

}  // namespace tributary
