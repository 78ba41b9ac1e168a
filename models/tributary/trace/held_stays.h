// SPDX-License-Identifier: Apache-2.0
// What a machine holds after some events, for files that begin there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include <tributary/sim/cycle.h>
#include <tributary/trace/catalog.h>
#include <tributary/trace/event.h>
#include <tributary/trace/stays.h>

namespace tributary {

/// Follows the stays from what a machine held before the first event.
class held_stays {
 public:
  /// `catalog` must outlive it.
  held_stays(const trace_catalog& catalog, const trace_start& start)
      : stays_(catalog), now_(start.now) {
    for (const trace_start::level& each : start.levels) {
      levels_[{each.track, each.stay}] = each.count;
    }
    for (const trace_start::pair& each : start.pairs) stays_.begin_joined(each.joined, each.parent);
  }

  void follow(const trace_event& event) {
    stays_.follow(event, [this](const stay_tracker::change& change) {
      std::uint32_t& level = levels_[{change.track, std::string(change.stay)}];
      level += change.begins ? 1 : -1U;
    });
  }

  /// What is held before cycle `first`.
  trace_start start(cycle_t first) const {
    trace_start start;
    start.now = std::max(now_, first == 0 ? first : first - 1);
    for (const auto& [place, count] : levels_) {
      if (count != 0) start.levels.push_back({place.first, place.second, count});
    }
    stays_.for_each_joined([&](trace_identity identity, trace_identity parent) {
      start.pairs.push_back({identity, parent});
    });
    return start;
  }

 private:
  stay_tracker stays_;
  cycle_t now_;
  std::map<std::pair<track_id, std::string>, std::uint32_t> levels_;
};

}  // namespace tributary
