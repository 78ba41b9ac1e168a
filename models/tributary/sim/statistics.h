// SPDX-License-Identifier: Apache-2.0
// Counters, averages, histograms and series, and the tree in which a run reports them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <tributary/sim/cycle.h>
#include <tributary/sim/json_document.h>
#include <tributary/sim/state.h>

namespace tributary {

/// Name and version of the layout that `statistics_tree::to_json` writes.
inline constexpr std::string_view statistics_schema = "tributary.statistics/1";

/// A count of events.
class counter {
 public:
  counter() = default;
  explicit counter(std::uint64_t events) noexcept : value_(events) {}

  counter& operator++() noexcept {
    ++value_;
    return *this;
  }
  void add(std::uint64_t events) noexcept { value_ += events; }
  counter& operator+=(const counter& other) noexcept {
    value_ += other.value_;
    return *this;
  }
  std::uint64_t value() const noexcept { return value_; }
  void reset() noexcept { value_ = 0; }

  bool operator==(const counter& other) const noexcept { return value_ == other.value_; }
  bool operator!=(const counter& other) const noexcept { return !(*this == other); }
  TRIBUTARY_STATE(value_);

 private:
  std::uint64_t value_ = 0;
};

/// Mean, least and greatest of whole numbers, kept exactly so that no order of adding matters.
class average {
 public:
  /// The same value so many times, at least once.
  void add(std::uint64_t value, std::uint64_t times = 1) noexcept {
    count_ += times;
    sum_ += value * times;
    min_ = value < min_ ? value : min_;
    max_ = value > max_ ? value : max_;
  }
  average& operator+=(const average& other) noexcept {
    count_ += other.count_;
    sum_ += other.sum_;
    min_ = other.min_ < min_ ? other.min_ : min_;
    max_ = other.max_ > max_ ? other.max_ : max_;
    return *this;
  }
  std::uint64_t count() const noexcept { return count_; }
  std::uint64_t sum() const noexcept { return sum_; }
  std::uint64_t min() const noexcept { return count_ == 0 ? 0 : min_; }  ///< 0 if empty
  std::uint64_t max() const noexcept { return max_; }                    ///< 0 if empty
  double mean() const noexcept;                                          ///< not a number if empty
  void reset() noexcept { *this = average(); }

  bool operator==(const average& other) const noexcept {
    return count_ == other.count_ && sum_ == other.sum_ && min_ == other.min_ && max_ == other.max_;
  }
  bool operator!=(const average& other) const noexcept { return !(*this == other); }
  TRIBUTARY_STATE(count_, sum_, min_, max_);

 private:
  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;
  std::uint64_t min_ = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t max_ = 0;
};

/// How often whole numbers fell into bins of one width, with one more bin for all that lie beyond.
class histogram {
 public:
  histogram() : histogram(1, 0) {}
  /// `bins` bins of `bin_width` values each from 0 on; a power of two is the fastest width.
  /// A width of 0 or more than 2^24 bins throws `error`.
  histogram(std::uint64_t bin_width, std::size_t bins);

  void add(std::uint64_t value, std::uint64_t times = 1) noexcept {
    const std::size_t bin = bin_of(value);
    counts_[bin < overflow_bin() ? bin : overflow_bin()] += times;
  }
  /// Adds the counts of another of the same shape; another shape throws `error`.
  histogram& operator+=(const histogram& other);

  std::size_t bins() const noexcept { return overflow_bin(); }
  std::uint64_t bin_width() const noexcept { return width_; }
  std::uint64_t bin_count(std::size_t bin) const { return counts_.at(bin); }
  std::uint64_t bin_low(std::size_t bin) const noexcept;   ///< least value in the bin
  std::uint64_t bin_high(std::size_t bin) const noexcept;  ///< greatest value in the bin
  std::uint64_t overflow() const noexcept { return counts_.back(); }
  std::uint64_t count() const noexcept;

  /// The greatest value of the bin in which the fraction `p` (0 to 1) of all values is reached;
  /// the least value beyond the bins if that is there, 0 if empty.
  std::uint64_t percentile(double p) const noexcept;
  void reset() noexcept;

  bool operator==(const histogram& other) const noexcept {
    return width_ == other.width_ && counts_ == other.counts_;
  }
  bool operator!=(const histogram& other) const noexcept { return !(*this == other); }
  TRIBUTARY_STATE(width_, shift_, counts_);

 private:
  static constexpr std::uint32_t no_shift = 64;

