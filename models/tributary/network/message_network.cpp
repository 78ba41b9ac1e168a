// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/message_network.h>

#include <algorithm>

#include <fmt/format.h>

#include <tributary/network/graph/topology.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {

namespace {

/// Of a thousand of the longest messages.
constexpr std::uint32_t most_buffer_bytes = 1U << 27U;
constexpr std::uint32_t most_reordered = 64;

}  // namespace

void packet_links_config::bind(parameter_set& parameters) {
  using u32 = tributary::interval<std::uint32_t>;
  parameters.add("link_cycles", link_cycles, u32{1, 128}, "cycles",
                 "A link between switches carries one packet, 16 bytes, every so many cycles "
                 "(assumed).");
  parameters.add("slots", slots, u32{1, 64}, "packets",
                 "Slots of each queue of a switch (assumed).");
  parameters.add_choice("combining", combining,
                        {{"none", combining_design::none},
                         {"baseline", combining_design::baseline},
                         {"improved", combining_design::improved},
                         {"aggressive", combining_design::aggressive}},
                        "The switches (FG 3) on which fetch-and-phi operations combine on the way "
                        "to their homes, in a "
                        "network of their own; none: they travel as other messages.");
}

void message_network_config::bind(parameter_set& parameters) {
  using u32 = tributary::interval<std::uint32_t>;
  parameters.add_choice("topology", topology,
                        {{"point_to_point", topology_kind::point_to_point},
                         {"mesh", topology_kind::mesh},
                         {"hypercube", topology_kind::hypercube},
                         {"omega", topology_kind::omega},
                         {"ring", topology_kind::ring}},
                        "Which nodes are neighbours; omega: the combining network, one of it a "
                        "lane, on which messages are trains of packets that do not combine; ring: "
                        "one way around, with messages for everyone in one order.");
  parameters.add("columns", columns, u32{0, largest_network}, "routers",
                 "Width of a mesh; 0 makes it as square as possible.");
  parameters.add("nodes_per_router", nodes_per_router, u32{1, most_nodes_per_router}, "nodes",
                 "Nodes that share a router; a bristled hypercube has two (SGI Origin).");
  parameters.add_choice(
      "routing", routing,
      {{"ascending", routing_kind::ascending}, {"descending", routing_kind::descending}},
      "In which order routes take the dimensions: ascending is mesh first x then y, hypercube "
      "lowest bit first.");
  bind_links(parameters);
  parameters.add_group("omega", omega, "Links and queues of the omega network.");
}

void message_network_config::bind_links(parameter_set& parameters) {
  using u32 = tributary::interval<std::uint32_t>;
  parameters.add_choice("switching", switching,
                        {{"cut_through", switching_kind::cut_through},
                         {"store_and_forward", switching_kind::store_and_forward}},
                        "Whether a message goes on as soon as its head is at a router, or once its "
                        "tail is.");
  parameters.add("lanes", lanes, u32{2, most_network_lanes}, "lanes",
                 "Virtual lanes: requests, replies, and two without a use (FLASH 2.2.1).");
  parameters.add("bandwidth", bandwidth, u32{1, 100000}, "MB/s",
                 "Bandwidth of every link (FLASH 5.4.1: 400; CrayLink, 2.2.1: 800).");
  parameters.add(
      "header_bytes", header_bytes, u32{1, 4096}, "bytes",
      "Bytes on a link in addition to the payload: a line of 128 takes 40 cycles at 400 MB/s "
      "(FLASH 5.4.1).");
  parameters.add("payload_bytes", payload_bytes, u32{0, 65536}, "bytes",
                 "Greatest payload of a message; every buffer holds a whole message.");
  parameters.add("least_payload", least_payload, u32{0, 65536}, "bytes",
                 "A message with less payload takes as long as one with so much, as a frame of "
                 "Ethernet, 46.");
  parameters.add(
      "gap_bytes", gap_bytes, u32{0, 4096}, "bytes",
      "A link rests behind a message for as long as so many bytes take; 12 of Ethernet.");
  parameters.add("base_latency", base_latency, u32{2, 100000}, "cycles",
                 "Latency to the first word without hops: 16 + 2 a hop is 18 for two nodes (FLASH "
                 "Table 5.1) and 22 for three hops (5.4.1).");
  parameters.add("hop_latency", hop_latency, u32{1, 100000}, "cycles",
                 "Latency of each link between routers.");
  parameters.add("router_latency", router_latency, u32{0, 1000000}, "cycles",
                 "Latency that each router adds.");
  parameters.add_choice(
      "arbiter", arbiter,
      {{"round_robin", arbiter_kind::round_robin}, {"oldest_first", arbiter_kind::oldest_first}},
      "Which message leaves a router next: round_robin gives turns to lanes, and in each to "
      "inputs; "
      "oldest_first keeps the order in which they came.");
  parameters.add("router_buffers", router_buffers, u32{1, 1024}, "messages",
                 "Messages that a router holds per input and lane.");
  parameters.add("endpoint_buffers", endpoint_buffers, u32{1, 1024}, "messages",
                 "Messages per lane that the network may leave with a node that has not yet taken "
                 "them.");
  parameters.add(
      "router_buffer_bytes", router_buffer_bytes, u32{0, most_buffer_bytes}, "bytes",
      "Bytes, headers included, that a router holds per input and lane; 0: only messages "
      "count.");
  parameters.add(
      "endpoint_buffer_bytes", endpoint_buffer_bytes, u32{0, most_buffer_bytes}, "bytes",
      "Bytes per lane, headers included, that the network may leave with a node that has "
      "not yet taken them; 0: only messages count.");
  parameters.add("broadcast", broadcast,
                 "Whether routers make copies of a message for everyone, one for each node.");
  parameters.add("broadcast_self", broadcast_self,
                 "Whether a message for everyone comes to its sender, too.");
  parameters.add("reorder_window", reorder_window, u32{0, most_reordered}, "messages",
                 "Messages of the same source, destination and lane that a message may overtake; "
                 "0: they stay in order.");
  parameters.add("reorder_seed", reorder_seed, u32{0, 0xFFFFFFFF}, "",
                 "Seed of the random numbers by which messages overtake each other.");
}

