// SPDX-License-Identifier: Apache-2.0
// The timed part of a comparison: a machine that is warm simulates some cycles.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include <benchmark/benchmark.h>

#include "opponents.h"

namespace tributary::benchmarks {

using timed_run = std::function<void(benchmark::State&)>;

/// Steps the machine that `make` gives a pointer to, once through the loop over the benchmark's
/// state.
template <class Make>
timed_run timed_steps(Make make, std::uint64_t warmup, std::uint64_t cycles) {
  return [=](benchmark::State& state) {
    const auto machine = make();
    machine->step(warmup);
    for (auto _ : state) machine->step(cycles);
  };
}

/// A `Machine` made of `arguments`.
template <class Machine, class... Arguments>
timed_run timed_machine(std::uint64_t warmup, std::uint64_t cycles, Arguments... arguments) {
  return timed_steps([=] { return std::make_unique<Machine>(arguments...); }, warmup, cycles);
}

/// An engine that is told where to stop, with `step`.
template <class Engine>
class stepped {
 public:
  template <class... Arguments>
  explicit stepped(const Arguments&... arguments) : engine_(arguments...) {}
  void step(std::uint64_t cycles) { engine_.run_until(engine_.now() + cycles); }

 private:
  Engine engine_;
};

/// The machine of a case, with the random streams of seed 1.
template <class Machine>
timed_run timed(const bench_case& chosen) {
  return timed_machine<Machine>(chosen.warmup, chosen.cycles, chosen.machine, 1U);
}

}  // namespace tributary::benchmarks
