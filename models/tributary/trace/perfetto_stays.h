// SPDX-License-Identifier: Apache-2.0
// Stays that have begun and not ended, for a Perfetto trace.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tributary/trace/event.h>
#include <tributary/trace/number_index.h>
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
  perfetto_rows::place where;
  trace_event begun;
  asked_words asked;
  bool shown = false;
  std::vector<perfetto_arrow> arrows;
};

/// The open stays by key, which is that of `stay_tracker`: few of one key are open at once.
class open_stays {
 public:
  /// Of one key, in the order of their names.
  using list = std::vector<open_stay>;

  const list& of(std::uint64_t key) const {
    const std::uint32_t at = index_.find(key);
    return at == number_index::none ? nothing_ : lists_[at];
  }
  /// Null if it is not open.
  open_stay* find(std::uint64_t key, std::size_t number) {
    const std::uint32_t at = index_.find(key);
    if (at == number_index::none) return nullptr;
    for (open_stay& each : lists_[at]) {
      if (each.number == number) return &each;
    }
    return nullptr;
  }
  /// The one to be filled, in place of an open one of the same name. Others may move.
  open_stay& begin(std::uint64_t key, std::string_view name, std::size_t number) {
    list& here = list_of(key);
    auto at = here.begin();
    while (at != here.end() && at->name < name) ++at;
    if (at == here.end() || at->number != number) at = here.emplace(at);
    at->key = key;
    at->name = name;
    at->number = number;
    at->arrows.clear();
    return *at;
  }
  void end(const open_stay& ended) {
    const std::uint64_t key = ended.key;
    const std::uint32_t at = index_.find(key);
    list& here = lists_[at];
    here.erase(here.begin() + (&ended - here.data()));
    if (!here.empty()) return;
    index_.erase(key);
    free_.push_back(at);
  }

  /// By key and name.
  std::vector<const open_stay*> all() const {
    std::vector<const open_stay*> stays;
    for (const list& each : lists_) {
      for (const open_stay& stay : each) stays.push_back(&stay);
    }
    std::sort(stays.begin(), stays.end(), [](const open_stay* x, const open_stay* y) {
      return std::pair(x->key, x->name) < std::pair(y->key, y->name);
    });
    return stays;
  }

 private:
  list& list_of(std::uint64_t key) {
    std::uint32_t at = index_.find(key);
    if (at != number_index::none) return lists_[at];
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(lists_.size()));
      lists_.emplace_back();
    }
    at = free_.back();
    free_.pop_back();
    index_.insert(key, at);
    return lists_[at];
  }

  number_index index_;       // of lists, by key
  std::vector<list> lists_;  // the free ones keep their room
  std::vector<std::uint32_t> free_;
  list nothing_;
};

}  // namespace tributary
