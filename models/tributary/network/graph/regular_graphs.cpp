// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/graph/regular_graphs.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include <tributary/network/graph/plan_builder.h>
#include <tributary/sim/error.h>

namespace tributary {
namespace {

[[noreturn]] void refuse_shape(const std::string& key, const std::string& problem,
                               const std::string& allowed) {
  throw configuration_error(configuration_problem{"network.graph." + key, "", problem, allowed,
                                                  "choose a number in the range"});
}

void require_range(const std::string& key, std::uint64_t value, std::uint32_t least,
                   std::uint32_t most) {
  if (value >= least && value <= most) return;
  refuse_shape(key, std::to_string(value) + " is out of range",
               std::to_string(least) + " to " + std::to_string(most));
}

/// A switch whose ports are all used; the graph refuses too many.
network_plan equal_switches(std::string name, std::uint32_t switches, std::uint32_t ports) {
  network_plan plan;
  plan.name = std::move(name);
  plan.ports.assign(switches, std::max(ports, least_ports));
  return plan;
}

/// A place on the outline of a square, 0 to 4 around: a circle would take functions whose last
/// digit differs between machines.
drawing_place place_on_square(double around) {
  if (around < 1) return {around, 0};
  if (around < 2) return {1, around - 1};
  if (around < 3) return {3 - around, 1};
  return {0, 4 - around};
}

std::string sizes_text(const std::vector<std::uint32_t>& sizes) {
  std::string text;
  for (const std::uint32_t each : sizes) text += (text.empty() ? "" : "x") + std::to_string(each);
  return text;
}

void check_grid(const grid_config& config) {
  if (config.sizes.empty()) refuse_shape("sizes", "there is no dimension", "1 or more");
  std::uint64_t switches = 1;
  for (const std::uint32_t each : config.sizes) {
    require_range("sizes", each, 1, most_switches);
    switches *= each;
    require_range("sizes", switches, 1, most_switches);
  }
  require_range("cables", config.cables, 1, most_ports);
  require_range("hosts_per_switch", config.hosts_per_switch, 0, most_ports);
  require_range("equipped", config.equipped, 0, static_cast<std::uint32_t>(switches));
}

/// The switches that a switch of a grid is joined with, upwards and downwards by dimension.
std::vector<std::uint32_t> grid_neighbours(const grid_config& config, std::uint32_t at) {
  const grid_place place(config, switch_id{at});
  std::vector<std::uint32_t> found;
  std::uint32_t stride = 1;
  for (std::size_t d = 0; d < config.sizes.size(); ++d) {
    const std::uint32_t size = config.sizes[d];
    const bool wraps = config.wraps && size > 2;
    const std::uint32_t around = stride * (size - 1);
    if (place[d] + 1 < size) {
      found.push_back(at + stride);
    } else if (wraps) {
      found.push_back(at - around);
    }
    if (place[d] > 0) {
      found.push_back(at - stride);
    } else if (wraps) {
      found.push_back(at + around);
    }
    stride *= size;
  }
  return found;
}

/// Joins switches so that each has its neighbours in their order, `cables` ports for each.
void join_neighbours(plan_builder& made, const std::vector<std::vector<std::uint32_t>>& neighbours,
                     std::uint32_t cables) {
  const auto port = [&](std::uint32_t at, std::uint32_t to, std::uint32_t cable) {
    const auto& all = neighbours[at];
    const auto place = std::find(all.begin(), all.end(), to) - all.begin();
    return switch_port{switch_id{at}, static_cast<std::uint32_t>(place) * cables + cable};
  };
  for (std::uint32_t at = 0; at < neighbours.size(); ++at) {
    for (const std::uint32_t to : neighbours[at]) {
      if (to < at) continue;
      for (std::uint32_t c = 0; c < cables; ++c) made.join(port(at, to, c), port(to, at, c));
    }
  }
}

/// Refuses what does not keep its ports: a topology of a graph knows neither which of two parallel
/// cables is which nor the ports of hosts.
std::string shape_name(const topology& shape) {
  switch (shape.kind()) {
    case topology_kind::mesh:
      return "mesh " + sizes_text({shape.columns(), shape.routers() / shape.columns()});
    case topology_kind::hypercube:
      return "hypercube of " + std::to_string(shape.routers());
    case topology_kind::point_to_point:
      return "point to point of " + std::to_string(shape.routers());
    case topology_kind::omega:
    case topology_kind::ring:
    case topology_kind::graph:
      break;
  }
  throw configuration_error(configuration_problem{
      "network.topology", "", "a topology of kind graph does not say how its cables are plugged",
      "mesh, hypercube or point_to_point",
      "use the network_graph that the topology was made from"});
}

network_graph regular_graph(const std::string& name,
                            const std::vector<std::vector<std::uint32_t>>& neighbours,
                            std::uint32_t cables, std::uint32_t hosts,
                            const std::vector<drawing_place>& places) {
  std::size_t most = 0;
  for (const auto& each : neighbours) most = std::max(most, each.size());
  const std::uint64_t ports = std::uint64_t{most} * cables + hosts;
  if (ports > most_ports) {
    refuse_shape("hosts_per_switch",
                 std::to_string(most * cables) + " cables and " + std::to_string(hosts) +
                     " hosts do not fit a switch",
                 "at most " + std::to_string(most_ports) + " together");
  }
  const auto switches = static_cast<std::uint32_t>(neighbours.size());
  network_plan plan = equal_switches(name, switches, static_cast<std::uint32_t>(ports));
  plan.places = places;
  plan_builder made(std::move(plan));
  join_neighbours(made, neighbours, cables);
  for (std::uint32_t s = 0; s < switches; ++s) made.add_hosts(s, hosts);
  return made.graph();
}

}  // namespace

grid_place::grid_place(const grid_config& config, switch_id at) {
  std::uint32_t rest = index(at);
  for (const std::uint32_t size : config.sizes) {
    along_.push_back(rest % size);
    rest /= size;
  }
}

network_graph grid_graph(const grid_config& config) {
  check_grid(config);
  std::uint32_t switches = 1;
  for (const std::uint32_t each : config.sizes) switches *= each;
  if (config.equipped != 0) switches = config.equipped;
  std::vector<std::vector<std::uint32_t>> neighbours;
  std::vector<drawing_place> places;
  for (std::uint32_t s = 0; s < switches; ++s) {
    neighbours.push_back(grid_neighbours(config, s));
    std::vector<std::uint32_t>& to = neighbours.back();
    to.erase(std::remove_if(to.begin(), to.end(), [&](std::uint32_t n) { return n >= switches; }),
             to.end());
    const grid_place place(config, switch_id{s});
    // Further dimensions are drawn as grids side by side.
    const std::uint32_t plane = config.sizes.size() < 2 ? 1 : config.sizes[0] * config.sizes[1];
    const double beside = config.sizes.size() < 3 ? 0 : (s / plane) * (config.sizes[0] + 1.0);
    places.push_back({place[0] + beside, config.sizes.size() < 2 ? 0.0 : place[1]});
  }
  return regular_graph((config.wraps ? "torus " : "mesh ") + sizes_text(config.sizes), neighbours,
                       config.cables, config.hosts_per_switch, places);
}

network_graph graph_of(const topology& shape, std::uint32_t hosts_per_switch) {
  const std::string name = shape_name(shape);
  std::vector<std::vector<std::uint32_t>> neighbours;
  for (std::uint32_t r = 0; r < shape.routers(); ++r) {
    neighbours.emplace_back();
    for (const node_id each : shape.neighbours(node_id{r})) {
      neighbours.back().push_back(index(each));
    }
  }
  return regular_graph(name, neighbours, 1, hosts_per_switch, {});
}

network_graph hypercube_graph(std::uint32_t dimensions, std::uint32_t hosts_per_switch) {
  require_range("dimensions", dimensions, 1, 12);
  return graph_of(topology(topology_kind::hypercube, 1U << dimensions), hosts_per_switch);
}

network_graph ring_graph(std::uint32_t switches, std::uint32_t hosts_per_switch) {
  require_range("switches", switches, 3, most_switches);
  std::vector<std::vector<std::uint32_t>> neighbours;
  std::vector<drawing_place> places;
  for (std::uint32_t s = 0; s < switches; ++s) {
    neighbours.push_back({(s + 1) % switches, (s + switches - 1) % switches});
    places.push_back(place_on_square(4.0 * s / switches));
  }
  return regular_graph("ring of " + std::to_string(switches), neighbours, 1, hosts_per_switch,
                       places);
}

network_graph star_graph(std::uint32_t edges, std::uint32_t hosts_per_edge, std::uint32_t cables) {
  require_range("cables", cables, 1, most_ports - 1);
  require_range("edges", edges, 1, most_ports / cables);
  require_range("hosts_per_switch", hosts_per_edge, 1, most_ports - cables);
  network_plan plan =
      equal_switches("star of " + std::to_string(edges), edges, hosts_per_edge + cables);
  plan.ports.push_back(std::max(edges * cables, least_ports));
  plan_builder made(std::move(plan));
  for (std::uint32_t e = 0; e < edges; ++e) {
    made.add_hosts(e, hosts_per_edge);
    for (std::uint32_t c = 0; c < cables; ++c) made.join(e, edges);
    made.place(e, e, 0);
  }
  made.place(edges, (edges - 1) / 2.0, 1);
  return made.graph();
}

}  // namespace tributary
