// SPDX-License-Identifier: Apache-2.0
#include "flash_platform.h"

#include <algorithm>

#include <tributary/sim/error.h>

namespace tributary {
namespace {

const magic_machine_config& checked(const magic_machine_config& config) {
  config.validate();
  return config;
}

}  // namespace

flash_platform::top_module::top_module(const sc_core::sc_module_name& name,
                                       const magic_machine_config& config,
                                       const protocol_maker& protocols)
    : sc_module(name),
      scheduler("scheduler", sc_period(config.clock())),
      network("network", config.network, config.nodes) {
  network.follow(scheduler);
  for (std::uint32_t i = 0; i < config.nodes; ++i) {
    magic_node_place place;
    place.here = node_id{i};
    place.nodes = config.nodes;
    place.network = config.network;
    nodes.push_back(std::make_unique<magic_node_module>(("node_" + std::to_string(i)).c_str(),
                                                        config.node, place, protocols(node_id{i})));
    nodes.back()->join(network);
    nodes.back()->follow(scheduler);
  }
}

flash_platform::flash_platform(const magic_machine_config& config, const protocol_maker& protocols)
    : top_("flash", checked(config), protocols), steps_(top_.scheduler) {}

void flash_platform::run_until(cycle_t last, const std::function<bool()>& stop) {
  observe();
  steps_.run_until(last, stop, teller());
}

bool flash_platform::idle() const {
  return top_.network.idle() && std::all_of(top_.nodes.begin(), top_.nodes.end(),
                                            [](const auto& node) { return node->idle(); });
}

void flash_platform::reset_statistics() {
  top_.network.reset_statistics();
  for (const auto& node : top_.nodes) node->reset_statistics();
}

void flash_platform::report(statistics_group& into) {
  top_.network.report(into.group("network"));
  for (std::size_t i = 0; i < size(); ++i) {
    top_.nodes[i]->report(into.group("node." + std::to_string(i)));
  }
}

void flash_platform::refuse_checkpoints() {
  throw error("SystemC nodes cannot be saved or restored; do that in the plain loop");
}

}  // namespace tributary
