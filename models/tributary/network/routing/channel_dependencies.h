// SPDX-License-Identifier: Apache-2.0
// Which channels wait for which others, and whether they do so in a circle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tributary/network/routing/routing_table.h>

namespace tributary {

/// Where messages begin, in phase 0.
enum class route_starts : std::uint8_t {
  hosts,  ///< at switches with hosts
  all     ///< at any switch: of an escape, which a message takes up wherever it is
};

/// The channel dependency graph of a table: an edge from each virtual channel to each that a
/// message may ask for next while it holds the first. Only what messages to hosts do counts. A
/// network whose graph has no cycle cannot deadlock. Source: Dally and Seitz, "Deadlock-free
/// message routing in multiprocessor interconnection networks", IEEE Trans. Computers C-36(5),
/// 1987.
class channel_dependencies {
 public:
  /// Follows all routes from where messages begin to switches that have hosts. Throws
  /// `configuration_error` if one comes to a switch that has no way on. Keeps nothing of the table.
  explicit channel_dependencies(const routing_table& table,
                                route_starts starts = route_starts::hosts);

  /// Ordered pairs of channels.
  std::size_t size() const;
  /// The channels of a cycle, each of which waits for the next, and the last for the first; empty
  /// if there is none.
  std::vector<virtual_channel_id> cycle() const;
  /// Throws `configuration_error` that names the channels of a cycle, if there is one.
  void require_acyclic() const;

 private:
  using vertex_t = std::uint32_t;  // channel times virtual channels, plus the virtual channel

  void follow_to(const routing_table& table, switch_id to, std::vector<vertex_t>& reached);
  std::string text_of(const std::vector<virtual_channel_id>& circle) const;

  const network_graph* graph_;
  std::string name_;
  std::uint32_t virtual_channels_;
  route_starts starts_;
  std::vector<std::vector<vertex_t>> next_;  ///< by vertex
  std::vector<std::uint32_t> marks_;  ///< destination plus one whose routes reached a vertex last
};

}  // namespace tributary
