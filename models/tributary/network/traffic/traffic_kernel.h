// SPDX-License-Identifier: Apache-2.0
// What hosts of traffic do: who sends what to whom, and when.
#pragma once

#include <cstdint>
#include <string>

#include <tributary/network/traffic/traffic_host.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/ids.h>

namespace tributary {

/// The hosts, as a kernel sees them.
class traffic_hosts {
 public:
  virtual std::uint32_t count() const = 0;
  /// Hosts to which a message for everyone comes.
  virtual std::uint32_t copies() const = 0;
  virtual traffic_host& host(node_id which) = 0;
  /// The kernel is called again for that host, in cycle `at`, which has not passed.
  virtual void call(node_id host, cycle_t at) = 0;

 protected:
  traffic_hosts() = default;
  traffic_hosts(const traffic_hosts&) = default;
  traffic_hosts& operator=(const traffic_hosts&) = default;
  ~traffic_hosts() = default;
};

/// A kernel of traffic, which runs on any network. Times are cycles of the network's clock.
class traffic_kernel {
 public:
  traffic_kernel() = default;
  traffic_kernel(const traffic_kernel&) = delete;
  traffic_kernel& operator=(const traffic_kernel&) = delete;
  virtual ~traffic_kernel() = default;

  /// Before the first cycle: asks for calls. Throws `configuration_error` if the kernel does not
  /// fit the number of hosts.
  virtual void begin(traffic_hosts& hosts) = 0;
  /// That a host asked for.
  virtual void called(traffic_hosts& hosts, node_id host, cycle_t now) = 0;
  /// A message is whole at a host.
  virtual void arrived(traffic_hosts& hosts, const traffic_message& message, node_id host,
                       cycle_t now) = 0;
  /// Whether every host has sent and received all that it had to.
  virtual bool finished() const = 0;

  /// What changes in it after `begin`, as bytes, and back; throws as `block::restore`.
  virtual std::string save() const = 0;
  virtual void restore(const std::string& state) = 0;
};

/// The cycle in which kernels begin.
inline constexpr cycle_t first_traffic_cycle = 1;

}  // namespace tributary
