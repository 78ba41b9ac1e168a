// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/routing/routing.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <tributary/sim/error.h>

namespace tributary {
namespace {

class direct final : public routing {
 public:
  std::uint32_t port_towards(node_id at, std::uint32_t, node_id destination) const override {
    return index(destination) - (index(destination) > index(at) ? 1 : 0);
  }
};

class by_dimensions : public routing {
 public:
  by_dimensions(const topology& graph, bool ascending) : graph_(graph), ascending_(ascending) {}

  std::uint32_t port_towards(node_id at, std::uint32_t, node_id destination) const override {
    const std::vector<node_id>& out = graph_.neighbours(at);
    const auto found = std::find(out.begin(), out.end(), next_towards(at, destination));
    return static_cast<std::uint32_t>(found - out.begin());
  }

 protected:
  const topology& graph_;
  const bool ascending_;

 private:
  virtual node_id next_towards(node_id at, node_id destination) const = 0;
};

class mesh_routing final : public by_dimensions {
  using by_dimensions::by_dimensions;

  node_id next_towards(node_id at, node_id destination) const override {
    const std::uint32_t here = index(at);
    const std::uint32_t x = graph_.x_of(at);
    const std::uint32_t y = graph_.y_of(at);
    const std::uint32_t to_x = graph_.x_of(destination);
    const std::uint32_t to_y = graph_.y_of(destination);
    const bool goes_x = x != to_x && (ascending_ || y == to_y);
    if (goes_x) return node_id{x < to_x ? here + 1 : here - 1};
    return node_id{y < to_y ? here + graph_.columns() : here - graph_.columns()};
  }
};

class hypercube_routing final : public by_dimensions {
  using by_dimensions::by_dimensions;

  node_id next_towards(node_id at, node_id destination) const override {
    const std::uint32_t different = index(at) ^ index(destination);
    std::uint32_t bit = different & (0U - different);
    if (!ascending_) {
      while (different >= 2 * bit) bit *= 2;
    }
    return node_id{index(at) ^ bit};
  }
};

class by_table final : public routing {
 public:
  explicit by_table(routing_table table) : table_(std::move(table)) {
    const network_graph& graph = table_.graph();
    places_.resize(graph.switches());
    for (std::uint32_t s = 0; s < graph.switches(); ++s) {
      places_[s].resize(graph.ports(switch_id{s}));
      std::uint32_t place = 0;
      for (const neighbour_link& each : graph.neighbours(switch_id{s})) {
        places_[s][each.port] = place++;
      }
    }
  }

  std::uint32_t port_towards(node_id at, std::uint32_t phase, node_id destination) const override {
    const switch_id here{index(at)};
    const route_set ways = table_.ways_on(here, phase, switch_id{index(destination)});
    if (ways.empty()) {
      throw simulation_error("the table has no way on from " + table_.graph().switch_name(here) +
                             " to " + table_.graph().switch_name(switch_id{index(destination)}));
    }
    return places_[index(here)][ways[0].port];
  }

  std::uint32_t phase_after(node_id at, std::uint32_t port) const override {
    const neighbour_link& link = table_.graph().neighbours(switch_id{index(at)})[port];
    return table_.phase_after({link.channel, 0});
  }

 private:
  routing_table table_;
  std::vector<std::vector<std::uint32_t>> places_;  ///< by switch and port: among its neighbours
};

}  // namespace

bool is_branch(const topology& graph, const routing& ways, node_id from, node_id at,
               std::uint32_t port) {
  const node_id to = graph.neighbours(at)[port];
  std::uint32_t phase = 0;
  for (node_id here = from; here != to;) {
    const std::uint32_t next = ways.port_towards(here, phase, to);
    if (here == at) return next == port;
    phase = ways.phase_after(here, next);
    here = graph.neighbours(here)[next];
  }
  return false;
}

std::unique_ptr<routing> make_routing(routing_kind kind, const topology& graph) {
  const bool ascending = kind == routing_kind::ascending;
  switch (graph.kind()) {
    case topology_kind::mesh:
      return std::make_unique<mesh_routing>(graph, ascending);
    case topology_kind::hypercube:
      return std::make_unique<hypercube_routing>(graph, ascending);
    case topology_kind::point_to_point:
    case topology_kind::omega:
    case topology_kind::ring:
    case topology_kind::graph:
      break;
  }
  return std::make_unique<direct>();
}

std::unique_ptr<routing> make_routing(routing_table table) {
  if (table.virtual_channels() != 1) {
    throw configuration_error({"network.routing", "",
                               table.name() + " needs " + std::to_string(table.virtual_channels()) +
                                   " virtual channels of each link, and these switches have one",
                               "a table of one virtual channel", "choose another routing"});
  }
  return std::make_unique<by_table>(std::move(table));
}

}  // namespace tributary
