// SPDX-License-Identifier: Apache-2.0
#include "smp_platform.h"

#include <algorithm>

#include <tributary/sim/error.h>

namespace tributary {
namespace {

const smp_machine_config& checked(const smp_machine_config& config) {
  config.validate();
  return config;
}

}  // namespace

smp_platform::top_module::top_module(const sc_core::sc_module_name& name,
                                     const smp_machine_config& config,
                                     const protocol_maker& protocols, std::uint64_t seed)
    : sc_module(name),
      scheduler("scheduler", sc_period(config.clock())),
      network("network", config.network, config.nodes) {
  network.follow(scheduler);
  for (std::uint32_t i = 0; i < config.nodes; ++i) {
    const network_node_place place{node_id{i}, config.nodes, config.network};
    nodes.push_back(std::make_unique<smp_node_module>(
        ("node_" + std::to_string(i)).c_str(), config.node, place, seed, protocols(node_id{i})));
    nodes.back()->join(network);
    nodes.back()->follow(scheduler);
  }
}

smp_platform::smp_platform(const smp_machine_config& config, const protocol_maker& protocols,
                           std::uint64_t seed)
    : top_("smp", checked(config), protocols, seed), steps_(top_.scheduler) {}

void smp_platform::run_until(cycle_t last, const std::function<bool()>& stop) {
  observe();
  // What was asked of nodes between two runs.
  for (const auto& node : top_.nodes) node->look();
  steps_.run_until(last, stop, teller());
}

bool smp_platform::idle() const {
  return top_.network.idle() && std::all_of(top_.nodes.begin(), top_.nodes.end(),
                                            [](const auto& node) { return node->idle(); });
}

void smp_platform::reset_statistics() {
  top_.network.reset_statistics();
  for (const auto& node : top_.nodes) node->reset_statistics();
}

void smp_platform::report(statistics_group& into) {
  top_.network.report(into.group("network"));
  for (std::size_t i = 0; i < size(); ++i) {
    top_.nodes[i]->report(into.group("node." + std::to_string(i)));
  }
}

void smp_platform::refuse_checkpoints() {
  throw error("SystemC nodes cannot be saved or restored; do that in the plain loop");
}

}  // namespace tributary
