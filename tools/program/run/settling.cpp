// SPDX-License-Identifier: Apache-2.0
#include "settling.h"

#include <cmath>

#include <fmt/format.h>

#include "batch_means.h"
#include "comparison.h"

namespace tributary {
namespace {

constexpr double largest_drift = 0.05;
constexpr double chance = 0.01;
constexpr std::size_t fewest_slices = 5;  // of a half, with a response

}  // namespace

void settling::end_slice(const average& latency, std::uint64_t backlog) {
  const std::uint64_t answered = latency.count() - latency_count_;
  if (answered != 0) {
    const auto sum = static_cast<double>(latency.sum() - latency_sum_);
    half(latencies_).push_back(sum / static_cast<double>(answered));
  }
  half(backlogs_).push_back(static_cast<double>(backlog));
  latency_sum_ = latency.sum();
  latency_count_ = latency.count();
  ++slices_;
}

std::optional<double> settling::drift(const halves& of) {
  if (of.first.size() < fewest_slices || of.second.size() < fewest_slices) return std::nullopt;
  const double first = moments_of(of.first).mean;
  const double second = moments_of(of.second).mean;
  if (first == second) return 0.0;
  if (first == 0) return std::nullopt;
  return second / first - 1;
}

std::optional<double> settling::change(const halves& of) {
  const std::optional<double> by = drift(of);
  return by && std::abs(*by) > largest_drift ? by : std::nullopt;
}

const char* settling::doubt(const halves& of) {
  return welch_probability(of.first, of.second) < chance ? "" : " (chance may explain it)";
}

std::vector<std::string> settling::reasons(cycle_t warmup, std::uint64_t greatest_latency) const {
  std::vector<std::string> found;
  if (warmup != 0 && greatest_latency > warmup) {
    found.push_back(fmt::format("a request took {} cycles, more than the warm-up of {}",
                                greatest_latency, warmup));
  }
  if (const std::optional<double> by = change(latencies_)) {
    found.push_back(fmt::format("the mean latency of the second half differs by {:+.0f} %{}",
                                100 * *by, doubt(latencies_)));
  }
  if (const std::optional<double> by = change(backlogs_); by && *by > 0) {
    found.push_back(
        fmt::format("the requests under way grew by {:.0f} % from the first half to "
                    "the second{}",
                    100 * *by, doubt(backlogs_)));
  }
  return found;
}

}  // namespace tributary
