// SPDX-License-Identifier: Apache-2.0
#include "cluster_config.h"

#include <tributary/network/reconfiguration/reconfigured_network.h>
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
      {{"buffered", cluster_network_kind::buffered},
       {"wormhole", cluster_network_kind::wormhole},
       {"fabric", cluster_network_kind::fabric},
       {"channels", cluster_network_kind::channels},
       {"shared", cluster_network_kind::shared}},
      "What switches do: buffered keep whole messages, as those of Ethernet; of a "
      "wormhole network a message holds all links on which it has bytes, as on "
      "Myrinet; fabric: they are line cards between which no message waits, as "
      "those of Avici; channels: links have virtual channels with credits; shared: all hosts of "
      "the graph are on one medium, as of Ethernet without switches.");
  parameters.add("buffer_bytes", buffer_bytes, tributary::interval<std::uint32_t>{1, 65536},
                 "bytes",
                 "Of a wormhole network: buffer behind each channel, as long as a hop or longer.");
  parameters.add(
      "header_cycles", header_cycles, tributary::interval<std::uint32_t>{0, 100000}, "cycles",
      "Of a wormhole network: for which a switch is busy with a head that it lets go on, "
      "so that it lets one at a time (Sancho et al.); 0: each channel goes to the head "
      "that asked first.");
  parameters.add_group("fabric", fabric, "Of a fabric.");
  parameters.add_group("channels", channels, "Of a network with virtual channels.");
  parameters.add_group("medium", medium, "Of a shared network.");
  parameters.add(
      "bandwidth_divisor", links.bandwidth_divisor, tributary::interval<std::uint32_t>{1, 10000},
      "", "Links carry network.bandwidth divided by this: Ethernet of 10 Mb/s is 125 by 100.");
  parameters.add("adaptive", adaptive,
                 "With virtual channels: messages take any shortest way by channels of their own, "
                 "and the routing is their escape.");
  parameters.add_group("reconfiguration", changes,
                       "Of a network with virtual channels and adaptive routing: switches that go "
                       "off and on.");
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
  routing.validate(graph, virtual_channels());
  validate_switches(made.hosts());
  if (kind == cluster_network_kind::channels) validate_channels(made);
  if (changes.present()) validate_changes(made);
  require_order(links.reorder_window, "hosts of traffic");
  if (links.payload_bytes == 0) {
    throw configuration_error({"network.payload_bytes", "", "packets of no bytes carry no message",
                               "1 or more", "raise it"});
  }
  // A fabric copies where messages enter, and all hosts hear a medium.
  const bool copies_itself =
      kind == cluster_network_kind::fabric || kind == cluster_network_kind::shared;
  if (links.broadcast && !copies_itself) check_broadcast(made);
  return made.hosts();
}

void cluster_network::validate_switches(std::uint32_t hosts) const {
  switch (kind) {
    case cluster_network_kind::wormhole:
      wormhole_network::validate(links, buffer_bytes, hosts);
      return;
    case cluster_network_kind::fabric:
      fabric_network::validate(links, fabric, hosts);
      return;
    case cluster_network_kind::channels:
      channel_network::validate(links, channels, hosts);
      return;
    case cluster_network_kind::shared:
      shared_network::validate(links, medium, hosts);
      return;
    case cluster_network_kind::buffered:
      links.validate_for_graph(hosts);
      return;
  }
}

/// Virtual channels by which messages may be routed.
std::uint32_t cluster_network::virtual_channels() const {
  return kind == cluster_network_kind::channels ? channels.switches.channels : 1;
}

/// What the routing needs of the links.
void cluster_network::validate_channels(const network_graph& made) const {
  const routing_table table = routing.all_ways(graph, made, virtual_channels());
  const std::uint32_t networks = channels.separate_lanes ? links.lanes : 1;
  const channel_needs needs{channels.switches.channels, networks, table.virtual_channels(),
                            adaptive, table.name()};
  const channel_plan plan(needs);
  if (!adaptive || channels.switches.choice == route_choice::free) return;
  throw configuration_error(
      {"network.channels.route_choice", "", "adaptive routing takes a way whose channel is free",
       "free with network.adaptive = true", "choose that, or clear network.adaptive"});
}

void cluster_network::validate_changes(const network_graph& made) const {
  if (kind != cluster_network_kind::channels || !adaptive) {
    throw configuration_error({changes.events.empty() ? "network.reconfiguration.off_at_first"
                                                      : "network.reconfiguration.events",
                               "", "the routes of this network do not change",
                               "changes with network.kind = channels and network.adaptive = true",
                               "set these, or leave out network.reconfiguration"});
  }
  reconfiguration_config::validate_switches(channels.switches);
  changes.validate(made);
}

std::unique_ptr<message_network> cluster_network::with_channels(
    std::shared_ptr<const network_graph> made) const {
  const routing_table table = routing.all_ways(graph, *made, virtual_channels());
  channel_network_config drawn = channels;
  drawn.switches.seed = routing.seed;
  if (changes.present()) {
    return std::make_unique<reconfigured_network>(links, drawn, changes.made(), std::move(made));
  }
  if (!adaptive) return std::make_unique<channel_network>(links, drawn, std::move(made), table);
  return std::make_unique<channel_network>(links, drawn, std::move(made), adaptive_table(table));
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
  if (kind == cluster_network_kind::fabric) {
    return std::make_unique<fabric_network>(links, fabric, std::move(made));
  }
  if (kind == cluster_network_kind::shared) {
    return std::make_unique<shared_network>(links, medium, made->hosts());
  }
  if (kind == cluster_network_kind::channels) return with_channels(std::move(made));
  if (kind == cluster_network_kind::wormhole) {
    const routing_table table = routing.all_ways(graph, *made);
    return std::make_unique<wormhole_network>(links, buffer_bytes, std::move(made), table,
                                              routing.seed_of_ways(), header_cycles);
  }
  routing_table table = routing.table(graph, *made);
  return std::make_unique<routed_network>(links, std::move(made), std::move(table));
}

void cluster_config::bind(parameter_set& parameters) {
  parameters.add_group("clock", network.links.clock,
                       "Clock of the network, in whose cycles its times are.");
  parameters.add_group("network", network, "Links and switches.");
  parameters.add_group("traffic", traffic, "What hosts send.");
  parameters.add_group("predictor", predictor,
                       "Of the next packet at each host, by source, lane and bytes.");
}

void cluster_config::validate() const {
  check_ranges(*this);
  network.validate();
  predictor.validate();
  const network_graph graph = network.graph.made();
  traffic.validate(place_in(graph));
  if (network.changes.present() && traffic.kernel != cluster_kernel::load) {
    throw configuration_error({"traffic.kernel", "",
                               "hosts would wait for ever for messages that are lost when "
                               "network.reconfiguration.events turn switches off",
                               "load", "choose load, or leave out network.reconfiguration"});
  }
  if (!traffic.broadcast || (network.links.broadcast && !network.links.broadcast_self)) return;
  throw configuration_error(
      {"traffic.broadcast", "", "the network does not copy a message for all others",
       "true with network.broadcast = true and network.broadcast_self = false",
       "set these, or clear traffic.broadcast"});
}

std::unique_ptr<traffic_kernel> cluster_config::kernel(std::uint64_t seed) const {
  const network_graph graph = network.graph.made();
  return traffic.made(place_in(graph), seed);
}

}  // namespace tributary
