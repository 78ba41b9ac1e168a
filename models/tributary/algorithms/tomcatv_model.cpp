// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/tomcatv_model.h>

#include <algorithm>
#include <cmath>

namespace tributary::tomcatv {
namespace {

/// The weight of differences along columns, which are not solved for (REL of the benchmark).
constexpr double relaxation = 2 / 0.98;

double bulge(double at) { return 4 * at * (1 - at); }

/// One coordinate, at a point and at those around it.
struct differences {
  double along_columns;
  double along_rows;
  double second_columns;
  double second_rows;
  double mixed;

  differences(const std::vector<double>& before, const std::vector<double>& here,
              const std::vector<double>& behind, std::size_t i)
      : along_columns(behind[i] - before[i]),
        along_rows(here[i + 1] - here[i - 1]),
        second_columns(behind[i] - 2 * here[i] + before[i]),
        second_rows(here[i + 1] - 2 * here[i] + here[i - 1]),
        mixed(behind[i + 1] - behind[i - 1] - before[i + 1] + before[i - 1]) {}
};

}  // namespace

row initial(std::uint32_t number, std::uint32_t points) {
  row made;
  const double u = static_cast<double>(number) / (points - 1);
  for (std::uint32_t i = 0; i < points; ++i) {
    const double v = static_cast<double>(i) / (points - 1);
    made.x.push_back(u + 0.05 * bulge(u) * bulge(v));
    made.y.push_back(v + 0.1 * bulge(u) * (1 - v) * (1 - v));
  }
  return made;
}

void greatest::include(const greatest& other) {
  x = std::max(x, other.x);
  y = std::max(y, other.y);
}

greatest change::find(const row& before, const row& here, const row& behind) {
  const std::size_t points = here.x.size();
  for (std::vector<double>* each : {&missing_.x, &missing_.y, &beside_, &middle_}) {
    each->assign(points, 0);
  }
  greatest found;
  for (std::size_t i = 1; i + 1 < points; ++i) {
    const differences x(before.x, here.x, behind.x, i);
    const differences y(before.y, here.y, behind.y, i);
    const double a = 0.25 * (x.along_rows * x.along_rows + y.along_rows * y.along_rows);
    const double b = 0.25 * (x.along_columns * x.along_columns + y.along_columns * y.along_columns);
    const double c = 0.125 * (x.along_columns * x.along_rows + y.along_columns * y.along_rows);
    beside_[i] = -b;
    middle_[i] = b + b + a * relaxation;
    missing_.x[i] = a * x.second_columns + b * x.second_rows - c * x.mixed;
    missing_.y[i] = a * y.second_columns + b * y.second_rows - c * y.mixed;
    found.include({std::abs(missing_.x[i]), std::abs(missing_.y[i])});
  }
  return found;
}

void change::solve() {
  const std::size_t last = missing_.x.size() - 2;
  std::vector<double>& inverse = middle_;
  inverse[1] = 1 / middle_[1];
  for (std::size_t i = 2; i <= last; ++i) {
    const double factor = beside_[i] * inverse[i - 1];
    inverse[i] = 1 / (middle_[i] - beside_[i - 1] * factor);
    missing_.x[i] -= missing_.x[i - 1] * factor;
    missing_.y[i] -= missing_.y[i - 1] * factor;
  }
  missing_.x[last] *= inverse[last];
  missing_.y[last] *= inverse[last];
  for (std::size_t i = last; i-- > 1;) {
    missing_.x[i] = (missing_.x[i] - beside_[i] * missing_.x[i + 1]) * inverse[i];
    missing_.y[i] = (missing_.y[i] - beside_[i] * missing_.y[i + 1]) * inverse[i];
  }
}

void change::move(row& here) const {
  for (std::size_t i = 1; i + 1 < here.x.size(); ++i) {
    here.x[i] += missing_.x[i];
    here.y[i] += missing_.y[i];
  }
}

outcome simulate(std::uint32_t points, std::uint32_t iterations) {
  outcome made;
  for (std::uint32_t i = 0; i < points; ++i) made.rows.push_back(initial(i, points));
  std::vector<change> changes(points);
  for (std::uint32_t iteration = 0; iteration < iterations; ++iteration) {
    greatest missing;
    for (std::uint32_t i = 1; i + 1 < points; ++i) {
      missing.include(changes[i].find(made.rows[i - 1], made.rows[i], made.rows[i + 1]));
    }
    for (std::uint32_t i = 1; i + 1 < points; ++i) {
      changes[i].solve();
      changes[i].move(made.rows[i]);
    }
    made.missing.push_back(missing);
  }
  return made;
}

}  // namespace tributary::tomcatv
