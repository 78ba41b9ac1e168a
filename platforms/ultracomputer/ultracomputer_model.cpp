// SPDX-License-Identifier: Apache-2.0
#include "ultracomputer_model.h"

#include <algorithm>

#include <tributary/sim/error.h>

#include "rtl_switches.h"
#include "ultracomputer.h"
#ifdef TRIBUTARY_WITH_SYSTEMC
#include "ultracomputer_platform.h"
#endif

namespace tributary {

std::unique_ptr<platform_model> ultracomputer_model::clone() const {
  return std::make_unique<ultracomputer_model>(*this);
}

void ultracomputer_model::require_built() const { require_rtl(config.network); }

void ultracomputer_model::require_checkpoints(engine_kind) const {
  if (rtl().empty()) return;
  throw configuration_error(
      "--checkpoint and --resume cannot hold the state of RTL, and network.rtl is \"" +
      config.network.rtl + "\"; run with network.rtl = none, or without checkpoints");
}

bool ultracomputer_model::endless() const {
  return config.workload.endless(address_map(config.addresses, config.network.processing_elements));
}

std::uint64_t ultracomputer_model::size() const {
  return std::uint64_t{config.network.processing_elements} / 2 *
         std::max(1U, config.network.stages());
}

std::string ultracomputer_model::rtl() const { return describe_rtl(config.network); }

table_layout ultracomputer_model::usual_table() const {
  table_layout usual;
  usual.title = "Mean latency, cycles";
  usual.value = "interface.latency.mean";
  return usual;
}

std::unique_ptr<simulation> ultracomputer_model::make(engine_kind engine,
                                                      std::uint64_t seed) const {
  return make_ultracomputer(engine, config, seed);
}

statistics_tree ultracomputer_model::statistics() const {
  return ultracomputer(config, 1).statistics();  // RTL has the same
}

bool ultracomputer_model::is_known_before_run(const std::string& statistic) const {
  // Those of a workload depend on what a program marks.
  return statistic.rfind("workload.", 0) != 0;
}

std::unique_ptr<ultracomputer_machine> make_ultracomputer(engine_kind engine,
                                                          const ultracomputer_config& config,
                                                          std::uint64_t seed) {
  require_engine(engine);
  ultracomputer_config complete = config;
  use_built_rtl(complete.network, seed);
#ifdef TRIBUTARY_WITH_SYSTEMC
  if (engine == engine_kind::systemc) {
    try {
      return std::make_unique<ultracomputer_platform>(complete, seed);
    } catch (const sc_core::sc_report& problem) {
      throw configuration_error(problem.get_msg());
    }
  }
#endif
  return std::make_unique<ultracomputer>(complete, seed);
}

ultracomputer_config& ultracomputer_in(machine_choice& machine) {
  return model_in<ultracomputer_model>(machine).config;
}
const ultracomputer_config& ultracomputer_in(const machine_choice& machine) {
  return model_in<ultracomputer_model>(machine).config;
}

}  // namespace tributary
