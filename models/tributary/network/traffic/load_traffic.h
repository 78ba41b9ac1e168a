// SPDX-License-Identifier: Apache-2.0
// Hosts that send at a rate, whatever the network takes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tributary/network/traffic/destination_pattern.h>
#include <tributary/network/traffic/geometric_gaps.h>
#include <tributary/network/traffic/traffic_kernel.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/ids.h>
#include <tributary/sim/random_stream.h>
#include <tributary/sim/state.h>

namespace tributary {

/// An open loop: in every cycle each host posts a message with the same probability. Messages wait
/// at their host, without a bound, for the network to take them, and their latencies count from
/// when they were posted. The kernel never finishes.
/// Source: Sancho, Robles, Duato, "A new methodology to compute deadlock-free routing tables for
/// irregular networks", CANPC 2000 (P4).
class load_traffic final : public traffic_kernel {
 public:
  /// Of the kernel.
  struct options {
    double load = 0.1;  ///< bytes of payload that each host posts in a cycle, mean
    std::uint64_t bytes = 32;
    std::uint64_t long_bytes = 512;  ///< of long messages
    double long_share = 0;           ///< of all messages, 0 to 1
    std::uint64_t seed = 1;          ///< each host draws from streams of its own

    /// Of messages, in bytes.
    double mean_bytes() const;
  };
  /// Throws `configuration_error` for a load of more than a message a host and cycle, or none, and
  /// a share out of range.
  load_traffic(const options& wanted, destination_pattern destinations);

  void begin(traffic_hosts& hosts) override;
  void called(traffic_hosts& hosts, node_id host, cycle_t now) override;
  void arrived(traffic_hosts&, const traffic_message&, node_id, cycle_t) override {}
  bool finished() const override { return false; }

  /// Payload that hosts have posted, in bytes.
  std::uint64_t posted_bytes() const { return posted_bytes_; }

  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  struct sender {
    random_stream gaps;
    random_stream messages;

    TRIBUTARY_STATE(gaps, messages);
  };

  options options_;
  destination_pattern destinations_;
  geometric_gaps gaps_;
  std::uint64_t long_share_;  ///< threshold
  std::vector<sender> senders_;
  std::uint64_t posted_bytes_ = 0;
};

}  // namespace tributary
