// SPDX-License-Identifier: Apache-2.0
#include "occupancy_record.h"

#include <algorithm>
#include <string>

namespace tributary {
namespace {

double mean_of(std::uint64_t entry_cycles, std::uint64_t cycles, std::size_t places) {
  return static_cast<double>(entry_cycles) /
         (static_cast<double>(cycles) * static_cast<double>(places));
}

}  // namespace

auto occupancy_record::look_at(const omega_network& network) const -> by_stage {
  by_stage now = earlier_;
  now.resize(network.stages());
  for (std::size_t stage = 0; stage < now.size(); ++stage) {
    const combining_switch& column = network.column(stage);
    now[stage].waiting += column.counters().waiting_cycles;
    now[stage].held += column.counters().held_cycles;
    now[stage].most_waiting = network.fullest_queue(stage);
    now[stage].most_held = network.fullest_wait_buffer(stage);
  }
  return now;
}

void occupancy_record::report(const omega_network& network, cycle_t last,
                              statistics_group& stages) const {
  if (!recording()) return;
  std::vector<by_stage> ends = windows_;
  const bool begun = last > ends.size() * window_;
  if (begun) ends.push_back(look_at(network));
  for (std::size_t stage = 0; stage < network.stages(); ++stage) {
    const combining_switch& column = network.column(stage);
    time_series waiting{1, last, window_, {}};
    time_series held = waiting;
    time_series most_waiting = waiting;
    time_series most_held = waiting;
    sample before;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      const sample& now = ends[i][stage];
      const std::uint64_t cycles = std::min(window_, last - i * window_);
      waiting.values.push_back(
          mean_of(now.waiting - before.waiting, cycles, column.queues().count()));
      held.values.push_back(mean_of(now.held - before.held, cycles, column.wait_buffers().count()));
      most_waiting.values.push_back(static_cast<double>(now.most_waiting));
      most_held.values.push_back(static_cast<double>(now.most_held));
      before = now;
    }
    statistics_group& group = stages.group(std::to_string(stage));
    group.add("queue_occupancy_over_time", waiting, "requests",
              "Mean number of entries in a combining queue in each window of "
              "run.occupancy_window cycles, over all queues of the stage.");
    group.add("wait_buffer_occupancy_over_time", held, "requests",
              "Mean number of entries in a wait buffer in each window of run.occupancy_window "
              "cycles, over all wait buffers of the stage.");
    group.add("fullest_queue_over_time", most_waiting, "requests",
              "Entries in the fullest combining queue of the stage at the end of each window.");
    group.add("fullest_wait_buffer_over_time", most_held, "requests",
              "Entries in the fullest wait buffer of the stage at the end of each window.");
  }
}

}  // namespace tributary
