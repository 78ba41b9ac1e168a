// SPDX-License-Identifier: Apache-2.0
// Builds a plan link by link, with ports that it chooses.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tributary/network/graph/network_graph.h>

namespace tributary {

/// A plan whose links and hosts take the lowest free ports, unless they name theirs.
class plan_builder {
 public:
  /// The plan has its switches; what it has of links and hosts stays.
  explicit plan_builder(network_plan plan);

  /// Joins two switches by the lowest free ports. Throws `configuration_error` for a switch that
  /// has none.
  void join(std::uint32_t first, std::uint32_t second);
  /// Joins two ports. Whether they exist and are free is what `network_graph` checks.
  void join(const switch_port& first, const switch_port& second);
  /// Adds a host at a port, and `count` hosts at the lowest free ports of a switch.
  void add_host(const switch_port& where);
  void add_hosts(std::uint32_t at, std::uint32_t count);
  /// Has a port chosen for nothing else.
  void keep(const switch_port& where);
  /// Takes the lowest free port of a switch, with the error of `join`.
  switch_port take_port(std::uint32_t at);
  void place(std::uint32_t at, double x, double y);

  network_graph graph() const { return network_graph(plan_); }

 private:
  network_plan plan_;
  std::vector<std::vector<bool>> used_;
};

}  // namespace tributary
