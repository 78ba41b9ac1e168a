// SPDX-License-Identifier: Apache-2.0
#include "comparison.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <boost/math/distributions/students_t.hpp>

#include <tributary/sim/error.h>

#include "batch_means.h"
#include "json_path.h"
#include "text_table.h"

namespace tributary {
namespace {

constexpr double significance = 0.05;

/// Values of a statistic over the seeds of a point; empty if it is not there.
std::vector<double> samples_of(const measured_point& point, const std::string& path) {
  std::vector<double> samples;
  for (const measured_point::run& run : point.runs) {
    for (const flat_statistic& each : run.statistics) {
      if (each.path == path) samples.push_back(each.value);
    }
  }
  return samples;
}

/// Paths of the statistics, or of the series, of both sides and all seeds, in order of the first:
/// a mark such as `run.drained` may be of one seed only.
template <class Entry>
std::vector<std::string> paths_of(std::vector<Entry> measured_point::run::*entries,
                                  const measured_point& first, const measured_point& second) {
  std::vector<std::string> paths;
  std::set<std::string> known;
  for (const measured_point* point : {&first, &second}) {
    for (const measured_point::run& run : point->runs) {
      for (const Entry& each : run.*entries) {
        if (known.insert(each.path).second) paths.push_back(each.path);
      }
    }
  }
  return paths;
}

/// Statistics that are a row of numbers, and the keys of their leaves.
struct row_kind {
  std::vector<written_statistic> measured_point::run::*statistics;
  const char* values;
  const char* width;  ///< of what each number stands for
  const char* place;  ///< the name of one number's place
  std::vector<const char*> others;
};

const row_kind& series_kind() {
  static const row_kind kind{
      &measured_point::run::series, "values", "window", "window", {"first_cycle", "last_cycle"}};
  return kind;
}

const row_kind& histogram_kind() {
  static const row_kind kind{
      &measured_point::run::histograms, "bins", "bin_width", "bin", {"scale", "overflow"}};
  return kind;
}

/// A row of each seed of a point; null where it is not there.
std::vector<const json_value*> rows_at(const row_kind& kind, const measured_point& point,
                                       const std::string& path) {
  std::vector<const json_value*> leaves;
  for (const measured_point::run& run : point.runs) {
    const std::vector<written_statistic>& all = run.*kind.statistics;
    const auto found = std::find_if(
        all.begin(), all.end(), [&](const written_statistic& each) { return each.path == path; });
    leaves.push_back(found == all.end() ? nullptr : &found->leaf);
  }
  return leaves;
}

json_value at(const json_value& leaf, const char* key) {
  const json_value* const found = leaf.find(key);
  return found == nullptr ? json_value() : *found;
}

json_value::array_type values_of(const row_kind& kind, const json_value& leaf) {
  const json_value values = at(leaf, kind.values);
  return values.is_array() ? values.as_array() : json_value::array_type();
}

std::string length_text(const row_kind& kind, const std::vector<const json_value*>& rows) {
  if (rows.empty() || rows.front() == nullptr) return "-";
  return fmt::format("{} {}s of {}", values_of(kind, *rows.front()).size(), kind.place,
                     plain_text(at(*rows.front(), kind.width)));
}

/// The key in which two rows differ; null if they are the same.
const char* differing_key(const row_kind& kind, const json_value& a, const json_value& b) {
  const auto differ = [&](const char* key) { return !(at(a, key) == at(b, key)); };
  for (const char* const key : {kind.width, kind.values}) {
    if (differ(key)) return key;
  }
  const auto other = std::find_if(kind.others.begin(), kind.others.end(), differ);
  return other == kind.others.end() ? nullptr : *other;
}

/// How two statistics of rows differ, at the first seed at which they do; empty if they do not.
std::string row_difference(const row_kind& kind, const std::vector<const json_value*>& a,
                           const std::vector<const json_value*>& b) {
  if (a.size() != b.size()) return "seeds";
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == nullptr && b[i] == nullptr) continue;
    if (a[i] == nullptr || b[i] == nullptr) return "only on one side";
    const char* const key = differing_key(kind, *a[i], *b[i]);
    if (key == nullptr) continue;
    if (key != kind.values) return key;
    const json_value::array_type before = values_of(kind, *a[i]);
    const json_value::array_type after = values_of(kind, *b[i]);
    const auto first = std::mismatch(before.begin(), before.end(), after.begin(), after.end());
    return fmt::format("from {} {} on", kind.place, first.first - before.begin() + 1);
  }
  return "";
}

