// SPDX-License-Identifier: Apache-2.0
// Repeats a run of core and RTL in which the two differ, and leaves a waveform of the cycles
// before:
//   switch_replay VARIANT ROUTE_BIT SEED RESET_EVERY CYCLES FILE
// as testbenches/cosim/divergence.cpp prints it. Status 0: they differ within CYCLES, and FILE is
// there; 1: they do not; 2: wrong usage.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <tributary/rtl/verilated_waveform.h>
#include <tributary/sim/error.h>

#include "variant_run.h"
#ifdef TRIBUTARY_WITH_FAULTY_SWITCH
#include "faulty_switch.h"
#endif

namespace tributary::testing {
namespace {

/// Cycles before the difference that the waveform has.
constexpr std::uint64_t cycles_before = 200;

std::vector<switch_variant> known_variants() {
  std::vector<switch_variant> variants = built_switch_variants();
#ifdef TRIBUTARY_WITH_FAULTY_SWITCH
  variants.push_back(faulty_switch());
#endif
  return variants;
}

switch_variant variant_named(const std::string& name) {
  std::string names;
  for (switch_variant& each : known_variants()) {
    if (each.name == name) return each;
    names += " " + each.name;
  }
  throw configuration_error("there is no variant " + name + " in this build; there are" + names);
}

std::uint64_t number(const std::string& text) {
  if (text.empty() || text.size() > 18 ||
      text.find_first_not_of("0123456789") != std::string::npos) {
    throw configuration_error("'" + text + "' is no number");
  }
  return std::stoull(text);
}

struct difference {
  std::string text;
  std::uint64_t cycle;
  std::uint64_t edge;
};

std::optional<difference> run(const switch_variant& variant, const run_case& what,
                              std::uint64_t cycles, const verilated_options& waveform) {
  variant_run both(variant, what, waveform);
  try {
    while (both.now() <= cycles) both.step();
  } catch (const simulation_error& found) {
    return difference{found.what(), both.now(), both.edge()};
  }
  return std::nullopt;
}

int replay(const std::vector<std::string>& arguments) {
  if (arguments.size() != 6) {
    throw configuration_error(
        "usage: switch_replay VARIANT ROUTE_BIT SEED RESET_EVERY CYCLES FILE");
  }
  const switch_variant variant = variant_named(arguments[0]);
  const run_case what{static_cast<unsigned>(number(arguments[1])), number(arguments[2]),
                      number(arguments[3])};
  const std::uint64_t cycles = number(arguments[4]);
  const std::optional<difference> found = run(variant, what, cycles, {});
  if (!found) {
    fmt::print("{}: no difference in {} cycles\n", variant.name, cycles);
    return 1;
  }
  verilated_options waveform;
  waveform.fst = arguments[5];
  const std::filesystem::path folder = std::filesystem::path(waveform.fst).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder);
  waveform.fst_first = found->edge > cycles_before ? found->edge - cycles_before : 1;
  run(variant, what, cycles, waveform);
  fmt::print("{}\nwaveform: {}, cycles {} to {}; cycle {} ends at time {}\n", found->text,
             waveform.fst, waveform.fst_first, found->edge, found->cycle,
             verilated_waveform::period * found->edge);
  return 0;
}

}  // namespace
}  // namespace tributary::testing

int main(int count, char** arguments) {
  try {
    return tributary::testing::replay({arguments + 1, arguments + count});
  } catch (const std::exception& problem) {
    fmt::print(stderr, "switch_replay: {}\n", problem.what());
    return 2;
  }
}
