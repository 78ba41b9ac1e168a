// SPDX-License-Identifier: Apache-2.0
#include "run_config.h"

#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

constexpr std::uint64_t most_windows = 100000;

/// A counter to reach is named together with how many, or not at all.
void check_goal(const std::string& name, const std::string& path, std::uint64_t count) {
  const std::string goal = "run." + name + "_of";
  const std::string many = "run." + name + "_count";
  if (!path.empty() && count == 0) {
    throw configuration_error({many, "", goal + " names a counter, but nothing says how many",
                               "1 or more with " + goal, "set it, or leave " + goal + " out"});
  }
  if (path.empty() && count != 0) {
    throw configuration_error({goal, "", many + " says how many, but nothing says of what",
                               "the path of a counter with " + many,
                               "set it, or leave " + many + " out"});
  }
}

}  // namespace

void run_config::bind(parameter_set& parameters) {
  constexpr std::uint64_t long_time = std::uint64_t{1} << 48;
  const interval<std::uint64_t> some{1, long_time};
  parameters.add_choice(
      "until", until,
      {{"cycles", run_end::cycles}, {"steady", run_end::steady}, {"finished", run_end::finished}},
      "What ends the measurement: run.cycles; the mean latency, or the rate of run.watch, being "
      "known to run.half_width by the method of batch means with Student's t; or the end "
      "of the workload.");
  parameters.add_choice("engine", engine,
                        {{"loop", engine_kind::loop}, {"systemc", engine_kind::systemc}},
                        "What steps the machine: a plain loop, or SystemC modules joined by links; "
                        "both give the same results.");
  parameters.add("warmup", warmup, {0, long_time}, "cycles",
                 "Cycles before the measurement; none where the workload's end ends the run.");
  parameters.add("cycles", cycles, some, "cycles", "Cycles measured where until is cycles.");
  parameters.add("batch", batch, some, "cycles",
                 "Length of the first batches; 40 batches are merged in pairs to 20.");
  parameters.add("watch", watch,
                 "Path of a counter whose rate per cycle a steady run watches instead of the mean "
                 "latency, as workload.marks.NAME.count.");
  parameters.add("half_width", half_width, {1e-6, 1.0}, "1",
                 "Half-width of the confidence interval at which the mean counts as steady, "
                 "relative to the mean.");
  parameters.add("confidence", confidence, {0.5, 0.9999}, "1", "Confidence of that interval.");
  const interval<std::uint64_t> any{0, std::uint64_t{1} << 62};
  parameters.add("least_of", least_of,
                 "Path of a counter that must reach run.least_count in the measured cycles before "
                 "a steady run ends.");
  parameters.add("least_count", least_count, any, "", "How many; 0 without run.least_of.");
  parameters.add("warmup_of", warmup_of,
                 "Path of a counter that must reach run.warmup_count before the warm-up ends, "
                 "looked at after run.warmup cycles and every run.batch cycles from there.");
  parameters.add("warmup_count", warmup_count, any, "", "How many; 0 without run.warmup_of.");
  parameters.add("maximum_cycles", maximum_cycles, some, "cycles",
                 "Measured cycles after which a steady or finished run gives up, with a warning; "
                 "also the most cycles that run.warmup_of adds to the warm-up.");
  parameters.add("drain", drain,
                 "Whether the machine is emptied at the end, to prove that nothing was lost.");
  parameters.add("occupancy_window", occupancy_window, {0, long_time}, "cycles",
                 "Window of cycles whose mean occupancy of queues and wait buffers is recorded by "
                 "stage, one window after the other from cycle 1 on, warm-up included; at most "
                 "100,000 windows; 0 records nothing.");
  parameters.add(
      "threads", threads, interval<std::uint32_t>{0, 64}, "threads",
      "Threads that simulate one machine together, where it has parts for them; 0 is "
      "as many as there are processors for each run, while that is measured to be faster "
      "than one. Results do not depend on it, and do not contain it.");
}

void run_config::validate() const {
  check_goal("least", least_of, least_count);
  check_goal("warmup", warmup_of, warmup_count);
  if (occupancy_window == 0) return;
  const bool waits = !warmup_of.empty() && until != run_end::finished;
  const std::uint64_t longest = cycles_before() + (waits ? maximum_cycles : 0) + most_cycles();
  if ((longest - 1) / occupancy_window < most_windows) return;
  const std::uint64_t least = (longest - 1) / most_windows + 1;
  const std::string length = until == run_end::cycles ? "run.cycles" : "run.maximum_cycles";
  throw configuration_error({"run.occupancy_window", "",
                             std::to_string(occupancy_window) + " makes more than " +
                                 std::to_string(most_windows) + " windows of the " +
                                 std::to_string(longest) + " cycles that the run may last",
                             "0, or at least " + std::to_string(least) + " with this " + length,
                             "choose a longer window or a smaller " + length});
}

}  // namespace tributary
