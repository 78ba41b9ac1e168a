// SPDX-License-Identifier: Apache-2.0
// Shortest legal routes of up*/down* routing, and what is measured of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tributary/network/routing/orientation.h>

namespace tributary {

/// Whether a message may still go up. It begins in `up`; the first channel down ends that.
enum class up_down_phase : std::uint8_t { up, down };

/// Distances by legal routes: channels upwards, then channels downwards, either none or more.
/// Its orientation must outlive it.
class up_down_routes {
 public:
  /// What `distance` returns where no legal route leads on.
  static constexpr std::uint32_t unreachable = 0xffff;

  explicit up_down_routes(const orientation& ends);
  explicit up_down_routes(orientation&&) = delete;

  const orientation& ends() const { return *ends_; }
  const network_graph& graph() const { return ends_->graph(); }

  /// Links of a shortest legal way on for a message in a phase.
  std::uint32_t distance(switch_id from, up_down_phase phase, switch_id to) const {
    return links_[place(to) + 2 * std::size_t{index(from)} + static_cast<std::size_t>(phase)];
  }
  /// The phase after a channel.
  up_down_phase after(std::uint32_t channel) const {
    return ends_->goes_up(channel) ? up_down_phase::up : up_down_phase::down;
  }
  /// Whether a channel, from where it begins, is on a shortest legal way on.
  bool is_on_shortest(std::uint32_t channel, up_down_phase phase, switch_id to) const;

 private:
  std::size_t place(switch_id to) const { return 2 * std::size_t{graph().switches()} * index(to); }

  const orientation* ends_;
  std::vector<std::uint16_t> links_;
};

/// Lengths of the shortest legal routes of all ordered pairs of switches, summed, in links. Throws
/// `configuration_error` if a pair has no legal route.
std::uint64_t total_distance(const orientation& ends);

/// What an orientation makes of the routes between switches.
struct up_down_metrics {
  double average_distance = 0;  ///< links of a shortest legal route, mean of ordered pairs
  /// Ordered pairs of an incoming and an outgoing channel of a switch that are forbidden, mean of
  /// switches. A link and itself are no pair.
  double restrictions = 0;
  double long_paths = 0;       ///< share of ordered pairs whose route exceeds the distance, 0 to 1
  std::uint32_t diameter = 0;  ///< links of the longest shortest legal route
};

/// Throws as `total_distance`.
up_down_metrics measure_up_down(const up_down_routes& routes);

/// How routes are counted on channels.
enum class route_count : std::uint8_t {
  all,     ///< every shortest legal route of every ordered pair
  divided  ///< one route a pair: a message takes each of the ways on at a switch with equal chance
};

/// Routes over each channel, counted so. A pair is of switches, in either order.
std::vector<double> routes_over_channels(const up_down_routes& routes, route_count how);

}  // namespace tributary