void message_network_config::validate(std::uint32_t nodes) const {
  check_ranges(*this);
  check_ranges(clock);
  if (topology == topology_kind::ring) {
    if (nodes < 2 || nodes > largest_network) {
      throw configuration_error(
          {"network.topology", "", fmt::format("a ring cannot have {} nodes", nodes),
           fmt::format("2 to {}", largest_network), "choose another number of nodes"});
    }
  } else if (topology != topology_kind::omega) {
    tributary::topology(topology, nodes, columns, nodes_per_router);
  } else if (nodes < 2 || nodes > largest_network || (nodes & (nodes - 1)) != 0) {
    throw configuration_error({"network.topology", "",
                               fmt::format("an omega network cannot have {} nodes", nodes),
                               fmt::format("a power of two from 2 to {}", largest_network),
                               "choose mesh, or another number of nodes"});
  }
  validate_buffers();
  validate_capabilities(nodes);
}

void message_network_config::validate_for_graph(std::uint32_t hosts) const {
  if (topology == topology_kind::omega || topology == topology_kind::ring) {
    throw configuration_error({"network.topology", "",
                               "an omega network or a ring takes no graph of switches",
                               "point_to_point | mesh | hypercube", "leave it out"});
  }
  check_ranges(*this);
  check_ranges(clock);
  validate_buffers();
  validate_capabilities(hosts);
}

void message_network_config::validate_buffers() const {
  if (bandwidth_divisor == 0) {
    throw configuration_error({"network.bandwidth_divisor", "", "nothing is a part of 0",
                               "1 or more", "leave it out, or raise it"});
  }
  const auto check = [this](const char* key, std::uint32_t bytes) {
    if (bytes == 0 || bytes >= longest()) return;
    throw configuration_error(
        {key, "", fmt::format("a buffer of {} bytes does not hold the longest message", bytes),
         fmt::format("0, or at least network.header_bytes + network.payload_bytes = {}", longest()),
         "raise it, or lower network.payload_bytes"});
  };
  check("network.router_buffer_bytes", router_buffer_bytes);
  check("network.endpoint_buffer_bytes", endpoint_buffer_bytes);
}

void message_network_config::validate_capabilities(std::uint32_t nodes) const {
  const auto refuse = [](bool wanted, const char* key, const char* whose, const char* none) {
    if (!wanted) return;
    throw configuration_error({key, "", fmt::format("{} does not have it", whose), none,
                               "leave it out, or choose another network.topology"});
  };
  if (topology == topology_kind::omega || topology == topology_kind::ring) {
    const char* const whose = topology == topology_kind::omega ? "an omega network" : "a ring";
    refuse(gap_bytes != 0, "network.gap_bytes", whose, "0");
    refuse(router_latency != 0, "network.router_latency", whose, "0");
    refuse(arbiter != arbiter_kind::round_robin, "network.arbiter", whose, "round_robin");
  }
  if (topology == topology_kind::omega) {
    refuse(broadcast, "network.broadcast", "an omega network", "false");
    refuse(reorder_window != 0, "network.reorder_window", "an omega network", "0");
  } else if (topology == topology_kind::ring) {
    refuse(reorder_window != 0, "network.reorder_window", "a ring", "0");
    refuse(!broadcast_self, "network.broadcast_self", "a ring", "true");
    refuse(router_buffer_bytes != 0, "network.router_buffer_bytes", "a ring", "0");
    refuse(endpoint_buffer_bytes != 0, "network.endpoint_buffer_bytes", "a ring", "0");
  }
  if (broadcast && !broadcast_self && nodes == 1) {
    throw configuration_error({"network.broadcast_self", "",
                               "a message for everyone of a single node comes to none", "true",
                               "leave it out, or choose more nodes"});
  }
}

