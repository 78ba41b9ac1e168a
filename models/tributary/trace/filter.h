// SPDX-License-Identifier: Apache-2.0
// Which events of a run a file shows.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <tributary/sim/cycle.h>
#include <tributary/trace/catalog.h>
#include <tributary/trace/event.h>

namespace tributary {

/// What the user asked for, as typed; an empty text is everything.
struct trace_filter_options {
  std::string window;   ///< cycles, "1000..2000", "1000.." or "..2000", both ends included
  std::string tracks;   ///< "node.3.inbox,stage.0-2": beginnings of the names of tracks
  std::string origins;  ///< "0..3,7": elements or nodes whose references and messages are shown

  bool any() const { return !window.empty() || !tracks.empty() || !origins.empty(); }
};

/// Cycles, both ends included.
struct cycle_window {
  cycle_t first = 0;
  cycle_t last = never;

  bool contains(cycle_t cycle) const { return cycle >= first && cycle <= last; }
};

/// The window that was typed; an empty text is every cycle. Throws as `trace_filter` does.
cycle_window read_window(const std::string& text);

/// Admits the events that all options admit.
class trace_filter {
 public:
  /// Everything.
  trace_filter() = default;
  /// Throws `configuration_error` naming the option, its value and the form that it allows.
  trace_filter(const trace_filter_options& options, const trace_catalog& catalog);

  cycle_t first_cycle() const { return window_.first; }
  bool in_window(cycle_t cycle) const { return window_.contains(cycle); }
  /// Whether any of these cycles is in the window.
  bool in_window(cycle_t first, cycle_t last) const {
    return first <= window_.last && last >= window_.first;
  }

  bool admits(track_id track) const {
    return tracks_.empty() || tracks_[static_cast<std::size_t>(track)];
  }
  /// An event without an identity has no origin that could be left out.
  bool admits(trace_identity identity) const {
    return origins_.empty() || admits_origin_of(identity);
  }
  /// The origin of the identity or of its parent.
  bool admits_origin(const trace_event& event) const {
    return admits(event.identity) || (!event.parent.none() && admits(event.parent));
  }
  bool admits(const trace_event& event) const {
    return in_window(event.cycle, event.last) && admits(event.track) && admits_origin(event);
  }

 private:
  using range = std::pair<std::uint64_t, std::uint64_t>;  // both ends included

  bool admits_origin_of(trace_identity identity) const;

  cycle_window window_;
  std::vector<bool> tracks_;    // empty: all
  std::vector<range> origins_;  // empty: all
};

}  // namespace tributary
