// SPDX-License-Identifier: Apache-2.0
// Supersteps in which every host sends, and receives, the same number of messages.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tributary/network/traffic/traffic_kernel.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/ids.h>
#include <tributary/sim/state.h>

namespace tributary {

/// The h-relation of BSP: in each superstep a host sends `messages` messages at once, the first to
/// the next host, the second to the one after it, and so on around all others, so that each host
/// receives as many. The times of a superstep for several numbers of messages give g, their slope,
/// and l, what is left for none.
/// Source: Martin and Wilson, "A visual BSP programming environment for distributed computing",
/// CANPC 2000 (P2); the order of destinations is ours.
class h_relation final : public traffic_kernel {
 public:
  /// Of the kernel; times in cycles.
  struct options {
    std::uint32_t messages = 1;  ///< h
    std::uint64_t bytes = 4;     ///< of a message
    std::uint32_t supersteps = 10;
    /// Whether all begin a superstep at once, when the last message of the one before is there.
    /// Otherwise a host begins when it has received as many messages as it has sent, from
    /// whichever superstep they are.
    bool barrier = true;
    cycle_t pause = 0;  ///< from the last message of a superstep to the next
  };
  explicit h_relation(const options& wanted) : options_(wanted) {}

  void begin(traffic_hosts& hosts) override;
  void called(traffic_hosts& hosts, node_id host, cycle_t now) override;
  void arrived(traffic_hosts& hosts, const traffic_message& message, node_id host,
               cycle_t now) override;
  bool finished() const override { return left_ == 0; }

  std::string save() const override;
  void restore(const std::string& state) override;

  /// From the first message to the last, in cycles, for each superstep.
  double superstep_cycles() const;

 private:
  struct place {
    std::uint32_t supersteps = 0;  ///< begun
    std::uint64_t received = 0;

    TRIBUTARY_STATE(supersteps, received);
  };

  options options_;
  std::vector<place> places_;
  std::uint64_t left_ = 0;  ///< messages
  std::uint64_t came_ = 0;  ///< of the superstep, with a barrier
  cycle_t last_ = 0;
};

}  // namespace tributary
