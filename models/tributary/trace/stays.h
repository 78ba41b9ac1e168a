// SPDX-License-Identifier: Apache-2.0
// Who stays where, as events tell it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <tributary/trace/catalog.h>
#include <tributary/trace/event.h>

namespace tributary {

/// Turns the `stay_change`s of events into stays that begin and end on tracks.
class stay_tracker {
 public:
  explicit stay_tracker(const trace_catalog& catalog) : catalog_(catalog) {}

  /// One change: at `track` the identity begins or ends its stay.
  struct change {
    track_id track{};
    std::string_view stay;
    bool begins = false;
    trace_identity identity;
    /// Tells stays of one name apart that are open at once: by the identity, or, without one, by
    /// track and details.
    std::uint64_t key = 0;
  };

  /// Calls `visit(change)` for each change that the event brings, in the order of its kind.
  template <class Visit>
  void follow(const trace_event& event, Visit&& visit) {
    for (const stay_change& each : event.kind->changes) {
      if (each.stay == nullptr) break;
      trace_identity subject = event.identity;
      if (each.of_joined) {
        const auto joined = joined_.find(event.identity);
        if (joined == joined_.end()) continue;
        subject = joined->second;
      }
      change_stay(event, each, subject, visit);
    }
    if (event.kind->joins) {
      joined_[event.parent] = event.identity;
    } else if (!joined_.empty() && event.kind->changes[0].stay != nullptr) {
      forget_joined(event);
    }
  }

  /// An identity had joined another before the first event.
  void begin_joined(trace_identity identity, trace_identity parent) { joined_[parent] = identity; }
  /// Calls `visit(identity, parent)` for each that has joined and waits.
  template <class Visit>
  void for_each_joined(Visit&& visit) const {
    for (const auto& [parent, identity] : joined_) visit(identity, parent);
  }

 private:
  using stay_key = std::pair<std::uint64_t, std::string_view>;
  struct stay_hash {
    std::size_t operator()(const stay_key& key) const {
      constexpr std::uint64_t spread = 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio
      const char first = key.second.empty() ? '\0' : key.second.front();
      const auto name = key.second.size() << 8U | static_cast<unsigned char>(first);
      return static_cast<std::size_t>((key.first ^ std::uint64_t{name} << 48U) * spread >> 16U);
    }
  };

  template <class Visit>
  void change_stay(const trace_event& event, const stay_change& asked, trace_identity subject,
                   Visit&& visit) {
    change told;
    told.stay = asked.stay;
    told.begins = asked.begins;
    told.identity = subject;
    told.track = asked.onward ? catalog_.onward(event) : event.track;
    told.key = subject.none()
                   ? static_cast<std::uint64_t>(event.track) << 32U | (event.details & 0xffffffffU)
                   : subject.bits();
    const stay_key key(told.key, told.stay);
    if (asked.begins) {
      tracks_[key] = told.track;
    } else if (const auto begun = tracks_.find(key); begun != tracks_.end()) {
      told.track = begun->second;
      tracks_.erase(begun);
    }
    visit(told);
  }

  void forget_joined(const trace_event& event) {
    for (const stay_change& each : event.kind->changes) {
      if (each.stay != nullptr && each.of_joined) {
        joined_.erase(event.identity);
        return;
      }
    }
  }

  const trace_catalog& catalog_;
  std::unordered_map<stay_key, track_id, stay_hash> tracks_;  // of stays that have begun
  std::map<trace_identity, trace_identity> joined_;           // who joined, by parent
};

}  // namespace tributary
