// SPDX-License-Identifier: Apache-2.0
// Rows of cluster networks whose switches go off and on in traffic (T39 to T42 of section 14 of the
// specification of CANPC 2000). Switch 0 goes off and on in the cycles of the paper.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <tributary/network/graph/random_graph.h>
#include <tributary/network/reconfiguration/reconfigured_network.h>
#include <tributary/network/traffic/destination_pattern.h>
#include <tributary/network/traffic/load_traffic.h>
#include <tributary/network/traffic/traffic_run.h>

#include "checks.h"
#include "family.h"
#include "measured_once.h"

namespace tributary::validation {
namespace {

using changed_rows = std::vector<planned_row>;

constexpr cycle_t off_at = 150'000;
constexpr cycle_t on_at = 200'000;
constexpr cycle_t last_cycle = 250'000;

/// What one network did.
struct changed_run {
  double gap = 0;        ///< longest time without a delivery
  double discards = 0;   ///< but for hosts that cannot be reached
  double cycles = 0;     ///< of a reconfiguration, mean
  double overshoot = 0;  ///< latency behind a reconfiguration, next to that before
};

message_network_config packets_of_16() {
  message_network_config links;
  links.clock.period = 1000;
  links.bandwidth = 1000;
  links.header_bytes = 1;
  links.payload_bytes = 15;
  links.lanes = 2;
  links.endpoint_buffers = 1024;
  return links;
}

/// The switch of P6: two virtual channels, a packet's buffer each.
channel_network_config switches_of_p6() {
  channel_network_config config;
  config.switches.channels = 2;
  config.switches.buffer_flits = 16;
  config.switches.switching = flit_switching::cut_through;
  config.switches.inputs = crossbar_inputs::per_channel;
  return config;
}

/// Mean latency from posting to the last byte of messages that came until `last`.
double latency_until(traffic_run& run, cycle_t last) {
  const average before = run.messages().all();
  run.run_until(last);
  const average after = run.messages().all();
  return static_cast<double>(after.sum() - before.sum()) /
         static_cast<double>(after.count() - before.count());
}

changed_run run_changed(reconfigured_network& network, double load, std::uint64_t seed) {
  load_traffic::options options;
  options.load = load;
  options.bytes = 15;
  options.seed = seed;
  load_traffic kernel(options, destination_pattern({}, network.graph()));
  traffic_run run(network, kernel);
  network.on_discard([&](const network_transfer& packet, cycle_t) { run.lost(packet); });
  constexpr cycle_t after = 1000;
  changed_run found;
  run.run_until(off_at - 5000);
  const double before = latency_until(run, off_at);
  while (network.reconfigurations().records().empty() || network.reconfiguring()) {
    run.run_until(run.now() + 100);
  }
  found.overshoot = latency_until(run, run.now() + after) / before;
  run.run_until(last_cycle);
  const reconfiguration_statistics& measured = network.reconfigurations();
  found.gap = static_cast<double>(measured.longest_gap());
  found.discards = static_cast<double>(measured.discards().lost());
  for (const reconfiguration_record& each : measured.records()) {
    found.cycles +=
        static_cast<double>(each.cycles()) / static_cast<double>(measured.records().size());
  }
  return found;
}

/// Networks of which rows share a run.
struct changed_networks {
  reconfiguration_mode mode = reconfiguration_mode::fixed;
  std::uint32_t switches = 0;
  double load = 0;
  std::uint64_t seeds = 0;

