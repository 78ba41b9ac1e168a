// SPDX-License-Identifier: Apache-2.0
#include "data_parallel_model.h"

#include <tributary/sim/error.h>

#include "data_parallel_simulation.h"

namespace tributary {

void data_parallel_model::require_checkpoints(engine_kind /*engine*/) const {}

table_layout data_parallel_model::usual_table() const {
  table_layout usual;
  usual.title = "Messages";
  usual.value = "account.messages.messages";
  usual.decimals = 0;
  return usual;
}

bool data_parallel_model::is_known_before_run(const std::string& statistic) const {
  return statistic.rfind("workload.", 0) != 0;
}

std::unique_ptr<simulation> data_parallel_model::make(engine_kind engine,
                                                      std::uint64_t seed) const {
  if (engine != engine_kind::loop) {
    throw configuration_error(
        {"run.engine", "", "data-parallel machines have no SystemC engine", "loop", "choose that"});
  }
  return std::make_unique<data_parallel_simulation>(config, seed);
}

data_parallel_config& data_parallel_in(machine_choice& machine) {
  return model_in<data_parallel_model>(machine).config;
}
const data_parallel_config& data_parallel_in(const machine_choice& machine) {
  return model_in<data_parallel_model>(machine).config;
}

}  // namespace tributary
