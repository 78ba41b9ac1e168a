// SPDX-License-Identifier: Apache-2.0
// Where lines lie in a cache: its sets and their ways, and which line leaves for another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tributary/cache/cache_config.h>
#include <tributary/memory/line.h>
#include <tributary/sim/random_stream.h>
#include <tributary/sim/state.h>

namespace tributary {

/// No line begins there.
inline constexpr std::uint64_t no_line = ~std::uint64_t{0};

/// The lines of a set-associative cache. `Line` has members `line`, the address of its first byte
/// or `no_line`, and `used`, by which the one that leaves first is known. A set takes memory once a
/// line was put there, so that a machine of many nodes takes what it touches.
template <class Line>
class cache_sets {
 public:
  /// Of no lines, for containers.
  cache_sets() = default;
  /// Of a validated configuration: powers of two. `level`, from 0, names the random numbers, which
  /// are the same in every cache and every run, as those of a register that begins at reset.
  cache_sets(const cache_level_config& config, std::uint32_t level)
      : ways_(config.ways),
        replacement_(config.replacement),
        line_(config.line()),
        sets_(config.bytes / config.line_bytes / config.ways),
        draws_(0, level, purpose::replacement) {}

  line_size line() const { return line_; }

  /// The line that begins there, or null.
  Line* find(std::uint64_t line) {
    for (Line& each : set_of(line)) {
      if (each.line == line) return &each;
    }
    return nullptr;
  }
  const Line* find(std::uint64_t line) const { return const_cast<cache_sets*>(this)->find(line); }

  /// It is now the most recently used of its set, after so many uses.
  void use(Line& used, std::uint64_t times = 1) {
    if (replacement_ == replacement_policy::least_recent) used.used = uses_ += times;
  }

  /// Where a line is put: an empty place of its set, else that of the line which leaves, of those
  /// that `may_leave(line)`; null if there is none.
  template <class MayLeave>
  Line* place_for(std::uint64_t line, MayLeave&& may_leave) {
    Line* const place = place_in(set_of(line), may_leave);
    if (place != nullptr && replacement_ == replacement_policy::first_in) place->used = ++uses_;
    return place;
  }

  /// Calls `visit(line)` for every line.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const std::vector<Line>& set : sets_) {
      for (const Line& each : set) {
        if (each.line != no_line) visit(each);
      }
    }
  }

  /// Whether they are the sets of a configuration, which a checkpoint could have changed.
  bool fits(const cache_level_config& config) const {
    if (sets_.size() != config.bytes / config.line_bytes / config.ways) return false;
    for (const std::vector<Line>& set : sets_) {
      if (set.size() > ways_) return false;
    }
    return true;
  }

  TRIBUTARY_STATE(sets_, uses_, draws_);

 private:
  std::vector<Line>& set_of(std::uint64_t line) { return sets_[line_.number(line) % sets_.size()]; }

  template <class MayLeave>
  Line* place_in(std::vector<Line>& set, MayLeave& may_leave) {
    for (Line& each : set) {
      if (each.line == no_line) return &each;
    }
    if (set.size() < ways_) {
      set.reserve(ways_);  // places do not move
      return &set.emplace_back();
    }
    return leaving(set, may_leave);
  }

  template <class MayLeave>
  Line* leaving(std::vector<Line>& set, MayLeave& may_leave) {
    const bool random = replacement_ == replacement_policy::random;
    Line* chosen = nullptr;
    std::uint64_t seen = 0;
    for (Line& each : set) {
      if (!may_leave(each)) continue;
      ++seen;
      if (chosen == nullptr || (random ? draws_.below(seen) == 0 : each.used < chosen->used)) {
        chosen = &each;
      }
    }
    return chosen;
  }

  std::uint32_t ways_ = 0;
  replacement_policy replacement_ = replacement_policy::least_recent;
  line_size line_;
  std::vector<std::vector<Line>> sets_;
  std::uint64_t uses_ = 0;
  random_stream draws_;
};

}  // namespace tributary
