// SPDX-License-Identifier: Apache-2.0
// What the handlers of a machine took.
#pragma once

#include <cstdint>
#include <string>

#include <tributary/magic/magic_machine.h>
#include <tributary/sim/statistics.h>

namespace tributary::testing {

/// A statistic of a handler, summed over all nodes; 0 if it never ran.
inline std::uint64_t of_handler(magic_machine& machine, const std::string& handler,
                                const std::string& statistic = "count") {
  const std::string path = ".protocol_processor.handler." + handler + "." + statistic;
  statistics_tree tree;
  machine.report(tree.root());
  double sum = 0;
  for (const flat_statistic& each : tree.flatten()) {
    const std::size_t at = each.path.find(path);
    if (at != std::string::npos && at + path.size() == each.path.size()) sum += each.value;
  }
  return static_cast<std::uint64_t>(sum);
}

}  // namespace tributary::testing
