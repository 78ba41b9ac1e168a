// SPDX-License-Identifier: Apache-2.0
// Rows of cluster networks (T: section 14 of the specification of CANPC 2000): what up*/down*
// orientations make of random networks. Nothing is simulated.
#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <tributary/network/graph/random_graph.h>
#include <tributary/network/graph/regular_graphs.h>
#include <tributary/network/graph/tree_graphs.h>
#include <tributary/network/routing/dfs_orientation.h>
#include <tributary/network/routing/genetic_orientation.h>
#include <tributary/network/routing/up_down_table.h>
#include <tributary/sim/error.h>
#include <tributary/sim/random_stream.h>

#include "checks.h"
#include "family.h"

namespace tributary::validation {
namespace {

using cluster_rows = std::vector<planned_row>;
using orienting = orientation (*)(const network_graph&);

/// The random networks of a row: seeds 1 to "graphs".
std::vector<network_graph> random_graphs(const family& claim) {
  std::vector<network_graph> drawn;
  const auto graphs = claim.member("graphs").as_unsigned();
  for (std::uint64_t seed = 1; seed <= graphs; ++seed) {
    random_graph_config config;
    config.switches = static_cast<std::uint32_t>(claim.member("switches").as_unsigned());
    config.degree = static_cast<std::uint32_t>(claim.member("degree").as_unsigned());
    config.seed = seed;
    drawn.push_back(random_regular_graph(config));
  }
  return drawn;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double each : values) sum += each;
  return sum / static_cast<double>(values.size());
}

planned_row cluster_row(const claims& all, const std::string& id,
                        const std::function<double(const family&)>& measure) {
  const family claim = all["cluster." + id];
  planned_row row = claim.row();
  row.shape.configuration = json_value::make_object();
  for (const char* key : {"switches", "degree", "graphs"}) {
    if (claim.has(key)) row.shape.configuration.set(key, claim.member(key));
  }
  if (!claim.has("graphs")) row.shape.configuration.set("graphs", json_value("all generators"));
  row.measure = [claim, measure](const point_results&) { return measure(claim); };
  return row;
}

/// The mean of a metric over the random networks of a row.
planned_row mean_metric(const claims& all, const std::string& id, orienting orient,
                        double up_down_metrics::*metric) {
  return cluster_row(all, id, [=](const family& claim) {
    std::vector<double> values;
    for (const network_graph& graph : random_graphs(claim)) {
      const orientation ends = orient(graph);
      values.push_back(measure_up_down(up_down_routes(ends)).*metric);
    }
    return mean_of(values);
  });
}

/// The greatest number of routes over a channel, one for each ordered pair, mean of the networks.
double mean_crossing(const std::vector<network_graph>& graphs, orienting orient) {
  std::vector<double> values;
  values.reserve(graphs.size());
  for (const network_graph& graph : graphs)
    values.push_back(-least_crossing_fitness(orient(graph)));
  return mean_of(values);
}

void add_crossings(const claims& all, cluster_rows& rows) {
  rows.push_back(cluster_row(all, "T28.ratio", [](const family& claim) {
    const auto graphs = random_graphs(claim);
    return mean_crossing(graphs, bfs_orientation) / mean_crossing(graphs, dfs_orientation);
  }));
  rows.push_back(cluster_row(all, "T28.bfs", [](const family& claim) {
    return mean_crossing(random_graphs(claim), bfs_orientation);
  }));
  rows.push_back(cluster_row(all, "T28.dfs", [](const family& claim) {
    return mean_crossing(random_graphs(claim), dfs_orientation);
  }));
}

// --- legal and acyclic (T23) ---------------------------------------------------------------------

/// Networks of each generator, small and large.
std::vector<network_graph> graphs_of_all_generators() {
  std::vector<network_graph> made;
  for (const std::uint32_t switches : {9U, 16U, 32U, 64U}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      made.push_back(random_regular_graph({switches, 4, 4, seed}));
    }
  }
  for (const bool wraps : {false, true}) {
    made.push_back(grid_graph({{4, 4}, wraps, 1, 1}));
    made.push_back(grid_graph({{8, 4}, wraps, 8, 2}));
    made.push_back(grid_graph({{3, 3, 3}, wraps, 1, 1}));
  }
  for (const std::uint32_t dimensions : {1U, 4U, 6U}) {
    made.push_back(hypercube_graph(dimensions, 1));
  }
  made.push_back(ring_graph(3, 1));
  made.push_back(ring_graph(17, 1));
  made.push_back(star_graph(4, 16));
  made.push_back(fat_tree_graph({2, 4}));
  made.push_back(fat_tree_graph({4, 3}));
  made.push_back(dragonfly_graph({9, 4, 2, 2}));
  made.push_back(dragonfly_graph({3, 4, 2, 2}));
  return made;
}

