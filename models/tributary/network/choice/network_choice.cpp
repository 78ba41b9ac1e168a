// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/choice/network_choice.h>

#include <algorithm>

#include <tributary/network/omega/omega_message_network.h>
#include <tributary/network/ring/ring_network.h>
#include <tributary/network/switching/routed_network.h>

namespace tributary {

std::unique_ptr<message_network> make_message_network(const message_network_config& config,
                                                      std::uint32_t nodes) {
  config.validate(nodes);
  if (config.topology == topology_kind::omega) {
    return std::make_unique<omega_message_network>(config, nodes);
  }
  if (config.topology == topology_kind::ring) {
    return std::make_unique<ring_network>(config, nodes);
  }
  return std::make_unique<routed_network>(config, nodes);
}

cycle_t least_latency(const message_network_config& config, std::uint32_t nodes,
                      std::uint32_t bytes) {
  config.validate(nodes);
  if (config.topology == topology_kind::omega) {
    return omega_message_network(config, nodes).least_latency(bytes);
  }
  if (config.topology == topology_kind::ring) return ring_network::least_latency(config, 1);
  const topology shape(config.topology, nodes, config.columns, config.nodes_per_router);
  std::uint64_t hops = nodes;
  for (std::uint32_t n = 1; n < nodes; ++n) {
    hops = std::min<std::uint64_t>(hops, shape.hops(node_id{0}, node_id{n}));
  }
  return routed_network::least_latency(config, hops, bytes);
}

}  // namespace tributary
