// SPDX-License-Identifier: Apache-2.0
// FLASH's rows of reductions and active messages: SV47 and SV48, by the numbers of the
// synchronization specification.
#include <cstdint>
#include <string>
#include <vector>

#include <tributary/algorithms/flash_active_messages.h>

#include <support/handler_statistics.h>
#include <tributary/sim/error.h>

#include "flash_chapter_6.h"
#include "flash_checks.h"

namespace tributary::validation {
namespace {

// --- sums of doubles -----------------------------------------------------------------------------

/// Cycles of the protocol processors in handlers of reductions, of one reduction of four nodes.
double handler_cycles(reduction_operation operation) {
  constexpr std::uint32_t nodes = 4;
  testing::synchronizing_machine machine(chapter_6(nodes));
  machine.run([&](program_context& context) {
    flash_reduction all(context, machine.reduction_place(), {nodes, 3, 3}, operation);
    context.delay(20'000);  // all have told their nodes
    all.reduce(context.rank());
  });
  const auto cycles = [&](const std::string& handler) {
    return static_cast<double>(
        testing::handler_total(machine.nodes(), "reductions." + handler, "sum"));
  };
  return cycles("child_joined") + cycles("processor_join");
}

/// Three sums at the root, by what they take more than bits that are combined.
double cycles_of_a_sum() {
  constexpr double sums = 3;
  const auto integers = static_cast<double>(reduction_costs().combine_integers);
  return (handler_cycles(reduction_operation::double_sum) -
          handler_cycles(reduction_operation::bit_or)) /
             sums +
         integers;
}

// --- active messages -----------------------------------------------------------------------------

/// Of an R10000, which has 200 MHz, half of the processor's.
double r10000_cycles(std::uint64_t processor_cycles) {
  return static_cast<double>(processor_cycles) / 2;
}

flash_config two_nodes() {
  flash_config config;
  magic_node_config& node = config.machine.node;
  node.addresses.space_bits = active_message_command::space_bits;
  node.jump_table.candidates = 5;
  node.caches.present = true;
  config.active_messages.window = 1;
  config.processor.posted_stores = true;
  return config;
}

flash_active_place place_in(const flash_config& config) {
  const magic_node_config& node = config.machine.node;
  return {node.addresses, node.memory.line(), 2, config.active_messages.words, true};
}

/// What one message from node 0 takes from the program of node 1, which computes meanwhile.
double cycles_taken(bool to_controller) {
  constexpr cycle_t computing = 100'000;
  const flash_config config = two_nodes();
  double taken = 0;
  const auto program = [&](program_context& context) {
    flash_active_messages messages(context, place_in(config));
    messages.serve(0, [](program_context&, const active_message&) {});
    if (context.rank() == 0) {
      context.delay(computing / 2);
      if (!to_controller) return messages.send(node_id{1}, 0, {1});
      return messages.call(node_id{1}, usual_functions::add, {0, 1});
    }
    const cycle_t from = context.now();
    context.delay(computing);
    taken = r10000_cycles(context.now() - from - computing);
    if (to_controller && messages.word(0) != 1) throw error("a function has not run");
  };
  flash_machine machine(config, 1, make_program(program));
  machine.run_until(computing);
  if (!machine.finished()) throw error("a program does not end");
  return taken;
}

/// To a program that only looks when its interrupt's handler begins.
double cycles_to_the_vector() {
  const flash_config config = two_nodes();
  cycle_t begun = 0;
  const auto program = [&](program_context& context) {
    if (context.rank() == 0) {
      return flash_active_messages(context, place_in(config)).send(node_id{1}, 0, {1});
    }
    context.interrupts(0, [&begun](program_context& own) { begun = own.now(); });
    context.delay(100'000);
  };
  flash_machine machine(config, 1, make_program(program));
  node_event_list events(machine.nodes().catalog());
  machine.observers().attach(events);
  machine.run_until(100'000);
  machine.observers().detach(events);
  const handler_id called = machine.nodes().node(1).protocols().find("active_messages.called");
  for (const trace_event& each : events.of(node_id{1}, node_events::handled)) {
    if (node_events::handler_of(each) != called) continue;
    return r10000_cycles(begun - (each.last + 1) * config.processor_ratio());
  }
  throw error("no message has come");
}

}  // namespace

std::vector<planned_row> flash_extension_checks(const claims& flash) {
  std::vector<planned_row> rows;
  rows.push_back(measured_on_blocks(flash["flash.SV47"], {}, cycles_of_a_sum));
  rows.push_back(measured_on_blocks(flash["flash.SV48.vector"], {}, cycles_to_the_vector));
  rows.push_back(
      measured_on_blocks(flash["flash.SV48.processor"], {}, [] { return cycles_taken(false); }));
  rows.push_back(
      measured_on_blocks(flash["flash.SV48.controller"], {}, [] { return cycles_taken(true); }));
  return rows;
}

}  // namespace tributary::validation