/// Whether all pairs of switches have a legal route, and channels make no circle.
bool is_usable(const orientation& ends) {
  try {
    total_distance(ends);
    up_down_table(up_down_routes(ends));
    return true;
  } catch (const configuration_error&) {
    return false;
  }
}

/// Networks whose orientation cannot be used, or has not one root.
planned_row unusable(const claims& all, const std::string& id, orienting orient) {
  return cluster_row(all, id, [orient](const family&) {
    double faults = 0;
    for (const network_graph& graph : graphs_of_all_generators()) {
      const orientation ends = orient(graph);
      if (!ends.is_correct() || !is_usable(ends)) ++faults;
    }
    return faults;
  });
}

/// Distances from a root at random, or levels at random: neither makes a circle, the second seldom
/// has one root.
orientation drawn_orientation(const network_graph& graph, bool one_root, random_stream& draws) {
  const auto drawn = [&] { return static_cast<std::uint32_t>(draws.below(graph.switches())); };
  if (one_root) return orientation_from_root(graph, switch_id{drawn()});
  std::vector<std::uint32_t> levels;
  for (std::uint32_t s = 0; s < graph.switches(); ++s) levels.push_back(drawn());
  return orientation_by_level(graph, levels);
}

/// Orientations at random that are correct and cannot be used, or are not correct and can.
double misjudged(const family&) {
  double faults = 0;
  random_stream draws(1, 0U, static_cast<std::uint32_t>(purpose::orientation));
  for (const network_graph& graph : graphs_of_all_generators()) {
    for (int each = 0; each < 4; ++each) {
      const orientation ends = drawn_orientation(graph, each % 2 == 0, draws);
      if (ends.is_correct() != is_usable(ends)) ++faults;
    }
  }
  return faults;
}

/// The greatest share of correct orientations among all, of the random networks of a row.
double correct_share(const family& claim) {
  double most = 0;
  for (const network_graph& graph : random_graphs(claim)) {
    const orientation_count found = count_orientations(graph);
    most = std::max(most, static_cast<double>(found.correct) / static_cast<double>(found.all));
  }
  return most;
}

}  // namespace

std::vector<planned_row> cluster_checks(const claims& cluster) {
  cluster_rows rows;
  rows.push_back(unusable(cluster, "T23.bfs", bfs_orientation));
  rows.push_back(unusable(cluster, "T23.dfs", dfs_orientation));
  rows.push_back(cluster_row(cluster, "T23.correct", misjudged));
  rows.push_back(mean_metric(cluster, "T24", bfs_orientation, &up_down_metrics::average_distance));
  rows.push_back(mean_metric(cluster, "T25", dfs_orientation, &up_down_metrics::average_distance));
  for (const char* id : {"T26.16", "T26.32", "T26.64"}) {
    rows.push_back(mean_metric(cluster, id, dfs_orientation, &up_down_metrics::restrictions));
  }
  for (const char* id : {"T27.32", "T27.64"}) {
    rows.push_back(mean_metric(cluster, id, bfs_orientation, &up_down_metrics::restrictions));
  }
  add_crossings(cluster, rows);
  rows.push_back(cluster_row(cluster, "T29.more", correct_share));
  rows.push_back(cluster_row(cluster, "T29.share", correct_share));
  return rows;
}

}  // namespace tributary::validation
