// SPDX-License-Identifier: Apache-2.0
// Runs a mutated RTL of the switch beside the core:
//   mutant_lockstep MODEL MUTANT CYCLES
// with the shared object MODEL (mutant_model.h), its mutation number MUTANT and random traffic for
// CYCLES cycles in each of sixteen runs, one for each bit that a switch may route by. Prints what
// differs first. Exit code: 0 nothing differed, 1 something did or an assertion of the RTL failed,
// 2 the program was misused.
#include <dlfcn.h>

#include <cstdint>
#include <exception>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

#include <tributary/network/omega/core_switch.h>
#include <tributary/network/omega/lockstep_switch.h>
#include <tributary/sim/error.h>

#include "cosim/switch_stimulus.h"
#include "mutant_model.h"

namespace tributary::testing {
namespace {

constexpr int exit_equal = 0;
constexpr int exit_differs = 1;
constexpr int exit_misused = 2;
constexpr unsigned route_bits = 16;

const mutant_model& load(const std::string& path) {
  void* const object = dlopen(path.c_str(), RTLD_NOW);
  if (object == nullptr) throw std::runtime_error(dlerror());
  const auto model = reinterpret_cast<mutant_model_function>(dlsym(object, mutant_model_name));
  if (model == nullptr) throw std::runtime_error(dlerror());
  return *model();
}

/// One cycle of both.
void step(lockstep_switch& both, switch_stimulus& stimulus) {
  const switch_traffic leaving =
      both.depart(stimulus.next_request_ready(), stimulus.next_reply_ready());
  both.commit(stimulus.arrivals({both.request_ready(0), both.request_ready(1)},
                                {both.reply_ready(0), both.reply_ready(1)}));
  stimulus.end_cycle(leaving);
}

/// One run under random traffic. Throws `simulation_error` at the first difference, and when an
/// assertion of the RTL fails.
void run_once(const mutant_model& model, unsigned selected, unsigned route_bit, int seed,
              std::uint64_t cycles) {
  switch_stimulus stimulus(route_bit, static_cast<std::uint64_t>(seed));
  lockstep_switch both("route bit " + std::to_string(route_bit) + ", seed " + std::to_string(seed),
                       std::make_unique<core_switch>(config_of(model.parameters), route_bit),
                       model.make(route_bit, seed, selected));
  while (stimulus.now() <= cycles) step(both, stimulus);
}

int run(const mutant_model& model, unsigned selected, std::uint64_t cycles) {
  try {
    for (unsigned route_bit = 0; route_bit < route_bits; ++route_bit) {
      run_once(model, selected, route_bit, static_cast<int>(route_bit + 1), cycles);
    }
  } catch (const simulation_error& difference) {
    std::cout << difference.what() << '\n';
    return exit_differs;
  }
  std::cout << "nothing differs in " << cycles << " cycles of each of " << route_bits << " runs\n";
  return exit_equal;
}

int main_of(int argc, char** argv) {
  if (argc != 4) throw std::invalid_argument("usage: mutant_lockstep MODEL MUTANT CYCLES");
  return run(load(argv[1]), static_cast<unsigned>(std::stoul(argv[2])), std::stoull(argv[3]));
}

}  // namespace
}  // namespace tributary::testing

int main(int argc, char** argv) {
  try {
    return tributary::testing::main_of(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "mutant_lockstep: " << error.what() << '\n';
    return tributary::testing::exit_misused;
  }
}
