// SPDX-License-Identifier: Apache-2.0
// Programs beside elements that poll without one.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <tributary/processor/program.h>
#include <ultracomputer/ultracomputer.h>

#include "contest.h"
#include "opponents.h"
#include "timed.h"

namespace tributary::benchmarks {
namespace {

/// How many references a second programs make at least, beside elements without.
constexpr double least_of_polling = 0.7;

/// Loads the word that the polling elements load, and awaits it.
void poll(program_context& pe) {
  const std::uint64_t hot = pe.shared_address(0);
  while (true) pe.load(hot);
}

contest against_polling(std::uint32_t elements) {
  bench_case chosen = polling_case("improved", elements);
  chosen.cycles = chosen.cycles * 1024 / elements;
  contest row;
  row.id = "G8.programs_" + std::to_string(elements);
  row.title =
      "references a second of " + std::to_string(elements) +
      " programs that load one word, compared with polling elements without programs, improved";
  row.judged = comparison::speed;
  row.goal = least_of_polling;
  // The same references in the same cycles, each awaited by a program. Words that programs have
  // seen are kept for checkpoints, as by default.
  row.ours = timed_steps(
      [chosen] { return std::make_unique<ultracomputer>(chosen.machine, 1, make_program(poll)); },
      chosen.warmup, chosen.cycles);
  row.other = timed<ultracomputer>(chosen);
  return row;
}

}  // namespace

std::vector<contest> program_contests() {
  return {against_polling(64), against_polling(512), against_polling(2048)};
}

}  // namespace tributary::benchmarks
