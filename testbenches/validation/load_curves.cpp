// SPDX-License-Identifier: Apache-2.0
#include "load_curves.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <tuple>

#include <tributary/network/graph/random_graph.h>
#include <tributary/network/routing/dfs_orientation.h>
#include <tributary/network/routing/orientation.h>
#include <tributary/network/routing/up_down_routes.h>
#include <tributary/network/routing/up_down_table.h>
#include <tributary/network/switching/channel_network.h>
#include <tributary/network/switching/wormhole_network.h>
#include <tributary/network/traffic/load_traffic.h>

#include "measured_once.h"

namespace tributary::validation {
namespace {

constexpr std::uint32_t random_networks = 10;
constexpr double load_step = 1.08;
constexpr std::uint32_t header_flits = 1;

/// Myrinet as P4 has it: a byte is a flit and takes a cycle.
message_network_config myrinet_of_p4() {
  message_network_config config;
  config.clock.period = 6250;
  config.bandwidth = 160;
  config.header_bytes = header_flits;
  config.payload_bytes = 4096;
  config.hop_latency = 24;
  config.base_latency = 25;
  return config;
}

load_traffic::options load_of(const load_condition& condition, double load) {
  load_traffic::options made;
  made.load = load;
  made.bytes = condition.flits - header_flits;
  made.long_bytes = 512 - header_flits;
  made.long_share = condition.bimodal ? 0.25 : 0;
  return made;
}

/// Some thousand messages, whatever their length.
load_window window_of(const load_condition& condition) {
  const cycle_t cycles = condition.switches < 64 ? 20000 : 10000;
  if (condition.bimodal) return {10000, 4 * cycles};
  return condition.flits > 32 ? load_window{20000, 8 * cycles} : load_window{5000, cycles};
}

/// Where curves begin: at about a third of what breadth-first routes carry.
double lowest_load(const load_condition& condition) {
  if (condition.switches < 16) return 0.08;
  if (condition.switches < 32) return 0.04;
  return condition.switches < 64 ? 0.02 : 0.01;
}

/// The same switches flit by flit: a head is routed for as long as it takes to the next switch in
/// all, and the flits behind it go on at once.
channel_network_config flits_of_p4(const load_condition& condition) {
  channel_network_config config;
  config.switches.channels = 1;
  config.switches.buffer_flits = condition.buffer_flits;
  config.switches.choice = route_choice::drawn;
  const std::uint32_t on_link = config.switches.flit_delay(config.switches.link_cycles);
  config.switches.routing_cycles =
      myrinet_of_p4().hop_latency - on_link - config.switches.channel_allocation_cycles;
  return config;
}

std::unique_ptr<message_network> network_of(const load_condition& condition,
                                            const std::shared_ptr<const network_graph>& graph,
                                            const routing_table& table) {
  const message_network_config links = myrinet_of_p4();
  if (condition.by_flits) {
    return std::make_unique<channel_network>(links, flits_of_p4(condition), graph, table);
  }
  return std::make_unique<wormhole_network>(links, condition.buffer_flits, graph, table, 1,
                                            condition.header_cycles);
}

/// Saturated curves go on for a few loads.
load_curve curve_of(const load_condition& condition,
                    const std::shared_ptr<const network_graph>& graph, const orientation& ends) {
  const up_down_routes routes(ends);
  const routing_table table = up_down_table(routes);
  destination_config pattern;
  pattern.kind = condition.pattern;
  const destination_pattern destinations(pattern, *graph);
  load_curve curve;
  int saturated = 0;
  for (double load = lowest_load(condition); saturated != 3 && load < 1; load *= load_step) {
    const std::unique_ptr<message_network> network = network_of(condition, graph, table);
    curve.push_back(
        measure_load(*network, destinations, load_of(condition, load), window_of(condition)));
    saturated = curve.back().is_saturated() ? saturated + 1 : 0;
  }
  return curve;
}

network_curves measured_curves(const load_condition& condition) {
  network_curves curves;
  for (std::uint64_t seed = 1; seed <= random_networks; ++seed) {
    const random_graph_config drawn{condition.switches, 4, 4, seed};
    const auto graph = std::make_shared<const network_graph>(random_regular_graph(drawn));
    curves.push_back({curve_of(condition, graph, bfs_orientation(*graph)),
                      curve_of(condition, graph, dfs_orientation(*graph))});
  }
  return curves;
}

measured_once<load_condition, network_curves>& all_curves() {
  static measured_once<load_condition, network_curves> all(measured_curves);
  return all;
}

double mean_latency(const network_curves& curves, load_curve load_curves::*which,
                    std::size_t place) {
  double sum = 0;
  for (const load_curves& each : curves) sum += (each.*which)[place].latency;
  return sum / static_cast<double>(curves.size());
}

}  // namespace

bool load_condition::operator<(const load_condition& other) const {
  const auto key = [](const load_condition& of) {
    return std::tie(of.switches, of.flits, of.bimodal, of.pattern, of.buffer_flits,
                    of.header_cycles, of.by_flits);
  };
  return key(*this) < key(other);
}

const network_curves& curves_of(const load_condition& condition) {
  return all_curves().at(condition);
}

double greatest_accepted(const load_curve& curve) {
  double most = 0;
  for (const load_sample& each : curve) most = std::max(most, each.accepted);
  return most;
}

double accepted_at_three_times(const load_curve& curve) {
  const double wanted = 3 * curve.front().latency;
  for (std::size_t i = 1; i < curve.size(); ++i) {
    const load_sample& before = curve[i - 1];
    const load_sample& here = curve[i];
    if (here.latency < wanted) continue;
    const double part = (wanted - before.latency) / (here.latency - before.latency);
    return before.accepted + part * (here.accepted - before.accepted);
  }
  return curve.back().accepted;
}

std::vector<double> gains(const load_condition& condition,
                          double (*throughput)(const load_curve&)) {
  std::vector<double> found;
  for (const load_curves& each : curves_of(condition)) {
    found.push_back(throughput(each.dfs) / throughput(each.bfs));
  }
  return found;
}

double half_interval(const std::vector<double>& ten) {
  constexpr double student_9 = 2.262;
  const auto count = static_cast<double>(ten.size());
  double sum = 0;
  for (const double each : ten) sum += each;
  double squares = 0;
  for (const double each : ten) squares += (each - sum / count) * (each - sum / count);
  return student_9 * std::sqrt(squares / (count - 1) / count);
}

double greatest_latency_ratio(const load_condition& condition) {
  const network_curves& curves = curves_of(condition);
  double greatest = 0;
  for (std::size_t place = 0;; ++place) {
    for (const load_curves& each : curves) {
      if (place >= each.bfs.size() || place >= each.dfs.size() || each.bfs[place].is_saturated() ||
          each.dfs[place].is_saturated()) {
        return greatest;
      }
    }
    greatest = std::max(greatest, mean_latency(curves, &load_curves::dfs, place) /
                                      mean_latency(curves, &load_curves::bfs, place));
  }
}

}  // namespace tributary::validation
