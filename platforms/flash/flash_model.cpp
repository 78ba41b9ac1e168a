// SPDX-License-Identifier: Apache-2.0
#include "flash_model.h"

#include "flash_machine.h"

namespace tributary {

std::unique_ptr<platform_model> flash_model::clone() const {
  return std::make_unique<flash_model>(*this);
}

void flash_model::require_checkpoints(engine_kind engine) const {
  if (engine == engine_kind::loop) return;
  throw configuration_error(
      "--checkpoint and --resume cannot hold the state of SystemC nodes, and run.engine is "
      "systemc; run with run.engine = loop, which gives the same results, or without checkpoints");
}

bool flash_model::endless() const {
  return !config.workload.transfers() &&
         config.resolved_choice().endless(address_map(config.regions(), config.machine.nodes));
}

std::uint64_t flash_model::size() const { return config.machine.nodes; }

table_layout flash_model::usual_table() const {
  table_layout usual;
  if (config.workload.transfers()) {
    usual.title = "Mean time of a transfer, cycles";
    usual.value = "transfer.time.mean";
  } else if (config.workload.asks()) {
    usual.title = "Mean round trip of a request, cycles of the processor";
    usual.value = "workload.samples.round_trip.mean";
  } else if (config.stache.present) {
    usual.title = "Mean latency of the faults of node 0, cycles";
    usual.value = "node.0.tag_interface.fault_latency.mean";
  } else if (config.machine.node.caches.present) {
    usual.title = "Mean latency of the misses of node 0's caches, cycles of the processor";
    usual.value = "node.0.cache.miss_latency.mean";
  } else {
    usual.title = "Mean latency of the reads of node 0, cycles";
    usual.value = "node.0.processor_interface.read_latency.mean";
  }
  return usual;
}

std::unique_ptr<simulation> flash_model::make(engine_kind engine, std::uint64_t seed) const {
  return std::make_unique<flash_machine>(config, seed, engine);
}

bool flash_model::is_known_before_run(const std::string& statistic) const {
  // Handlers are there once they have run, messages once they were sent.
  const auto has = [&](const char* part) { return statistic.find(part) != std::string::npos; };
  return !has(".handler.") && !has(".sent.") && statistic.rfind("workload.", 0) != 0;
}

flash_config& flash_in(machine_choice& machine) { return model_in<flash_model>(machine).config; }
const flash_config& flash_in(const machine_choice& machine) {
  return model_in<flash_model>(machine).config;
}

}  // namespace tributary
