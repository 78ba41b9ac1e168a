// SPDX-License-Identifier: Apache-2.0
// The water of the program `shallow`, without a machine.
#pragma once

#include <cstdint>
#include <vector>

namespace tributary::data_parallel_programs {

/// A variable: its columns, point by point.
using water_columns = std::vector<std::vector<double>>;

/// Some consecutive columns of a grid without edges, and the one behind them, which belongs to
/// others. A step is `find_fluxes`, `advance`, `smooth`; before each of the first two what it reads
/// of columns of others must be there, and before the last one the first column of `new_v`.
class shallow_water {
 public:
  /// `system` names what it begins with; `side`: points of a column, and columns of the grid;
  /// `first`: the first column here.
  shallow_water(std::uint64_t system, std::uint32_t side, std::uint32_t first, std::uint32_t width);

  /// Reads the column behind of u, v and p. Finds cu and h of the columns here, and cv and z of
  /// those right of them.
  void find_fluxes();
  /// Reads cv and z of the first column, and cu, h and old_v of the one behind. Finds new_u and
  /// new_p of the columns here, and new_v of those right of them.
  void advance();
  /// Makes old values of these and the new ones, in columns here.
  void smooth();

  water_columns u, v, p;              ///< velocities and pressure
  water_columns cu, cv, z, h;         ///< mass fluxes, potential vorticity, height
  water_columns old_u, old_v, old_p;  ///< of the step before
  water_columns new_u, new_v, new_p;

 private:
  std::uint32_t side_;
  std::uint32_t width_;
  bool first_step_ = true;
};

/// What one processor computes in so many steps.
shallow_water simulate_water(std::uint64_t system, std::uint32_t side, std::uint32_t steps);

}  // namespace tributary::data_parallel_programs
