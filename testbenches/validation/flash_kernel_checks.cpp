// SPDX-License-Identifier: Apache-2.0
// FLASH's rows of the kernel and the controller: V12, translations that the controller keeps; V45,
// commands that a context switch cuts off; V46, changes of translations during a copy; lists of the
// physical addresses in use.
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <support/kernel_bench.h>
#include <support/scripted_machine.h>
#include <tributary/protocols/pages_in_use.h>
#include <tributary/protocols/software_tlb.h>
#include <tributary/sim/error.h>

#include "flash_checks.h"

namespace tributary::validation {
namespace {

using testing::asking_kernel;
using testing::kernel_bench;
using testing::node_processor;
using result = block_transfer_result;

/// Cycles that `body` returns, run in a handler with storage of its own.
template <class Body>
double cycles_in_handler(const Body& body) {
  std::uint64_t cycles = 0;
  testing::script bodies;
  std::uint64_t storage = 0;
  bodies.read = [&](handler_context& context) {
    cycles = body(context, storage);
    context.answer(0);
  };
  testing::scripted_machine nodes(bodies);
  storage = nodes.machine.node(0).protocols().storage(0).address;
  nodes.read();
  if (!nodes.run().empty()) throw error("a handler ends with an error");
  return static_cast<double>(cycles);
}

/// Cycles of a lookup that finds its entry at this probe.
double lookup_cycles(std::uint64_t probe) {
  software_tlb table({}, {});
  return cycles_in_handler([&](handler_context& context, std::uint64_t storage) {
    table.place(storage);
    for (std::uint64_t page = 0; page < probe; ++page) {
      table.enter(context, page * testing::kernel_page, 0,
                  {page * testing::kernel_page, page_access::write});
    }
    const cycle_t begun = context.now();
    if (table.find(context, (probe - 1) * testing::kernel_page, 0, false).result !=
        translated::found) {
      throw error("a translation that was entered is not found");
    }
    return context.now() - begun;
  });
}

/// Cycles that adding an address takes whose list has `others` already.
double insertion_cycles(std::uint64_t others) {
  pages_in_use lists({}, {});
  return cycles_in_handler([&](handler_context& context, std::uint64_t storage) {
    lists.place(storage);
    cycle_t begun = 0;
    for (std::uint64_t i = 0; i <= others; ++i) {
      const std::uint64_t copy = storage + lists.storage_bytes() + i * word_bytes;
      context.store(copy, testing::source_offset + i * word_bytes);
      begun = context.now();
      lists.add(context, i, copy, testing::virtual_source);
    }
    return context.now() - begun;
  });
}

/// A context switch in the middle of a command: it is refused at its end, succeeds when it is asked
/// for again, and nothing but that copy happens.
bool survives_context_switch() {
  kernel_bench bench;
  node_processor port(bench.machine(), 0);
  const std::uint64_t commands = bench.mapping().commands;
  const auto name = [&](std::uint32_t node, std::uint64_t offset) {
    port.store(bench.address(node, offset, block_transfer_command::shadow_space), 0);
  };
  const auto commit = [&] {
    return static_cast<result>(port.load(commands + block_transfer_command::commit));
  };
  port.store(commands, testing::kernel_page);
  name(0, testing::source_offset);
  port.store(commands + block_transfer_command::context_switch, 0);
  name(1, testing::destination_offset);
  name(0, testing::flag_offset);
  if (commit() != result::interrupted || bench.operations() != 0) return false;
  port.store(commands, testing::kernel_page);
  name(0, testing::source_offset);
  name(1, testing::destination_offset);
  name(0, testing::flag_offset);
  return commit() == result::accepted && bench.run_until_flag(1) && bench.is_copied();
}

/// What a change of translations finds that is asked for during a copy.
struct change_of_translations {
  bool waits_for_copy = false;  ///< it is answered, and not before the copy is complete
  bool refuses_copies = false;  ///< asked for meanwhile
  bool refuses_begun = false;   ///< whose command was under way before
};

change_of_translations change_during_copy() {
  change_of_translations found;
  kernel_bench bench;
  {
    node_processor port(bench.machine(), 0);
    bench.enter_all(port);
    if (bench.ask(port) != result::accepted) throw error("a copy is refused");
    bench.name_virtual(port);
  }
  {
    asking_kernel kernel(bench);
    kernel.change(testing::virtual_source);
    bool was_early = false;
    const auto is_answered = [&] {
      was_early = was_early || (kernel.answered && bench.flag() == 0);
      return kernel.answered.has_value();
    };
    bench.machine().run_until(bench.machine().now() + 100'000, is_answered);
    found.waits_for_copy = kernel.answered && !was_early && bench.flag() == 1;
  }
  node_processor port(bench.machine(), 0);
  found.refuses_begun = bench.commit_virtual(port) == result::interrupted;
  bench.enter_all(port);
  if (bench.ask(port) != result::accepted) throw error("a copy after the change is refused");
  port.store(bench.kernel_address(kernel_command::shootdown), testing::virtual_source);
  found.refuses_copies = bench.ask(port) == result::interrupted && bench.flag() == 1;
  return found;
}

}  // namespace

std::vector<planned_row> flash_kernel_checks(const claims& flash) {
  std::vector<planned_row> rows;
  for (const char* id : {"flash.V12.first", "flash.V12.sixteenth"}) {
    const family claim = flash[id];
    const auto probe = static_cast<std::uint64_t>(claim.number("probe"));
    rows.push_back(measured_on_blocks(claim, {"probe"}, [probe] { return lookup_cycles(probe); }));
  }
  rows.push_back(
      measured_on_blocks(flash["flash.in_use.first"], {}, [] { return insertion_cycles(0); }));
  rows.push_back(
      measured_on_blocks(flash["flash.in_use.further"], {}, [] { return insertion_cycles(2); }));
  rows.push_back(measured_on_blocks(flash["flash.V45"], {},
                                    [] { return survives_context_switch() ? 1.0 : 0.0; }));
  const std::vector<std::pair<const char*, bool change_of_translations::*>> changes{
      {"flash.V46.delayed", &change_of_translations::waits_for_copy},
      {"flash.V46.refused", &change_of_translations::refuses_copies},
      {"flash.V46.begun", &change_of_translations::refuses_begun}};
  for (const auto& [id, holds] : changes) {
    rows.push_back(measured_on_blocks(
        flash[id], {}, [one = holds] { return change_during_copy().*one ? 1.0 : 0.0; }));
  }
  return rows;
}

}  // namespace tributary::validation
