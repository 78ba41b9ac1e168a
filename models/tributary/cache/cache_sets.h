// SPDX-License-Identifier: Apache-2.0
// Where lines lie in a cache: its sets and their ways, and which line leaves for another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tributary/memory/line.h>
#include <tributary/sim/state.h>

namespace tributary {

/// No line begins there.
inline constexpr std::uint64_t no_line = ~std::uint64_t{0};

/// The lines of a set-associative cache. `Line` has members `line`, the address of its first byte
/// or `no_line`, and `used`, by which the least recently used is known. A set takes memory once a
/// line was put there, so that a machine of many nodes takes what it touches.
template <class Line>
class cache_sets {
 public:
  /// Of no lines, for containers.
  cache_sets() = default;
  /// Of a validated configuration: powers of two.
  cache_sets(std::uint64_t bytes, std::uint32_t ways, line_size line)
      : ways_(ways), line_(line), sets_(bytes / line.bytes() / ways) {}

  line_size line() const { return line_; }

  /// The line that begins there, or null.
  Line* find(std::uint64_t line) {
    for (Line& each : set_of(line)) {
      if (each.line == line) return &each;
    }
    return nullptr;
  }
  const Line* find(std::uint64_t line) const { return const_cast<cache_sets*>(this)->find(line); }

  /// It is now the most recently used of its set.
  void use(Line& used) { used.used = ++uses_; }

  /// Where a line may be put: an empty place of its set, else the least recently used line of those
  /// that `may_leave(line)`; null if there is none.
  template <class MayLeave>
  Line* place_for(std::uint64_t line, MayLeave&& may_leave) {
    std::vector<Line>& set = set_of(line);
    for (Line& each : set) {
      if (each.line == no_line) return &each;
    }
    if (set.size() < ways_) {
      set.reserve(ways_);  // places do not move
      return &set.emplace_back();
    }
    Line* chosen = nullptr;
    for (Line& each : set) {
      if (may_leave(each) && (chosen == nullptr || each.used < chosen->used)) chosen = &each;
    }
    return chosen;
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

  TRIBUTARY_STATE(sets_, uses_);

 private:
  std::vector<Line>& set_of(std::uint64_t line) { return sets_[line_.number(line) % sets_.size()]; }

  std::uint32_t ways_ = 0;
  line_size line_;
  std::vector<std::vector<Line>> sets_;
  std::uint64_t uses_ = 0;
};

}  // namespace tributary
