// SPDX-License-Identifier: Apache-2.0
// Currents in a square ocean under wind: what the program `ocean` computes, point by point.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tributary::ocean {

/// A point and those around it.
struct star {
  double here = 0;
  double north = 0;
  double south = 0;
  double west = 0;
  double east = 0;
};

/// The grids of a basin of `points` x `points` inner points, and coarser ones for the solver: each
/// has half as many points a side as the one before. Around them all values are 0.
///
/// The vorticity is moved by the currents, wind, friction and viscosity; the stream function is
/// what has this vorticity. Source: the barotropic vorticity equation, as in SPLASH-2's Ocean.
class basin {
 public:
  explicit basin(std::uint32_t points) : points_(points), spacing_(1.0 / (points + 1)) {}

  std::uint32_t points(std::uint32_t level) const { return points_ >> level; }

  /// How fast the vorticity changes at a point of that row.
  double tendency(const star& vorticity, const star& stream, std::uint32_t row) const;
  /// The vorticity a step later.
  static double advanced(double vorticity, double tendency);
  /// A relaxed value of a point of a level.
  double relaxed(const star& value, double wanted, std::uint32_t level) const;
  /// By how much the Laplacian is not what is wanted.
  double residual(const star& value, double wanted, std::uint32_t level) const;

 private:
  double squared_spacing(std::uint32_t level) const {
    const double spacing = spacing_ * static_cast<double>(std::uint32_t{1} << level);
    return spacing * spacing;
  }

  std::uint32_t points_;
  double spacing_;  // of the finest grid
};

/// Whether a point is red; its neighbours then are not.
inline bool is_red(std::uint32_t row, std::uint32_t column) { return (row + column) % 2 == 0; }

/// The square of a residual, and a point's part of the energy, in whole small units, so that no
/// order of adding matters.
std::int64_t squared_error(double residual);
std::int64_t energy(double stream, double vorticity);

/// By one processor: the finest grids, row by row, and the sums of the last step.
struct outcome {
  std::vector<double> stream;
  std::vector<double> vorticity;
  std::vector<std::int64_t> errors;  ///< by level, but the last
  std::int64_t energy = 0;
};
outcome simulate(std::uint32_t points, std::uint32_t levels, std::uint32_t steps);

}  // namespace tributary::ocean
