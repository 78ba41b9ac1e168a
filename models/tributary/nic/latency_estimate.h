// SPDX-License-Identifier: Apache-2.0
// How long a request would be under way through a loaded network, for loosely timed accesses.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tributary/base/cycle.h>

namespace tributary {

class parameter_set;

/// What the estimate of loosely timed latencies assumes.
struct latency_estimate_config {
  /// Cycles between two requests that a memory module serves, for the queue in front of it.
  std::uint32_t memory_interval = 4;
  /// Cycles over which the load is counted; the estimate uses the window before the current one.
  std::uint32_t window = 1024;

  void bind(parameter_set& parameters);
};

/// The time that a request waits for others beyond the latency of a lone one, from the load that
/// was seen lately: the mean of uniform traffic, without combining and hot spots. In each stage of
/// either direction m^2 p / (4 (1 - m p)) cycles, for p requests per port and cycle and links of m
/// cycles (Kruskal and Snir, 1983; specification, A1), and in front of the memory module the wait
/// of a queue with random arrivals and constant service. A load near saturation counts as 0.95 of
/// it, beyond which a mean does not exist.
class latency_estimate {
 public:
  /// For `ports` ports and `stages` stages each way. Throws `configuration_error` for values out of
  /// range.
  latency_estimate(const latency_estimate_config& config, std::size_t ports, unsigned stages,
                   std::uint32_t link_cycles);

  /// So many requests enter the network from cycle `now` on. Cycles may come out of order.
  void count(cycle_t now, std::size_t requests) {
    if (now >= window_start_ + config_.window) close_window(now);
    requests_ += requests;
  }

  /// Requests per port and cycle in the window before the current one.
  double load() const { return load_; }
  /// Cycles that a round trip takes beyond that of a lone request.
  double excess() const { return excess_; }
  /// The same for a given load.
  double excess_at(double load) const;

 private:
  void close_window(cycle_t now);

  latency_estimate_config config_;
  std::size_t ports_;
  unsigned stages_;
  std::uint32_t link_cycles_;
  cycle_t window_start_ = 0;
  std::uint64_t requests_ = 0;
  double load_ = 0;
  double excess_ = 0;
};

}  // namespace tributary
