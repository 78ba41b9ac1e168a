// SPDX-License-Identifier: Apache-2.0
#include "serial_checker.h"

#include <algorithm>
#include <cstddef>
#include <map>

namespace tributary::testing {
namespace {

using positions = std::vector<std::size_t>;

std::string describe(const observed_request& request) {
  return to_string(request.id) + " (" + std::string(name_of(request.function.kind)) + " at " +
         std::to_string(request.address) + ", accepted " + std::to_string(request.accepted) +
         ", delivered " + std::to_string(request.delivered) + ")";
}

std::string check_answers(const std::vector<observed_request>& requests) {
  for (const observed_request& request : requests) {
    if (request.answers == 1) continue;
    return describe(request) + " was answered " + std::to_string(request.answers) + " times";
  }
  return {};
}

/// Indices into the requests, ascending by identity.
positions by_identity(const std::vector<observed_request>& requests) {
  positions sorted(requests.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) sorted[i] = i;
  std::sort(sorted.begin(), sorted.end(),
            [&](std::size_t x, std::size_t y) { return requests[x].id < requests[y].id; });
  return sorted;
}

/// The order as indices into the requests. Returns a breach if it is no permutation of them.
std::string resolve_order(const history& seen, positions& order) {
  const positions known = by_identity(seen.requests);
  for (std::size_t i = 1; i < known.size(); ++i) {
    const request_id& id = seen.requests[known[i]].id;
    if (id == seen.requests[known[i - 1]].id) return to_string(id) + " was accepted twice";
  }
  std::vector<bool> used(seen.requests.size(), false);
  for (const request_id& id : seen.order) {
    const auto at = std::lower_bound(
        known.begin(), known.end(), id,
        [&](std::size_t x, const request_id& wanted) { return seen.requests[x].id < wanted; });
    if (at == known.end() || seen.requests[*at].id != id) {
      return to_string(id) + " is in the order but was never accepted";
    }
    if (used[*at]) return to_string(id) + " is in the order twice";
    used[*at] = true;
    order.push_back(*at);
  }
  if (order.size() == seen.requests.size()) return {};
  const auto missing = std::find(used.begin(), used.end(), false) - used.begin();
  return describe(seen.requests[static_cast<std::size_t>(missing)]) + " is not in the order";
}

/// Executes the requests of one word, [begin, end) of `order`; `value` becomes its final value.
std::string replay_word(const history& seen, const std::size_t* begin, const std::size_t* end,
                        word_t& value) {
  std::map<std::uint16_t, std::uint32_t> last_of;
  const observed_request* latest = nullptr;  // the one accepted last of those that came before
  for (const std::size_t* at = begin; at != end; ++at) {
    const observed_request& now = seen.requests[*at];
    if (now.value != value) {
      return describe(now) + " was answered with " + std::to_string(now.value) +
             ", the serial order gives " + std::to_string(value);
    }
    value = apply(now.function, value);
    if (latest != nullptr && now.delivered < latest->accepted) {
      return describe(now) + " was delivered before " + describe(*latest) +
             " was accepted, but comes after it in the order";
    }
    const bool bounds = !seen.loads_may_be_late || !is_load(now);
    if (bounds && (latest == nullptr || now.accepted > latest->accepted)) latest = &now;
    if (!seen.keeps_program_order) continue;
    const auto [before, first] = last_of.emplace(now.id.pe, now.id.sequence);
    if (!first && before->second > now.id.sequence) {
      return describe(now) + " comes after its element's later request " +
             std::to_string(before->second);
    }
    before->second = now.id.sequence;
  }
  return {};
}

std::string compare_memory(const history& seen,
                           const std::vector<std::pair<std::uint64_t, word_t>>& expected) {
  const auto text = [](const std::pair<std::uint64_t, word_t>& word) {
    return "word " + std::to_string(word.first) + " = " + std::to_string(word.second);
  };
  const auto& found = seen.final_memory;
  const auto [one, other] =
      std::mismatch(found.begin(), found.end(), expected.begin(), expected.end());
  if (one == found.end() && other == expected.end()) return {};
  return "final memory has " + (one == found.end() ? "nothing" : text(*one)) + " where " +
         (other == expected.end() ? "nothing" : text(*other)) + " was expected";
}

/// What comes before what in a run: requests, by their numbers, and behind them the fences.
class precedence {
 public:
  /// `by_word`: the witness, word by word.
  precedence(const history& seen, const positions& by_word)
      : seen_(seen), later_(seen.requests.size()), before_(seen.requests.size()) {
    for (std::size_t i = 0; i < by_word.size(); ++i) order_in_word(by_word, i);
    for (std::size_t i = 0; i < seen.requests.size(); ++i) order_by_fences(i);
  }

