// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/graph/topology.h>

#include <algorithm>
#include <string>

#include <tributary/sim/error.h>

namespace tributary {
namespace {

[[noreturn]] void refuse(const std::string& key, const std::string& problem,
                         const std::string& allowed, const std::string& advice) {
  throw configuration_error(configuration_problem{"network." + key, "", problem, allowed, advice});
}

void check_count(std::uint32_t nodes, std::uint32_t most, const std::string& kind) {
  if (nodes != 0 && nodes <= most) return;
  refuse("topology", kind + " cannot have " + std::to_string(nodes) + " nodes",
         "1 to " + std::to_string(most) + " nodes",
         nodes > most && most < largest_network ? "choose mesh or hypercube"
                                                : "choose a number of nodes in the range");
}

std::uint32_t routers_of(std::uint32_t nodes, std::uint32_t nodes_per_router) {
  const bool fits = nodes_per_router != 0 && nodes_per_router <= most_nodes_per_router;
  if (!fits || nodes % nodes_per_router != 0) {
    refuse("nodes_per_router",
           fits ? std::to_string(nodes_per_router) + " does not divide the number of nodes"
                : std::to_string(nodes_per_router) + " is out of range",
           "a divisor of " + std::to_string(nodes) + " from 1 to " +
               std::to_string(most_nodes_per_router),
           "use 1 for a router at every node");
  }
  return nodes / nodes_per_router;
}

std::uint32_t columns_of(std::uint32_t routers, std::uint32_t columns) {
  if (columns == 0) {
    std::uint32_t rows = 1;
    for (std::uint32_t each = 2; each * each <= routers; ++each) {
      if (routers % each == 0) rows = each;
    }
    return routers / rows;
  }
  if (routers % columns != 0) {
    refuse("columns", std::to_string(columns) + " does not divide the number of routers",
           "a divisor of " + std::to_string(routers), "use 0 for a mesh as square as possible");
  }
  return columns;
}

void check_cube(std::uint32_t routers, std::uint32_t nodes_per_router) {
  if ((routers & (routers - 1)) == 0) return;
  const bool shared = nodes_per_router != 1;
  const std::string each = std::to_string(nodes_per_router);
  refuse("topology",
         "a hypercube cannot have " + std::to_string(routers * nodes_per_router) + " nodes" +
             (shared ? ", " + each + " at each router" : ""),
         (shared ? each + " times " : "") + "a power of two",
         "choose mesh, or another number of nodes");
}

unsigned bits_set(std::uint32_t word) { return static_cast<unsigned>(__builtin_popcount(word)); }

}  // namespace

topology::topology(topology_kind kind, std::uint32_t nodes, std::uint32_t columns,
                   std::uint32_t nodes_per_router)
    : kind_(kind) {
  const std::uint32_t routers = routers_of(nodes, nodes_per_router);
  switch (kind) {
    case topology_kind::point_to_point:
      check_count(nodes, largest_point_to_point, "point_to_point");
      break;
    case topology_kind::mesh:
      check_count(nodes, largest_network, "a mesh");
      columns_ = columns_of(routers, columns);
      break;
    case topology_kind::hypercube:
      check_count(nodes, largest_network, "a hypercube");
      check_cube(routers, nodes_per_router);
      break;
    case topology_kind::omega:
    case topology_kind::ring:
    case topology_kind::graph:
      refuse("topology", "omega networks, rings and graphs have no routers at nodes",
             "point_to_point, mesh or hypercube", "have make_message_network choose the network");
  }
  neighbours_.resize(routers);
  nodes_at_.resize(routers);
  for (std::uint32_t n = 0; n < nodes; ++n) attach(node_id{n}, node_id{n / nodes_per_router});
  for (std::uint32_t r = 0; r < routers; ++r) {
    std::vector<node_id>& out = neighbours_[r];
    switch (kind) {
      case topology_kind::point_to_point:
        for (std::uint32_t other = 0; other < routers; ++other) {
          if (other != r) out.push_back(node_id{other});
        }
        break;
      case topology_kind::mesh:
        if (r % columns_ + 1 < columns_) out.push_back(node_id{r + 1});
        if (r % columns_ != 0) out.push_back(node_id{r - 1});
        if (r + columns_ < routers) out.push_back(node_id{r + columns_});
        if (r >= columns_) out.push_back(node_id{r - columns_});
        break;
      case topology_kind::hypercube:
        for (std::uint32_t bit = 1; bit < routers; bit *= 2) out.push_back(node_id{r ^ bit});
        break;
      case topology_kind::omega:
      case topology_kind::ring:
      case topology_kind::graph:
        break;
    }
  }
}

topology::topology(const network_graph& graph)
    : kind_(topology_kind::graph), nodes_at_(graph.switches()), neighbours_(graph.switches()) {
  for (std::uint32_t h = 0; h < graph.hosts(); ++h) {
    attach(node_id{h}, node_id{index(graph.switch_of(host_id{h}))});
  }
  for (std::uint32_t s = 0; s < graph.switches(); ++s) {
    for (const neighbour_link& each : graph.neighbours(switch_id{s})) {
      neighbours_[s].push_back(node_id{index(each.to)});
    }
  }
}

void topology::attach(node_id node, node_id router) {
  router_of_.push_back(router);
  nodes_at_[index(router)].push_back(node);
}

std::uint32_t topology::hops(node_id from, node_id to) const {
  const auto distance = [](std::uint32_t a, std::uint32_t b) { return a < b ? b - a : a - b; };
  const node_id first = router_of(from);
  const node_id last = router_of(to);
  switch (kind_) {
    case topology_kind::point_to_point:
    case topology_kind::omega:
    case topology_kind::ring:
    case topology_kind::graph:
      break;
    case topology_kind::mesh:
      return distance(x_of(first), x_of(last)) + distance(y_of(first), y_of(last));
    case topology_kind::hypercube:
      return bits_set(index(first) ^ index(last));
  }
  return first == last ? 0 : 1;
}

}  // namespace tributary
