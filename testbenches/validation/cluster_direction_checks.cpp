// SPDX-License-Identifier: Apache-2.0
// Rows of cluster networks (T35 to T37 of section 14 of the specification of CANPC 2000): what a
// genetic search for the up ends of links gains over MDST and POST.
//
// The search knows a network by short runs; rows judge what it found by longer runs with other
// seeds. Otherwise a search that begins with MDST and POST could not be below them.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <tributary/network/graph/random_graph.h>
#include <tributary/network/routing/genetic_orientation.h>
#include <tributary/network/routing/orientation.h>
#include <tributary/network/routing/up_down_routes.h>
#include <tributary/network/routing/up_down_table.h>
#include <tributary/network/switching/channel_network.h>
#include <tributary/network/traffic/destination_pattern.h>
#include <tributary/network/traffic/load_measurement.h>
#include <tributary/network/traffic/load_traffic.h>

#include "checks.h"
#include "family.h"
#include "measured_once.h"

namespace tributary::validation {
namespace {

constexpr std::uint32_t short_packet = 16;
constexpr std::uint32_t long_packet = 64;
/// More than any of these networks carries, in bytes a host and cycle.
constexpr double overload = 0.8;
constexpr load_window searched_window{500, 3000};
constexpr load_window judged_window{2000, 8000};
constexpr std::uint64_t searched_seed = 1;
constexpr std::array<std::uint64_t, 4> judged_seeds{2, 3, 4, 5};
constexpr std::uint32_t search_patience = 15;

/// What a network accepts with each seed, in bytes of payload a host and cycle.
using accepted_loads = std::array<double, judged_seeds.size()>;

/// Of each way to direct the links.
struct direction_loads {
  accepted_loads mdst;
  accepted_loads post;
  accepted_loads genetic;
};

/// The same orientations with both lengths of packets.
struct compared_directions {
  direction_loads of_short;
  direction_loads of_long;
};

using networks = std::vector<compared_directions>;

/// A flit is a byte and takes a cycle; a packet is a byte of header and its payload.
message_network_config links_of_p5(std::uint32_t packet) {
  message_network_config links;
  links.clock.period = 1000;
  links.bandwidth = 1000;
  links.header_bytes = 1;
  links.payload_bytes = packet - 1;
  links.lanes = 2;
  links.endpoint_buffers = 1024;
  return links;
}

/// Virtual cut-through, any shortest legal way on that is free, two packets a buffer.
channel_network_config switches_of_p5(std::uint32_t packet) {
  channel_network_config config;
  config.switches.channels = 1;
  config.switches.buffer_flits = 2 * packet;
  config.switches.switching = flit_switching::cut_through;
  config.switches.choice = route_choice::free;
  return config;
}

/// What a network accepts of more than it carries, with uniform traffic.
double accepted_of(const std::shared_ptr<const network_graph>& graph, const orientation& ends,
                   std::uint32_t packet, std::uint64_t seed, const load_window& window) {
  const up_down_routes routes(ends);
  channel_network network(links_of_p5(packet), switches_of_p5(packet), graph,
                          up_down_table(routes));
  load_traffic::options load;
  load.load = overload;
  load.bytes = packet - 1;
  load.seed = seed;
  return measure_load(network, destination_pattern({}, *graph), load, window).accepted;
}

orientation searched(const std::shared_ptr<const network_graph>& graph, std::uint64_t seed) {
  genetic_config search;
  search.patience = search_patience;
  search.seed = seed;
  const auto fitness = [&](const orientation& ends) {
    return accepted_of(graph, ends, short_packet, searched_seed, searched_window);
  };
  return genetic_orientation(*graph, fitness, search).best;
}

compared_directions compared(std::uint32_t switches, std::uint64_t seed) {
  const auto graph =
      std::make_shared<const network_graph>(random_regular_graph({switches, 4, 4, seed}));
  const orientation mdst = mdst_orientation(*graph);
  const orientation post = post_orientation(*graph, switch_id{0});
  const orientation genetic = searched(graph, seed);
  const auto loads = [&](std::uint32_t packet) {
    const auto load_of = [&](const orientation& ends) {
      accepted_loads found{};
      for (std::size_t i = 0; i < found.size(); ++i) {
        found[i] = accepted_of(graph, ends, packet, judged_seeds[i], judged_window);
      }
      return found;
    };
    return direction_loads{load_of(mdst), load_of(post), load_of(genetic)};
  };
  return {loads(short_packet), loads(long_packet)};
}

std::uint64_t networks_of(std::uint32_t switches) { return switches > 16 ? 3 : 5; }

networks measured_networks(const std::uint32_t& switches) {
  networks found;
  for (std::uint64_t seed = 1; seed <= networks_of(switches); ++seed) {
    found.push_back(compared(switches, seed));
  }
  return found;
}

const networks& networks_with(std::uint32_t switches) {
  static measured_once<std::uint32_t, networks> all(measured_networks);
  return all.at(switches);
}

double mean_of(const accepted_loads& loads) {
  return std::accumulate(loads.begin(), loads.end(), 0.0) / static_cast<double>(loads.size());
}

double least_over_both(std::uint32_t switches) {
  double least = std::numeric_limits<double>::infinity();
  for (const compared_directions& each : networks_with(switches)) {
    const auto& [mdst, post, genetic] = each.of_short;
    least = std::min(least, mean_of(genetic) / std::max(mean_of(mdst), mean_of(post)));
  }
  return least;
}

/// Of the search over MDST or POST, of each network.
std::vector<double> gains_over(std::uint32_t switches, accepted_loads direction_loads::*other) {
  std::vector<double> gains;
  for (const compared_directions& each : networks_with(switches)) {
    gains.push_back(mean_of(each.of_short.genetic) / mean_of(each.of_short.*other));
  }
  return gains;
}

double mean_gain_over(std::uint32_t switches, accepted_loads direction_loads::*other) {
  double sum = 0;
  for (const double each : gains_over(switches, other)) sum += each;
  return sum / static_cast<double>(networks_of(switches));
}

/// The gain that is farthest from none.
double farthest_gain_over(std::uint32_t switches, accepted_loads direction_loads::*other) {
  const std::vector<double> gains = gains_over(switches, other);
  return *std::max_element(gains.begin(), gains.end(),
                           [](double a, double b) { return std::abs(a - 1) < std::abs(b - 1); });
}

double mean_load(std::uint32_t switches, accepted_loads direction_loads::*of) {
  double sum = 0;
  for (const compared_directions& each : networks_with(switches)) sum += mean_of(each.of_short.*of);
  return sum / static_cast<double>(networks_of(switches));
}

/// The least step of the mean gain over MDST from one size to the next.
double least_growth(const std::vector<std::uint32_t>& sizes) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    least = std::min(least, mean_gain_over(sizes[i], &direction_loads::mdst) -
                                mean_gain_over(sizes[i - 1], &direction_loads::mdst));
  }
  return least;
}

