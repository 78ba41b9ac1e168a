// SPDX-License-Identifier: Apache-2.0
// The method of batch means: how well the mean of a long run is known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tributary {

/// The quantile of Student's t distribution for a two-sided interval, rounded to six decimals so
/// that no compiler computes another. `confidence` in (0, 1), at least one degree of freedom.
double student_t(double confidence, std::size_t degrees_of_freedom);

/// Mean of some samples, the variance of that mean, and its degrees of freedom.
struct sample_moments {
  double mean = 0;
  double variance_of_mean = 0;  ///< not a number for a single sample
  double degrees = 0;
};

/// The moments of independent samples, at least one.
sample_moments moments_of(const std::vector<double>& samples);

/// Mean of some samples and half the width of its confidence interval.
struct interval_estimate {
  double mean = 0;
  double half_width = 0;  ///< not a number for a single sample
};

/// The estimate from independent samples, at least one.
interval_estimate estimate_mean(const std::vector<double>& samples, double confidence);

/// Collects batches of consecutive observations. From 20 to 40 batches are kept: 40 are merged in
/// pairs, so the batches grow with the run until they are nearly independent of each other
/// (A. M. Law and W. D. Kelton, Simulation Modeling and Analysis, section 9.5.3).
class batch_means {
 public:
  /// `length`: of the first batches, in cycles.
  explicit batch_means(std::uint64_t length = 1) : length_(length) {}

  /// Length of the batch that is being collected, in cycles.
  std::uint64_t length() const { return length_; }
  std::size_t batches() const { return batches_.size(); }

  /// A batch of `count` observations that add up to `sum`; of a rate, `count` cycles in which
  /// something happened `sum` times.
  void add(std::uint64_t sum, std::uint64_t count);

  /// Mean of the batches' means. Not a number where there are fewer than 20 batches or one of them
  /// holds no observation.
  interval_estimate estimate(double confidence) const;

  /// Correlation of each batch with the next; near 0 if batches are independent.
  double correlation() const;

  /// Whether the half-width is at most `relative` of the mean and the batches look independent
  /// (correlation below 0.4). A mean of 0 is not steady: what is watched has not happened yet.
  bool steady(double relative, double confidence) const;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(length_, batches_);
  }

 private:
  struct batch {
    std::uint64_t sum = 0;
    std::uint64_t count = 0;

    template <class Archive>
    void serialize(Archive& archive) {
      archive(sum, count);
    }
  };
  static constexpr std::size_t fewest = 20;

  std::vector<double> means() const;
  void merge_pairs();

  std::uint64_t length_;
  std::vector<batch> batches_;
};

}  // namespace tributary
