// SPDX-License-Identifier: Apache-2.0
// One message in flight in the whole network, around a ring of hosts.
#pragma once

#include <cstdint>
#include <string>

#include <tributary/network/traffic/traffic_kernel.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/ids.h>

namespace tributary {

/// Host 0 begins; each host sends to the next, host 0 after the last, until every host has sent
/// `laps` times.
/// Source: Chen and Wyckoff, "Simulation studies of Gigabit Ethernet versus Myrinet", CANPC 2000.
class token_pass final : public traffic_kernel {
 public:
  /// Of the kernel; times in cycles.
  struct options {
    std::uint64_t bytes = 1;
    std::uint32_t laps = 1;
    cycle_t think = 0;  ///< from a message's arrival to the next
  };
  explicit token_pass(const options& wanted) : options_(wanted) {}

  void begin(traffic_hosts& hosts) override {
    left_ = std::uint64_t{options_.laps} * hosts.count();
    if (left_ != 0) hosts.call(node_id{0}, first_traffic_cycle);
  }
  void called(traffic_hosts& hosts, node_id host, cycle_t now) override {
    const std::uint32_t next = (index(host) + 1) % hosts.count();
    hosts.host(host).post(node_id{next}, options_.bytes, now);
  }
  void arrived(traffic_hosts& hosts, const traffic_message&, node_id host, cycle_t now) override {
    if (--left_ == 0) return;
    if (options_.think == 0) {
      called(hosts, host, now);
    } else {
      hosts.call(host, now + options_.think);
    }
  }
  bool finished() const override { return left_ == 0; }

  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  options options_;
  std::uint64_t left_ = 0;  ///< messages
};

}  // namespace tributary
