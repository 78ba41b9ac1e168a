// SPDX-License-Identifier: Apache-2.0
#include <tributary/nic/latency_estimate.h>

#include <algorithm>

#include <tributary/base/parameters.h>

namespace tributary {

void latency_estimate_config::bind(parameter_set& parameters) {
  parameters.add("memory_interval", memory_interval, interval<std::uint32_t>{1, 1000}, "cycles",
                 "Cycles between two requests that a memory module serves, as the estimate of "
                 "loosely timed latencies assumes.");
  parameters.add("window", window, interval<std::uint32_t>{16, 1000000}, "cycles",
                 "Cycles over which the load is counted for the estimate.");
}

latency_estimate::latency_estimate(const latency_estimate_config& config, std::size_t ports,
                                   unsigned stages, std::uint32_t link_cycles)
    : config_((check_ranges(config), config)),
      ports_(ports),
      stages_(stages),
      link_cycles_(link_cycles) {}

double latency_estimate::excess_at(double load) const {
  constexpr double saturation = 0.95;
  const double service = config_.memory_interval;
  const double link = std::min(saturation, link_cycles_ * load);
  const double module = std::min(saturation, service * load);
  const double stage = link_cycles_ * link / (4 * (1 - link));
  return 2 * stages_ * stage + service * module / (2 * (1 - module));
}

void latency_estimate::close_window(cycle_t now) {
  const auto cycles = static_cast<double>(now - window_start_);
  load_ = static_cast<double>(requests_) / (cycles * static_cast<double>(ports_));
  excess_ = excess_at(load_);
  window_start_ = now;
  requests_ = 0;
}

}  // namespace tributary
