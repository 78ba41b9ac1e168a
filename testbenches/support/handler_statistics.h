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
inline std::map<std::string, std::uint64_t> handler_totals(magic_machine& machine,
                                                           const std::string& statistic = "count") {
  const std::string group = ".protocol_processor.handler.";
  statistics_tree tree;
  machine.report(tree.root());
  std::map<std::string, std::uint64_t> sums;
  for (const flat_statistic& each : tree.flatten()) {
    const std::size_t at = each.path.find(group);
    const std::size_t end = each.path.rfind('.');
    if (at == std::string::npos || each.path.substr(end + 1) != statistic) continue;
    const std::size_t name = at + group.size();
    sums[each.path.substr(name, end - name)] += static_cast<std::uint64_t>(each.value);
  }
  return sums;
}

/// That of one handler; 0 if it never ran.
inline std::uint64_t handler_total(magic_machine& machine, const std::string& handler,
                                   const std::string& statistic = "count") {
  return handler_totals(machine, statistic)[handler];
}

}  // namespace tributary::testing
