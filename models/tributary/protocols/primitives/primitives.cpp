// SPDX-License-Identifier: Apache-2.0
#include <tributary/protocols/primitives/primitives.h>

#include <tributary/controller/cost_table.h>
#include <tributary/controller/handler_table.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

using primitives::message_type;
using run = primitives::handlers<handler_context>;

constexpr locality local = locality::local;

constexpr handler_entry<run> table[] = {
    for_processor("transfer", &run::transfer, common_type::uncached_write, locality::remote),
    for_processor("command", &run::command, common_type::uncached_write, local),
    for_processor("wait", &run::wait, common_type::uncached_read, local),
    for_network("get", &run::get, message_type::get, local),
    for_network("put", &run::put, message_type::put, local),
    for_network("combine", &run::combine, message_type::combine, local),
    for_network("got", &run::got, message_type::got, local),
    for_network("done", &run::done, message_type::done, local),
    for_network("handed", &run::piece, message_type::handed, local),
    for_network("piece", &run::piece, message_type::piece, local),
    for_network("barrier_joined", &run::joined, message_type::barrier_join, local),
    for_network("reduce_joined", &run::joined, message_type::reduce_join, local),
    for_network("barrier_released", &run::released, message_type::barrier_release, local),
    for_network("reduce_released", &run::released, message_type::reduce_release, local),
    put_off("send_later", &run::send_later)};

}  // namespace

void primitive_costs::bind(parameter_set& parameters) {
  cost_binder add(parameters);
  add("command", command, "Taking a store or load of the processor (assumed).");
  add("request", request, "In addition, of a transfer: sending it (assumed).");
  add("serve", serve, "Taking an item or a request for one (assumed).");
  add("reply", reply, "Taking the answer to a transfer (assumed).");
  add("word", word, "Each doubleword that a handler moves by itself (assumed).");
  add("line_word", line_word,
      "Each doubleword that moves as a part of a line, from or to its beginning (assumed).");
  add("meet", meet, "Taking the load of a barrier or reduction (assumed).");
  add("joined", joined, "Taking a child's join (assumed).");
  add("released", released, "Taking a release (assumed).");
  add("forward", forward, "Sending a message of the tree (assumed).");
  add("pass_value", pass_value, "Moving a value between a message and memory (assumed).");
  add("combine_integers", combine_integers, "Combining two integers (assumed).");
  add("add_doubles", add_doubles, "Adding two doubles (assumed).");
  add("compare_doubles", compare_doubles, "Choosing one of two doubles (assumed).");
}

primitives_protocol::primitives_protocol(const primitive_costs& costs, std::uint32_t arity,
                                         std::uint32_t places) {
  settings_.costs = costs;
  settings_.arity = arity;
  settings_.state.places = places;
}

std::vector<dispatch_rule> primitives_protocol::rules() const {
  return rules_of(table, primitive_command::space);
}

std::vector<handler> primitives_protocol::handlers() { return bodies_of(table, settings_); }

std::vector<message_name> primitives_protocol::message_names() const {
  const auto named = [](message_type type, const char* name) {
    return message_name{static_cast<std::uint8_t>(type), name};
  };
  return {named(message_type::get, "get"),
          named(message_type::got, "got"),
          named(message_type::put, "put"),
          named(message_type::combine, "combine"),
          named(message_type::done, "done"),
          named(message_type::handed, "handed"),
          named(message_type::piece, "piece"),
          named(message_type::barrier_join, "barrier_join"),
          named(message_type::barrier_release, "barrier_release"),
          named(message_type::reduce_join, "reduce_join"),
          named(message_type::reduce_release, "reduce_release")};
}

std::uint64_t primitives_protocol::storage_bytes() const { return settings_.state.bytes(); }

void primitives_protocol::initialize(const protocol_storage& where, word_memory&) {
  settings_.line = where.line;
  settings_.nodes = where.nodes;
  settings_.state.base = where.address;
  settings_.send_later = number_of(table, &run::send_later, where.first_handler);
}

}  // namespace tributary
