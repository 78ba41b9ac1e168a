// SPDX-License-Identifier: Apache-2.0
// The unit of goal G12: a handler that loads a word and answers.
#pragma once

#include <cstdint>

#include <benchmark/benchmark.h>

#include "node_work.h"

namespace tributary::benchmarks {

/// Times so many of them, on two nodes whose processors load words.
inline void time_dispatches(benchmark::State& state, std::uint64_t wanted) {
  busy_nodes machine(2, node_traffic::loads);
  machine.step(2'000);
  const std::uint64_t before = machine.dispatches();
  for (auto _ : state) {
    while (machine.dispatches() - before < wanted) machine.step(1'000);
  }
}

}  // namespace tributary::benchmarks
