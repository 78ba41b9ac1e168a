// SPDX-License-Identifier: Apache-2.0
// What a network accepts of a load, and how long messages take.
#pragma once

#include <cstdint>

#include <tributary/network/message_network.h>
#include <tributary/network/traffic/destination_pattern.h>
#include <tributary/network/traffic/load_traffic.h>
#include <tributary/sim/cycle.h>

namespace tributary {

/// When is measured, in cycles.
struct load_window {
  cycle_t warm_up = 0;  ///< from the first message to the first that counts
  cycle_t cycles = 1;   ///< in which arrivals count
};

/// What was measured. Loads are bytes of payload a host and cycle.
struct load_sample {
  double offered = 0;  ///< that hosts did post
  double accepted = 0;
  double latency = 0;  ///< mean of messages, from posting to the last byte; not a number of none
  std::uint64_t messages = 0;

  /// Whether the network did not keep up: it accepted less than 95 % of the load.
  bool is_saturated() const { return accepted < 0.95 * offered; }
};

/// Runs `load_traffic` over a network that nobody else uses. Throws as its constructor, and as
/// `traffic_run::run`.
load_sample measure_load(message_network& network, const destination_pattern& destinations,
                         const load_traffic::options& load, const load_window& when);

}  // namespace tributary
