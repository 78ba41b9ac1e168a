// SPDX-License-Identifier: Apache-2.0
#include <tributary/nic/latency_estimate.h>

#include <algorithm>

#include <tributary/sim/parameters.h>

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
      link_cycles_(link_cycles),
      window_end_(config_.window) {}

double latency_estimate::excess_at(double load) const {
  constexpr double saturation = 0.95;
  const double service = config_.memory_interval;
  const double link = std::min(saturation, link_cycles_ * load);
  const double module = std::min(saturation, service * load);
  const double stage = link_cycles_ * link / (4 * (1 - link));
  return 2 * stages_ * stage + service * module / (2 * (1 - module));
}

void latency_estimate::count(cycle_t now, cycle_t first, cycle_t last, std::size_t requests) {
  for (;;) {
    const cycle_t next = (first / config_.window + 1) * config_.window;
    if (last < next) break;
    const std::size_t share = requests * (next - first) / (last + 1 - first);
    count(now, first, share);
    requests -= share;
    first = next;
  }
  count(now, first, requests);
}

void latency_estimate::reset() {
  window_end_ = config_.window;
  requests_ = 0;
  put_latest_away();
  ahead_.clear();
  load_ = excess_ = 0;
}

void latency_estimate::put_latest_away() {
  if (latest_requests_ != 0) ahead_[latest_begin_ / config_.window] += latest_requests_;
  latest_begin_ = latest_end_ = latest_requests_ = 0;
}

void latency_estimate::look_at_window_of(cycle_t at) {
  put_latest_away();
  latest_begin_ = at / config_.window * config_.window;
  latest_end_ = latest_begin_ + config_.window;
}

void latency_estimate::begin_window(cycle_t now) {
  put_latest_away();
  const cycle_t current = now / config_.window;
  // After a pause the window before is none that was current, but some may have run into it.
  std::uint64_t before = current * config_.window == window_end_ ? requests_ : 0;
  requests_ = 0;
  while (!ahead_.empty() && ahead_.begin()->first <= current) {
    const auto& [window, requests] = *ahead_.begin();
    if (window + 1 == current) before = requests;
    if (window == current) requests_ = requests;
    ahead_.erase(ahead_.begin());
  }
  window_end_ = (current + 1) * config_.window;
  load_ = static_cast<double>(before) /
          (static_cast<double>(config_.window) * static_cast<double>(ports_));
  excess_ = excess_at(load_);
}

}  // namespace tributary
