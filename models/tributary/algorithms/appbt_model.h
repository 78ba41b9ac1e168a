// SPDX-License-Identifier: Apache-2.0
// The fluid of the program `appbt`, without a machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tributary::appbt {

inline constexpr std::size_t components = 5;
inline constexpr std::size_t directions = 3;

/// Of a point: what flows, or how it changes.
using values = std::array<double, components>;
/// How the components of a point change with each other.
using matrix = std::array<values, components>;
/// A point, or so many points in each direction.
using extent = std::array<std::uint32_t, directions>;

/// What elimination leaves of the equations of a point: its change plus `coupling` times that of
/// the point behind it is `right`.
struct eliminated {
  matrix coupling{};
  values right{};
};

/// The points of one process: a box of a cube between walls, at which nothing flows.
class box {
 public:
  /// `first`: its first point of a cube with so many points a side. At the beginning one swirl
  /// fills the cube.
  box(std::uint32_t points, const extent& first, const extent& size);

  const extent& size() const { return size_; }
  /// Of a point, counted from 0 within the box; with -1 or the size in one direction, the point of
  /// the neighbour there, to be set by `set_beside`.
  const values& at(std::int64_t x, std::int64_t y, std::int64_t z) const {
    return flow_[place(x, y, z)];
  }
  void set_beside(std::int64_t x, std::int64_t y, std::int64_t z, const values& to) {
    flow_[place(x, y, z)] = to;
  }

  /// How each point of the row (x, y) would change by all directions at once.
  void find(std::uint32_t x, std::uint32_t y);
  /// Eliminates along a line of points, the first of which is `from`; `before`: of the point in
  /// front of it, or of none. Gives that of the last point.
  eliminated eliminate(std::size_t direction, const extent& from, eliminated before);
  /// Finds the changes along the same line, from its end on; `behind`: that of the point behind it.
  /// Gives that of the first point.
  values substitute(std::size_t direction, const extent& from, values behind);
  /// Adds the changes to all points.
  void move();

 private:
  std::size_t place(std::int64_t x, std::int64_t y, std::int64_t z) const {
    return static_cast<std::size_t>(((x + 1) * (size_[1] + 2) + y + 1) * (size_[2] + 2) + z + 1);
  }
  std::size_t step(std::size_t direction) const;

  extent size_;
  std::vector<values> flow_;
  std::vector<values> change_;
  std::vector<eliminated> lines_;
};

/// What one processor computes.
box simulate(std::uint32_t points, std::uint32_t iterations);

}  // namespace tributary::appbt
