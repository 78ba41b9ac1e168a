// SPDX-License-Identifier: Apache-2.0
// The mesh of the program `tomcatv`, without a machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tributary::tomcatv {

/// The coordinates of the points of a row.
struct row {
  std::vector<double> x;
  std::vector<double> y;
};

/// The row of that number of a square mesh, before the first iteration. The edges stay as they are.
row initial(std::uint32_t number, std::uint32_t points);

/// The greatest absolute values of what is missing.
struct greatest {
  double x = 0;
  double y = 0;

  void include(const greatest& other);
  friend bool operator==(const greatest& a, const greatest& b) { return a.x == b.x && a.y == b.y; }
};

/// Of a row, what is missing at its points, and the equations of how they move.
class change {
 public:
  /// Finds both, by the rows before and behind it.
  greatest find(const row& before, const row& here, const row& behind);
  /// Solves the equations.
  void solve();
  /// Moves the points of the same row, once.
  void move(row& here) const;

 private:
  row missing_;
  std::vector<double> beside_;  // coefficients: of the point before and behind
  std::vector<double> middle_;  // of the point itself
};

/// What one processor computes.
struct outcome {
  std::vector<row> rows;
  std::vector<greatest> missing;  ///< in each iteration
};
outcome simulate(std::uint32_t points, std::uint32_t iterations);

}  // namespace tributary::tomcatv
