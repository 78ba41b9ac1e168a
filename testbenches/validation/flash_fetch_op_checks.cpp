// SPDX-License-Identifier: Apache-2.0
// FLASH's rows of fetch-and-op by handlers of the word's home: SV45 and SV46, by the numbers of the
// synchronization specification.
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <vector>

#include <tributary/sim/error.h>

#include <support/handler_statistics.h>

#include "flash_checks.h"

namespace tributary::validation {
namespace {

using rows_t = std::vector<planned_row>;

constexpr std::uint32_t both = 2;
/// Of node 0 and node 1, which nobody else uses.
constexpr std::uint64_t tested_word = 5;
/// Cycles of the processor in which one access is over for certain.
constexpr std::uint64_t long_pause = 20'000;

flash_config nodes_with(fetch_op_method method) {
  flash_config config;
  config.machine.nodes = both;
  config.machine.node.caches.present = true;
  config.machine.node.memory.bytes = std::uint64_t{1} << 20;
  config.processor.start_window = 1;
  config.fetch_op.method = method;
  return config;
}

/// Runs a program on both nodes to its end.
void run_to_end(flash_machine& machine) {
  constexpr cycle_t patience = 1'000'000;
  machine.run_until(patience);
  if (!machine.finished()) throw error("a program on FLASH nodes has not ended");
}

// --- SV45: two increments ------------------------------------------------------------------------

/// Whether both processors increment 1000 as FLASH 7.2.1 has it, the second one `late` cycles after
/// the first one, and which of them came first.
struct outcome {
  bool is_right = false;
  std::uint32_t first = 0;
};

outcome increment_twice(fetch_op_method method, std::uint32_t home, std::uint64_t late) {
  std::array<word_t, both> got{};
  word_t left = 0;
  flash_machine machine(nodes_with(method), 1, make_program([&](program_context& context) {
                          const std::uint64_t address =
                              context.local_address(pe_id{home}, tested_word);
                          if (context.rank() == 0) context.store(address, 1000);
                          context.delay(context.rank() == 0 ? long_pause : long_pause + late);
                          got[context.rank()] = context.fetch_add(address, 1);
                          context.delay(long_pause);
                          if (context.rank() == home) left = context.load(address);
                        }));
  run_to_end(machine);
  const auto [least, most] = std::minmax(got[0], got[1]);
  return {least == 1000 && most == 1001 && left == 1002, got[0] < got[1] ? 0U : 1U};
}

/// Of all delays up to the claim's "latest", and both homes.
struct outcomes {
  double wrong = 0;
  std::array<double, both> first{};
};

outcomes all_outcomes(const family& claim, fetch_op_method method) {
  const auto latest = static_cast<std::uint64_t>(claim.number("latest"));
  const auto step = static_cast<std::uint64_t>(claim.number("step"));
  outcomes found;
  for (std::uint32_t home = 0; home < both; ++home) {
    for (std::uint64_t late = 0; late <= latest; late += step) {
      const outcome each = increment_twice(method, home, late);
      if (!each.is_right) ++found.wrong;
      ++found.first[each.first];
    }
  }
  return found;
}

/// Wrong outcomes, and one more if not each of the two was first at some time.
planned_row increments(const family& claim, fetch_op_method method) {
  return measured_on_blocks(claim, {"latest", "step"}, [claim, method] {
    const outcomes found = all_outcomes(claim, method);
    return found.wrong + (found.first[0] == 0 || found.first[1] == 0 ? 1 : 0);
  });
}

// --- SV46: owning the line -----------------------------------------------------------------------

std::uint64_t occupied(flash_machine& machine, std::initializer_list<const char*> handlers) {
  auto& nodes = dynamic_cast<magic_machine&>(machine.nodes());
  std::uint64_t sum = 0;
  for (const char* each : handlers) sum += testing::handler_total(nodes, each, "sum");
  return sum;
}

/// Cycles of the home's protocol processor for one operation of the other node's processor, less
/// what the operation costs apart from the line; the line is in the caches of `writer`, or in
/// memory.
double owning_cycles(std::optional<std::uint32_t> writer) {
  const flash_config config = nodes_with(fetch_op_method::coherent);
  flash_machine machine(config, 1, make_program([&](program_context& context) {
                          const std::uint64_t address =
                              context.local_address(pe_id{0}, tested_word);
                          if (context.rank() == writer) context.store(address + word_bytes, 1);
                          context.delay(long_pause);
                          if (context.rank() == 1) context.fetch_add(address, 1);
                        }));
  run_to_end(machine);
  const std::uint64_t all =
      occupied(machine, {"fetch_op.perform_for_another", "fetch_op.perform_later",
                         "fetch_op.perform_owned", "coherence.ask_owned", "coherence.take_owned"});
  const protocol_costs costs = config.costs.resolved();
  std::uint64_t apart = costs.fetch_op.perform;
  // The home's usual service of a request for such a line.
  if (writer) apart += costs.fetch_op.keep + costs.coherence.ask_owner;
  return static_cast<double>(all - apart);
}

}  // namespace

std::vector<planned_row> flash_fetch_op_checks(const claims& flash) {
  return {
      increments(flash["flash.SV45.home"], fetch_op_method::home),
      increments(flash["flash.SV45.coherent"], fetch_op_method::coherent),
      measured_on_blocks(flash["flash.SV46.local"], {}, [] { return owning_cycles(std::nullopt); }),
      measured_on_blocks(flash["flash.SV46.general"], {}, [] { return owning_cycles(1); })};
}

}  // namespace tributary::validation
