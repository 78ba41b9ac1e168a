// SPDX-License-Identifier: Apache-2.0
// Latencies by class of request: what a hot word costs the requests that pass it by.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include <tributary/memory/operation.h>
#include <tributary/memory/port.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>

namespace tributary {

/// Latencies in cycles of hot and cold requests, of loads and atomics. Each request is counted once
/// here, in the cell of its warmth and kind; a class is the sum of its cells. A cell takes memory
/// with its first request.
class latency_classes {
 public:
  void add(heat warmth, form kind, std::uint64_t latency, std::uint64_t times = 1) {
    cell& its = cells_[place(warmth, kind)];
    if (its.latency.count() == 0) its.distribution = empty_distribution();
    its.latency.add(latency, times);
    its.distribution.add(latency, times);
  }

  latency_classes& operator+=(const latency_classes& other);

  /// The average over all classes.
  average latency() const;
  /// The distribution over all classes.
  histogram distribution() const;
  void reset() { *this = latency_classes(); }
  /// Adds a group for each class: the average, and the percentiles 50, 95 and 99.
  void report(statistics_group& group) const;

  bool operator==(const latency_classes& other) const { return cells_ == other.cells_; }
  TRIBUTARY_STATE(cells_);

 private:
  struct cell {
    average latency;
    histogram distribution;

    bool operator==(const cell& other) const {
      return latency == other.latency && distribution == other.distribution;
    }
    cell& operator+=(const cell& other);
    TRIBUTARY_STATE(latency, distribution);
  };
  static constexpr std::size_t warmths = 3;
  static constexpr std::size_t load = 0;
  static constexpr std::size_t atomic = 1;

  static histogram empty_distribution() { return histogram(8, 8192); }
  static std::size_t place(heat warmth, form kind) {
    return static_cast<std::size_t>(warmth) * 2 + (kind == form::identity ? load : atomic);
  }
  cell of_warmth(heat warmth) const;
  cell of_kind(std::size_t kind) const;

  std::array<cell, warmths * 2> cells_;
};

}  // namespace tributary
