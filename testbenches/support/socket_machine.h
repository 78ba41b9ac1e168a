// SPDX-License-Identifier: Apache-2.0
// The processor side of a network, with the built-in memory modules behind it.
#pragma once

#include <functional>

#include <ultracomputer/ultracomputer_config.h>

#include "at_initiator.h"
#include "linked_network.h"

namespace tributary::testing {

inline address_map_config without_local_ports(address_map_config config) {
  for (address_region& region : config.regions) region.local_port = false;
  return config;
}

/// Ports, network and memory modules, with an initiator at every port.
struct socket_machine : public sc_core::sc_module {
  TRIBUTARY_HAS_PROCESS(socket_machine);

  explicit socket_machine(const ultracomputer_config& given, const alias_config& aliases = {})
      : sc_module(sc_core::sc_module_name("machine")),
        config(given),
        map(without_local_ports(config.addresses), lines()),
        parts(config, config.interface, aliases, map, clock),
        initiators("initiators", lines()) {
    interface.look_into(network.core());
    for (std::size_t pe = 0; pe < lines(); ++pe) {
      initiators[pe].initiator_socket().bind(interface.target_sockets[pe]);
    }
    SC_METHOD(between_edges);
  }

  /// Simulates until half a period behind the edge of a cycle.
  void run_until(cycle_t last) {
    const sc_core::sc_time end = (static_cast<double>(last) + 0.4) * clock.period();
    sc_core::sc_start(end - sc_core::sc_time_stamp());
  }

  std::uint32_t lines() const { return config.network.processing_elements; }
  cycle_t cycle_of(const sc_core::sc_time& time) const {
    return static_cast<cycle_t>(time / clock.period() + 0.5);
  }

  /// Half a period before each edge, so that BEGIN_REQ is seen at that edge.
  void between_edges() {
    ++coming;
    if (before_edge) before_edge(coming);
    next_trigger((coming == 1 ? 1.5 : 1.0) * clock.period());
  }

  ultracomputer_config config;
  sc_core::sc_clock clock{"clock", 10, sc_core::SC_NS};
  address_map map;
  linked_network parts;
  network_interface_module& interface = parts.interface;
  omega_network_module& network = parts.network;
  memory_array_module& memories = parts.memories;
  words_access& around = parts.around;
  sc_core::sc_vector<at_initiator> initiators;
  std::function<void(cycle_t)> before_edge;
  cycle_t coming = 0;
};

}  // namespace tributary::testing
