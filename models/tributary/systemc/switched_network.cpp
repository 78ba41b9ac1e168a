// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/switched_network.h>

#include <algorithm>
#include <utility>

#include <tributary/network/routing/port_routes.h>
#include <tributary/sim/error.h>
#include <tributary/systemc/event_driven_module.h>
#include <tributary/systemc/messages.h>

namespace tributary {

switched_network::switched_network(const sc_core::sc_module_name& name,
                                   const message_network_config& config, const network_graph& graph,
                                   const routing_table& table, const network_makers& makers)
    : sc_module(name), makers_(makers), nodes_(graph.hosts()), lanes_(config.lanes) {
  make_or_report(*this, messages::configuration, [&] {
    config.validate_for_graph(nodes_);
    require_table_of(&graph, table);
    if (config.endpoint_buffer_bytes != 0) {
      throw configuration_error(
          {"network.endpoint_buffer_bytes", "", "links count messages", "0", "leave it out"});
    }
    make_switches(config, table);
    make_links(config, graph);
  });
  // Links in the order of their numbers: of nodes, to nodes, then by switch and port.
  std::vector<std::uint32_t> by_channel(graph.channels());
  std::uint32_t number = 2 * nodes_;
  for (std::uint32_t s = 0; s < graph.switches(); ++s) {
    for (const neighbour_link& each : graph.neighbours(switch_id{s})) {
      by_channel[each.channel] = number++;
    }
  }
  for (std::uint32_t n = 0; n < nodes_; ++n) {
    join_port(graph, graph.host_port(host_id{n}), nodes_ + n, n);
  }
  for (std::uint32_t channel = 0; channel < graph.channels(); ++channel) {
    join_port(graph, graph.source(channel), by_channel[channel], by_channel[channel ^ 1U]);
  }
}

void switched_network::make_switches(const message_network_config& config,
                                     const routing_table& table) {
  const network_graph& graph = table.graph();
  for (std::uint32_t s = 0; s < graph.switches(); ++s) {
    const switch_id here{s};
    const std::string name = "switch_" + std::to_string(s);
    const auto used = static_cast<std::uint32_t>(used_ports(graph, here).size());
    switch_config what{config, std::max(used, least_ports), routes_of(table, here)};
    what.routes.phase_of.resize(what.ports);
    std::unique_ptr<switch_part> made;
    if (makers_.make_switch) made = makers_.make_switch(name.c_str(), here, what);
    if (made == nullptr) made = std::make_unique<switch_module>(name.c_str(), what);
    switches_.push_back(std::move(made));
    if (used < least_ports) join_to_itself(*switches_.back(), used);
  }
}

/// A dead end, to which no message comes, has a port too few.
void switched_network::join_to_itself(switch_part& at, std::uint32_t port) const {
  for (std::uint8_t lane = 0; lane < lanes_; ++lane) {
    join(at.to_cable(port, lane), at.from_cable(port, lane));
  }
}

void switched_network::make_links(const message_network_config& config,
                                  const network_graph& graph) {
  const std::uint32_t from_node = config.base_latency / 2;
  const std::uint32_t to_node = config.base_latency - from_node;
  const auto router_of = [&](std::uint32_t n) {
    return node_id{index(graph.switch_of(host_id{n}))};
  };
  for (std::uint32_t n = 0; n < nodes_; ++n) {
    add_link({config, from_node, config.router_buffers, link_kind::injection, node_id{n},
              router_of(n), 0});
  }
  for (std::uint32_t n = 0; n < nodes_; ++n) {
    add_link({config, to_node, config.endpoint_buffers, link_kind::ejection, router_of(n),
              node_id{n}, 0});
  }
  for (std::uint32_t s = 0; s < graph.switches(); ++s) {
    for (const neighbour_link& each : graph.neighbours(switch_id{s})) {
      add_link({config, config.hop_latency, config.router_buffers, link_kind::hop, node_id{s},
                node_id{index(each.to)}, 0});
    }
  }
}

void switched_network::add_link(link_config link) {
  link.number = static_cast<std::uint32_t>(links_.size());
  const std::string name = "link_" + std::to_string(link.number);
  std::unique_ptr<link_part> made;
  if (makers_.make_link) made = makers_.make_link(name.c_str(), link);
  if (made == nullptr) made = std::make_unique<link_module>(name.c_str(), link);
  links_.push_back(std::move(made));
}

void switched_network::join(tlm::tlm_initiator_socket<>& from, tlm::tlm_target_socket<>& to) const {
  if (makers_.join) {
    makers_.join(from, to);
  } else {
    from.bind(to);
  }
}

void switched_network::join_port(const network_graph& graph, switch_port port,
                                 std::uint32_t leaving, std::uint32_t coming) {
  const std::vector<std::uint32_t> used = used_ports(graph, port.at);
  const auto place = std::find(used.begin(), used.end(), port.port) - used.begin();
  switch_part& here = *switches_[index(port.at)];
  for (std::uint8_t lane = 0; lane < lanes_; ++lane) {
    join(here.to_cable(static_cast<std::uint32_t>(place), lane), links_[leaving]->near_end(lane));
    join(links_[coming]->far_end(lane), here.from_cable(static_cast<std::uint32_t>(place), lane));
  }
}

void switched_network::follow(cycle_scheduler& scheduler) {
  const auto let_follow = [&](auto& part) {
    if (auto* const own = dynamic_cast<event_driven_module*>(part.get())) own->follow(scheduler);
  };
  for (auto& each : switches_) let_follow(each);
  for (auto& each : links_) let_follow(each);
}

void switched_network::observe(observer<link_event>& who) {
  for (const auto& each : links_) {
    if (auto* const own = dynamic_cast<link_module*>(each.get())) own->observers().attach(who);
  }
}

bool switched_network::idle() const {
  const auto rests = [](const auto& each) { return each->idle(); };
  return std::all_of(switches_.begin(), switches_.end(), rests) &&
         std::all_of(links_.begin(), links_.end(), rests);
}

}  // namespace tributary
