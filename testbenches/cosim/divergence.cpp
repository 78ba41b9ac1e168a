// SPDX-License-Identifier: Apache-2.0
#include "divergence.h"

#include <algorithm>

#include <fmt/format.h>

#include <tributary/sim/error.h>

namespace tributary::testing {
namespace {

std::string build_command() {
  const std::string build =
      fmt::format("cmake --build '{}' --target switch_replay", TRIBUTARY_REPLAY_BUILD);
  if (std::string(TRIBUTARY_BINARY_DIR) == TRIBUTARY_REPLAY_BUILD) return build;
  std::string variants = TRIBUTARY_VARIANTS;  // with commas, which no shell minds
  std::replace(variants.begin(), variants.end(), ',', ';');
  return fmt::format("cmake --preset rtl-trace -DTRIBUTARY_RTL_VARIANTS='{}' && {}", variants,
                     build);
}

}  // namespace

std::string divergence_waveform(const switch_variant& variant, const run_case& what) {
  return fmt::format("{}/divergence/{}_bit{}_seed{}.fst", TRIBUTARY_BINARY_DIR, variant.name,
                     what.route_bit, what.seed);
}

std::string replay_command(const switch_variant& variant, const run_case& what,
                           std::uint64_t cycle) {
  return fmt::format("'{}/testbenches/cosim/switch_replay' {} {} {} {} {} '{}'",
                     TRIBUTARY_REPLAY_BUILD, variant.name, what.route_bit, what.seed,
                     what.reset_every, cycle, divergence_waveform(variant, what));
}

std::string first_divergence(variant_run& run, const switch_variant& variant, const run_case& what,
                             std::uint64_t cycles) {
  try {
    for (std::uint64_t cycle = 0; cycle < cycles; ++cycle) run.step();
  } catch (const simulation_error& difference) {
    return fmt::format("{}\nfor a waveform of the cycles before it, in {}:\n  {} && {}\n",
                       difference.what(), TRIBUTARY_SOURCE_DIR, build_command(),
                       replay_command(variant, what, run.now()));
  }
  return "";
}

}  // namespace tributary::testing
