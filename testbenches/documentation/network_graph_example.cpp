// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include <tributary/network/graph/graph_file.h>
#include <tributary/network/routing/dfs_orientation.h>
#include <tributary/network/routing/source_routes.h>
#include <tributary/network/routing/up_down_table.h>

const char* const rooms = R"(graph "two rooms" {
  node [hosts=4, ports=8]
  west1 -- west2 -- east2 -- east1 -- west1
  west2 -- east1 [cables=2]
})";

int main() {
  using namespace tributary;
  const network_graph graph = build_graph(describe_dot(rooms, "rooms.dot"));

  const orientation ends = dfs_orientation(graph);
  const up_down_routes shortest(ends);
  const up_down_metrics found = measure_up_down(shortest);
  std::cout << graph.hosts() << " hosts, " << found.average_distance << " links on average, "
            << found.restrictions << " restrictions a switch\n";

  // Refused unless every pair has a route and no channels wait for each other in a circle.
  const routing_table table = up_down_table(shortest);
  const source_routes routes(table, 1);  // seed 1
  switch_id at{0};
  for (const route_hop& each : routes.route(at, switch_id{2})) {
    const std::uint32_t channel = graph.channel_from({at, each.port});
    std::cout << graph.channel_text(channel) << "\n";
    at = graph.target(channel).at;
  }
}
