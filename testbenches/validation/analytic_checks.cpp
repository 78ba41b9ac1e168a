// SPDX-License-Identifier: Apache-2.0
#include "checks.h"

namespace tributary::validation {

double uniform_transit(double stages, double m, double p) {
  return (1 + m * m * p / (4 * (1 - m * p))) * stages + m - 1;
}

double hot_spot_load(double n, double h, double interval) {
  return 1 / (interval * (1 + h * (n - 1)));
}

namespace {

double log2_of(double power_of_two) {
  double k = 0;
  for (double n = 1; n < power_of_two; n *= 2) ++k;
  return k;
}

/// Cycles on one way beyond those of an empty network: one a stage, and m - 1 for the tail.
planned_row uniform_queueing(const family& claim, double n, double occupancy) {
  const double m = claim.number("link_cycles");
  const double p = occupancy / m;
  const double stages = log2_of(n);
  planned_row row = claim.row_with(id_text(n) + "." + id_text(occupancy),
                                   uniform_transit(stages, m, p) - uniform_transit(stages, m, 0));
  row.points = {claim.on("baseline").elements(n).with("workload.open_loop.load=" + id_text(p))};
  row.measure = [stages](const point_results& at) {
    return at[0]->mean("network.transit.mean") - stages;
  };
  return row;
}

std::vector<planned_row> uniform_traffic(const family& claim) {
  std::vector<planned_row> rows;
  for (const double n : claim.numbers("sizes")) {
    for (const double occupancy : claim.numbers("occupancies")) {
      rows.push_back(uniform_queueing(claim, n, occupancy));
    }
    for (const double occupancy : claim.numbers("occupancies_shown")) {
      rows.push_back(uniform_queueing(claim, n, occupancy));
      rows.back().shape.expected.judged = false;
    }
  }
  return rows;
}

std::vector<planned_row> hot_spot_loads(const family& claim) {
  std::vector<planned_row> rows;
  const double interval = claim.number("memory_interval");
  for (const double n : claim.numbers("sizes")) {
    for (const double h : claim.numbers("hot_spots")) {
      planned_row each =
          claim.row_with(id_text(n) + "." + id_text(h), hot_spot_load(n, h, interval));
      each.points = {
          claim.on("no_combining").elements(n).with("workload.traffic.hot_spot=" + id_text(h))};
      each.measure = [](const point_results& at) { return at[0]->mean("interface.accepted_load"); };
      rows.push_back(each);
    }
  }
  return rows;
}

}  // namespace

std::vector<planned_row> analytic_checks(const claims& all) {
  std::vector<planned_row> rows = uniform_traffic(all["A1"]);
  for (planned_row& each : hot_spot_loads(all["A2"])) rows.push_back(std::move(each));
  return rows;
}

std::vector<planned_row> all_checks(const claims& ultracomputer, const claims& flash,
                                    const claims& smp, const claims& data_parallel,
                                    const claims& cluster) {
  const claims& all = ultracomputer;
  std::vector<planned_row> rows = published_checks(all);
  for (planned_row& each : coordination_checks(all)) rows.push_back(std::move(each));
#ifdef TRIBUTARY_WITH_SYSTEMC
  for (planned_row& each : socket_checks(all)) rows.push_back(std::move(each));
#endif
  for (planned_row& each : analytic_checks(all)) rows.push_back(std::move(each));
  for (planned_row& each : clock_checks(all)) rows.push_back(std::move(each));
#ifdef TRIBUTARY_WITH_RTL
  for (planned_row& each : rtl_checks(all)) rows.push_back(std::move(each));
#endif
  for (planned_row& each : flash_checks(flash)) rows.push_back(std::move(each));
  for (planned_row& each : smp_checks(smp)) rows.push_back(std::move(each));
  for (planned_row& each : data_parallel_checks(data_parallel)) rows.push_back(std::move(each));
  for (planned_row& each : cluster_traffic_checks(cluster)) rows.push_back(std::move(each));
  for (planned_row& each : cluster_load_checks(cluster)) rows.push_back(std::move(each));
  for (planned_row& each : cluster_checks(cluster)) rows.push_back(std::move(each));
  for (planned_row& each : host_interface_checks(cluster)) rows.push_back(std::move(each));
  for (planned_row& each : virtual_interface_checks(cluster)) rows.push_back(std::move(each));
  for (planned_row& each : cluster_channel_checks(cluster)) rows.push_back(std::move(each));
  for (planned_row& each : cluster_reconfiguration_checks(cluster)) {
    rows.push_back(std::move(each));
  }
  for (planned_row& each : reflective_checks(cluster)) rows.push_back(std::move(each));
  for (planned_row& each : cluster_predictor_checks(cluster)) rows.push_back(std::move(each));
  for (planned_row& each : cluster_relation_checks(cluster)) rows.push_back(std::move(each));
  return rows;
}

}  // namespace tributary::validation
