// SPDX-License-Identifier: Apache-2.0
// The traffic of a cluster, as a run file chooses it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <tributary/network/graph/network_graph.h>
#include <tributary/network/traffic/destination_pattern.h>
#include <tributary/network/traffic/grid_exchange.h>
#include <tributary/network/traffic/h_relation.h>
#include <tributary/network/traffic/load_traffic.h>
#include <tributary/network/traffic/traffic_kernel.h>
#include <tributary/sim/clock.h>

namespace tributary {

class parameter_set;

/// Which kernel.
enum class cluster_kernel : std::uint8_t {
  token_pass,
  fan_in,
  fan_out,
  exchange,
  torus_exchange,
  load,
  h_relation,
  replay
};

/// The network that traffic runs on.
struct traffic_place {
  const network_graph& graph;
  clock_domain clock;
  double bandwidth = 0;  ///< of a host's link, in megabytes a second

  /// What a host's link carries in a cycle, in bytes.
  double link_bytes() const;
};

/// A kernel and its parameters.
struct cluster_traffic {
  cluster_kernel kernel = cluster_kernel::token_pass;
  std::uint64_t bytes = 1;
  std::uint32_t laps = 1;
  bool broadcast = false;
  std::uint32_t columns = 16;
  std::uint32_t iterations = 10;
  // Of load.
  double load = 0.1;  ///< of what a host's link carries
  destination_config destinations;
  std::uint64_t long_bytes = 512;
  double long_share = 0;
  // Of h_relation.
  std::uint32_t messages = 1;
  std::uint32_t supersteps = 10;
  bool barrier = true;
  std::string path;  ///< of replay
  // In nanoseconds.
  std::uint64_t think = 0;
  std::uint64_t stagger = 0;
  std::uint64_t compute = 10000;
  std::uint64_t pause = 0;

  void bind(parameter_set& parameters);
  /// Throws `configuration_error` if the kernel does not fit the network, or times are not whole
  /// cycles, and `input_error` for a file of messages.
  void validate(const traffic_place& where) const;
  /// `seed` is what a load draws by.
  std::unique_ptr<traffic_kernel> made(const traffic_place& where, std::uint64_t seed) const;

 private:
  void bind_load(parameter_set& parameters);
  void bind_others(parameter_set& parameters);
  grid_exchange::options grid(const clock_domain& clock) const;
  load_traffic::options load_options(const traffic_place& where, std::uint64_t seed) const;
  h_relation::options relation(const clock_domain& clock) const;
};

}  // namespace tributary