void require_order(std::uint32_t reorder_window, const std::string& whose) {
  if (reorder_window == 0) return;
  throw configuration_error(
      {"network.reorder_window", "",
       fmt::format("{} lets messages overtake each other, and {} rely on their order",
                   reorder_window, whose),
       "0", "leave it out"});
}

bit_rate message_network_config::rate() const {
  return bit_rate{static_cast<std::uint64_t>(megabytes_per_second(bandwidth)) / bandwidth_divisor};
}

std::uint64_t message_network_config::wire_cycles(std::uint64_t bytes) const {
  return clock.cycles_of(header_bytes + std::max<std::uint64_t>(bytes, least_payload), rate());
}

std::uint64_t message_network_config::gap_cycles() const {
  return clock.cycles_of(gap_bytes, rate());
}

std::string lane_of_node(node_id node, std::uint8_t lane) {
  return "lane " + std::to_string(lane) + " of node " + std::to_string(index(node));
}

message_network::message_network(const message_network_config& config, std::uint32_t nodes)
    : config_((check_ranges(config), config)), by_lane_(config.lanes), endpoints_(nodes) {}

void message_network::attach(node_id node, network_endpoint& receiver) {
  if (index(node) >= nodes()) {
    throw error("a network of " + std::to_string(nodes()) + " nodes has no node " +
                std::to_string(index(node)));
  }
  endpoints_[index(node)] = &receiver;
}

void message_network::check_node(node_id node, std::uint8_t lane, cycle_t now) const {
  if (index(node) < nodes() && lane < lanes()) return;
  fail(now, "there is no " + lane_of_node(node, lane));
}

void message_network::fail(cycle_t now, const std::string& problem) {
  throw simulation_error("network, cycle " + std::to_string(now) + ": " + problem);
}

void message_network::check_transfer(const network_transfer& transfer, cycle_t now) const {
  check_node(transfer.source, transfer.lane, now);
  if (transfer.everyone && !config_.broadcast) {
    fail(now, lane_of_node(transfer.source, transfer.lane) +
                  " sends a message for everyone, which takes network.broadcast = true");
  }
  if (!transfer.everyone) check_node(transfer.destination, transfer.lane, now);
  if (!ready(transfer.source, transfer.lane, now)) {
    fail(now, lane_of_node(transfer.source, transfer.lane) +
                  " sends although it is not ready; ask ready() first");
  }
  if (transfer.bytes > config_.payload_bytes) {
    fail(now, fmt::format("{} sends {} bytes of payload, but a buffer holds {}",
                          lane_of_node(transfer.source, transfer.lane), transfer.bytes,
                          config_.payload_bytes));
  }
}

void message_network::deliver(const network_transfer& transfer, cycle_t head, cycle_t now) {
  network_endpoint* const to = endpoint(transfer.destination);
  if (to == nullptr) {
    fail(now, fmt::format("a message for node {}, where no endpoint is attached",
                          index(transfer.destination)));
  }
  to->arrive(transfer, head, head + wire_cycles(transfer.bytes));
}

void message_network::count_delivery(const network_transfer& transfer, cycle_t latency,
                                     cycle_t waiting) {
  count_message(transfer);
  count_copy(transfer, latency, waiting);
}

void message_network::count_message(const network_transfer& transfer) {
  lane_statistics& lane = by_lane_[transfer.lane];
  ++lane.messages;
  lane.bytes.add(transfer.bytes);
}

void message_network::count_copy(const network_transfer& transfer, cycle_t latency,
                                 cycle_t waiting) {
  lane_statistics& lane = by_lane_[transfer.lane];
  lane.latency.add(latency);
  lane.waiting.add(waiting);
}

void message_network::report_lanes(statistics_group& group) const {
  const auto add = [](statistics_group& here, const lane_statistics& counts, const char* messages) {
    here.add("messages", counts.messages, "messages", messages);
    here.add("payload", counts.bytes, "bytes", "Their payload.");
    here.add("latency", counts.latency, "cycles", "From sending to the first word at the node.");
    here.add("waiting", counts.waiting, "cycles", "Of that, more than without other traffic.");
  };
  lane_statistics all;
  for (std::size_t lane = 0; lane < by_lane_.size(); ++lane) {
    const lane_statistics& each = by_lane_[lane];
    add(group.group("lane." + std::to_string(lane)), each, "Messages that were delivered.");
    all.messages += each.messages;
    all.bytes += each.bytes;
    all.latency += each.latency;
    all.waiting += each.waiting;
  }
  add(group, all, "Messages that were delivered, all lanes.");
}

}  // namespace tributary
