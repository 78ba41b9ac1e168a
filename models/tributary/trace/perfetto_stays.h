// SPDX-License-Identifier: Apache-2.0
// Stays that have begun and not ended, for a Perfetto trace.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <tributary/trace/event.h>
#include <tributary/trace/number_index.h>
#include <tributary/trace/perfetto_names.h>
#include <tributary/trace/perfetto_rows.h>
#include <tributary/trace/perfetto_writer.h>

namespace tributary {

/// What an identity asks for.
struct asked_words {
  std::string_view words;  ///< empty if that is not known
  std::optional<std::uint64_t> number;
};

struct open_stay {
  std::uint64_t key = 0;
  std::string_view name;
  std::size_t number = 0;  ///< of the name
  perfetto_rows::place where{};
  trace_event begun;
  asked_words asked;
  bool shown = false;
  std::uint32_t next = number_index::none;  ///< of the same key
  std::vector<perfetto_arrow> arrows;
};

/// The open stays by key, which is that of `stay_tracker`: few of one key are open at once.
class open_stays {
 public:
  /// The first of the key for which `is_it(stay)` holds; null if there is none.
  template <class Condition>
  open_stay* find_if(std::uint64_t key, Condition&& is_it) {
    for (std::uint32_t at = index_.find(key); at != number_index::none; at = stays_[at].next) {
      if (is_it(stays_[at])) return &stays_[at];
    }
    return nullptr;
  }
  /// Null if it is not open.
  open_stay* find(std::uint64_t key, std::size_t number) {
    return find_if(key, [number](const open_stay& each) { return each.number == number; });
  }
  /// The one to be filled, in place of an open one of the same name. `asked_by(the first that is
  /// open of the key, or null)` is what its identity asks for. Others may move.
  template <class AskedBy>
  open_stay& begin(std::uint64_t key, const perfetto_names::numbered_name& name,
                   AskedBy&& asked_by) {
    std::uint32_t& first = index_[key];
    const asked_words asked = asked_by(first == number_index::none ? nullptr : &stays_[first]);
    std::uint32_t at = first;
    while (at != number_index::none && stays_[at].number != name.number) at = stays_[at].next;
    if (at == number_index::none) {
      at = unused();
      stays_[at].next = std::exchange(first, at);
    }
    open_stay& begun = stays_[at];
    begun.key = key;
    begun.name = name.name;
    begun.number = name.number;
    begun.asked = asked;
    begun.arrows.clear();
    return begun;
  }
  /// Ends it, if it is open, with `visit(stay)`.
  template <class Visit>
  void end(std::uint64_t key, std::size_t number, Visit&& visit) {
    const std::uint32_t first = index_.find(key);
    std::uint32_t at = first;
    std::uint32_t before = number_index::none;
    while (at != number_index::none && stays_[at].number != number) {
      before = std::exchange(at, stays_[at].next);
    }
    if (at == number_index::none) return;
    open_stay& ended = stays_[at];
    visit(ended);
    if (before != number_index::none) {
      stays_[before].next = ended.next;
    } else if (ended.next != number_index::none) {
      index_[key] = ended.next;
    } else {
      index_.erase(key);
    }
    ended.begun.kind = nullptr;
    free_.push_back(at);
  }

  /// By key and name.
  std::vector<const open_stay*> all() const {
    std::vector<const open_stay*> stays;
    for (const open_stay& each : stays_) {
      if (each.begun.kind != nullptr) stays.push_back(&each);
    }
    std::sort(stays.begin(), stays.end(), [](const open_stay* x, const open_stay* y) {
      return std::pair(x->key, x->name) < std::pair(y->key, y->name);
    });
    return stays;
  }

 private:
  std::uint32_t unused() {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(stays_.size()));
      stays_.emplace_back();
    }
    const std::uint32_t at = free_.back();
    free_.pop_back();
    return at;
  }

  number_index index_;            // of the last of a key that began
  std::vector<open_stay> stays_;  // those that have ended keep their room
  std::vector<std::uint32_t> free_;
};

}  // namespace tributary