  std::size_t bin_of(std::uint64_t value) const noexcept {
    return static_cast<std::size_t>(shift_ != no_shift ? value >> shift_ : value / width_);
  }
  std::size_t overflow_bin() const noexcept { return counts_.size() - 1; }

  std::uint64_t width_ = 1;
  std::uint32_t shift_ = 0;  ///< log2 of the width if it is a power of two, else no_shift
  std::vector<std::uint64_t> counts_;
};

/// Resets counters, averages and histograms.
template <class... Statistics>
void reset_all(Statistics&... statistics) {
  (statistics.reset(), ...);
}

/// A number for each of the windows of cycles that follow one another from `first_cycle` to
/// `last_cycle`; the last window may be shorter than the others.
struct time_series {
  cycle_t first_cycle = 1;
  cycle_t last_cycle = 0;
  std::uint64_t window = 1;  ///< cycles
  std::vector<double> values;
};

/// One number out of a tree, under its dotted path: "processor.latency.mean".
struct flat_statistic {
  std::string path;
  std::string unit;
  double value = 0;  ///< not a number where a tree has nothing to tell, as the mean of nothing
};

/// A named group of statistics and of further groups, in the order in which they were added.
class statistics_group {
 public:
  statistics_group();
  ~statistics_group();
  statistics_group(statistics_group&& other) noexcept;
  statistics_group& operator=(statistics_group&& other) noexcept;

  /// The group of that name within this one, made if it is not there; a dot in the name makes a
  /// group in a group. The reference stays valid as long as the tree.
  statistics_group& group(const std::string& name);

  /// Adds a statistic as it stands now. A name that is there already throws `error`.
  void add(const std::string& name, const counter& value, const std::string& unit,
           const std::string& description);
  void add(const std::string& name, const average& value, const std::string& unit,
           const std::string& description);
  void add(const std::string& name, const histogram& value, const std::string& unit,
           const std::string& description);
  void add(const std::string& name, const time_series& value, const std::string& unit,
           const std::string& description);
  template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  void add(const std::string& name, T value, const std::string& unit,
           const std::string& description) {
    if constexpr (std::is_integral_v<T>) {
      add_value(name, json_value(value), unit, description);
    } else {
      add_value(name, json_value(static_cast<double>(value)), unit, description);
    }
  }

  /// The group as nested objects.
  json_value to_json() const;

 private:
  struct node;

  void add_value(const std::string& name, json_value value, const std::string& unit,
                 const std::string& description);
  /// The new leaf, still without its figures.
  json_value& add_leaf(const std::string& name, const char* kind, const std::string& unit,
                       const std::string& description);
  node* find_node(std::string_view name) const noexcept;

  std::vector<std::unique_ptr<node>> nodes_;
};

/// All statistics of a run.
class statistics_tree {
 public:
  /// The group of that name at the top, made if it is not there.
  statistics_group& group(const std::string& name) { return root_.group(name); }
  statistics_group& root() noexcept { return root_; }

  /// {"schema": ..., "statistics": {...}}; every statistic has kind, unit and description.
  json_value to_json() const;
  std::string to_json_text() const { return to_json().to_text(); }

  /// Every number in the order of the tree; of histograms count and percentiles, not the bins; a
  /// series is not among them.
  std::vector<flat_statistic> flatten() const;

  /// The number at a path: a counter or value by its own path, an average's by ".mean", ".count",
  /// ".sum", ".min", ".max". A path that is not there throws `error` that names the nearest.
  double find(const std::string& path) const;

 private:
  statistics_group root_;
};

/// The numbers of a tree that was written by `statistics_tree::to_json`, in its order.
/// Throws `input_error` that names `source_name` if it is of another schema.
std::vector<flat_statistic> flatten_statistics(const json_value& tree,
                                               const std::string& source_name);

/// A statistic out of a tree as it was written, under its dotted path.
struct written_statistic {
  std::string path;
  json_value leaf;
};

/// The statistics of a kind ("series", "histogram") in a tree that was written by
/// `statistics_tree::to_json`, in its order; throws as `flatten_statistics` does.
std::vector<written_statistic> statistics_of_kind(const json_value& tree, std::string_view kind,
                                                  const std::string& source_name);

/// The number at a path of a flattened tree; throws as `statistics_tree::find` does.
double find_statistic(const std::vector<flat_statistic>& statistics, const std::string& path);

}  // namespace tributary
