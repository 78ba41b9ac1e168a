// SPDX-License-Identifier: Apache-2.0
// Hosts of a grid that exchange messages with their neighbours, iteration by iteration.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tributary/network/traffic/traffic_kernel.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/ids.h>
#include <tributary/sim/state.h>

namespace tributary {

/// Host h stands at x = h mod columns, y = h / columns. In each iteration it sends a message to
/// each neighbour, waits for this iteration's message of each, and then computes. Nobody waits for
/// all: hosts may be apart by as many iterations as they have links of the grid between them.
/// Source: Chen and Wyckoff, "Simulation studies of Gigabit Ethernet versus Myrinet", CANPC 2000.
class grid_exchange final : public traffic_kernel {
 public:
  /// Of the kernel; times in cycles.
  struct options {
    std::uint32_t columns = 16;
    bool wraps = false;  ///< a torus: every host has four neighbours
    std::uint64_t bytes = 32;
    std::uint32_t iterations = 10;
    cycle_t compute = 0;  ///< from an iteration's last message to the next iteration
  };
  explicit grid_exchange(const options& wanted) : options_(wanted) {}
  /// Throws `configuration_error` for a width that makes no grid of so many hosts.
  static void check(const options& wanted, std::uint32_t hosts);

  void begin(traffic_hosts& hosts) override;
  void called(traffic_hosts& hosts, node_id host, cycle_t now) override;
  void arrived(traffic_hosts& hosts, const traffic_message& message, node_id host,
               cycle_t now) override;
  bool finished() const override { return left_ == 0; }

  std::string save() const override;
  void restore(const std::string& state) override;

  /// When the last host was done with its last iteration, in cycles from the first.
  cycle_t completion() const { return completion_; }
  /// The most iterations by which neighbours ever were apart.
  std::uint32_t most_apart() const { return most_apart_; }

 private:
  struct place {
    std::vector<node_id> neighbours{};
    std::vector<std::uint32_t> received{};  ///< messages, by neighbour
    std::uint32_t sent = 0;                 ///< iterations

    TRIBUTARY_STATE(received, sent);
  };

  void advance(traffic_hosts& hosts, node_id host, cycle_t now);

  options options_;
  std::vector<place> places_;
  std::uint32_t left_ = 0;  ///< hosts
  cycle_t completion_ = 0;
  std::uint32_t most_apart_ = 0;
};

}  // namespace tributary