bool same_value(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

bool same_samples(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), same_value);
}

std::string estimate_text(const std::vector<double>& samples) {
  if (samples.empty()) return "-";
  const interval_estimate estimate = estimate_mean(samples, seed_confidence);
  if (std::isnan(estimate.mean)) return "nothing";
  std::string text = fmt::format("{:.6g}", estimate.mean);
  if (!std::isnan(estimate.half_width)) text += fmt::format(" ± {:.2g}", estimate.half_width);
  return text;
}

std::string difference_text(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.empty() || b.empty()) return "only on one side";
  const double before = estimate_mean(a, seed_confidence).mean;
  const double after = estimate_mean(b, seed_confidence).mean;
  if (same_value(before, after)) return "0 %";
  if (before == 0) return fmt::format("{:+.6g}", after);
  return fmt::format("{:+.2f} %", 100 * (after - before) / std::abs(before));
}

/// "*" for a difference that is not chance, "~" for one that may be, "!" for one of single seeds.
std::string mark_of(const std::vector<double>& a, const std::vector<double>& b) {
  if (same_samples(a, b)) return "";
  if (a.size() < 2 || b.size() < 2) return "!";
  return welch_probability(a, b) < significance ? "*" : "~";
}

/// Writes the comparison of two files.
class comparer {
 public:
  comparer(const measured_file& first, const measured_file& second,
           const comparison_options& options)
      : first_(first), second_(second), options_(options) {}

  comparison compare() {
    header();
    for (const measured_point& point : first_.points) {
      if (const measured_point* other = counterpart(point, first_, second_)) {
        compare_points(point, *other);
      }
    }
    for (const measured_point& point : second_.points) counterpart(point, second_, first_);
    if (!options_.statistics.empty() && !matched_) {
      throw input_error("--statistic: no statistic of " + first_.path + " or " + second_.path +
                        " begins with " + options_.statistics.front() +
                        "; compare without it to see all that differ, with --all to see all");
    }
    footer();
    return std::move(result_);
  }

 private:
  void header() {
    result_.text += fmt::format("A: {} (version {}{})\nB: {} (version {}{})\n\n", first_.path,
                                first_.version, first_.partial ? ", partial" : "", second_.path,
                                second_.version, second_.partial ? ", partial" : "");
  }

  void footer() {
    result_.text += fmt::format("{} of {} statistics differ.\n", differences_, compared_);
    if (differences_ == 0) return;
    result_.text += "! differs (a single seed, a series or the bins of a histogram)";
    if (several_seeds_) {
      result_.text +=
          "; * differs significantly over the seeds (Welch's t-test, 5 %); ~ differs, may be "
          "chance";
    }
    result_.text += "\n";
  }

  /// The point of that name in `other`; null, which is a difference, if only `file` has it.
  const measured_point* counterpart(const measured_point& point, const measured_file& file,
                                    const measured_file& other) {
    for (const measured_point& candidate : other.points) {
      if (candidate.name == point.name) return &candidate;
    }
    result_.text += fmt::format("{}: only in {}\n", point.name, file.path);
    result_.equal = false;
    return nullptr;
  }

