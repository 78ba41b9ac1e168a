// SPDX-License-Identifier: Apache-2.0
#include <tributary/controller/message_watchdog.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <tributary/controller/attached_machine.h>
#include <tributary/sim/error.h>

namespace tributary {
namespace {

using edges = std::vector<std::vector<std::uint32_t>>;

/// By node: those for which its messages in the network wait, if it takes no others meanwhile.
edges waits_of(const attached_machine& machine, const std::vector<std::string>& reasons) {
  edges all(machine.size());
  for (const network_transfer& each : machine.network().waiting()) {
    const std::uint32_t to = index(each.destination);
    std::vector<std::uint32_t>& of = all[index(each.source)];
    if (reasons[index(each.source)].empty() || reasons[to].empty()) continue;
    if (std::find(of.begin(), of.end(), to) == of.end()) of.push_back(to);
  }
  for (auto& each : all) std::sort(each.begin(), each.end());
  return all;
}

/// Follows waits from the end of `way`; true with a cycle in `way`, and nothing before it.
bool find_cycle(const edges& all, std::vector<std::uint32_t>& way, std::vector<bool>& seen) {
  const std::uint32_t here = way.back();
  seen[here] = true;
  for (const std::uint32_t next : all[here]) {
    const auto found = std::find(way.begin(), way.end(), next);
    if (found != way.end()) {
      way.erase(way.begin(), found);
      return true;
    }
    if (seen[next]) continue;
    way.push_back(next);
    if (find_cycle(all, way, seen)) return true;
    way.pop_back();
  }
  return false;
}

}  // namespace

std::string cycle_of_waits(const attached_machine& machine) {
  std::vector<std::string> reasons;
  for (std::size_t i = 0; i < machine.size(); ++i) {
    reasons.push_back(machine.node(i).attachment().waits_to_send(machine.now()));
  }
  const edges all = waits_of(machine, reasons);
  std::vector<bool> seen(machine.size());
  for (std::uint32_t i = 0; i < machine.size(); ++i) {
    if (seen[i]) continue;
    std::vector<std::uint32_t> way{i};
    if (!find_cycle(all, way, seen)) continue;
    std::string text = "nodes wait for each other:";
    for (std::size_t k = 0; k < way.size(); ++k) {
      text += fmt::format("\n  node {}: {}; one in the network waits for a place in node {}",
                          way[k], reasons[way[k]], way[(k + 1) % way.size()]);
    }
    return text;
  }
  return "";
}

void message_watchdog::look() {
  const cycle_t now = machine_.now();
  if (now < due_) return;
  due_ = now + patience_;
  std::string waits = cycle_of_waits(machine_);
  if (!waits.empty() && waits == before_) {
    throw simulation_error(
        fmt::format("no message has moved for {} cycles, in cycle {}: {}", patience_, now, waits));
  }
  before_ = std::move(waits);
}

}  // namespace tributary
