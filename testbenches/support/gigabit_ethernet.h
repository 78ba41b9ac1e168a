// SPDX-License-Identifier: Apache-2.0
// The network of conventional Gigabit Ethernet.
#pragma once

#include <tributary/network/message_network.h>

namespace tributary::testing {

/// Gigabit Ethernet of Chen and Wyckoff, in cycles of half a nanosecond: 8 ns a byte, 26 bytes
/// around a frame of 46 to 1500 bytes, 12 between frames; 205.5 ns on a host's link, 409 between
/// switches; both times are fitted (spec of CANPC 2000, 1.4 and 13.4). Its switches lose no frame
/// and stop none.
inline message_network_config gigabit_ethernet() {
  message_network_config config;
  config.clock.period = 500;
  config.switching = switching_kind::store_and_forward;
  config.arbiter = arbiter_kind::oldest_first;
  config.bandwidth = 125;
  config.header_bytes = 26;
  config.least_payload = 46;
  config.payload_bytes = 1500;
  config.gap_bytes = 12;
  config.base_latency = 822;
  config.hop_latency = 818;
  config.router_buffers = 1024;
  config.endpoint_buffers = 1024;
  config.broadcast = true;
  config.broadcast_self = false;
  return config;
}

}  // namespace tributary::testing
