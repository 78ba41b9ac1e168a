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

void cluster_model::require_checkpoints(engine_kind engine) const {
  if (engine == engine_kind::loop) return;
  throw configuration_error(
      "--checkpoint and --resume cannot hold the state of SystemC modules, and run.engine is "
      "systemc; run with run.engine = loop, which gives the same results, or without checkpoints");
}

std::unique_ptr<simulation> cluster_model::make(engine_kind engine, std::uint64_t seed) const {
  const bool as_module = config.network.kind == cluster_network_kind::buffered ||
                         config.network.kind == cluster_network_kind::wormhole;
  if (engine == engine_kind::systemc && !as_module) {
    throw configuration_error(
        {"run.engine", "",
         "hosts at the sockets of a module know the times of links of Ethernet "
         "and of wormhole networks only",
         "loop, or systemc with network.kind = buffered or wormhole", "choose one of these"});
  }
  return std::make_unique<cluster_simulation>(config, seed, engine);
}

cluster_config& cluster_in(machine_choice& machine) {
  return model_in<cluster_model>(machine).config;
}
const cluster_config& cluster_in(const machine_choice& machine) {
  return model_in<cluster_model>(machine).config;
}

}  // namespace tributary
