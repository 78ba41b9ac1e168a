// SPDX-License-Identifier: Apache-2.0
#include <tributary/network/graph/distances.h>

#include <algorithm>
#include <cstddef>
#include <limits>

namespace tributary {
namespace {

constexpr auto unreached = std::numeric_limits<std::uint16_t>::max();

/// Fills a row of the table by breadth-first search; returns the sum of distances.
std::uint64_t fill_row(const network_graph& graph, std::uint32_t from, std::uint16_t* row,
                       std::vector<std::uint32_t>& queue) {
  std::uint64_t sum = 0;
  std::fill(row, row + graph.switches(), unreached);
  row[from] = 0;
  queue.assign(1, from);
  for (std::size_t next = 0; next < queue.size(); ++next) {
    const std::uint32_t at = queue[next];
    sum += row[at];
    for (const neighbour_link& each : graph.neighbours(switch_id{at})) {
      std::uint16_t& distance = row[index(each.to)];
      if (distance != unreached) continue;
      distance = static_cast<std::uint16_t>(row[at] + 1);
      queue.push_back(index(each.to));
    }
  }
  return sum;
}

}  // namespace

distance_table::distance_table(const network_graph& graph)
    : switches_(graph.switches()), links_(std::size_t{switches_} * switches_) {
  std::vector<std::uint32_t> queue;
  for (std::uint32_t from = 0; from < switches_; ++from) {
    const std::uint64_t sum = fill_row(graph, from, &links_[std::size_t{from} * switches_], queue);
    averages_.push_back(switches_ == 1 ? 0 : static_cast<double>(sum) / (switches_ - 1));
  }
}

switch_id distance_table::centre() const {
  const auto least = std::min_element(averages_.begin(), averages_.end());
  return switch_id{static_cast<std::uint32_t>(least - averages_.begin())};
}

}  // namespace tributary
