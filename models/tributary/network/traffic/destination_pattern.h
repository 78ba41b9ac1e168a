// SPDX-License-Identifier: Apache-2.0
// To whom hosts of traffic send.
#pragma once

#include <cstdint>
#include <vector>

#include <tributary/network/graph/network_graph.h>
#include <tributary/sim/ids.h>
#include <tributary/sim/random_stream.h>

namespace tributary {

/// Which pattern. In `transpose`, `bit_reversal`, `shuffle` and `permutation` a host sends to one
/// other, or to none if that would be itself.
enum class destination_kind : std::uint8_t {
  uniform,    ///< all others with equal chance
  transpose,  ///< the host's bits rotated left by half of their number, rounded down; of a square
              ///< of hosts, row and column exchanged
  bit_reversal,  ///< the host's bits in reverse order
  shuffle,       ///< perfect shuffle: the host's bits rotated left by one
  permutation,   ///< drawn once: all hosts in one circle
  hot_spot,      ///< a share to host 0, the others as in uniform
  local          ///< a share to hosts that are near, the others as in uniform
};

/// A pattern and its parameters.
struct destination_config {
  destination_kind kind = destination_kind::uniform;
  double share = 0.6;        ///< of hot_spot and local, 0 to 1
  std::uint32_t radius = 5;  ///< of local: links from host to host, those of both hosts included
  std::uint64_t seed = 1;    ///< of permutation
};

/// Draws destinations. Source of the patterns: Sancho, Robles, Duato, "A new methodology to compute
/// deadlock-free routing tables for irregular networks", CANPC 2000 (P4).
class destination_pattern {
 public:
  /// Throws `configuration_error` for a pattern that does not fit the number of hosts, or a share
  /// out of range.
  destination_pattern(const destination_config& config, const network_graph& graph);

  /// Whether the host sends to others.
  bool sends(node_id from) const { return to_.empty() || to_[index(from)] != from; }
  /// Another host, if `from` sends.
  node_id draw(node_id from, random_stream& draws) const;

 private:
  void draw_circle(std::uint64_t seed);
  void find_near(const network_graph& graph, std::uint32_t radius);
  /// One of an ascending list in which `from` is, but `from`.
  static node_id other_of(const std::vector<node_id>& hosts, node_id from, random_stream& draws);

  std::uint32_t hosts_;
  destination_kind kind_;
  std::uint64_t share_;                       ///< threshold
  std::vector<node_id> to_{};                 ///< by host, of patterns that draw nothing
  std::vector<std::uint32_t> switch_of_{};    ///< by host, of local
  std::vector<std::vector<node_id>> near_{};  ///< by switch, of local
};

}  // namespace tributary
