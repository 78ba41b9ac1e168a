// SPDX-License-Identifier: Apache-2.0
// How long a request would be under way through a loaded network, for loosely timed accesses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include <tributary/sim/cycle.h>

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
///
/// Loosely timed initiators run ahead of the simulation, by a quantum of many windows perhaps. Each
/// of their requests counts in the window of its own cycle, and all use the window that the
/// simulation has just left: the last one to which nothing can be added any more.
class latency_estimate {
 public:
  /// For `ports` ports and `stages` stages each way. Throws `configuration_error` for values out of
  /// range.
  latency_estimate(const latency_estimate_config& config, std::size_t ports, unsigned stages,
                   std::uint32_t link_cycles);

  /// So many requests enter the network in cycle `at`. The simulation is in cycle `now`, which
  /// never goes back but by `reset`; `at` may lie any time ahead of it, in any order.
  void count(cycle_t now, cycle_t at, std::size_t requests) {
    if (now >= window_end_) begin_window(now);
    if (at < window_end_) {
      requests_ += requests;
    } else {
      if (at < latest_begin_ || at >= latest_end_) look_at_window_of(at);
      latest_requests_ += requests;
    }
  }

  /// The same for requests that enter evenly from cycle `first` to cycle `last`.
  void count(cycle_t now, cycle_t first, cycle_t last, std::size_t requests);

  /// Forgets the load; the next cycle is 1 again.
  void reset();

  /// Requests per port and cycle in the window before the current one.
  double load() const { return load_; }
  /// Cycles that a round trip takes beyond that of a lone request.
  double excess() const { return excess_; }
  /// The same for a given load.
  double excess_at(double load) const;

 private:
  void begin_window(cycle_t now);
  void look_at_window_of(cycle_t at);
  void put_latest_away();

  latency_estimate_config config_;
  std::size_t ports_;
  unsigned stages_;
  std::uint32_t link_cycles_;
  cycle_t window_end_;
  std::uint64_t requests_ = 0;              // in the current window
  std::map<cycle_t, std::uint64_t> ahead_;  // in later ones, by the number of the window
  // The later one that was counted in last: the next request is often in it too.
  cycle_t latest_begin_ = 0;
  cycle_t latest_end_ = 0;
  std::uint64_t latest_requests_ = 0;
  double load_ = 0;
  double excess_ = 0;
};

}  // namespace tributary