  void compare_points(const measured_point& a, const measured_point& b) {
    const std::string settings = compare_configurations(a, b);
    text_table table(1);
    table.add_row({"statistic", "A", "B", "difference", ""});
    bool any = false;
    for (const std::string& path : paths_of(&measured_point::run::statistics, a, b)) {
      if (wanted(path)) any = add_statistic(path, a, b, table) || any;
    }
    for (const row_kind* kind : {&series_kind(), &histogram_kind()}) {
      for (const std::string& path : paths_of(kind->statistics, a, b)) {
        if (wanted(path)) any = add_rows(*kind, path, a, b, table) || any;
      }
    }
    if (settings.empty() && !any) return;
    result_.text += a.name + "\n" + settings;
    if (any) result_.text += table.to_text(2);
    result_.text += "\n";
  }

  bool wanted(const std::string& path) const {
    if (options_.statistics.empty()) return true;
    return std::any_of(options_.statistics.begin(), options_.statistics.end(),
                       [&](const std::string& begin) { return path.rfind(begin, 0) == 0; });
  }

  /// Returns whether the statistic got a row.
  bool add_statistic(const std::string& path, const measured_point& a, const measured_point& b,
                     text_table& table) {
    const std::vector<double> before = samples_of(a, path);
    const std::vector<double> after = samples_of(b, path);
    const std::string mark = mark_of(before, after);
    count(mark.empty());
    several_seeds_ = several_seeds_ || (before.size() > 1 && after.size() > 1);
    if (mark.empty() && !options_.all) return false;
    table.add_row(
        {path, estimate_text(before), estimate_text(after), difference_text(before, after), mark});
    return true;
  }

  /// The same for a row of numbers, which is compared number by number and never by chance.
  bool add_rows(const row_kind& kind, const std::string& path, const measured_point& a,
                const measured_point& b, text_table& table) {
    const std::vector<const json_value*> before = rows_at(kind, a, path);
    const std::vector<const json_value*> after = rows_at(kind, b, path);
    const std::string difference = row_difference(kind, before, after);
    const bool same = difference.empty();
    count(same);
    if (same && !options_.all) return false;
    table.add_row({path, length_text(kind, before), length_text(kind, after),
                   same ? "0 %" : difference, same ? "" : "!"});
    return true;
  }

  /// One more statistic was compared.
  void count(bool same) {
    matched_ = true;
    ++compared_;
    if (same) return;
    ++differences_;
    result_.equal = false;
  }

  std::string compare_configurations(const measured_point& a, const measured_point& b) {
    std::string text;
    const auto value_in = [](const measured_point& point, const std::string& name) {
      for (const auto& [key, value] : point.configuration) {
        if (key == name) return plain_text(value);
      }
      return std::string("-");
    };
    const auto add = [&](const std::string& name) {
      const std::string before = value_in(a, name);
      const std::string after = value_in(b, name);
      if (before == after) return;
      text += fmt::format("  parameter {}: {} | {}\n", name, before, after);
    };
    for (const auto& [name, value] : a.configuration) add(name);
    for (const auto& [name, value] : b.configuration) {
      if (value_in(a, name) == "-") add(name);
    }
    if (!text.empty()) result_.equal = false;
    return text;
  }

  const measured_file& first_;
  const measured_file& second_;
  const comparison_options& options_;
  comparison result_;
  std::size_t compared_ = 0;
  std::size_t differences_ = 0;
  bool matched_ = false;
  bool several_seeds_ = false;
};

}  // namespace

double welch_probability(const std::vector<double>& a, const std::vector<double>& b) {
  const sample_moments x = moments_of(a);
  const sample_moments y = moments_of(b);
  const double variance = x.variance_of_mean + y.variance_of_mean;
  if (!(variance > 0)) return same_value(x.mean, y.mean) ? 1.0 : 0.0;
  const double t = std::abs(x.mean - y.mean) / std::sqrt(variance);
  const double degrees = variance * variance /
                         (x.variance_of_mean * x.variance_of_mean / x.degrees +
                          y.variance_of_mean * y.variance_of_mean / y.degrees);
  const boost::math::students_t distribution(degrees);
  return 2 * boost::math::cdf(boost::math::complement(distribution, t));
}

comparison compare_results(const measured_file& first, const measured_file& second,
                           const comparison_options& options) {
  return comparer(first, second, options).compare();
}

}  // namespace tributary
