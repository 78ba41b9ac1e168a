// SPDX-License-Identifier: Apache-2.0
// The cases in which the library and the plain loop run the same experiment.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ultracomputer/ultracomputer.h>

#include "plain_omega.h"

namespace tributary::benchmarks {

/// One experiment that both sides simulate.
struct bench_case {
  std::string id;  ///< "uniform.64", "polling.improved"
  ultracomputer_config machine;
  plain::options plain;
  std::uint64_t warmup = 2000;
  std::uint64_t cycles = 0;        ///< measured of the library
  std::uint64_t plain_cycles = 0;  ///< measured of the plain loop, which needs longer for each

  /// Switches times measured cycles, busy or idle.
  double switch_cycles() const;
};

/// Uniform open-loop load of 0.2 fetch-and-adds per element and cycle, improved design (goal G1):
/// next to nothing combines.
bench_case uniform_case(std::uint32_t elements);

/// The same with a tenth of the requests to one word, which combine.
bench_case hot_case(std::uint32_t elements);

/// The same, shorter: for comparisons in which both sides are the library's speed.
bench_case short_uniform_case(std::uint32_t elements);

/// Busy-wait polling at 2048 elements for 10,000 cycles (goal G4). `design`: one of `designs`.
bench_case polling_case(const std::string& design, std::uint32_t elements = 2048);

/// The four switch designs of FG 3.
const std::vector<std::string>& designs();

}  // namespace tributary::benchmarks
