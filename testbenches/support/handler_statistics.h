// SPDX-License-Identifier: Apache-2.0
// What the handlers of a machine took.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include <tributary/magic/magic_machine.h>
#include <tributary/sim/statistics.h>

namespace tributary::testing {

/// A statistic of each handler that ran, summed over all nodes.
inline std::map<std::string, std::uint64_t> handler_totals(const magic_machine& machine,
                                                           const std::string& statistic = "count") {
  const std::string group = "handler.";
  std::map<std::string, std::uint64_t> sums;
  for (std::size_t i = 0; i < machine.size(); ++i) {
    // Its part of the machine's report, which takes long.
    statistics_tree tree;
    machine.node(i).processing().report(tree.root(), machine.now());
    for (const flat_statistic& each : tree.flatten()) {
      const std::size_t end = each.path.rfind('.');
      if (each.path.rfind(group, 0) != 0 || each.path.substr(end + 1) != statistic) continue;
      sums[each.path.substr(group.size(), end - group.size())] +=
          static_cast<std::uint64_t>(each.value);
    }
  }
  return sums;
}

/// That of one handler; 0 if it never ran.
inline std::uint64_t handler_total(const magic_machine& machine, const std::string& handler,
                                   const std::string& statistic = "count") {
  return handler_totals(machine, statistic)[handler];
}

}  // namespace tributary::testing
