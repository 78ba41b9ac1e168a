// SPDX-License-Identifier: Apache-2.0
#include "serial_checker.h"

#include <algorithm>
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
    if (latest == nullptr || now.accepted > latest->accepted) latest = &now;
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
  return compare_memory(seen, memory);
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
