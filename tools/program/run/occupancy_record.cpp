// SPDX-License-Identifier: Apache-2.0
#include "occupancy_record.h"

#include <algorithm>

namespace tributary {
namespace {

double mean_of(std::uint64_t entry_cycles, std::uint64_t cycles, std::size_t places) {
  return static_cast<double>(entry_cycles) /
         (static_cast<double>(cycles) * static_cast<double>(places));
}

}  // namespace

auto occupancy_record::look_at(const occupancy_source& places) const -> by_group {
  by_group now = places.look();
  for (std::size_t i = 0; i < earlier_.size(); ++i) {
    now[i].waiting += earlier_[i].waiting;
    now[i].held += earlier_[i].held;
  }
  return now;
}

void occupancy_record::report(const occupancy_source* places, cycle_t last,
                              statistics_tree& statistics) const {
  if (!recording()) return;
  std::vector<by_group> ends = windows_;
  const bool begun = last > ends.size() * window_;
  const by_group now_standing = look_at(*places);
  if (begun) ends.push_back(now_standing);
  for (std::size_t group = 0; group < now_standing.size(); ++group) {
    occupancy_series series;
    series.waiting = series.held = series.most_waiting = series.most_held =
        time_series{1, last, window_, {}};
    occupancy_sample before;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      const occupancy_sample& now = ends[i][group];
      const std::uint64_t cycles = std::min(window_, last - i * window_);
      series.waiting.values.push_back(
          mean_of(now.waiting - before.waiting, cycles, places->queues(group)));
      series.held.values.push_back(mean_of(now.held - before.held, cycles, places->buffers(group)));
      series.most_waiting.values.push_back(static_cast<double>(now.most_waiting));
      series.most_held.values.push_back(static_cast<double>(now.most_held));
      before = now;
    }
    places->report_occupancy(group, series, statistics);
  }
}

}  // namespace tributary
