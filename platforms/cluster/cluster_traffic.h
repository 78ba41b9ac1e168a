// SPDX-License-Identifier: Apache-2.0
// The traffic of a cluster, as a run file chooses it.
#pragma once

#include <cstdint>
#include <memory>

#include <tributary/network/traffic/grid_exchange.h>
#include <tributary/network/traffic/traffic_kernel.h>
#include <tributary/sim/clock.h>

namespace tributary {

class parameter_set;

/// Which kernel (Chen and Wyckoff, CANPC 2000).
enum class cluster_kernel : std::uint8_t { token_pass, fan_in, fan_out, exchange, torus_exchange };

/// A kernel and its parameters.
struct cluster_traffic {
  cluster_kernel kernel = cluster_kernel::token_pass;
  std::uint64_t bytes = 1;
  std::uint32_t laps = 1;
  bool broadcast = false;
  std::uint32_t columns = 16;
  std::uint32_t iterations = 10;
  // In nanoseconds.
  std::uint64_t think = 0;
  std::uint64_t stagger = 0;
  std::uint64_t compute = 10000;

  void bind(parameter_set& parameters);
  /// Throws `configuration_error` if the kernel does not fit so many hosts, or times are not whole
  /// cycles.
  void validate(std::uint32_t hosts, const clock_domain& clock) const;
  std::unique_ptr<traffic_kernel> made(const clock_domain& clock) const;

 private:
  grid_exchange::options grid(const clock_domain& clock) const;
};

}  // namespace tributary
