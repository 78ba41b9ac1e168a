// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/routing/routing.h>

#include <algorithm>
#include <vector>

namespace tributary {
namespace {

class direct final : public routing {
 public:
  std::uint32_t port_towards(node_id at, node_id destination) const override {
    return index(destination) - (index(destination) > index(at) ? 1 : 0);
  }
};

class by_dimensions : public routing {
 public:
  by_dimensions(const topology& graph, bool ascending) : graph_(graph), ascending_(ascending) {}

  std::uint32_t port_towards(node_id at, node_id destination) const override {
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

}  // namespace

bool is_branch(const topology& graph, const routing& ways, node_id from, node_id at,
               std::uint32_t port) {
  const node_id to = graph.neighbours(at)[port];
  for (node_id here = from; here != to;) {
    const std::uint32_t next = ways.port_towards(here, to);
    if (here == at) return next == port;
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
      break;
  }
  return std::make_unique<direct>();
}

}  // namespace tributary
