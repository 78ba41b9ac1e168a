// SPDX-License-Identifier: Apache-2.0
// How far switches are from each other over links.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tributary/network/graph/network_graph.h>

namespace tributary {

/// Links on a shortest way between each two switches.
class distance_table {
 public:
  explicit distance_table(const network_graph& graph);

  std::uint32_t operator()(switch_id from, switch_id to) const {
    return links_[std::size_t{index(from)} * switches_ + index(to)];
  }
  /// Mean over all other switches, in links; 0 if there is no other.
  double average_from(switch_id from) const { return averages_[index(from)]; }
  /// The switch with the least average distance; of equals the lowest number.
  switch_id centre() const;

 private:
  std::uint32_t switches_;
  std::vector<std::uint16_t> links_;
  std::vector<double> averages_;
};

}  // namespace tributary
