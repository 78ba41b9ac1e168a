// SPDX-License-Identifier: Apache-2.0
// The tracks of a machine, and the names of what its events carry as numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tributary/trace/event.h>
#include <tributary/trace/recorder.h>

namespace tributary {

/// A value that a track shows over time, in a value change dump.
struct track_signal {
  std::string name;
  /// It shows who passes over a link (`event_kind::link`); if not, how many stay there
  /// (`stay_change::stay`).
  bool is_link = false;
};

/// The last part of a track's name, and its signals.
struct track_part {
  std::string name;
  std::vector<track_signal> signals;
};

/// Tracks whose names differ in one number and their last part: "PREFIX.REPEATED.NUMBER.PART".
/// Empty names are left out; the number is left out where nothing is repeated.
struct track_group {
  std::string prefix;
  std::string repeated;
  std::uint32_t count = 1;
  std::vector<track_part> parts{{}};

  std::size_t tracks() const { return std::size_t{count} * parts.size(); }
};

/// The tracks in the order in which events are told.
class trace_catalog {
 public:
  /// `machine` is the platform's name; `origin` is what an identity comes from, "pe" or "node".
  trace_catalog(std::string machine, std::string origin)
      : machine_(std::move(machine)), origin_(std::move(origin)) {}

  const std::string& machine() const { return machine_; }
  const std::string& origin() const { return origin_; }

  /// The first of the group's tracks; the others follow, part by part, then number by number.
  track_id add(track_group group);
  std::size_t tracks() const { return tracks_; }
  /// "stage.0.switch.3.output.1"
  std::string name_of(track_id track) const;
  const track_part& part_of(track_id track) const;
  /// The names with N for every number, without repetition, for messages: "element.N, module.N".
  std::string forms() const;

  /// The names of a detail's values, from 0.
  void set_names(const event_detail& detail, std::vector<std::string> names) {
    set_names(detail.name, std::move(names));
  }
  void set_names(const std::string& detail, std::vector<std::string> names) {
    names_[detail] = std::move(names);
  }
  /// Null for a value that has none.
  const std::string* name_of(const event_detail& detail, std::uint64_t value) const;
  /// Calls `show(name of the detail, its value, the value's name or null)` for each detail of the
  /// event that has a value.
  template <class Show>
  void for_each_detail(const trace_event& event, Show&& show) const {
    for (const event_detail* each : event.kind->details) {
      if (each == nullptr) break;
      const std::uint64_t value = each->in(event.details);
      const std::string* const name = name_of(*each, value);
      if (name != nullptr || value != each->absent()) show(each->name, value, name);
    }
  }
  /// The value of a name, which is added if it is not there.
  std::uint64_t value_of(const event_detail& detail, std::string_view name);

  /// A name that `value_of` added.
  struct added_name {
    std::string detail;
    std::string name;
  };
  /// All of them, in the order of adding, for who keeps a copy of the catalog up to date.
  const std::vector<added_name>& added_names() const { return added_names_; }
  /// Adds to a copy what was added to the catalog.
  void add(const added_name& added);

  /// Calls `visit(group)` for each group in the order of their tracks.
  template <class Visit>
  void for_each_group(Visit&& visit) const {
    for (const added_group& each : groups_) visit(each.group);
  }
  /// Calls `visit(name of a detail, the names of its values)` for each detail that has any.
  template <class Visit>
  void for_each_names(Visit&& visit) const {
    for (const auto& [detail, names] : names_) visit(detail, names);
  }

  /// Where an event's identity goes, for `stay_change::onward`; empty on a machine without such
  /// kinds.
  std::function<track_id(const trace_event&)> onward;
  /// The number of what an event's identity is about, as of the lock of a message, for viewers;
  /// empty on a machine without such kinds.
  std::function<std::optional<std::uint64_t>(const trace_event&)> subject;
  /// How many elements or nodes an identity may come from.
  std::uint32_t origins = 0;
  /// The kinds of events that the machine may report, for conditions on them; a recording has only
  /// those that came.
  std::vector<const event_kind*> kinds;
  /// The stay that lasts from when a reference is asked for until it is answered; empty on a
  /// machine without references.
  std::string lifetime;

 private:
  struct added_group {
    track_group group;
    std::size_t first;
  };
  const added_group& group_of(track_id track) const;

  std::string machine_;
  std::string origin_;
  std::vector<added_group> groups_;
  std::size_t tracks_ = 0;
  std::map<std::string, std::vector<std::string>, std::less<>> names_;  // by detail
  std::vector<added_name> added_names_;
};

/// What a machine holds as a file begins.
struct trace_start {
  /// How many stay on a track, or the value of a kind that tells one (`tells_level`), where it is
  /// not 0.
  struct level {
    track_id track{};
    std::string stay;
    std::uint32_t count = 0;
  };
  /// Two that have joined and wait.
  struct pair {
    trace_identity joined;
    trace_identity parent;
  };

  cycle_t now = 0;  ///< the machine's last cycle
  std::vector<level> levels;
  std::vector<pair> pairs;
};

/// A place in a catalog whose tracks a block adds, with where the block then reports.
class trace_scope {
 public:
  /// A scope without `recorder` adds tracks, and blocks report nowhere. `start`, if there is one,
  /// gets what the blocks hold.
  trace_scope(trace_catalog& catalog, trace_recorder* recorder, trace_start* start = nullptr,
              std::string prefix = "")
      : catalog_(catalog), recorder_(recorder), start_(start), prefix_(std::move(prefix)) {}

  trace_catalog& catalog() const { return catalog_; }
  trace_scope below(const std::string& name) const {
    return {catalog_, recorder_, start_, prefix_.empty() ? name : prefix_ + "." + name};
  }
  /// Adds tracks below the scope.
  trace_point add(track_group group = {}) const {
    group.prefix = prefix_;
    return {recorder_, catalog_.add(std::move(group))};
  }
  /// Records that `count` identities stay on a block's track `number`.
  void hold(const trace_point& block, std::size_t number, const char* stay,
            std::size_t count) const {
    if (start_ == nullptr || count == 0) return;
    start_->levels.push_back({block.track(number), stay, static_cast<std::uint32_t>(count)});
  }

 private:
  trace_catalog& catalog_;
  trace_recorder* recorder_;
  trace_start* start_;
  std::string prefix_;
};

/// "3.17", of a message "3.m17", "-" for none.
std::string to_string(trace_identity identity);

}  // namespace tributary
