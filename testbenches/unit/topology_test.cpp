// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <tributary/network/graph/topology.h>
#include <tributary/network/routing/routing.h>
#include <tributary/sim/error.h>

#include <algorithm>
#include <map>
#include <memory>
#include <queue>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/failure.h"
#include "support/text_checks.h"

namespace tributary {
namespace {

std::vector<std::uint32_t> numbers(const std::vector<node_id>& nodes) {
  std::vector<std::uint32_t> all;
  all.reserve(nodes.size());
  for (const node_id each : nodes) all.push_back(index(each));
  return all;
}

/// Distances from a router by breadth-first search over the links.
std::vector<std::uint32_t> distances(const topology& shape, std::uint32_t from) {
  std::vector<std::uint32_t> distance(shape.routers(), ~0U);
  std::queue<std::uint32_t> open;
  distance[from] = 0;
  open.push(from);
  while (!open.empty()) {
    const std::uint32_t at = open.front();
    open.pop();
    for (const std::uint32_t next : numbers(shape.neighbours(node_id{at}))) {
      if (distance[next] != ~0U) continue;
      distance[next] = distance[at] + 1;
      open.push(next);
    }
  }
  return distance;
}

std::vector<topology> some_shapes() {
  std::vector<topology> shapes;
  for (const std::uint32_t nodes : {1U, 2U, 3U, 7U, 16U}) {
    shapes.emplace_back(topology_kind::point_to_point, nodes);
  }
  for (const std::uint32_t nodes : {1U, 2U, 3U, 6U, 12U, 64U, 128U}) {
    shapes.emplace_back(topology_kind::mesh, nodes);
  }
  shapes.emplace_back(topology_kind::mesh, 12U, 2U);
  shapes.emplace_back(topology_kind::mesh, 12U, 12U);
  for (const std::uint32_t nodes : {1U, 2U, 4U, 8U, 64U, 128U}) {
    shapes.emplace_back(topology_kind::hypercube, nodes);
  }
  for (const std::uint32_t nodes : {2U, 4U, 16U, 64U}) {
    shapes.emplace_back(topology_kind::hypercube, nodes, 0U, 2U);
  }
  shapes.emplace_back(topology_kind::hypercube, 24U, 0U, 3U);
  shapes.emplace_back(topology_kind::mesh, 24U, 4U, 2U);
  shapes.emplace_back(topology_kind::point_to_point, 12U, 0U, 4U);
  return shapes;
}

TEST(topology, a_mesh_has_neighbours_right_left_above_below) {
  const topology shape(topology_kind::mesh, 12, 4);
  EXPECT_EQ(numbers(shape.neighbours(node_id{0})), (std::vector<std::uint32_t>{1, 4}));
  EXPECT_EQ(numbers(shape.neighbours(node_id{5})), (std::vector<std::uint32_t>{6, 4, 9, 1}));
  EXPECT_EQ(numbers(shape.neighbours(node_id{11})), (std::vector<std::uint32_t>{10, 7}));
}

TEST(topology, a_mesh_is_as_square_as_it_can) {
  EXPECT_EQ(topology(topology_kind::mesh, 64).columns(), 8U);
  EXPECT_EQ(topology(topology_kind::mesh, 32).columns(), 8U);
  EXPECT_EQ(topology(topology_kind::mesh, 12).columns(), 4U);
  EXPECT_EQ(topology(topology_kind::mesh, 7).columns(), 7U);
  EXPECT_EQ(topology(topology_kind::hypercube, 8).columns(), 0U);
}

TEST(topology, two_nodes_at_each_router_are_no_hop_apart) {
  const topology cube(topology_kind::hypercube, 16, 0, 2);
  EXPECT_EQ(cube.routers(), 8U);
  EXPECT_EQ(cube.nodes(), 16U);
  EXPECT_EQ(numbers(cube.neighbours(node_id{5})), (std::vector<std::uint32_t>{4, 7, 1}));
  EXPECT_EQ(cube.hops(node_id{4}, node_id{5}), 0U);
  EXPECT_EQ(cube.hops(node_id{5}, node_id{6}), 1U);
  EXPECT_EQ(cube.hops(node_id{0}, node_id{15}), 3U);
  EXPECT_EQ(topology(topology_kind::mesh, 24, 0, 2).columns(), 4U);
}

constexpr routing_kind both_kinds[] = {routing_kind::ascending, routing_kind::descending};

/// The routers on the way.
std::vector<std::uint32_t> way(const topology& shape, routing_kind kind, std::uint32_t from,
                               std::uint32_t to) {
  const std::unique_ptr<routing> routes = make_routing(kind, shape);
  std::vector<std::uint32_t> nodes;
  for (node_id at{from}; at != node_id{to};) {
    at = shape.neighbours(at)[routes->port_towards(at, 0, node_id{to})];
    nodes.push_back(index(at));
  }
  return nodes;
}

TEST(topology, routes_go_by_dimensions) {
  const topology mesh(topology_kind::mesh, 12, 4);
  // From (0, 0) to (2, 2).
  EXPECT_EQ(way(mesh, routing_kind::ascending, 0, 10), (std::vector<std::uint32_t>{1, 2, 6, 10}));
  EXPECT_EQ(way(mesh, routing_kind::descending, 0, 10), (std::vector<std::uint32_t>{4, 8, 9, 10}));
  const topology cube(topology_kind::hypercube, 16);
  EXPECT_EQ(way(cube, routing_kind::ascending, 1, 14), (std::vector<std::uint32_t>{0, 2, 6, 14}));
  EXPECT_EQ(way(cube, routing_kind::descending, 1, 14),
            (std::vector<std::uint32_t>{9, 13, 15, 14}));
}

/// A graph with either order of dimensions.
struct routed_shape {
  const topology& shape;
  std::unique_ptr<routing> routes;
};

std::vector<routed_shape> with_routes(const std::vector<topology>& shapes) {
  std::vector<routed_shape> all;
  for (const topology& shape : shapes) {
    for (const routing_kind kind : both_kinds) all.push_back({shape, make_routing(kind, shape)});
  }
  return all;
}

TEST(topology, every_route_arrives_on_a_shortest_way) {
  const std::vector<topology> shapes = some_shapes();
  for (const auto& [shape, routes] : with_routes(shapes)) {
    for (std::uint32_t from = 0; from < shape.nodes(); ++from) {
      const node_id first = shape.router_of(node_id{from});
      const std::vector<std::uint32_t> distance = distances(shape, index(first));
      for (std::uint32_t to = 0; to < shape.nodes(); ++to) {
        const node_id last = shape.router_of(node_id{to});
        const std::uint32_t shortest = distance[index(last)];
        ASSERT_EQ(shape.hops(node_id{from}, node_id{to}), shortest);
        node_id at = first;
        std::uint32_t links = 0;
        for (; at != last && links <= shortest; ++links) {
          const std::uint32_t port = routes->port_towards(at, 0, last);
          ASSERT_LT(port, shape.neighbours(at).size());
          at = shape.neighbours(at)[port];
        }
        ASSERT_EQ(at, last);
        ASSERT_EQ(links, shortest);
      }
    }
  }
}

TEST(topology, links_go_both_ways) {
  for (const topology& shape : some_shapes()) {
    for (std::uint32_t from = 0; from < shape.routers(); ++from) {
      for (const node_id to : shape.neighbours(node_id{from})) {
        const std::vector<std::uint32_t> back = numbers(shape.neighbours(to));
        EXPECT_EQ(std::count(back.begin(), back.end(), from), 1);
      }
    }
  }
}

// A buffer waits for the next link of a route; if those dependencies have no cycle, buffers empty.
TEST(topology, the_links_of_all_routes_depend_on_each_other_without_a_cycle) {
  using edge = std::pair<std::uint32_t, std::uint32_t>;
  const std::vector<topology> shapes = some_shapes();
  for (const auto& [shape, routes] : with_routes(shapes)) {
    std::map<edge, std::set<edge>> waits_for;
    for (std::uint32_t from = 0; from < shape.routers(); ++from) {
      for (std::uint32_t to = 0; to < shape.routers(); ++to) {
        edge last{from, from};
        for (node_id at{from}; at != node_id{to};) {
          const node_id next = shape.neighbours(at)[routes->port_towards(at, 0, node_id{to})];
          const edge here{index(at), index(next)};
          if (at != node_id{from}) waits_for[last].insert(here);
          last = here;
          at = next;
        }
      }
    }
    // Taking away what waits for nothing must leave nothing.
    std::map<edge, std::size_t> open;
    std::map<edge, std::vector<edge>> waited_for_by;
    std::vector<edge> done;
    std::size_t edges = 0;
    for (std::uint32_t from = 0; from < shape.routers(); ++from) {
      for (const node_id to : shape.neighbours(node_id{from})) {
        const edge here{from, index(to)};
        ++edges;
        open[here] = waits_for[here].size();
        for (const edge& each : waits_for[here]) waited_for_by[each].push_back(here);
        if (open[here] == 0) done.push_back(here);
      }
    }
    for (std::size_t i = 0; i < done.size(); ++i) {
      for (const edge& each : waited_for_by[edge(done[i])]) {
        if (--open[each] == 0) done.push_back(each);
      }
    }
    EXPECT_EQ(done.size(), edges) << shape.routers() << " nodes";
  }
}

std::string refusal(topology_kind kind, std::uint32_t nodes, std::uint32_t columns = 0,
                    std::uint32_t nodes_per_router = 1) {
  return testing::failure([&] { topology(kind, nodes, columns, nodes_per_router); });
}

TEST(topology, refuses_numbers_that_do_not_fit) {
  EXPECT_TRUE(testing::names(refusal(topology_kind::hypercube, 12),
                             {"network.topology", "12 node", "a power of two"}));
  EXPECT_TRUE(testing::names(refusal(topology_kind::mesh, 12, 5),
                             {"network.columns", "5", "a divisor of 12", "0"}));
  EXPECT_TRUE(testing::names(refusal(topology_kind::point_to_point, 512),
                             {"network.topology", "point_to_point", "512 node", "1 to 256 nodes"}));
  EXPECT_TRUE(testing::names(refusal(topology_kind::mesh, 8192),
                             {"network.topology", "8192 node", "1 to 4096 nodes"}));
  EXPECT_TRUE(testing::names(refusal(topology_kind::hypercube, 0),
                             {"network.topology", "0 node", "1 to 4096 nodes"}));
  EXPECT_TRUE(testing::names(refusal(topology_kind::hypercube, 12, 0, 2),
                             {"network.topology", "12 nodes, 2 at each router",
                              "2 times a power of two", "another number of nodes"}));
  EXPECT_TRUE(testing::names(
      refusal(topology_kind::hypercube, 7, 0, 2),
      {"network.nodes_per_router", "2 does not divide", "a divisor of 7 from 1 to 8", "use 1"}));
  EXPECT_TRUE(testing::names(refusal(topology_kind::mesh, 12, 0, 0),
                             {"network.nodes_per_router", "0 is out of range"}));
  EXPECT_TRUE(testing::names(refusal(topology_kind::mesh, 24, 5, 2),
                             {"network.columns", "number of routers", "a divisor of 12"}));
}

}  // namespace
}  // namespace tributary