  /// A circle, as a sentence, or an empty string if there is an order.
  std::string find_circle() const {
    std::vector<std::size_t> left = before_;
    positions ready;
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (left[i] == 0) ready.push_back(i);
    }
    std::size_t ordered = 0;
    for (; !ready.empty(); ++ordered) {
      const std::size_t first = ready.back();
      ready.pop_back();
      for (const std::size_t each : later_[first]) {
        if (--left[each] == 0) ready.push_back(each);
      }
    }
    return ordered == left.size() ? "" : text_of(circle_among(left));
  }

 private:
  /// A load comes between two writes, in any order with the other loads there.
  void order_in_word(const positions& by_word, std::size_t at) {
    const std::size_t now = by_word[at];
    const observed_request& request = seen_.requests[now];
    if (at == 0 || seen_.requests[by_word[at - 1]].address != request.address) {
      last_write_ = none;
      loads_.clear();
    }
    if (last_write_ != none) order(last_write_, now);
    if (is_load(request)) {
      loads_.push_back(now);
      return;
    }
    for (const std::size_t each : loads_) order(each, now);
    loads_.clear();
    last_write_ = now;
  }
  void order_by_fences(std::size_t now) {
    const observed_request& request = seen_.requests[now];
    if (request.fences != 0) order(fence(request.id.pe, request.fences), now);
    order(now, fence(request.id.pe, request.fences + 1));
  }
  /// The number of a processor's fence, which comes behind the one before it.
  std::size_t fence(std::uint16_t pe, std::uint32_t count) {
    const auto [at, is_new] = fences_.emplace(std::make_pair(pe, count), later_.size());
    const std::size_t number = at->second;
    if (is_new) {
      later_.emplace_back();
      before_.push_back(0);
      if (count > 1) order(fence(pe, count - 1), number);
    }
    return number;
  }
  void order(std::size_t first, std::size_t second) {
    later_[first].push_back(second);
    ++before_[second];
  }

  /// Of those that are left, each has one before it that is left too.
  positions circle_among(const std::vector<std::size_t>& left) const {
    std::vector<std::size_t> previous(left.size(), none);
    std::size_t at = none;
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (left[i] == 0) continue;
      at = i;
      for (const std::size_t each : later_[i]) previous[each] = i;
    }
    std::vector<bool> passed(left.size(), false);
    for (; !passed[at]; at = previous[at]) passed[at] = true;
    positions circle{at};
    for (std::size_t i = previous[at]; i != at; i = previous[i]) circle.push_back(i);
    std::reverse(circle.begin(), circle.end());
    return circle;
  }
  std::string text_of(const positions& circle) const {
    std::string text = "no order of all words agrees with the fences:";
    for (const std::size_t each : circle) {
      if (each < seen_.requests.size()) text += " " + describe(seen_.requests[each]) + " before";
    }
    return text + " the first of these";
  }

  static constexpr std::size_t none = ~std::size_t{0};

  const history& seen_;
  std::vector<positions> later_;
  std::vector<std::size_t> before_;  // how many
  std::map<std::pair<std::uint16_t, std::uint32_t>, std::size_t> fences_;
  std::size_t last_write_ = none;  // of the word that is being ordered
  positions loads_;                // behind that write
};

}  // namespace

std::string find_violation(const history& seen) {
  if (std::string breach = check_answers(seen.requests); !breach.empty()) return breach;
  positions order;
  if (std::string breach = resolve_order(seen, order); !breach.empty()) return breach;

  // Nothing is promised across words, so each is executed alone.
  std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
    return seen.requests[x].address < seen.requests[y].address;
  });
  std::vector<std::pair<std::uint64_t, word_t>> memory;
  for (std::size_t begin = 0; begin < order.size();) {
    const std::uint64_t address = seen.requests[order[begin]].address;
    std::size_t end = begin;
    while (end < order.size() && seen.requests[order[end]].address == address) ++end;
    word_t value = 0;
    std::string breach = replay_word(seen, order.data() + begin, order.data() + end, value);
    if (!breach.empty()) return breach;
    if (value != 0) memory.emplace_back(address, value);
    begin = end;
  }
  if (std::string breach = compare_memory(seen, memory); !breach.empty()) return breach;
  return precedence(seen, order).find_circle();
}

std::string find_repeated_reply(const std::vector<observed_request>& requests) {
  if (std::string breach = check_answers(requests); !breach.empty()) return breach;
  std::map<word_t, const observed_request*> seen;
  for (const observed_request& request : requests) {
    const auto [before, first] = seen.emplace(request.value, &request);
    if (first) continue;
    return describe(request) + " and " + describe(*before->second) + " were both answered with " +
           std::to_string(request.value);
  }
  return {};
}

}  // namespace tributary::testing
