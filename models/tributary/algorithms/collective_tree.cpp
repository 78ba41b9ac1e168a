// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/collective_tree.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <string>

#include <tributary/sim/error.h>

namespace tributary {
namespace {

constexpr std::uint64_t longest_latency = std::uint64_t{1} << 32U;

collective_tree empty_tree(std::uint32_t ranks) {
  if (ranks == 0 || ranks > most_tree_ranks) {
    throw configuration_error({"ranks", "", "a tree has " + std::to_string(ranks) + " ranks",
                               "1 to " + std::to_string(most_tree_ranks), "choose another number"});
  }
  collective_tree made;
  made.children.resize(ranks);
  return made;
}

void check(const postal_times& times) {
  if (times.gap == 0) {
    throw configuration_error(
        {"gap", "", "a rank would send everything at once", "1 or more", "raise it"});
  }
  if (times.latency >= times.gap && times.latency <= longest_latency) return;
  throw configuration_error({"latency", "", "it is " + std::to_string(times.latency),
                             std::to_string(times.gap) + " (the gap) to 2^32",
                             "choose another unit of time, or another latency"});
}

/// Parents come before their children.
void set_depth(collective_tree& tree) {
  std::vector<std::uint32_t> level(tree.children.size());
  for (std::size_t rank = 0; rank < level.size(); ++rank) {
    for (const std::uint32_t child : tree.children[rank]) level[child] = level[rank] + 1;
  }
  tree.depth = *std::max_element(level.begin(), level.end());
}

struct sender {
  std::uint64_t at = 0;  ///< may send then
  std::uint32_t rank = 0;
};

/// Ranks that may send: those that did before, and those that have just received. Times are in
/// order in both queues, since what is added is later than what was taken by a constant.
class senders {
 public:
  explicit senders(const postal_times& times) : times_(times) { new_.push_back({}); }

  /// Takes the rank that sends next, which then sends to `receiver`.
  std::uint32_t next(std::uint32_t receiver) {
    const bool prefers_old = !old_.empty() && (new_.empty() || old_.front().at <= new_.front().at);
    std::deque<sender>& from = prefers_old ? old_ : new_;
    const sender taken = from.front();
    from.pop_front();
    new_.push_back({taken.at + times_.latency, receiver});
    old_.push_back({taken.at + times_.gap, taken.rank});
    return taken.rank;
  }

 private:
  postal_times times_;
  std::deque<sender> old_;
  std::deque<sender> new_;
};

}  // namespace

std::vector<std::uint32_t> collective_tree::parents() const {
  std::vector<std::uint32_t> result(children.size());
  for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
    for (const std::uint32_t child : children[rank]) result[child] = rank;
  }
  return result;
}

collective_tree greedy_tree(std::uint32_t ranks, const postal_times& times) {
  check(times);
  collective_tree made = empty_tree(ranks);
  senders ready(times);
  for (std::uint32_t rank = 1; rank < ranks; ++rank) {
    made.children[ready.next(rank)].push_back(rank);
  }
  set_depth(made);
  return made;
}

collective_tree binomial_tree(std::uint32_t ranks) {
  collective_tree made = empty_tree(ranks);
  for (std::uint32_t first = 1; first < ranks; first *= 2) {
    for (std::uint32_t to = first; to < std::min(2 * first, ranks); ++to) {
      made.children[to - first].push_back(to);
    }
  }
  set_depth(made);
  return made;
}

collective_tree flat_tree(std::uint32_t ranks) { return radix_tree(ranks, most_tree_ranks); }

collective_tree radix_tree(std::uint32_t ranks, std::uint32_t radix) {
  collective_tree made = empty_tree(ranks);
  if (radix == 0) {
    throw configuration_error({"radix", "", "no rank would send", "1 or more", "raise it"});
  }
  for (std::uint32_t rank = 1; rank < ranks; ++rank) {
    made.children[(rank - 1) / radix].push_back(rank);
  }
  set_depth(made);
  return made;
}

std::vector<std::uint64_t> postal_arrivals(const collective_tree& tree, const postal_times& times) {
  check(times);
  std::vector<std::uint64_t> arrivals(tree.children.size());
  for (std::size_t rank = 0; rank < arrivals.size(); ++rank) {
    std::uint64_t begin = arrivals[rank];
    for (const std::uint32_t child : tree.children[rank]) {
      arrivals[child] = begin + times.latency;
      begin += times.gap;
    }
  }
  return arrivals;
}

}  // namespace tributary
