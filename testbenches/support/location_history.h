// SPDX-License-Identifier: Apache-2.0
// Whether what processors saw of a word fits one order of its writes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <tributary/memory/operation.h>
#include <tributary/sim/cycle.h>

namespace tributary::testing {

/// What processors did to one word, every write with a value of its own. The word is 0 at first.
///
/// There must be one order of all writes in which each processor sees the word go forward only, in
/// which the value that an exchange found is the one just before its own, and which ends with what
/// is there at the end. `fault` decides whether there is such an order: exchanges join values to
/// chains, which nothing can part, and all else says which chain comes before which.
class location_history {
 public:
  /// Something that a processor did. Of a load, both are the value that it found; of a store, both
  /// are the value that it wrote.
  struct event {
    std::uint32_t processor = 0;
    std::uint64_t number = 0;  ///< in the order of the program
    cycle_t begun = 0;
    cycle_t ended = 0;
    word_t found = 0;
    word_t left = 0;
  };

  void will_write(word_t value) { places_.emplace(value, place{}); }
  void add(const event& seen) { events_.push_back(seen); }
  std::size_t size() const { return events_.size(); }

  /// What is wrong, or "". `newest`: the word at the end. `in_time`: the order is by the clock too,
  /// so that what has ended before something else began comes before it.
  std::string fault(word_t newest, bool in_time) {
    places_.emplace(0, place{});
    for (const event& each : events_) {
      for (const word_t value : {each.found, each.left}) {
        if (places_.count(value) == 0) return text(value) + " was read and never written";
      }
    }
    if (places_.count(newest) == 0) return text(newest) + " is left and was never written";
    const std::string wrong = make_chains();
    if (!wrong.empty()) return wrong;
    order_by_programs();
    if (in_time) order_by_time();
    order_ends(newest);
    if (!wrong_.empty()) return wrong_;
    return has_order() ? "" : "no order of the writes agrees with what was seen";
  }

 private:
  /// Where a value is: the number of its chain, and how far behind the chain's first value.
  struct place {
    std::size_t chain = none;
    std::size_t at = 0;
  };
  static constexpr std::size_t none = ~std::size_t{0};

  static std::string text(word_t value) { return "value " + std::to_string(value); }

  std::string make_chains() {
    std::map<word_t, word_t> next;
    std::map<word_t, bool> has_one_before;
    for (const event& each : events_) {
      if (each.found == each.left) continue;
      if (!next.emplace(each.found, each.left).second) {
        return "two exchanges found " + text(each.found);
      }
      has_one_before[each.left] = true;
    }
    if (has_one_before.count(0) != 0) return "something wrote 0";
    for (auto& [value, of_value] : places_) {
      if (has_one_before.count(value) != 0) continue;
      of_value = {chains_.size(), 0};
      std::size_t length = 1;
      for (auto at = next.find(value); at != next.end(); at = next.find(at->second)) {
        places_.at(at->second) = {chains_.size(), length++};
      }
      chains_.push_back({length, {}});
    }
    for (const auto& [value, of_value] : places_) {
      if (of_value.chain == none) return text(value) + " comes before itself";
    }
    return "";
  }

  void order_by_programs() {
    std::sort(events_.begin(), events_.end(), [](const event& a, const event& b) {
      return a.processor != b.processor ? a.processor < b.processor : a.number < b.number;
    });
    for (std::size_t i = 1; i < events_.size(); ++i) {
      if (events_[i].processor != events_[i - 1].processor) continue;
      order(events_[i - 1].left, events_[i].found, "a processor");
    }
  }
  void order_by_time() {
    for (const event& first : events_) {
      for (const event& second : events_) {
        if (first.ended < second.begun) order(first.left, second.found, "a later access");
      }
    }
  }
  void order_ends(word_t newest) {
    for (const auto& [value, of_value] : places_) {
      order(0, value, "the beginning");
      order(value, newest, "the end");
    }
  }

  /// `first` comes before `second`, or is the same.
  void order(word_t first, word_t second, const char* seen_by) {
    const place& a = places_.at(first);
    const place& b = places_.at(second);
    if (a.chain != b.chain) {
      chains_[a.chain].later.push_back(b.chain);
    } else if (a.at > b.at && wrong_.empty()) {
      wrong_ = std::string(seen_by) + " sees " + text(second) + " behind " + text(first) +
               ", which overwrote it";
    }
  }

  bool has_order() const {
    std::vector<std::size_t> before(chains_.size());
    for (const chain& each : chains_) {
      for (const std::size_t later : each.later) ++before[later];
    }
    std::vector<std::size_t> ready;
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (before[i] == 0) ready.push_back(i);
    }
    std::size_t ordered = 0;
    while (!ready.empty()) {
      const std::size_t first = ready.back();
      ready.pop_back();
      ++ordered;
      for (const std::size_t later : chains_[first].later) {
        if (--before[later] == 0) ready.push_back(later);
      }
    }
    return ordered == chains_.size();
  }

  struct chain {
    std::size_t length;
    std::vector<std::size_t> later;  ///< chains that come behind it
  };

  std::map<word_t, place> places_;  ///< by value
  std::vector<event> events_;
  std::vector<chain> chains_;
  std::string wrong_;
};

}  // namespace tributary::testing
