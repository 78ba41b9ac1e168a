// SPDX-License-Identifier: Apache-2.0
// What programs mark, in units of time: cycles of different machines cannot be compared.
#pragma once

#include <cstdint>

#include <tributary/sim/statistics.h>

namespace tributary {

/// Adds the group "time" to the statistics of a program: of each mark "rate" in passes a
/// microsecond, of each interval "mean" in nanoseconds. `program_cycle`: picoseconds of the cycles
/// in which the program counts.
void report_program_times(std::uint64_t program_cycle, statistics_tree& statistics);

}  // namespace tributary
