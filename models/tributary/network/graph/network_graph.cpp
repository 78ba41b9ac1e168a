// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/graph/network_graph.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include <tributary/sim/error.h>

namespace tributary {
namespace {

[[noreturn]] void refuse_graph(const std::string& problem, const std::string& allowed,
                               const std::string& advice) {
  throw configuration_error(configuration_problem{"network.graph", "", problem, allowed, advice});
}

std::string use_text(const port_end& end) {
  return (end.use == port_use::host ? "host " : "link ") + std::to_string(end.number);
}

[[noreturn]] void refuse_switch(const network_plan& plan, std::uint32_t at) {
  refuse_graph("switch " + std::to_string(at) + " does not exist",
               "0 to " + std::to_string(plan.ports.size() - 1),
               "name a switch that the network has");
}

}  // namespace

// --- plan ----------------------------------------------------------------------------------------

std::string network_plan::text_of(std::uint32_t at) const {
  return "switch " + (at < switch_names.size() ? switch_names[at] : std::to_string(at));
}

// --- graph ---------------------------------------------------------------------------------------

network_graph::network_graph(network_plan plan) : plan_(std::move(plan)) {
  check_ports();
  for (std::uint32_t s = 0; s < switches(); ++s) ends_.emplace_back(plan_.ports[s]);
  for (std::uint32_t l = 0; l < links(); ++l) {
    const network_link& each = link(l);
    use(each.first, {port_use::link, l});
    use(each.second, {port_use::link, l});
    if (each.first.at == each.second.at) {
      refuse_graph("link " + std::to_string(l) + " joins " + plan_.text_of(index(each.first.at)) +
                       " with itself",
                   "links between two switches", "remove the link");
    }
  }
  hosts_at_.assign(switches(), 0);
  for (std::uint32_t h = 0; h < hosts(); ++h) {
    use(plan_.hosts[h], {port_use::host, h});
    ++hosts_at_[index(plan_.hosts[h].at)];
  }
  neighbours_.resize(switches());
  for (std::uint32_t s = 0; s < switches(); ++s) {
    for (std::uint32_t port = 0; port < plan_.ports[s]; ++port) {
      if (ends_[s][port].use != port_use::link) continue;
      const std::uint32_t channel = channel_from({switch_id{s}, port});
      neighbours_[s].push_back({target(channel).at, port, channel});
    }
  }
  check_connected();
}

void network_graph::check_ports() const {
  if (plan_.ports.empty() || plan_.ports.size() > most_switches) {
    refuse_graph(std::to_string(plan_.ports.size()) + " switches are out of range",
                 "1 to " + std::to_string(most_switches) + " switches",
                 "choose a number of switches in the range");
  }
  for (std::uint32_t s = 0; s < switches(); ++s) {
    if (plan_.ports[s] >= least_ports && plan_.ports[s] <= most_ports) continue;
    refuse_graph(plan_.text_of(s) + " has a radix of " + std::to_string(plan_.ports[s]),
                 std::to_string(least_ports) + " to " + std::to_string(most_ports) + " ports",
                 "choose a number of ports in the range");
  }
  if (hosts() < 2) {
    refuse_graph("the network has " + std::to_string(hosts()) + " hosts", "2 or more hosts",
                 "put hosts at free ports");
  }
  const auto is_for_all = [&](std::size_t size) { return size == 0 || size == plan_.ports.size(); };
  if (!is_for_all(plan_.places.size()) || !is_for_all(plan_.switch_names.size())) {
    refuse_graph("places or names are given for a part of the switches", "all switches, or none",
                 "add the missing ones");
  }
}

void network_graph::use(const switch_port& where, port_end as) {
  const std::uint32_t at = index(where.at);
  if (at >= switches()) refuse_switch(plan_, at);
  if (where.port >= plan_.ports[at]) {
    refuse_graph(plan_.text_of(at) + " has no port " + std::to_string(where.port) + ", where " +
                     use_text(as) + " is",
                 "ports 0 to " + std::to_string(plan_.ports[at] - 1),
                 "choose a port of the switch, or give it more");
  }
  port_end& end = ends_[at][where.port];
  if (end.use != port_use::open) {
    refuse_graph("port " + std::to_string(where.port) + " of " + plan_.text_of(at) +
                     " is used twice, by " + use_text(end) + " and by " + use_text(as),
                 "a port for each link and host", "choose another port");
  }
  end = as;
}

void network_graph::check_connected() const {
  std::vector<bool> seen(switches());
  std::vector<std::uint32_t> open{0};
  seen[0] = true;
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    for (const neighbour_link& each : neighbours_[at]) {
      if (seen[index(each.to)]) continue;
      seen[index(each.to)] = true;
      open.push_back(index(each.to));
    }
  }
  const auto lost = std::find(seen.begin(), seen.end(), false);
  if (lost == seen.end()) return;
  refuse_graph("no way leads from " + plan_.text_of(0) + " to " +
                   plan_.text_of(static_cast<std::uint32_t>(lost - seen.begin())),
               "a connected network", "add a link between the parts");
}

std::uint32_t network_graph::channel_from(switch_port where) const {
  const std::uint32_t number = end(where).number;
  return 2 * number + (link(number).first == where ? 0U : 1U);
}

std::string network_graph::switch_name(switch_id at) const {
  return plan_.switch_names.empty() ? std::to_string(index(at)) : plan_.switch_names[index(at)];
}

std::string network_graph::channel_text(std::uint32_t channel) const {
  const auto text = [&](const switch_port& end) {
    return switch_name(end.at) + ":" + std::to_string(end.port);
  };
  return text(source(channel)) + " -> " + text(target(channel));
}

}  // namespace tributary
