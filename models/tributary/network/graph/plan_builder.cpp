// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/graph/plan_builder.h>

#include <algorithm>
#include <string>
#include <utility>

#include <tributary/sim/error.h>

namespace tributary {

plan_builder::plan_builder(network_plan plan) : plan_(std::move(plan)) {
  for (const std::uint32_t ports : plan_.ports) used_.emplace_back(ports);
  for (const network_link& each : plan_.links) {
    keep(each.first);
    keep(each.second);
  }
  for (const switch_port& each : plan_.hosts) keep(each);
}

void plan_builder::keep(const switch_port& where) {
  if (index(where.at) >= used_.size()) return;
  std::vector<bool>& used = used_[index(where.at)];
  if (where.port < used.size()) used[where.port] = true;
}

switch_port plan_builder::take_port(std::uint32_t at) {
  const std::vector<bool>& used = used_.at(at);
  const auto found = std::find(used.begin(), used.end(), false);
  if (found == used.end()) {
    throw configuration_error(
        configuration_problem{"network.graph", "", plan_.text_of(at) + " has no free port",
                              std::to_string(used.size()) + " ports for links and hosts",
                              "give the switch more ports, or fewer links and hosts"});
  }
  const switch_port taken{switch_id{at}, static_cast<std::uint32_t>(found - used.begin())};
  keep(taken);
  return taken;
}

void plan_builder::join(std::uint32_t first, std::uint32_t second) {
  const switch_port from = take_port(first);
  join(from, take_port(second));
}

void plan_builder::join(const switch_port& first, const switch_port& second) {
  keep(first);
  keep(second);
  plan_.links.push_back({first, second});
}

void plan_builder::add_host(const switch_port& where) {
  keep(where);
  plan_.hosts.push_back(where);
}

void plan_builder::add_hosts(std::uint32_t at, std::uint32_t count) {
  for (std::uint32_t each = 0; each < count; ++each) add_host(take_port(at));
}

void plan_builder::place(std::uint32_t at, double x, double y) {
  plan_.places.resize(plan_.ports.size());
  plan_.places[at] = {x, y};
}

}  // namespace tributary
