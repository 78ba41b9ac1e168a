// SPDX-License-Identifier: Apache-2.0
#include <tributary/protocols/reductions/reductions.h>

#include <tributary/controller/cost_table.h>
#include <tributary/controller/handler_table.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

using reductions::message_type;
using run = reductions::handlers<handler_context>;

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

void reductions_config::bind(parameter_set& parameters) {
  parameters.add("count", count, interval<std::uint64_t>{0, reduction_command::most}, "reductions",
                 "Reductions that each node keeps for its processor; 0 for none.");
}

void reduction_costs::bind(parameter_set& parameters) {
  cost_binder add(parameters);
  add("operand", operand, "Taking the processor's operand (assumed: as an uncached store).");
  add("pass_value", pass_value,
      "Moving a doubleword between a message and memory, with each join and release (assumed).");
  add("combine_integers", combine_integers, "Combining two integers (assumed).");
  add("add_doubles", add_doubles,
      "Adding two doubles by software (FLASH 7.2.1: 20 to 100, by the operands).");
  add("compare_doubles", compare_doubles,
      "Choosing the lesser or greater of two doubles by software (assumed).");
}

reductions_protocol::reductions_protocol(const reductions_config& config,
                                         const reduction_costs& costs,
                                         const barrier_costs& as_barrier) {
  check_ranges(config);
  settings_.costs = as_barrier;
  settings_.value_costs = costs;
  settings_.count = config.count;
}

std::vector<dispatch_rule> reductions_protocol::rules() const {
  return rules_of(table, reduction_command::space);
}

std::vector<handler> reductions_protocol::handlers() { return bodies_of(table, settings_); }

std::vector<message_name> reductions_protocol::message_names() const {
  return {{static_cast<std::uint8_t>(message_type::join), "reduction_join"},
          {static_cast<std::uint8_t>(message_type::release), "reduction_release"}};
}

std::uint64_t reductions_protocol::storage_bytes() const { return settings_.bytes(); }

void reductions_protocol::initialize(const protocol_storage& where, word_memory&) {
  settings_.lie_at(where.address, where.line);
  settings_.join_later = number_of(table, &run::join_later, where.first_handler);
  settings_.release_later = number_of(table, &run::release_later, where.first_handler);
}

}  // namespace tributary
