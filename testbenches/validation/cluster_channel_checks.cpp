// SPDX-License-Identifier: Apache-2.0
// Rows of cluster networks with virtual channels: adaptive routing with an escape (T38 of section
// 14 of the specification of CANPC 2000), and latencies and saturation next to BookSim 2 (P30).
#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tributary/network/graph/random_graph.h>
#include <tributary/network/graph/regular_graphs.h>
#include <tributary/network/graph/tree_graphs.h>
#include <tributary/network/routing/adaptive_table.h>
#include <tributary/network/routing/dimension_order.h>
#include <tributary/network/routing/dragonfly_table.h>
#include <tributary/network/routing/orientation.h>
#include <tributary/network/routing/up_down_table.h>
#include <tributary/network/switching/channel_network.h>

#include <support/open_loop_load.h>

#include "checks.h"
#include "family.h"

namespace tributary::validation {
namespace {

using channel_rows = std::vector<planned_row>;

std::uint32_t count_of(const family& claim, const char* key) {
  return static_cast<std::uint32_t>(claim.member(key).as_unsigned());
}

planned_row channel_row(const claims& all, const std::string& id,
                        const std::function<double(const family&)>& measure) {
  const family claim = all["cluster." + id];
  planned_row row = claim.row();
  row.shape.configuration = json_value::make_object();
  for (const char* key : {"network", "channels", "flits", "loads", "load", "cycles"}) {
    if (claim.has(key)) row.shape.configuration.set(key, claim.member(key));
  }
  row.measure = [claim, measure](const point_results&) { return measure(claim); };
  return row;
}

// --- BookSim 2 -----------------------------------------------------------------------------------

/// The stages of BookSim's router as it was measured: a cycle for each allocation and for the
/// crossbar, two for a credit. A channel of its latency L has a flit at the other end L + 1 cycles
/// later: that is the constant which was fitted.
channel_network_config booksim_switches(const family& claim, std::uint32_t buffer_flits) {
  constexpr std::uint32_t into_a_channel = 1;
  channel_network_config config;
  config.switches.channels = count_of(claim, "channels");
  config.switches.buffer_flits = buffer_flits;
  config.switches.choice = route_choice::drawn;
  config.switches.link_cycles = 1 + into_a_channel;
  config.switches.host_link_cycles = 1 + into_a_channel;
  config.switches.credit_cycles = 2;
  return config;
}

std::unique_ptr<channel_network> booksim_torus(const family& claim) {
  const grid_config torus{{8, 8}, true, 1, 1};
  channel_network_config config = booksim_switches(claim, 8);
  config.switches.link_cycles = 3;
  auto graph = std::make_shared<const network_graph>(grid_graph(torus));
  return std::make_unique<channel_network>(testing::flit_links(count_of(claim, "flits")), config,
                                           graph, ring_class_table(*graph, torus));
}

std::unique_ptr<channel_network> booksim_fat_tree(const family& claim) {
  const fat_tree_config tree{4, 3};
  auto graph = std::make_shared<const network_graph>(fat_tree_graph(tree));
  const orientation ends = orientation_by_level(*graph, fat_tree_levels(tree));
  const up_down_routes routes(ends);
  return std::make_unique<channel_network>(testing::flit_links(count_of(claim, "flits")),
                                           booksim_switches(claim, 16), graph,
                                           up_down_table(routes));
}

/// Channels within a group take 10 cycles, those between groups 100.
std::unique_ptr<channel_network> booksim_dragonfly(const family& claim) {
  const dragonfly_config dragonfly{9, 4, 2, 2};
  auto graph = std::make_shared<const network_graph>(dragonfly_graph(dragonfly));
  channel_network_config config = booksim_switches(claim, 64);
  const auto group_of = [&](const switch_port& end) {
    return index(end.at) / dragonfly.switches_per_group;
  };
  for (std::uint32_t l = 0; l < graph->links(); ++l) {
    const network_link& link = graph->link(l);
    config.link_cycles.push_back(group_of(link.first) == group_of(link.second) ? 11 : 101);
  }
  return std::make_unique<channel_network>(testing::flit_links(count_of(claim, "flits")), config,
                                           graph, dragonfly_table(*graph, dragonfly));
}

std::unique_ptr<channel_network> booksim_network(const family& claim) {
  const std::string name = claim.text("network");
  if (name == "torus") return booksim_torus(claim);
  if (name == "fat tree") return booksim_fat_tree(claim);
  return booksim_dragonfly(claim);
}

testing::destination_choice destinations(const family& claim, std::uint32_t hosts) {
  if (!claim.has("traffic")) return testing::uniform_among(hosts);
  // The halves of the number of a host of 64 change places.
  return [](std::uint32_t from, random_stream&) { return (from >> 3U | from << 3U) & 63U; };
}

/// What a network accepts of a load, measured as BookSim does: samples of 5000 cycles, three to
/// warm up, of which it keeps none, and the end if packets take more than 500 cycles.
double accepted_of(const family& claim, double offered) {
  const std::unique_ptr<channel_network> network = booksim_network(claim);
  testing::open_loop_load load(*network, count_of(claim, "flits"),
                               destinations(claim, network->nodes()), 1);
  load.set_load(offered);
  for (int sample = 0; sample < 5; ++sample) {
    if (sample == 0 || sample == 2 || sample == 3) load.reset();
    load.run(5000);
    if (load.latency_with_waiting() > 500) break;
  }
  return load.accepted();
}

double saturation(const family& claim) {
  double most = 0;
  for (const double offered : claim.numbers("loads")) {
    most = std::max(most, accepted_of(claim, offered));
  }
  return most;
}

/// Mean latency of packets.
double latency(const family& claim) {
  const std::unique_ptr<channel_network> network = booksim_network(claim);
  testing::open_loop_load load(*network, count_of(claim, "flits"),
                               destinations(claim, network->nodes()), 1);
  load.set_load(claim.number("load"));
  load.run(2000);
  load.reset();
  load.run(20'000);
  return load.latency.mean();
}

void add_booksim_rows(const claims& all, channel_rows& rows) {
  for (const char* network : {"torus.2", "torus.4", "torus.8", "tree.2", "tree.4", "dragonfly.2"}) {
    for (const char* flits : {"1", "4"}) {
      const std::string id = std::string("P30.") + network + "." + flits;
      rows.push_back(channel_row(all, id + ".latency", latency));
      rows.push_back(channel_row(all, id + ".saturation", saturation));
    }
  }
  rows.push_back(channel_row(all, "P30.transpose.saturation", saturation));
}

// --- adaptive routing (T38) ----------------------------------------------------------------------

/// The switch of P6: virtual cut-through, an escape and an adaptive channel, a packet's buffer
/// each, and an input of the crossbar for each buffer.
std::unique_ptr<channel_network> adaptive_network(std::uint32_t flits) {
  channel_network_config config;
  config.switches.channels = 2;
  config.switches.buffer_flits = flits;
  config.switches.switching = flit_switching::cut_through;
  config.switches.inputs = crossbar_inputs::per_channel;
  auto graph = std::make_shared<const network_graph>(random_regular_graph({8, 3, 1, 1}));
  const orientation ends = bfs_orientation(*graph);
  const up_down_routes routes(ends);
  return std::make_unique<channel_network>(testing::flit_links(flits), config, graph,
                                           adaptive_table(up_down_table(routes)));
}

/// Of the links that packets take, those by the escape.
double escape_share(double offered, cycle_t cycles) {
  constexpr std::uint32_t flits = 16;
  const std::unique_ptr<channel_network> network = adaptive_network(flits);
  testing::open_loop_load load(*network, flits, testing::uniform_among(network->nodes()), 1);
  load.set_load(offered);
  load.run(cycles);
  const channel_switch_counts counts = network->counts();
  const auto escapes = static_cast<double>(counts.escapes.value());
  return escapes / (escapes + static_cast<double>(counts.adaptive.value()));
}

/// The least step from one load to the next.
double growth(const family& claim) {
  std::vector<double> shares;
  for (const double offered : claim.numbers("loads")) {
    shares.push_back(escape_share(offered, claim.member("cycles").as_unsigned()));
  }
  double least = 1;
  for (std::size_t i = 1; i < shares.size(); ++i) {
    least = std::min(least, shares[i] - shares[i - 1]);
  }
  return least;
}

/// Packets that did not come; a deadlock ends the run.
double undelivered(const family& claim) {
  constexpr std::uint32_t flits = 16;
  const std::unique_ptr<channel_network> network = adaptive_network(flits);
  testing::open_loop_load load(*network, flits, testing::uniform_among(network->nodes()), 1);
  load.set_load(claim.number("load"));
  load.run(claim.member("cycles").as_unsigned());
  load.set_load(0);
  load.run(10'000);
  return static_cast<double>(load.under_way());
}

}  // namespace

std::vector<planned_row> cluster_channel_checks(const claims& cluster) {
  channel_rows rows;
  rows.push_back(channel_row(cluster, "T38.delivered", undelivered));
  rows.push_back(channel_row(cluster, "T38.growth", growth));
  add_booksim_rows(cluster, rows);
  return rows;
}

}  // namespace tributary::validation
