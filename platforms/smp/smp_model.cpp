// SPDX-License-Identifier: Apache-2.0
#include "smp_model.h"

#include <tributary/sim/error.h>

#include "smp_simulation.h"

namespace tributary {

void smp_model::require_checkpoints(engine_kind engine) const {
  if (engine == engine_kind::loop) return;
  throw configuration_error(
      "--checkpoint and --resume cannot hold the state of SystemC nodes, and run.engine is "
      "systemc; run with run.engine = loop, which gives the same results, or without checkpoints");
}

table_layout smp_model::usual_table() const {
  table_layout usual;
  usual.title = "Time of the work, cycles";
  usual.value = "machine.cycles";
  usual.decimals = 0;
  return usual;
}

bool smp_model::is_known_before_run(const std::string& statistic) const {
  // Handlers are there once they have run.
  return statistic.find(".handler.") == std::string::npos && statistic.rfind("workload.", 0) != 0;
}

std::unique_ptr<simulation> smp_model::make(engine_kind engine, std::uint64_t seed) const {
  return std::make_unique<smp_simulation>(config, seed, engine);
}

smp_config& smp_in(machine_choice& machine) { return model_in<smp_model>(machine).config; }
const smp_config& smp_in(const machine_choice& machine) {
  return model_in<smp_model>(machine).config;
}

}  // namespace tributary