/// Which of two accepts more with every seed: 1 or -1, and 0 if seeds differ.
int order_of(const accepted_loads& one, const accepted_loads& other) {
  int more = 0;
  int less = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (one[i] > other[i]) ++more;
    if (one[i] < other[i]) ++less;
  }
  const int all = static_cast<int>(one.size());
  if (more == all) return 1;
  return less == all ? -1 : 0;
}

/// The same by the means of all seeds.
int order_of_means(const accepted_loads& one, const accepted_loads& other) {
  return mean_of(one) > mean_of(other) ? 1 : mean_of(one) < mean_of(other) ? -1 : 0;
}

/// Pairs of orientations of a network that the two lengths of packets order in opposite ways.
double reversed_pairs(std::uint32_t switches,
                      int (*order)(const accepted_loads&, const accepted_loads&)) {
  const auto orders_of = [order](const direction_loads& of) {
    return std::array<int, 3>{order(of.mdst, of.post), order(of.post, of.genetic),
                              order(of.genetic, of.mdst)};
  };
  double reversed = 0;
  for (const compared_directions& each : networks_with(switches)) {
    const std::array<int, 3> by_short = orders_of(each.of_short);
    const std::array<int, 3> by_long = orders_of(each.of_long);
    for (std::size_t pair = 0; pair < by_short.size(); ++pair) {
      if (by_short[pair] * by_long[pair] < 0) ++reversed;
    }
  }
  return reversed;
}

/// Collects rows.
class direction_rows {
 public:
  explicit direction_rows(const claims& all) : all_(all) {}

  /// Rows of sizes above 16 take long.
  void add(const std::string& id, std::uint32_t switches, const std::function<double()>& measure) {
    planned_row row = all_["cluster." + id].row();
    row.shape.configuration = json_value::make_object();
    row.shape.configuration.set("switches", json_value(switches));
    row.shape.configuration.set("graphs", json_value(networks_of(switches)));
    row.shape.configuration.set("patience", json_value(search_patience));
    row.measure = [measure](const point_results&) { return measure(); };
    row.only_full = switches > 16;
    rows_.push_back(std::move(row));
  }

  std::vector<planned_row> take() { return std::move(rows_); }

 private:
  const claims& all_;
  std::vector<planned_row> rows_;
};

void add_gains(direction_rows& rows) {
  for (const std::uint32_t switches : {16U, 24U, 32U, 48U, 64U}) {
    const std::string id = "T35." + std::to_string(switches);
    rows.add(id + ".least", switches, [=] { return least_over_both(switches); });
    rows.add(id + ".over_mdst", switches,
             [=] { return mean_gain_over(switches, &direction_loads::mdst); });
    rows.add(id + ".over_post", switches,
             [=] { return mean_gain_over(switches, &direction_loads::post); });
  }
  rows.add("T35.growth.from_8", 16, [] { return least_growth({8, 16}); });
  rows.add("T35.growth.ends", 64, [] { return least_growth({16, 64}); });
  rows.add("T35.growth.steps", 64, [] { return least_growth({16, 24, 32, 48, 64}); });
}

void add_eight(direction_rows& rows) {
  rows.add("T36.mdst", 8, [] { return farthest_gain_over(8, &direction_loads::mdst); });
  rows.add("T36.post", 8, [] { return farthest_gain_over(8, &direction_loads::post); });
  rows.add("T36.load", 8, [] { return mean_load(8, &direction_loads::mdst); });
}

void add_packets(direction_rows& rows) {
  for (const std::uint32_t switches : {8U, 16U, 32U, 64U}) {
    const std::string id = "T37." + std::to_string(switches);
    rows.add(id, switches, [=] { return reversed_pairs(switches, order_of); });
    rows.add(id + ".means", switches, [=] { return reversed_pairs(switches, order_of_means); });
  }
}

}  // namespace

std::vector<planned_row> cluster_direction_checks(const claims& cluster) {
  direction_rows rows(cluster);
  add_gains(rows);
  add_eight(rows);
  add_packets(rows);
  return rows.take();
}

}  // namespace tributary::validation
