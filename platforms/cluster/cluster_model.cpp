// SPDX-License-Identifier: Apache-2.0
#include "cluster_model.h"

#include <tributary/sim/error.h>

#include "cluster_simulation.h"

namespace tributary {

std::uint64_t cluster_model::size() const { return config.network.graph.made().hosts(); }

table_layout cluster_model::usual_table() const {
  table_layout usual;
  usual.title = "Mean latency of a packet, us";
  usual.value = "traffic.packets.mean";
  usual.decimals = 3;
  return usual;
}

bool cluster_model::is_known_before_run(const std::string&) const { return true; }

std::unique_ptr<simulation> cluster_model::make(engine_kind engine, std::uint64_t seed) const {
  if (engine != engine_kind::loop) {
    throw configuration_error(
        {"run.engine", "", "clusters have no SystemC engine", "loop", "choose that"});
  }
  return std::make_unique<cluster_simulation>(config, seed);
}

cluster_config& cluster_in(machine_choice& machine) {
  return model_in<cluster_model>(machine).config;
}
const cluster_config& cluster_in(const machine_choice& machine) {
  return model_in<cluster_model>(machine).config;
}

}  // namespace tributary
