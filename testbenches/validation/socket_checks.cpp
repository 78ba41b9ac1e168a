// SPDX-License-Identifier: Apache-2.0
#include <driver/simulation_context.h>
#include <run/experiment.h>
#include <ultracomputer/ultracomputer_model.h>

#include "checks.h"
#include "support/socket_ultracomputer.h"

namespace tributary::validation {
namespace {

/// Mean latency of the machine with all elements and memory modules behind TLM-2.0 sockets.
double latency_through_sockets(const experiment& what, std::uint64_t seed) {
  const simulation_context context;
  testing::socket_ultracomputer machine(ultracomputer_in(what.machine), seed, false);
  machine.run_until(what.run.warmup);
  machine.network.reset_statistics();
  machine.run_until(what.run.warmup + what.run.cycles);
  return machine.network.interfaces().latency().mean();
}

}  // namespace

std::vector<planned_row> socket_checks(const claims& all) {
  planned_row row = all["C4.sockets"].row();
  const point where = all["C4.sockets"].on("improved");
  row.points = {where};
  row.measure = [where, presets = all.presets()](const point_results&) {
    const experiment_file file = load_experiments(presets + "/" + where.preset, where.sets);
    double sum = 0;
    for (const std::uint64_t seed : where.seeds) {
      sum += latency_through_sockets(file.experiments.front(), seed);
    }
    return sum / static_cast<double>(where.seeds.size());
  };
  return {row};
}

}  // namespace tributary::validation
