// SPDX-License-Identifier: Apache-2.0
// Fat trees and dragonflies: networks of levels and of groups.
#pragma once

#include <cstdint>
#include <vector>

#include <tributary/network/graph/network_graph.h>

namespace tributary {

/// A k-ary n-tree: k^n hosts under n levels of k^(n - 1) switches.
struct fat_tree_config {
  std::uint32_t arity = 4;   ///< k: ports of a switch downwards, and upwards; 2 to 32
  std::uint32_t levels = 3;  ///< n: 1 or more; at most `most_switches` switches
};

/// Switch l k^(n - 1) + w is at level l, 0 at the top, with the word w of n - 1 digits to base k;
/// it is joined with the switches of level l + 1 whose words differ at most in digit l, the highest
/// digit being 0. Ports 0 to k - 1 lead down, or to hosts at the lowest level, k on up. Throws
/// `configuration_error`.
/// Source: Petrini and Vanneschi, "k-ary n-trees: high performance networks for massively parallel
/// architectures", IPPS 1997.
network_graph fat_tree_graph(const fat_tree_config& config);

/// The level of each switch, 0 at the top, for `orientation_by_level`: as many roots as there are
/// switches at the top, all of which routes between hosts use.
std::vector<std::uint32_t> fat_tree_levels(const fat_tree_config& config);

/// Groups of switches: complete graphs that links between switches of different groups join.
struct dragonfly_config {
  std::uint32_t groups = 9;              ///< g: 2 to switches_per_group * global_links + 1
  std::uint32_t switches_per_group = 4;  ///< a: 1 or more
  std::uint32_t global_links = 2;        ///< h: to other groups, at each switch; 1 or more
  std::uint32_t hosts_per_switch = 2;    ///< p
};

/// Switch i of group j is j a + i; ports: links in the group by ascending switch, then global
/// links, then hosts. Global port q of a group, which is at switch q / h, leads to the group q mod
/// (g - 1) + 1 further on. Each two groups have as many links as all pairs can have; ports that are
/// left stay open. Throws `configuration_error`. Source: Kim, Dally, Scott, Abts,
/// "Technology-driven, highly-scalable dragonfly topology", ISCA 2008.
network_graph dragonfly_graph(const dragonfly_config& config);

}  // namespace tributary
