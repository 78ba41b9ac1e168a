// SPDX-License-Identifier: Apache-2.0
#include "queue_history.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include <tributary/sim/error.h>

namespace tributary::testing {
namespace {

constexpr cycle_t never = std::numeric_limits<cycle_t>::max();

std::string text(const queue_call& call) {
  std::string what = call.enqueues ? "enqueue" : "dequeue";
  if (call.enqueues || call.done) what += " of " + std::to_string(call.item);
  if (!call.done) what += call.enqueues ? " (full)" : " (empty)";
  return what + " in cycles " + std::to_string(call.begin) + " to " + std::to_string(call.end);
}

/// Depth-first search over sets of calls that have taken place and the queue they left.
class order_search {
 public:
  order_search(const std::vector<queue_call>& calls, std::uint64_t capacity)
      : calls_(calls), capacity_(capacity) {}

  bool found() {
    if (taken_ == all()) return true;
    if (!seen_.emplace(taken_, queue_).second) return false;
    most_ = std::max(most_, count_);
    cycle_t first_end = never;
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      if (!is_taken(i)) first_end = std::min(first_end, calls_[i].end);
    }
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      // Whoever begins when another has ended comes after it.
      if (!is_taken(i) && calls_[i].begin < first_end && tried(i)) return true;
    }
    return false;
  }

  /// Calls that the longest order explains.
  std::size_t most() const { return most_; }

 private:
  std::uint64_t all() const {
    return calls_.size() == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << calls_.size()) - 1;
  }
  bool is_taken(std::size_t i) const { return (taken_ >> i & 1U) != 0; }

  bool tried(std::size_t i) {
    const queue_call& call = calls_[i];
    const bool possible = call.enqueues ? (queue_.size() < capacity_) == call.done
                          : call.done   ? !queue_.empty() && queue_.front() == call.item
                                        : queue_.empty();
    if (!possible) return false;
    const std::deque<word_t> before = queue_;
    if (call.done && call.enqueues) queue_.push_back(call.item);
    if (call.done && !call.enqueues) queue_.pop_front();
    taken_ |= std::uint64_t{1} << i;
    ++count_;
    if (found()) return true;
    --count_;
    taken_ &= ~(std::uint64_t{1} << i);
    queue_ = before;
    return false;
  }

  const std::vector<queue_call>& calls_;
  std::uint64_t capacity_;
  std::uint64_t taken_ = 0;
  std::deque<word_t> queue_;
  std::size_t count_ = 0;
  std::size_t most_ = 0;
  std::set<std::pair<std::uint64_t, std::deque<word_t>>> seen_;
};

/// An item's way through the queue.
struct passage {
  const queue_call* in = nullptr;
  const queue_call* out = nullptr;
  cycle_t out_begin() const { return out == nullptr ? never : out->begin; }
  cycle_t out_end() const { return out == nullptr ? never : out->end; }
};

class pattern_search {
 public:
  pattern_search(const std::vector<queue_call>& calls, std::uint64_t capacity)
      : calls_(calls), capacity_(capacity) {}

  std::string found() {
    std::string problem = pair_calls();
    if (problem.empty()) problem = find_disorder();
    if (problem.empty()) problem = find_overflow();
    for (const queue_call& call : calls_) {
      if (!problem.empty() || call.done) continue;
      const bool wrong = call.enqueues ? never_full(call) : never_empty(call);
      if (wrong) problem = "no moment explains the " + text(call);
    }
    return problem;
  }

 private:
  std::string pair_calls() {
    std::map<word_t, passage> items;
    for (const queue_call& call : calls_) {
      if (call.enqueues && call.done) items[call.item].in = &call;
    }
    for (const queue_call& call : calls_) {
      if (call.enqueues || !call.done) continue;
      const auto item = items.find(call.item);
      if (item == items.end()) return "nobody enqueued the item of the " + text(call);
      if (item->second.out != nullptr) return "a second " + text(call);
      if (call.end <= item->second.in->begin) return "before its enqueue: " + text(call);
      item->second.out = &call;
    }
    for (const auto& [item, way] : items) passages_.push_back(way);
    std::sort(passages_.begin(), passages_.end(),
              [](const passage& x, const passage& y) { return x.in->end < y.in->end; });
    return "";
  }

  std::string find_disorder() const {
    for (const passage& first : passages_) {
      for (const passage& second : passages_) {
        const bool ordered = first.in->end <= second.in->begin && second.out != nullptr;
        if (ordered && second.out->end <= first.out_begin()) {
          return text(*second.out) + ", but the " + text(*first.in) + " was before it";
        }
      }
    }
    return "";
  }

  /// Items that can have been there at a time, or must have been.
  std::uint64_t at_most(cycle_t time) const {
    return static_cast<std::uint64_t>(std::count_if(
        passages_.begin(), passages_.end(),
        [time](const passage& each) { return each.in->begin <= time && time <= each.out_end(); }));
  }
  std::uint64_t at_least(cycle_t time) const {
    return static_cast<std::uint64_t>(std::count_if(
        passages_.begin(), passages_.end(),
        [time](const passage& each) { return each.in->end <= time && time < each.out_begin(); }));
  }

  std::string find_overflow() const {
    for (const passage& each : passages_) {
      if (at_least(each.in->end) > capacity_) return "too many items with the " + text(*each.in);
    }
    return "";
  }

  bool never_full(const queue_call& call) const {
    if (at_most(call.begin) >= capacity_ || at_most(call.end) >= capacity_) return false;
    return std::none_of(passages_.begin(), passages_.end(), [&](const passage& each) {
      const cycle_t time = each.in->begin;
      return call.begin <= time && time <= call.end && at_most(time) >= capacity_;
    });
  }

  /// Whether items that were there for certain cover the call without a gap.
  bool never_empty(const queue_call& call) const {
    cycle_t covered = call.begin;
    bool further = true;
    while (further && covered < call.end) {
      further = false;
      for (const passage& each : passages_) {
        if (each.in->end > covered) break;  // sorted by it
        if (each.out_begin() > covered) {
          covered = each.out_begin();
          further = true;
        }
      }
    }
    return covered >= call.end;
  }

  const std::vector<queue_call>& calls_;
  std::uint64_t capacity_;
  std::vector<passage> passages_;  // by the end of the enqueue
};

}  // namespace

std::string find_no_order(const std::vector<queue_call>& calls, std::uint64_t capacity) {
  if (calls.size() > 64) throw error("a history of more than 64 calls");
  order_search search(calls, capacity);
  if (search.found()) return "";
  return "no order explains more than " + std::to_string(search.most()) + " of " +
         std::to_string(calls.size()) + " calls";
}

std::string find_bad_pattern(const std::vector<queue_call>& calls, std::uint64_t capacity) {
  return pattern_search(calls, capacity).found();
}

}  // namespace tributary::testing
