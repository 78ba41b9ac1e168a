// SPDX-License-Identifier: Apache-2.0
// Rows of cluster interfaces (T: section 14 of the specification of CANPC 2000): predictors of
// messages on sequences whose hits are known, and trees of collective operations.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <tributary/algorithms/collective_tree.h>
#include <tributary/nic/message_predictor.h>
#include <tributary/sim/random_stream.h>

#include "checks.h"
#include "family.h"

namespace tributary::validation {
namespace {

using sequence = std::vector<message_identifier>;

/// Messages 1 to `length`, so many times.
sequence cycles(std::uint64_t length, std::uint64_t times) {
  sequence all;
  for (std::uint64_t i = 0; i < length * times; ++i) all.push_back(1 + i % length);
  return all;
}

sequence joined(sequence first, const sequence& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

prediction_counts counts_of(const message_predictor_config& config, const sequence& all) {
  message_predictor predictor(config);
  for (const message_identifier each : all) predictor.observe(0, each);
  return predictor.counts();
}

double hits_of(const message_predictor_config& config, const sequence& all) {
  return static_cast<double>(counts_of(config, all).hits.value());
}

message_predictor_config window_of(predictor_kind kind, std::uint32_t window) {
  message_predictor_config config;
  config.kind = kind;
  config.window = window;
  return config;
}

message_predictor_config cycle_with_log(std::uint32_t log) {
  message_predictor_config config;
  config.kind = predictor_kind::single_cycle;
  config.log = log;
  return config;
}

/// Cycles of 1 to 40 messages, 2 to 10 times, whose misses are not length + 1.
double wrong_cycles() {
  double wrong = 0;
  for (std::uint64_t length = 1; length <= 40; ++length) {
    for (std::uint64_t times = 2; times <= 10; ++times) {
      const prediction_counts counts = counts_of(cycle_with_log(256), cycles(length, times));
      if (counts.misses.value() != length + 1) ++wrong;
    }
  }
  return wrong;
}

/// Hits behind a break of a cycle of 4 messages that goes on 100 times.
double hits_after_break(std::uint32_t log) {
  const sequence before = cycles(4, 10);
  const sequence all = joined(joined(before, {99}), cycles(4, 100));
  return hits_of(cycle_with_log(log), all) - hits_of(cycle_with_log(log), before);
}

/// Different messages come with different probability, some in loops.
sequence drawn_sequence(std::uint64_t seed) {
  random_stream draws(seed, 0U, purpose::traffic);
  sequence all;
  while (all.size() < 2000) {
    const sequence loop = cycles(1 + draws.below(12), 1 + draws.below(6));
    const std::uint64_t base = draws.below(20);
    for (const message_identifier each : loop) all.push_back(base + each);
    for (std::uint64_t i = draws.below(5); i != 0; --i) all.push_back(draws.below(30));
  }
  return all;
}

constexpr std::uint64_t drawn_sequences = 50;
constexpr std::uint32_t longest_window = 64;  // more than there are different messages

/// Longer windows of LRU that hit less than the next shorter one, on sequences at random.
double windows_that_lose() {
  double lose = 0;
  for (std::uint64_t seed = 1; seed <= drawn_sequences; ++seed) {
    const sequence all = drawn_sequence(seed);
    double before = 0;
    for (std::uint32_t k = 1; k <= longest_window; ++k) {
      const double hits = hits_of(window_of(predictor_kind::lru, k), all);
      if (hits < before) ++lose;
      before = hits;
    }
  }
  return lose;
}

/// Misses of the longest window beyond the first of each message, on sequences at random.
double misses_beyond_first(predictor_kind kind) {
  double beyond = 0;
  for (std::uint64_t seed = 1; seed <= drawn_sequences; ++seed) {
    const sequence all = drawn_sequence(seed);
    sequence different = all;
    std::sort(different.begin(), different.end());
    different.erase(std::unique(different.begin(), different.end()), different.end());
    const auto misses = counts_of(window_of(kind, longest_window), all).misses.value();
    beyond += static_cast<double>(misses) - static_cast<double>(different.size());
  }
  return beyond;
}

/// Numbers of ranks up to 256 whose greedy tree of lambda = 1 is not the binomial tree.
double trees_that_differ() {
  double differ = 0;
  for (std::uint32_t ranks = 1; ranks <= 256; ++ranks) {
    if (greedy_tree(ranks, {1, 1}).children != binomial_tree(ranks).children) ++differ;
  }
  return differ;
}

/// Collects rows; each computes by itself.
class computed_rows {
 public:
  explicit computed_rows(const claims& all) : all_(all) {}

  void add(const std::string& id, const std::string& of, const std::function<double()>& measure) {
    planned_row row = all_["cluster." + id].row();
    row.shape.configuration = json_value::make_object();
    row.shape.configuration.set("of", json_value(of));
    row.measure = [measure](const point_results&) { return measure(); };
    rows_.push_back(std::move(row));
  }
  std::vector<planned_row> take() { return std::move(rows_); }

 private:
  const claims& all_;
  std::vector<planned_row> rows_;
};

void add_windows(computed_rows& rows) {
  rows.add("T70.shorter", "lru, windows of 1 to 5", [] {
    double hits = 0;
    for (std::uint32_t k = 1; k <= 5; ++k) {
      hits += hits_of(window_of(predictor_kind::lru, k), cycles(6, 50));
    }
    return hits;
  });
  rows.add("T70.window", "lru, window of 6",
           [] { return hits_of(window_of(predictor_kind::lru, 6), cycles(6, 50)); });
  rows.add("T72.growth", "lru, windows of 1 to 64", windows_that_lose);
  rows.add("T72.lru", "lru, window of 64", [] { return misses_beyond_first(predictor_kind::lru); });
  rows.add("T72.fifo", "fifo, window of 64",
           [] { return misses_beyond_first(predictor_kind::fifo); });
  rows.add("T72.lfu", "lfu, window of 64", [] { return misses_beyond_first(predictor_kind::lfu); });
}

}  // namespace

std::vector<planned_row> cluster_predictor_checks(const claims& cluster) {
  computed_rows rows(cluster);
  rows.add("T47", "greedy tree, 4 ranks, lambda 2", [] {
    return static_cast<double>(greedy_tree(4, {2, 1}).root_degree());
  });
  rows.add("T48", "greedy trees of 1 to 256 ranks, lambda 1", trees_that_differ);
  rows.add("T68", "single_cycle", wrong_cycles);
  rows.add("T69", "single_cycle", [] {
    sequence all;
    for (int i = 0; i < 25; ++i) all = joined(std::move(all), {1, 2, 1, 3});
    return hits_of(cycle_with_log(256), all);
  });
  rows.add("T71.literal", "single_cycle, a log longer than the sequence",
           [] { return hits_after_break(1U << 20U); });
  rows.add("T71.capped", "single_cycle, a log of 4", [] { return hits_after_break(4); });
  add_windows(rows);
  return rows.take();
}

}  // namespace tributary::validation
