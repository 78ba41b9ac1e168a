// SPDX-License-Identifier: Apache-2.0
// Small benchmarks: what one step of a block costs.
#pragma once

namespace tributary::benchmarks {

/// Registers them with Google Benchmark, `repetitions` times each.
void register_micro_benchmarks(unsigned repetitions);

}  // namespace tributary::benchmarks
