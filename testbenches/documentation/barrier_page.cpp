// SPDX-License-Identifier: Apache-2.0
#include "barrier_page.h"

#include <cstdint>
#include <functional>
#include <vector>

#include <fmt/format.h>

#include <support/program_machines.h>
#include <support/reference_kinds.h>
#include <tributary/algorithms/synchronization.h>

namespace tributary::documentation {
namespace {

using testing::designs_for_programs;
using testing::named_design;

const named_design& no_combining() { return designs_for_programs()[0]; }
const named_design& improved() { return designs_for_programs()[3]; }

ultracomputer_config supersteps_on(const named_design& design, std::uint32_t elements) {
  ultracomputer_config config = testing::program_machine(design, elements);
  config.workload.program.name = program_kind::supersteps;
  config.workload.program.supersteps.count = 10;
  return config;
}

double superstep_cycles(const ultracomputer_config& config) {
  ultracomputer machine(config, 1);
  testing::run_to_end(machine);
  return machine.statistics().find("workload.marks.superstep.interval.mean");
}

std::string reference_row(const std::string& name, barrier_algorithm barrier,
                          std::uint32_t elements) {
  ultracomputer_config config = supersteps_on(improved(), elements);
  config.workload.program.supersteps.barrier = barrier;
  ultracomputer machine(config, 1);
  const testing::reference_kinds_counter counter(machine);
  testing::run_to_end(machine);
  testing::reference_kinds all;
  for (const testing::reference_kinds& each : counter.counts()) {
    all.network_updates += each.network_updates;
    all.network_loads += each.network_loads;
    all.own_loads += each.own_loads;
    all.own_updates += each.own_updates;
  }
  const double crossings = static_cast<double>(elements * config.workload.program.supersteps.count);
  const auto of_one = [crossings](std::uint64_t count) {
    return static_cast<double>(count) / crossings;
  };
  return fmt::format("| `{}` | {} | {:.2f} | {:.2f} | {:.2f} |\n", name, elements,
                     of_one(all.network_updates), of_one(all.network_loads),
                     of_one(all.own_loads + all.own_updates));
}

}  // namespace

std::string barrier_reference_table() {
  std::string table =
      "| Barrier | Elements | Through the network: changes | looks | Own memory: looks |\n"
      "|---|---|---|---|---|\n";
  for (const auto& [name, barrier] : barrier_algorithms()) {
    for (const std::uint32_t elements : {4U, 8U, 16U, 32U, 64U}) {
      table += reference_row(name, barrier, elements);
    }
  }
  return table;
}

std::string barrier_latency_table() {
  std::string table =
      "| Barrier | Elements | No combining | Improved |\n"
      "|---|---|---|---|\n";
  for (const auto& [name, barrier] : barrier_algorithms()) {
    for (const std::uint32_t elements : {4U, 16U, 64U, 256U}) {
      std::string row = fmt::format("| `{}` | {} |", name, elements);
      for (const named_design& design : {no_combining(), improved()}) {
        ultracomputer_config config = supersteps_on(design, elements);
        config.workload.program.supersteps.barrier = barrier;
        row += fmt::format(" {:.0f} |", superstep_cycles(config));
      }
      table += row + "\n";
    }
  }
  return table;
}

std::string barrier_placement_table() {
  constexpr std::uint32_t elements = 256;
  std::string table =
      "| Counter in module | Release word in module | Stages with a common output | No combining | "
      "Improved "
      "|\n|---|---|---|---|---|\n";
  // The ways to two modules part in the stage that looks at the highest bit in which they differ.
  std::uint32_t stages = 8;
  for (std::uint32_t module = 0; module < elements; module = module == 0 ? 1 : 2 * module) {
    std::string row = fmt::format("| 0 | {} | {} |", module, stages);
    for (const named_design& design : {no_combining(), improved()}) {
      ultracomputer_config config = supersteps_on(design, elements);
      config.workload.program.supersteps.release_module = module;
      row += fmt::format(" {:.0f} |", superstep_cycles(config));
    }
    table += row + "\n";
    --stages;
  }
  return table;
}

}  // namespace tributary::documentation
