// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include <driver/event_files.h>
#include <tributary/processor/trace_file.h>

#include "bare_machine.h"
#include "contest.h"
#include "opponents.h"
#include "timed.h"

namespace tributary::benchmarks {
namespace {

/// Bounds of G11.
constexpr double most_of_bare = 1.15;
constexpr double least_of_bare = 0.9;  // 1, less the noise: what counts nothing cannot be slower
constexpr double most_of_unobserved = 3;

/// Files of which only the making is timed.
constexpr const char* nowhere = "/dev/null";

void run_with_trace(benchmark::State& state, const bench_case& chosen) {
  ultracomputer machine(chosen.machine, 1);
  machine.step(chosen.warmup);
  trace_writer trace(nowhere);
  machine.interfaces().offers().attach(trace);
  for (auto _ : state) machine.step(chosen.cycles);
  machine.interfaces().offers().detach(trace);
}

/// Is told of every event and does nothing with it.
class idle_observer final : public observer<trace_event> {
 public:
  void on_event(const trace_event& event) override { benchmark::DoNotOptimize(&event); }
};

void run_with_observer(benchmark::State& state, const bench_case& chosen) {
  idle_observer told;
  ultracomputer machine(chosen.machine, 1);
  machine.step(chosen.warmup);
  machine.observers().attach(told);
  for (auto _ : state) machine.step(chosen.cycles);
  machine.observers().detach(told);
}

void run_with_log(benchmark::State& state, const bench_case& chosen) {
  ultracomputer machine(chosen.machine, 1);
  machine.step(chosen.warmup);
  event_files files;
  files.log = nowhere;
  event_observation log(files, machine);
  for (auto _ : state) machine.step(chosen.cycles);
  log.finish(false);
}

contest against_bare(const bench_case& chosen, const std::string& name) {
  contest row;
  row.id = "G11.counters." + name;
  row.title = "statistics on, no observer, compared with statistics compiled out, " + chosen.id;
  row.judged = comparison::cost;
  row.goal = most_of_bare;
  row.least = least_of_bare;
  row.ours = timed<ultracomputer>(chosen);
  row.other = timed_machine<bare::machine>(chosen.warmup, chosen.cycles, chosen.plain);
  return row;
}

contest against_unobserved(const bench_case& chosen, const std::string& name,
                           const std::string& title, std::optional<double> goal = std::nullopt) {
  contest row;
  row.id = name;
  row.title = title + ", compared with nothing attached, " + chosen.id;
  row.judged = comparison::cost;
  row.goal = goal;
  row.other = timed<ultracomputer>(chosen);
  return row;
}

}  // namespace

std::vector<contest> observation_contests() {
  std::vector<contest> contests;
  const bench_case polling = polling_case("improved");
  for (const std::uint32_t elements : {64U, 1024U}) {
    contests.push_back(against_bare(short_uniform_case(elements), std::to_string(elements)));
  }
  contests.push_back(against_bare(polling, "polling"));

  bench_case traced = short_uniform_case(64);
  traced.cycles /= 3;
  contest trace = against_unobserved(traced, "G11.trace", "a trace of every message to a file",
                                     most_of_unobserved);
  trace.ours = [traced](benchmark::State& state) { run_with_trace(state, traced); };
  contests.push_back(trace);
  contest events = against_unobserved(
      traced, "G11.events", "an observer told of every event of every hop", most_of_unobserved);
  events.ours = [traced](benchmark::State& state) { run_with_observer(state, traced); };
  contests.push_back(events);
  contest log = against_unobserved(traced, "events.log", "a log of every event of every hop");
  log.ours = [traced](benchmark::State& state) { run_with_log(state, traced); };
  contests.push_back(log);
  return contests;
}

}  // namespace tributary::benchmarks
