// SPDX-License-Identifier: Apache-2.0
// All hosts send to one, and one to all.
#pragma once

#include <cstdint>
#include <string>

#include <tributary/network/traffic/traffic_kernel.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/ids.h>

namespace tributary {

/// Every host but host 0 sends it one message: host h in the first cycle + (h - 1) * `stagger`.
/// Source: Chen and Wyckoff, "Simulation studies of Gigabit Ethernet versus Myrinet", CANPC 2000.
class fan_in final : public traffic_kernel {
 public:
  /// Of the kernel; times in cycles.
  struct options {
    std::uint64_t bytes = 2048;
    cycle_t stagger = 0;  ///< between two senders
  };
  explicit fan_in(const options& wanted) : options_(wanted) {}

  void begin(traffic_hosts& hosts) override {
    left_ = hosts.count() - 1;
    for (std::uint32_t h = 1; h < hosts.count(); ++h) {
      hosts.call(node_id{h}, first_traffic_cycle + (h - 1) * options_.stagger);
    }
  }
  void called(traffic_hosts& hosts, node_id host, cycle_t now) override {
    hosts.host(host).post(node_id{0}, options_.bytes, now);
  }
  void arrived(traffic_hosts&, const traffic_message&, node_id, cycle_t) override { --left_; }
  bool finished() const override { return left_ == 0; }

  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  options options_;
  std::uint32_t left_ = 0;  ///< messages
};

/// Host 0 sends a message to every other: one after the other by ascending number, or one for
/// everyone, of which the network makes copies.
/// Source: as `fan_in`.
class fan_out final : public traffic_kernel {
 public:
  /// Of the kernel; times in cycles.
  struct options {
    std::uint64_t bytes = 2048;
    cycle_t stagger = 0;     ///< between two messages
    bool broadcast = false;  ///< needs a network with `broadcast`
  };
  explicit fan_out(const options& wanted) : options_(wanted) {}

  void begin(traffic_hosts& hosts) override {
    sent_ = 0;
    left_ = options_.broadcast ? hosts.copies() : hosts.count() - 1;
    hosts.call(node_id{0}, first_traffic_cycle);
  }
  void called(traffic_hosts& hosts, node_id host, cycle_t now) override {
    if (options_.broadcast) {
      hosts.host(host).post_to_everyone(options_.bytes, now);
      return;
    }
    do {
      hosts.host(host).post(node_id{++sent_}, options_.bytes, now);
    } while (options_.stagger == 0 && sent_ + 1 < hosts.count());
    if (sent_ + 1 < hosts.count()) hosts.call(host, now + options_.stagger);
  }
  void arrived(traffic_hosts&, const traffic_message&, node_id, cycle_t) override { --left_; }
  bool finished() const override { return left_ == 0; }

  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  options options_;
  std::uint32_t sent_ = 0;
  std::uint32_t left_ = 0;  ///< messages, or copies of one
};

}  // namespace tributary
