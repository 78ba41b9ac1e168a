// SPDX-License-Identifier: Apache-2.0
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
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
constexpr double most_with_recording = 1.6;

/// Files of which only the making is timed.
constexpr const char* nowhere = "/dev/null";

/// The same under a name that ends as asked for, which chooses the form of a file.
class nowhere_called {
 public:
  explicit nowhere_called(const std::string& ending)
      : path_(std::filesystem::temp_directory_path() /
              ("tributary-bench-" + std::to_string(::getpid()) + ending)) {
    std::filesystem::remove(path_);
    std::filesystem::create_symlink(nowhere, path_);
  }
  ~nowhere_called() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  nowhere_called(const nowhere_called&) = delete;
  nowhere_called& operator=(const nowhere_called&) = delete;

  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

void run_with_trace(benchmark::State& state, const bench_case& chosen) {
  ultracomputer machine(chosen.machine, 1);
  machine.step(chosen.warmup);
  trace_writer trace(nowhere);
  machine.interfaces().offers().attach(trace);
  for (auto _ : state) machine.step(chosen.cycles);
  machine.interfaces().offers().detach(trace);
}

double cpu_seconds(clockid_t clock) {
  constexpr double nanoseconds = 1e9;
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / nanoseconds;
}

/// Files of events, as users ask for them; time counts until they are finished.
void run_with_files(benchmark::State& state, const bench_case& chosen, const event_files& files) {
  ultracomputer machine(chosen.machine, 1);
  machine.step(chosen.warmup);
  const double own_before = cpu_seconds(CLOCK_THREAD_CPUTIME_ID);
  const double all_before = cpu_seconds(CLOCK_PROCESS_CPUTIME_ID);
  for (auto _ : state) {
    event_observation observed(files, machine);
    machine.step(chosen.cycles);
    observed.finish(false);
  }
  const double own = cpu_seconds(CLOCK_THREAD_CPUTIME_ID) - own_before;
  const double all = cpu_seconds(CLOCK_PROCESS_CPUTIME_ID) - all_before;
  state.counters[busiest_thread] = std::max(own, all - own);
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
  const struct {
    const char* id;
    const char* title;
    std::string event_files::*file;
    const char* ending;
    std::optional<double> goal;
  } sinks[] = {{"events.recording", "a recording of every event of every hop", &event_files::events,
                "", most_with_recording},
               {"events.log", "a log of every event of every hop", &event_files::log, "",
                most_of_unobserved},
               {"events.perfetto", "a Perfetto trace, protobuf", &event_files::perfetto, ".pftrace",
                most_of_unobserved},
               {"events.perfetto.json", "a Perfetto trace, JSON", &event_files::perfetto, ".json",
                std::nullopt}};
  for (const auto& each : sinks) {
    contest row = against_unobserved(traced, each.id, each.title, each.goal);
    row.ours = [traced, file = each.file, ending = each.ending](benchmark::State& state) {
      const nowhere_called there(ending);
      event_files files;
      files.*file = there.path();
      run_with_files(state, traced, files);
    };
    contests.push_back(row);
  }
  return contests;
}

}  // namespace tributary::benchmarks
