// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/graph/tree_graphs.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include <tributary/network/graph/plan_builder.h>
#include <tributary/sim/error.h>

namespace tributary {
namespace {

void require_size(const std::string& key, std::uint64_t value, std::uint64_t least,
                  std::uint64_t most) {
  if (value >= least && value <= most) return;
  throw configuration_error(configuration_problem{
      "network.graph." + key, "", std::to_string(value) + " is out of range",
      std::to_string(least) + " to " + std::to_string(most), "choose a number in the range"});
}

/// Switches of a level; refuses a configuration that has too many.
std::uint32_t tree_width(const fat_tree_config& config) {
  require_size("arity", config.arity, 2, most_ports / 2);
  require_size("levels", config.levels, 1, 12);
  std::uint64_t width = 1;
  for (std::uint32_t l = 1; l < config.levels; ++l) {
    width *= config.arity;
    require_size("levels", width * config.levels, 1, most_switches);
  }
  return static_cast<std::uint32_t>(width);
}

/// Joins a level with the one below it, whose words may differ in a digit worth `digit`.
void join_levels(plan_builder& made, const fat_tree_config& config, std::uint32_t level,
                 std::uint32_t width, std::uint32_t digit) {
  const std::uint32_t k = config.arity;
  for (std::uint32_t w = 0; w < width; ++w) {
    const std::uint32_t own = w / digit % k;
    for (std::uint32_t down = 0; down < k; ++down) {
      const std::uint32_t below = w - own * digit + down * digit;
      made.join({switch_id{level * width + w}, down},
                {switch_id{(level + 1) * width + below}, k + own});
    }
  }
}

/// Ports of a dragonfly's switch, in their order.
struct dragonfly_ports {
  explicit dragonfly_ports(const dragonfly_config& of) : config(of) {}

  switch_port local(std::uint32_t group, std::uint32_t from, std::uint32_t to) const {
    return {switch_of(group, from), to < from ? to : to - 1};
  }
  switch_port global(std::uint32_t group, std::uint32_t number) const {
    return {switch_of(group, number / config.global_links),
            config.switches_per_group - 1 + number % config.global_links};
  }
  switch_id switch_of(std::uint32_t group, std::uint32_t member) const {
    return switch_id{group * config.switches_per_group + member};
  }

  const dragonfly_config& config;
};

void join_group(plan_builder& made, const dragonfly_ports& ports, std::uint32_t group) {
  for (std::uint32_t from = 0; from < ports.config.switches_per_group; ++from) {
    for (std::uint32_t to = from + 1; to < ports.config.switches_per_group; ++to) {
      made.join(ports.local(group, from, to), ports.local(group, to, from));
    }
  }
}

void join_groups(plan_builder& made, const dragonfly_ports& ports) {
  const std::uint32_t others = ports.config.groups - 1;
  const std::uint32_t copies = ports.config.switches_per_group * ports.config.global_links / others;
  for (std::uint32_t group = 0; group < ports.config.groups; ++group) {
    for (std::uint32_t further = 1; group + further < ports.config.groups; ++further) {
      for (std::uint32_t copy = 0; copy < copies; ++copy) {
        // From the other group this one is `others + 1 - further` further on.
        made.join(ports.global(group, copy * others + further - 1),
                  ports.global(group + further, copy * others + others - further));
      }
    }
  }
}

void check_dragonfly(const dragonfly_config& config) {
  require_size("switches_per_group", config.switches_per_group, 1, most_ports);
  require_size("global_links", config.global_links, 1, most_ports);
  const std::uint32_t ends = config.switches_per_group * config.global_links;
  require_size("groups", config.groups, 2, ends + 1);
  require_size("switches_per_group * groups",
               std::uint64_t{config.groups} * config.switches_per_group, 2, most_switches);
  require_size("hosts_per_switch", config.hosts_per_switch, 1, most_ports);
}

}  // namespace

network_graph fat_tree_graph(const fat_tree_config& config) {
  const std::uint32_t width = tree_width(config);
  const std::uint32_t k = config.arity;
  network_plan plan;
  plan.name = std::to_string(k) + "-ary " + std::to_string(config.levels) + "-tree";
  plan.ports.assign(std::size_t{width} * config.levels, 2 * k);
  plan_builder made(std::move(plan));
  std::uint32_t digit = width;
  for (std::uint32_t l = 0; l + 1 < config.levels; ++l) {
    digit /= k;
    join_levels(made, config, l, width, digit);
  }
  for (std::uint32_t l = 0; l < config.levels; ++l) {
    for (std::uint32_t w = 0; w < width; ++w) {
      made.place(l * width + w, w, config.levels - 1.0 - l);
      if (l + 1 == config.levels) made.add_hosts(l * width + w, k);
    }
  }
  return made.graph();
}

std::vector<std::uint32_t> fat_tree_levels(const fat_tree_config& config) {
  const std::uint32_t width = tree_width(config);
  std::vector<std::uint32_t> levels;
  for (std::uint32_t l = 0; l < config.levels; ++l) levels.insert(levels.end(), width, l);
  return levels;
}

network_graph dragonfly_graph(const dragonfly_config& config) {
  check_dragonfly(config);
  const std::uint32_t a = config.switches_per_group;
  network_plan plan;
  plan.name = "dragonfly of " + std::to_string(config.groups) + " groups";
  const std::uint32_t each = a - 1 + config.global_links + config.hosts_per_switch;
  require_size("ports of a switch", each, least_ports, most_ports);
  plan.ports.assign(std::size_t{config.groups} * a, each);
  plan_builder made(std::move(plan));
  const dragonfly_ports ports(config);
  for (std::uint32_t group = 0; group < config.groups; ++group) join_group(made, ports, group);
  join_groups(made, ports);
  for (std::uint32_t s = 0; s < config.groups * a; ++s) {
    for (std::uint32_t h = 0; h < config.hosts_per_switch; ++h) {
      made.add_host({switch_id{s}, a - 1 + config.global_links + h});
    }
    made.place(s, s % a, -static_cast<double>(s / a));
  }
  return made.graph();
}

}  // namespace tributary
