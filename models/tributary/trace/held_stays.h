// SPDX-License-Identifier: Apache-2.0
// What a machine holds after some events, for files that begin there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include <tributary/sim/cycle.h>
#include <tributary/trace/catalog.h>
#include <tributary/trace/event.h>
#include <tributary/trace/stays.h>

namespace tributary {

/// Follows the stays and the levels (`tells_level`) from what a machine held before the first
/// event.
class held_stays {
 public:
  /// `catalog` must outlive it.
  held_stays(const trace_catalog& catalog, const trace_start& start)
      : stays_(catalog), now_(start.now) {
    for (const trace_start::level& each : start.levels) level(each.track, each.stay) = each.count;
    for (const trace_start::pair& each : start.pairs) stays_.begin_joined(each.joined, each.parent);
  }

  void follow(const trace_event& event) {
    if (tells_level(*event.kind)) {
      level(event.track, event.kind->name) = static_cast<std::uint32_t>(event.value);
      return;
    }
    stays_.follow(event, [this](const stay_tracker::change& change) {
      level(change.track, change.stay) += change.begins ? 1 : -1U;
    });
  }

  /// What is held before cycle `first`.
  trace_start start(cycle_t first) const {
    trace_start start;
    start.now = std::max(now_, first == 0 ? first : first - 1);
    for (const auto& [stay, counts] : levels_) {
      for (const auto& [track, count] : counts) {
        if (count != 0) start.levels.push_back({track, stay, count});
      }
    }
    std::sort(start.levels.begin(), start.levels.end(), [](const auto& x, const auto& y) {
      return std::tie(x.track, x.stay) < std::tie(y.track, y.stay);
    });
    stays_.for_each_joined([&](trace_identity identity, trace_identity parent) {
      start.pairs.push_back({identity, parent});
    });
    return start;
  }

 private:
  using counts_by_track = std::unordered_map<track_id, std::uint32_t>;

  std::uint32_t& level(track_id track, std::string_view stay) {
    // There are few stays, so that to look through them is faster than a tree of their names.
    for (auto& [name, counts] : levels_) {
      if (name == stay) return counts[track];
    }
    return levels_.emplace_back(std::string(stay), counts_by_track()).second[track];
  }

  stay_tracker stays_;
  cycle_t now_;
  std::vector<std::pair<std::string, counts_by_track>> levels_;  // by stay or kind
};

}  // namespace tributary
