// SPDX-License-Identifier: Apache-2.0
#include "program_times.h"

#include <optional>
#include <string>

namespace tributary {
namespace {

/// What stands between the two in a path; nothing if it is none of that kind.
std::optional<std::string> name_in(const std::string& path, const std::string& before,
                                   const std::string& behind) {
  const std::size_t around = before.size() + behind.size();
  if (path.size() <= around || path.rfind(before, 0) != 0) return std::nullopt;
  if (path.compare(path.size() - behind.size(), behind.size(), behind) != 0) return std::nullopt;
  return path.substr(before.size(), path.size() - around);
}

}  // namespace

void report_program_times(std::uint64_t program_cycle, statistics_tree& statistics) {
  const auto picoseconds = static_cast<double>(program_cycle);
  for (const flat_statistic& each : statistics.flatten()) {
    if (const auto mark = name_in(each.path, "workload.marks.", ".rate")) {
      statistics.group("time").group(*mark).add("rate", each.value * 1e6 / picoseconds, "1/us",
                                                "Passes of the mark in a microsecond.");
    } else if (const auto interval = name_in(each.path, "workload.intervals.", ".cycles.mean")) {
      statistics.group("time").group(*interval).add("mean", each.value * picoseconds / 1e3, "ns",
                                                    "From begin to end of the interval.");
    }
  }
}

}  // namespace tributary
