// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <ctime>
#include <string>

#include <fmt/format.h>

#include <run/run_experiment.h>
#include <run/text_table.h>

#include "commands.h"
#include "interruption.h"

namespace tributary {
namespace {

/// One point as one engine ran it.
struct engine_run {
  run_result result;
  double cpu_seconds = 0;
};

engine_run run_with(engine_kind engine, experiment point, std::uint64_t seed) {
  point.run.engine = engine;
  run_hooks hooks;
  hooks.cancel = &watch_for_interruption();
  const std::clock_t begin = std::clock();
  engine_run run{run_experiment(point, seed, hooks), 0};
  run.cpu_seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  return run;
}

std::string milliseconds(double seconds) { return fmt::format("{:.1f}", 1e3 * seconds); }

}  // namespace

/// Runs every point in both engines and prints them side by side.
int engines_command(const engines_options& options) {
  const experiment_file file = load_run_file(options.input);
  print_warnings(file);
  const platform_model& machine = *file.experiments.front().machine;
  const table_layout usual = machine.usual_table();
  text_table table;
  table.add_row({"point", usual.value == "interface.latency.mean" ? "latency, cycles" : usual.title,
                 "loop, CPU ms", "systemc, CPU ms", "ratio", "results"});
  double loop_seconds = 0;
  double systemc_seconds = 0;
  std::size_t different = 0;
  for (const experiment& each : file.experiments) {
    const engine_run loop = run_with(engine_kind::loop, each, options.seed);
    const engine_run modules = run_with(engine_kind::systemc, each, options.seed);
    if (loop.result.partial || modules.result.partial) return interrupted;
    const bool same =
        loop.result.statistics.to_json_text() == modules.result.statistics.to_json_text();
    different += same ? 0 : 1;
    loop_seconds += loop.cpu_seconds;
    systemc_seconds += modules.cpu_seconds;
    table.add_row({each.name(), fmt::format("{:.2f}", loop.result.value(usual.value)),
                   milliseconds(loop.cpu_seconds), milliseconds(modules.cpu_seconds),
                   fmt::format("{:.2f}", modules.cpu_seconds / loop.cpu_seconds),
                   same ? "the same" : "DIFFERENT"});
  }
  table.add_row({"all", "", milliseconds(loop_seconds), milliseconds(systemc_seconds),
                 fmt::format("{:.2f}", systemc_seconds / loop_seconds),
                 fmt::format("{} of {} the same", file.experiments.size() - different,
                             file.experiments.size())});
  fmt::print("{}\n", table.to_text());
  return different == 0 ? success : failure;
}

}  // namespace tributary
