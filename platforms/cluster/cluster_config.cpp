// SPDX-License-Identifier: Apache-2.0
#include "cluster_config.h"

#include <tributary/network/switching/routed_network.h>
#include <tributary/network/switching/wormhole_network.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {

/// 8 ns a byte, frames of 46 to 1500 bytes with 26 around them (preamble, header, check), and 12
/// between them, as IEEE 802.3 has it. The publication has no propagation times: 205.5 ns on a
/// host's link and 409 ns between switches are fitted to its least latencies (derived). Switches
/// take no time of their own and never run out of buffers (Chen and Wyckoff).
cluster_network::cluster_network() {
  links.clock.period = 500;
  links.switching = switching_kind::store_and_forward;
  links.lanes = 2;
  links.bandwidth = 125;
  links.header_bytes = 26;
  links.payload_bytes = 1500;
  links.least_payload = 46;
  links.gap_bytes = 12;
  links.base_latency = 822;
  links.hop_latency = 818;
  links.arbiter = arbiter_kind::oldest_first;
  links.router_buffers = 1024;
  links.endpoint_buffers = 1024;
  links.broadcast_self = false;
}

void cluster_network::bind(parameter_set& parameters) {
  parameters.add_choice(
      "kind", kind,
      {{"buffered", cluster_network_kind::buffered}, {"wormhole", cluster_network_kind::wormhole}},
      "What switches do: buffered keep whole messages, as those of Ethernet; of a wormhole network "
      "a message holds all links on which it has bytes, as on Myrinet.");
  parameters.add("buffer_bytes", buffer_bytes, tributary::interval<std::uint32_t>{1, 65536},
                 "bytes",
                 "Of a wormhole network: buffer behind each channel, as long as a hop or longer.");
  parameters.add_group("graph", graph, "How switches and hosts are joined.");
  parameters.add_group("routing", routing, "The ways of messages from switch to switch.");
  links.bind_links(parameters);
}

std::uint32_t cluster_network::validate() const {
  const network_graph made = graph.made();
  if (made.hosts() > largest_network) {
    throw configuration_error({"network.graph.kind", "",
                               "the graph has " + std::to_string(made.hosts()) + " hosts",
                               "up to " + std::to_string(largest_network),
                               "choose smaller sizes, or fewer hosts a switch"});
  }
  routing.validate(graph);
  if (kind == cluster_network_kind::wormhole) {
    wormhole_network::validate(links, buffer_bytes, made.hosts());
  } else {
    links.validate_for_graph(made.hosts());
  }
  require_order(links.reorder_window, "hosts of traffic");
  if (links.payload_bytes == 0) {
    throw configuration_error({"network.payload_bytes", "", "packets of no bytes carry no message",
                               "1 or more", "raise it"});
  }
  if (links.broadcast) check_broadcast(made);
  return made.hosts();
}

/// A copy goes the way of messages to its router from the sender. In a graph with circles it may
/// then go up after it went down.
void cluster_network::check_broadcast(const network_graph& made) const {
  const bool is_tree = made.links() == made.switches() - 1;
  if (is_tree || routing.kind == cluster_routing_kind::dimension_order) return;
  throw configuration_error(
      {"network.broadcast", "", "copies in a graph with circles may block each other",
       "false, or true if the graph is a tree or network.routing.kind is dimension_order",
       "clear it, or choose another network.graph.kind"});
}

std::unique_ptr<message_network> cluster_network::made() const {
  auto made = std::make_shared<const network_graph>(graph.made());
  if (kind == cluster_network_kind::wormhole) {
    const routing_table table = routing.all_ways(graph, *made);
    return std::make_unique<wormhole_network>(links, buffer_bytes, std::move(made), table,
                                              routing.seed_of_ways());
  }
  routing_table table = routing.table(graph, *made);
  return std::make_unique<routed_network>(links, std::move(made), std::move(table));
}

void cluster_config::bind(parameter_set& parameters) {
  parameters.add_group("clock", network.links.clock,
                       "Clock of the network, in whose cycles its times are.");
  parameters.add_group("network", network, "Links and switches.");
  parameters.add_group("traffic", traffic, "What hosts send.");
}

void cluster_config::validate() const {
  check_ranges(*this);
  const std::uint32_t hosts = network.validate();
  traffic.validate(hosts, clock());
  if (!traffic.broadcast || (network.links.broadcast && !network.links.broadcast_self)) return;
  throw configuration_error(
      {"traffic.broadcast", "", "the network does not copy a message for all others",
       "true with network.broadcast = true and network.broadcast_self = false",
       "set these, or clear traffic.broadcast"});
}

}  // namespace tributary
