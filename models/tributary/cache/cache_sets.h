// SPDX-License-Identifier: Apache-2.0
// Where lines lie in a cache: its sets and their ways, and which line leaves for another.
#pragma once

#include <algorithm>
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

/// The lines of a set-associative cache, with their words where it keeps any. `Line` has members
/// `line`, the address of its first byte or `no_line`, and `used`, by which the one that leaves
/// first is known. Sets take memory, a page of them at a time, once a line was put there, so that a
/// machine of many nodes takes what it touches.
template <class Line>
class cache_sets {
 public:
  /// Of no lines, for containers.
  cache_sets() = default;
  /// Of a validated configuration: powers of two. `level`, from 0, names the random numbers, which
  /// are the same in every cache and every run, as those of a register that begins at reset.
  /// `words` are kept for each line.
  cache_sets(const cache_level_config& config, std::uint32_t level, std::size_t words = 0)
      : ways_(config.ways),
        words_(words),
        replacement_(config.replacement),
        line_(config.line()),
        set_mask_(sets_of(config) - 1),
        pages_(pages_of(config)),
        draws_(0, level, purpose::replacement) {}

  line_size line() const { return line_; }

  /// The line that begins there, or null.
  Line* find(std::uint64_t line) {
    std::vector<Line>& lines = page_of(line).lines;
    if (lines.empty()) return nullptr;
    Line* const set = &lines[first_of(line)];
    for (std::uint32_t way = 0; way < ways_; ++way) {
      if (set[way].line == line) return set + way;
    }
    return nullptr;
  }
  const Line* find(std::uint64_t line) const { return const_cast<cache_sets*>(this)->find(line); }

  /// The words of a line that `find` or `place_for` found, once it has its address.
  word_t* words_of(const Line& held) {
    page& all = page_of(held.line);
    return &all.words[static_cast<std::size_t>(&held - all.lines.data()) * words_];
  }
  const word_t* words_of(const Line& held) const {
    return const_cast<cache_sets*>(this)->words_of(held);
  }

  /// It is now the most recently used of its set, after so many uses.
  void use(Line& used, std::uint64_t times = 1) {
    if (replacement_ == replacement_policy::least_recent) used.used = uses_ += times;
  }

  /// Where a line is put: an empty place of its set, else that of the line which leaves, of those
  /// that `may_leave(line)`; null if there is none.
  template <class MayLeave>
  Line* place_for(std::uint64_t line, MayLeave&& may_leave) {
    page& all = page_of(line);
    if (all.lines.empty()) {
      all.lines.resize(sets_a_page() * ways_);
      all.words.resize(all.lines.size() * words_);
    }
    Line* const place = place_in(&all.lines[first_of(line)], may_leave);
    if (place != nullptr && replacement_ == replacement_policy::first_in) place->used = ++uses_;
    return place;
  }

  /// Calls `visit(line)` for every line.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const page& some : pages_) {
      for (const Line& each : some.lines) {
        if (each.line != no_line) visit(each);
      }
    }
  }

  /// Whether they are the sets of a configuration, which a checkpoint could have changed.
  bool fits(const cache_level_config& config) const {
    if (pages_.size() != pages_of(config)) return false;
    for (const page& some : pages_) {
      if (!some.lines.empty() && some.lines.size() != sets_a_page() * ways_) return false;
      if (some.words.size() != some.lines.size() * words_) return false;
    }
    return true;
  }

  TRIBUTARY_STATE(pages_, uses_, draws_);

 private:
  static constexpr std::size_t most_sets_a_page = 16;

  struct page {
    std::vector<Line> lines;  ///< set by set; none before one was put there
    std::vector<word_t> words;

    TRIBUTARY_STATE(lines, words);
  };

  static std::size_t sets_of(const cache_level_config& config) {
    return config.bytes / config.line_bytes / config.ways;
  }
  static std::size_t pages_of(const cache_level_config& config) {
    return std::max<std::size_t>(sets_of(config) / most_sets_a_page, 1);
  }
  std::size_t sets_a_page() const { return (set_mask_ + 1) / pages_.size(); }
  page& page_of(std::uint64_t line) {
    return pages_[(line_.number(line) & set_mask_) / most_sets_a_page];
  }
  /// The place of its set in its page.
  std::size_t first_of(std::uint64_t line) const {
    return (line_.number(line) & set_mask_) % most_sets_a_page * ways_;
  }

  template <class MayLeave>
  Line* place_in(Line* set, MayLeave& may_leave) {
    const bool random = replacement_ == replacement_policy::random;
    Line* chosen = nullptr;
    std::uint64_t seen = 0;
    for (Line* each = set; each != set + ways_; ++each) {
      if (each->line == no_line) return each;
    }
    for (Line* each = set; each != set + ways_; ++each) {
      if (!may_leave(*each)) continue;
      ++seen;
      if (chosen == nullptr || (random ? draws_.below(seen) == 0 : each->used < chosen->used)) {
        chosen = each;
      }
    }
    return chosen;
  }

  std::uint32_t ways_ = 0;
  std::size_t words_ = 0;
  replacement_policy replacement_ = replacement_policy::least_recent;
  line_size line_;
  std::uint64_t set_mask_ = 0;
  std::vector<page> pages_{1};
  std::uint64_t uses_ = 0;
  random_stream draws_;
};

}  // namespace tributary
