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

std::uint32_t columns_of(std::uint32_t nodes, std::uint32_t columns) {
  if (columns == 0) {
    std::uint32_t rows = 1;
    for (std::uint32_t each = 2; each * each <= nodes; ++each) {
      if (nodes % each == 0) rows = each;
    }
    return nodes / rows;
  }
  if (nodes % columns != 0) {
    refuse("columns", std::to_string(columns) + " does not divide the number of nodes",
           "a divisor of " + std::to_string(nodes), "use 0 for a mesh as square as possible");
  }
  return columns;
}

unsigned bits_set(std::uint32_t word) { return static_cast<unsigned>(__builtin_popcount(word)); }

}  // namespace

topology::topology(topology_kind kind, std::uint32_t nodes, std::uint32_t columns) : kind_(kind) {
  switch (kind) {
    case topology_kind::point_to_point:
      check_count(nodes, largest_point_to_point, "point_to_point");
      break;
    case topology_kind::mesh:
      check_count(nodes, largest_network, "a mesh");
      columns_ = columns_of(nodes, columns);
      break;
    case topology_kind::hypercube:
      check_count(nodes, largest_network, "a hypercube");
      if ((nodes & (nodes - 1)) != 0) {
        refuse("topology", "a hypercube cannot have " + std::to_string(nodes) + " nodes",
               "a power of two", "choose mesh, or another number of nodes");
      }
      break;
    case topology_kind::omega:
      refuse("topology", "an omega network has no routers at nodes",
             "point_to_point, mesh or hypercube", "have make_message_network choose the network");
  }
  neighbours_.resize(nodes);
  for (std::uint32_t n = 0; n < nodes; ++n) {
    std::vector<node_id>& out = neighbours_[n];
    switch (kind) {
      case topology_kind::point_to_point:
        for (std::uint32_t other = 0; other < nodes; ++other) {
          if (other != n) out.push_back(node_id{other});
        }
        break;
      case topology_kind::mesh:
        if (n % columns_ + 1 < columns_) out.push_back(node_id{n + 1});
        if (n % columns_ != 0) out.push_back(node_id{n - 1});
        if (n + columns_ < nodes) out.push_back(node_id{n + columns_});
        if (n >= columns_) out.push_back(node_id{n - columns_});
        break;
      case topology_kind::hypercube:
        for (std::uint32_t bit = 1; bit < nodes; bit *= 2) out.push_back(node_id{n ^ bit});
        break;
      case topology_kind::omega:
        break;
    }
  }
}

std::uint32_t topology::hops(node_id from, node_id to) const {
  const auto distance = [](std::uint32_t a, std::uint32_t b) { return a < b ? b - a : a - b; };
  switch (kind_) {
    case topology_kind::point_to_point:
    case topology_kind::omega:
      break;
    case topology_kind::mesh:
      return distance(x_of(from), x_of(to)) + distance(y_of(from), y_of(to));
    case topology_kind::hypercube:
      return bits_set(index(from) ^ index(to));
  }
  return from == to ? 0 : 1;
}

}  // namespace tributary
