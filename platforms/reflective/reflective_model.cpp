// SPDX-License-Identifier: Apache-2.0
#include "reflective_model.h"

#include <tributary/sim/error.h>

#include "reflective_simulation.h"

namespace tributary {

table_layout reflective_model::usual_table() const {
  table_layout usual;
  usual.title = "Time of an operation, us";
  usual.value = "operation.mean";
  usual.decimals = 2;
  return usual;
}

bool reflective_model::is_known_before_run(const std::string& statistic) const {
  return statistic.rfind("workload.", 0) != 0;
}

std::unique_ptr<simulation> reflective_model::make(engine_kind engine, std::uint64_t seed) const {
  if (engine != engine_kind::loop) {
    throw configuration_error(
        {"run.engine", "", "reflective memory has no SystemC engine", "loop", "choose that"});
  }
  return std::make_unique<reflective_simulation>(config, seed);
}

}  // namespace tributary
