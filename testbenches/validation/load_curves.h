// SPDX-License-Identifier: Apache-2.0
// Latency and accepted load of random wormhole networks by offered load, for both up*/down*
// orientations.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <tributary/network/traffic/destination_pattern.h>
#include <tributary/network/traffic/load_measurement.h>

namespace tributary::validation {

/// What is measured: ten random networks of switches with four links and four hosts each, a flit of
/// 6.25 ns, 24 cycles for a head in a switch (P4). Messages have one flit of header.
struct load_condition {
  std::uint32_t switches = 32;
  std::uint32_t flits = 32;
  bool bimodal = false;  ///< a quarter of messages has 512 flits
  destination_kind pattern = destination_kind::uniform;
  std::uint32_t buffer_flits = 64;
  std::uint32_t header_cycles = 0;  ///< as `wormhole_config` has it
  /// Simulated flit by flit, as buffers that are shorter than a hop must be.
  bool by_flits = false;

  bool operator<(const load_condition& other) const;
};

/// Samples by ascending load, 8 % apart, up to the third in a row that is saturated.
using load_curve = std::vector<load_sample>;

/// Curves of a network with depth-first and breadth-first up*/down* routes, over the same loads.
struct load_curves {
  load_curve bfs;
  load_curve dfs;
};

/// Of each of the ten networks.
using network_curves = std::vector<load_curves>;

/// Measured when it is first asked for.
const network_curves& curves_of(const load_condition& condition);

/// Throughput by the first definition: the greatest accepted load of a curve, in flits a host and
/// cycle.
double greatest_accepted(const load_curve& curve);
/// By the second: the accepted load at which messages take three times as long as at the lowest
/// load, by a straight line between two samples.
double accepted_at_three_times(const load_curve& curve);

/// The gain of depth-first over breadth-first, of each network.
std::vector<double> gains(const load_condition& condition, double (*throughput)(const load_curve&));
/// Half of the 95 % confidence interval of the mean (Student), of ten values.
double half_interval(const std::vector<double>& ten);
/// The greatest latency of depth-first by that of breadth-first, each the mean of the networks, at
/// all loads that no network falls behind.
double greatest_latency_ratio(const load_condition& condition);

}  // namespace tributary::validation