  bool operator<(const changed_networks& other) const {
    return std::tie(mode, switches, load, seeds) <
           std::tie(other.mode, other.switches, other.load, other.seeds);
  }
};

/// Means over the random networks of seeds 1 to `seeds`.
changed_run measured_mean(const changed_networks& where) {
  changed_run mean;
  for (std::uint64_t seed = 1; seed <= where.seeds; ++seed) {
    reconfiguration_config how;
    how.mode = where.mode;
    how.events = {{off_at, switch_id{0}, false}, {on_at, switch_id{0}, true}};
    auto graph =
        std::make_shared<const network_graph>(random_regular_graph({where.switches, 4, 4, seed}));
    reconfigured_network network(packets_of_16(), switches_of_p6(), how, graph);
    const changed_run one = run_changed(network, where.load, seed);
    const auto share = 1.0 / static_cast<double>(where.seeds);
    mean.gap += share * one.gap;
    mean.discards += share * one.discards;
    mean.cycles += share * one.cycles;
    mean.overshoot += share * one.overshoot;
  }
  return mean;
}

const changed_run& mean_run(reconfiguration_mode mode, std::uint32_t switches, double load,
                            std::uint64_t seeds) {
  static measured_once<changed_networks, changed_run> all(measured_mean);
  return all.at({mode, switches, load, seeds});
}

const changed_run& mean_of_claim(const family& claim, reconfiguration_mode mode) {
  return mean_run(mode, static_cast<std::uint32_t>(claim.member("switches").as_unsigned()),
                  claim.number("load"), claim.member("seeds").as_unsigned());
}

planned_row changed_row(const claims& all, const std::string& id,
                        const std::function<double(const family&)>& measure) {
  const family claim = all["cluster." + id];
  planned_row row = claim.row();
  row.shape.configuration = json_value::make_object();
  for (const char* key : {"switches", "sizes", "load", "seeds"}) {
    if (claim.has(key)) row.shape.configuration.set(key, claim.member(key));
  }
  row.measure = [claim, measure](const point_results&) { return measure(claim); };
  return row;
}

planned_row mean_row(const claims& all, const std::string& id, reconfiguration_mode mode,
                     double changed_run::*what) {
  return changed_row(all, id,
                     [=](const family& claim) { return mean_of_claim(claim, mode).*what; });
}

/// Ordered next to static.
planned_row ratio_row(const claims& all, const std::string& id, double changed_run::*what) {
  return changed_row(all, id, [=](const family& claim) {
    return mean_of_claim(claim, reconfiguration_mode::ordered).*what /
           (mean_of_claim(claim, reconfiguration_mode::fixed).*what);
  });
}

/// The least step of static discards from one size to the next.
double growth_of_discards(const family& claim) {
  std::vector<double> discards;
  for (const double size : claim.numbers("sizes")) {
    discards.push_back(mean_run(reconfiguration_mode::fixed, static_cast<std::uint32_t>(size),
                                claim.number("load"), claim.member("seeds").as_unsigned())
                           .discards);
  }
  double least = discards.back();
  for (std::size_t i = 1; i < discards.size(); ++i) {
    least = std::min(least, discards[i] - discards[i - 1]);
  }
  return least;
}

/// A random network, and a switch with one link to its switch 0.
std::shared_ptr<const network_graph> with_leaf(std::uint32_t switches, std::uint64_t seed) {
  const network_graph random = random_regular_graph({switches, 4, 4, seed});
  network_plan plan;
  plan.name = "random with a leaf";
  plan.ports.assign(switches + 1, 9);
  for (std::uint32_t l = 0; l < random.links(); ++l) plan.links.push_back(random.link(l));
  plan.links.push_back({{switch_id{0}, 8}, {switch_id{switches}, 8}});
  for (std::uint32_t h = 0; h < random.hosts(); ++h) {
    plan.hosts.push_back(random.host_port(host_id{h}));
  }
  for (std::uint32_t port = 0; port < 4; ++port) plan.hosts.push_back({switch_id{switches}, port});
  return std::make_shared<const network_graph>(std::move(plan));
}

/// Discards, of all seeds, when the leaf comes on.
double leaf_discards(const family& claim) {
  const auto switches = static_cast<std::uint32_t>(claim.member("switches").as_unsigned());
  double discards = 0;
  for (std::uint64_t seed = 1; seed <= claim.member("seeds").as_unsigned(); ++seed) {
    reconfiguration_config how;
    how.off_at_first = {switch_id{switches}};
    how.events = {{off_at, switch_id{switches}, true}};
    reconfigured_network network(packets_of_16(), switches_of_p6(), how, with_leaf(switches, seed));
    discards += run_changed(network, claim.number("load"), seed).discards;
  }
  return discards;
}

}  // namespace

std::vector<planned_row> cluster_reconfiguration_checks(const claims& cluster) {
  constexpr auto fixed = reconfiguration_mode::fixed;
  constexpr auto ordered = reconfiguration_mode::ordered;
  changed_rows rows;
  rows.push_back(mean_row(cluster, "T39.gap", fixed, &changed_run::gap));
  rows.push_back(mean_row(cluster, "T39.overshoot", fixed, &changed_run::overshoot));
  rows.push_back(mean_row(cluster, "T40.gap", ordered, &changed_run::gap));
  rows.push_back(ratio_row(cluster, "T40.discards", &changed_run::discards));
  rows.push_back(ratio_row(cluster, "T40.cycles", &changed_run::cycles));
  rows.push_back(changed_row(cluster, "T41.growth", growth_of_discards));
  rows.push_back(changed_row(cluster, "T42.leaf", leaf_discards));
  return rows;
}

}  // namespace tributary::validation
