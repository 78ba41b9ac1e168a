// SPDX-License-Identifier: Apache-2.0
#include "batch_means.h"

#include <cmath>
#include <limits>
#include <numeric>

#include <boost/math/distributions/students_t.hpp>

namespace tributary {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

double mean_of(const std::vector<double>& samples) {
  return std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
}

}  // namespace

double student_t(double confidence, std::size_t degrees_of_freedom) {
  const boost::math::students_t distribution(static_cast<double>(degrees_of_freedom));
  const double t = boost::math::quantile(distribution, 0.5 + 0.5 * confidence);
  return std::round(t * 1e6) / 1e6;
}

sample_moments moments_of(const std::vector<double>& samples) {
  const double mean = mean_of(samples);
  double squares = 0;
  for (const double sample : samples) squares += (sample - mean) * (sample - mean);
  const auto n = static_cast<double>(samples.size());
  return {mean, squares / (n - 1) / n, n - 1};
}

interval_estimate estimate_mean(const std::vector<double>& samples, double confidence) {
  const sample_moments moments = moments_of(samples);
  if (samples.size() < 2) return {moments.mean, not_a_number};
  const double deviation = std::sqrt(moments.variance_of_mean);
  return {moments.mean, student_t(confidence, samples.size() - 1) * deviation};
}

void batch_means::add(std::uint64_t sum, std::uint64_t count) {
  batches_.push_back({sum, count});
  if (batches_.size() == 2 * fewest) merge_pairs();
}

void batch_means::merge_pairs() {
  for (std::size_t i = 0; i < fewest; ++i) {
    const batch& first = batches_[2 * i];
    const batch& second = batches_[2 * i + 1];
    batches_[i] = {first.sum + second.sum, first.count + second.count};
  }
  batches_.resize(fewest);
  length_ *= 2;
}

std::vector<double> batch_means::means() const {
  std::vector<double> all;
  for (const batch& each : batches_) {
    if (each.count == 0) return {};
    all.push_back(static_cast<double>(each.sum) / static_cast<double>(each.count));
  }
  return all;
}

interval_estimate batch_means::estimate(double confidence) const {
  const std::vector<double> samples = means();
  if (samples.size() < fewest) return {not_a_number, not_a_number};
  return estimate_mean(samples, confidence);
}

double batch_means::correlation() const {
  const std::vector<double> samples = means();
  if (samples.size() < 2) return 0;
  const double mean = mean_of(samples);
  double squares = 0;
  double products = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    squares += (samples[i] - mean) * (samples[i] - mean);
    if (i > 0) products += (samples[i] - mean) * (samples[i - 1] - mean);
  }
  return squares == 0 ? 0 : products / squares;
}

bool batch_means::steady(double relative, double confidence) const {
  const interval_estimate now = estimate(confidence);
  return now.mean > 0 && now.half_width <= relative * now.mean && correlation() < 0.4;
}

}  // namespace tributary
