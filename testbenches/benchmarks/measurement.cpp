// SPDX-License-Identifier: Apache-2.0
#include "measurement.h"

#include <cstddef>

#include <benchmark/benchmark.h>

#include <tributary/sim/error.h>

namespace tributary::benchmarks {
namespace {

constexpr const char* our_suffix = "/library";
constexpr const char* other_suffix = "/other";
constexpr const char* unit_suffix = "/unit";

/// Cycles of the library for each of the plain loop.
double plain_stretch(const bench_case& chosen) {
  return static_cast<double>(chosen.cycles) / static_cast<double>(chosen.plain_cycles);
}

void run_plain(benchmark::State& state, const bench_case& chosen) {
  plain::omega machine(chosen.plain);
  machine.step(chosen.warmup);
  machine.reset_counts();
  for (auto _ : state) machine.step(chosen.plain_cycles);
  state.counters["latency"] = machine.counted().latency();
  state.counters["switch_cycles"] = benchmark::Counter(
      chosen.switch_cycles() / plain_stretch(chosen), benchmark::Counter::kIsRate);
}

void run_library(benchmark::State& state, const bench_case& chosen) {
  ultracomputer machine(chosen.machine, 1);
  machine.step(chosen.warmup);
  machine.reset_statistics();
  for (auto _ : state) machine.step(chosen.cycles);
  state.counters["latency"] = machine.interfaces().latency().mean();
  state.counters["switch_cycles"] =
      benchmark::Counter(chosen.switch_cycles(), benchmark::Counter::kIsRate);
}

template <class Body>
void register_once(const std::string& name, Body&& body) {
  benchmark::RegisterBenchmark(name.c_str(), body)->Iterations(1)->Unit(benchmark::kMillisecond);
}

void register_case(const bench_case& chosen) {
  register_once(chosen.id + other_suffix, [=](benchmark::State& s) { run_plain(s, chosen); });
  register_once(chosen.id + our_suffix, [=](benchmark::State& s) { run_library(s, chosen); });
}

void register_contest(const contest& chosen) {
  register_once(chosen.id + other_suffix, chosen.other);
  register_once(chosen.id + our_suffix, chosen.ours);
  if (chosen.unit) register_once(chosen.id + unit_suffix, chosen.unit);
}

/// Prints as usual, and keeps the CPU times.
class collector final : public benchmark::ConsoleReporter {
 public:
  explicit collector(measurements& into) : ConsoleReporter(OO_Tabular), into_(&into) {}

  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.error_occurred) throw error("benchmark failed: " + run.error_message);
      if (run.run_type == Run::RT_Iteration) keep(run);
    }
    ConsoleReporter::ReportRuns(runs);
  }

 private:
  void keep(const Run& run) {
    const std::string& name = run.run_name.function_name;
    const auto busiest = run.counters.find(busiest_thread);
    const double seconds = busiest != run.counters.end()
                               ? busiest->second.value
                               : run.cpu_accumulated_time / static_cast<double>(run.iterations);
    const std::size_t slash = name.rfind('/');
    const std::string side = name.substr(slash);
    if (side == our_suffix) {
      into_->pairs[name.substr(0, slash)].ours.push_back(seconds);
    } else if (side == other_suffix) {
      into_->pairs[name.substr(0, slash)].other.push_back(seconds);
    } else {
      into_->pairs[name.substr(0, slash)].unit.push_back(seconds);
    }
  }

  measurements* into_;
};

}  // namespace

measurements measure(const std::vector<bench_case>& cases, const std::vector<contest>& contests,
                     unsigned pairs) {
  for (unsigned pair = 0; pair < pairs; ++pair) {
    for (const bench_case& chosen : cases) register_case(chosen);
    for (const contest& each : contests) register_contest(each);
  }
  measurements found;
  collector reporter(found);
  benchmark::RunSpecifiedBenchmarks(&reporter);
  benchmark::ClearRegisteredBenchmarks();
  for (const bench_case& chosen : cases) {
    for (double& seconds : found.pairs[chosen.id].other) seconds *= plain_stretch(chosen);
  }
  for (const contest& each : contests) {
    for (double& seconds : found.pairs[each.id].other) seconds /= each.other_share;
  }
  return found;
}

}  // namespace tributary::benchmarks
