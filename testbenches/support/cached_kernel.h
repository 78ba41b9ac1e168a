// SPDX-License-Identifier: Apache-2.0
// Nodes with caches, on whose first a program of the kernel runs.
#pragma once

#include <cstdint>
#include <functional>

#include <tributary/processor/node_programs.h>
#include <tributary/sim/error.h>

#include "coherent_transfers.h"

namespace tributary::testing {

/// Two nodes; calls are those of the low queue.
class cached_kernel {
 public:
  using body = std::function<void(program_context&)>;
  static constexpr ospc_priority queue = ospc_priority::low;
  static constexpr std::uint64_t page = 4096;

  explicit cached_kernel(const kernel_calls_config& config = {}) : machine(with(config)) {}

  /// Runs a program to its end, once.
  void run(const body& what) {
    node_programs programs(nodes().config(), make_program([&](program_context& context) {
                             if (context.rank() == 0) what(context);
                           }));
    programs.elements().add_all(nodes());
    nodes().run_until(1'000'000, [&] { return programs.finished(0); });
    if (!programs.finished(0)) throw error("the program does not end");
  }

  std::uint64_t kernel_address(std::uint64_t offset) {
    return nodes().config().node.addresses.address_of(node_id{0}, kernel_command::space, offset);
  }
  fbcopy_mapping mapping() {
    fbcopy_mapping found = physical_mapping(nodes().config().node.addresses, node_id{0}, page);
    found.translated = true;
    return found;
  }
  /// A command that needs the translation of a page that nobody has: a call.
  void call_for(program_context& context, std::uint64_t virtual_page) {
    const std::uint64_t commands = mapping().commands;
    context.store(commands, 0);
    context.store(commands + 8, virtual_page);
    const auto answer = static_cast<block_transfer_result>(
        context.load(commands + block_transfer_command::commit_virtual));
    if (answer != block_transfer_result::no_translation) throw error("the page is not missing");
  }
  /// A doubleword of the first call: of a line of the caches, and past them.
  word_t record(program_context& context, std::uint64_t place) {
    return context.load(kernel_address(kernel_command::record(queue, place)));
  }
  word_t uncached(program_context& context, std::uint64_t place) {
    return context.load(kernel_address(kernel_command::call(queue, place)));
  }
  void acknowledge(program_context& context) {
    context.store(kernel_address(kernel_command::served(queue)), 0);
  }
  void drop(program_context& context) {
    context.store(kernel_address(kernel_command::drop(queue)), 0);
  }

  magic_machine& nodes() { return machine.nodes(); }

  coherent_transfers machine;

 private:
  static coherent_transfers_config with(const kernel_calls_config& kernel) {
    coherent_transfers_config config(2);
    config.kernel = kernel;
    return config;
  }
};

}  // namespace tributary::testing
