// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/appbt_model.h>

namespace tributary::appbt {
namespace {

// Any that are stable: the time step by the distance of points, and the viscosity.
constexpr double step_length = 0.2;
constexpr double viscosity = 0.1;

/// How components carry each other along; each direction carries with its own strength.
constexpr double carried(std::size_t row, std::size_t column) {
  return row == column ? 0.5 : 0.1 / static_cast<double>(1 + row + 2 * column);
}
constexpr std::array<double, directions> strength{1.0, 0.8, 0.6};

/// The flux of a component in a direction, through a point.
double flux(std::size_t direction, const values& at, std::size_t component) {
  double sum = 0.25 * at[component] * at[component];
  for (std::size_t i = 0; i < components; ++i) {
    sum += strength[direction] * carried(component, i) * at[i];
  }
  return sum;
}

/// The derivative of a flux.
double slope(std::size_t direction, const values& at, std::size_t row, std::size_t column) {
  return strength[direction] * carried(row, column) + (row == column ? 0.5 * at[row] : 0);
}

/// Coefficients of the change of a point's neighbour: `side` is -1 before it and 1 behind it.
matrix beside(std::size_t direction, const values& neighbour, double side) {
  matrix made{};
  for (std::size_t row = 0; row < components; ++row) {
    for (std::size_t i = 0; i < components; ++i) {
      made[row][i] = step_length * side * 0.5 * slope(direction, neighbour, row, i);
    }
    made[row][row] -= step_length * viscosity;
  }
  return made;
}

/// Takes a row of equations times `factor` from another.
void take(double factor, const values& of, double right_of, values& from, double& right_from) {
  for (std::size_t i = 0; i < components; ++i) from[i] -= factor * of[i];
  right_from -= factor * right_of;
}

/// Solves `middle` (x, right) = (coupling, right); `middle` is dominated by its diagonal.
eliminated solve(matrix middle, eliminated with) {
  for (std::size_t pivot = 0; pivot < components; ++pivot) {
    const double by = 1 / middle[pivot][pivot];
    for (std::size_t i = 0; i < components; ++i) {
      middle[pivot][i] *= by;
      with.coupling[pivot][i] *= by;
    }
    with.right[pivot] *= by;
    for (std::size_t row = 0; row < components; ++row) {
      if (row == pivot) continue;
      const double factor = middle[row][pivot];
      double none = 0;
      take(factor, middle[pivot], 0, middle[row], none);
      take(factor, with.coupling[pivot], with.right[pivot], with.coupling[row], with.right[row]);
    }
  }
  return with;
}

/// Of a point, whose equations have the matrices `lower`, a diagonal, and `upper`.
eliminated eliminate_point(const matrix& lower, const matrix& upper, const values& right,
                           const eliminated& before) {
  matrix middle{};
  eliminated with{upper, right};
  for (std::size_t row = 0; row < components; ++row) {
    middle[row][row] = 1 + 2 * step_length * viscosity;
    for (std::size_t i = 0; i < components; ++i) {
      take(lower[row][i], before.coupling[i], before.right[i], middle[row], with.right[row]);
    }
  }
  return solve(middle, with);
}

double bulge(std::uint32_t at, std::uint32_t points) {
  const double where = static_cast<double>(at + 1) / (points + 1);
  return 4 * where * (1 - where);
}

}  // namespace

box::box(std::uint32_t points, const extent& first, const extent& size) : size_(size) {
  const std::size_t all = place(size[0], size[1], size[2]) + 1;
  flow_.assign(all, values{});
  change_.assign(all, values{});
  lines_.assign(all, eliminated{});
  for (std::uint32_t x = 0; x < size[0]; ++x) {
    for (std::uint32_t y = 0; y < size[1]; ++y) {
      for (std::uint32_t z = 0; z < size[2]; ++z) {
        const double swirl =
            bulge(first[0] + x, points) * bulge(first[1] + y, points) * bulge(first[2] + z, points);
        values& at = flow_[place(x, y, z)];
        for (std::size_t i = 0; i < components; ++i) at[i] = swirl / static_cast<double>(i + 1);
      }
    }
  }
}

std::size_t box::step(std::size_t direction) const {
  if (direction == 2) return 1;
  const std::size_t row = size_[2] + 2;
  return direction == 1 ? row : row * (size_[1] + 2);
}

void box::find(std::uint32_t x, std::uint32_t y) {
  for (std::uint32_t z = 0; z < size_[2]; ++z) {
    const std::size_t here = place(x, y, z);
    values& change = change_[here];
    change = values{};
    for (std::size_t direction = 0; direction < directions; ++direction) {
      const values& before = flow_[here - step(direction)];
      const values& behind = flow_[here + step(direction)];
      for (std::size_t i = 0; i < components; ++i) {
        const double carried_off = 0.5 * (flux(direction, behind, i) - flux(direction, before, i));
        const double spread = viscosity * (behind[i] - 2 * flow_[here][i] + before[i]);
        change[i] += step_length * (spread - carried_off);
      }
    }
  }
}

eliminated box::eliminate(std::size_t direction, const extent& from, eliminated before) {
  std::size_t at = place(from[0], from[1], from[2]);
  for (std::uint32_t i = 0; i < size_[direction]; ++i, at += step(direction)) {
    before =
        eliminate_point(beside(direction, flow_[at - step(direction)], -1),
                        beside(direction, flow_[at + step(direction)], 1), change_[at], before);
    lines_[at] = before;
  }
  return before;
}

values box::substitute(std::size_t direction, const extent& from, values behind) {
  std::size_t at = place(from[0], from[1], from[2]) + (size_[direction] - 1) * step(direction);
  for (std::uint32_t i = 0; i < size_[direction]; ++i, at -= step(direction)) {
    values& change = change_[at];
    change = lines_[at].right;
    for (std::size_t row = 0; row < components; ++row) {
      for (std::size_t j = 0; j < components; ++j) {
        change[row] -= lines_[at].coupling[row][j] * behind[j];
      }
    }
    behind = change;
  }
  return behind;
}

void box::move() {
  for (std::uint32_t x = 0; x < size_[0]; ++x) {
    for (std::uint32_t y = 0; y < size_[1]; ++y) {
      for (std::uint32_t z = 0; z < size_[2]; ++z) {
        const std::size_t here = place(x, y, z);
        for (std::size_t i = 0; i < components; ++i) flow_[here][i] += change_[here][i];
      }
    }
  }
}

box simulate(std::uint32_t points, std::uint32_t iterations) {
  box all(points, {}, {points, points, points});
  for (std::uint32_t iteration = 0; iteration < iterations; ++iteration) {
    for (std::uint32_t x = 0; x < points; ++x) {
      for (std::uint32_t y = 0; y < points; ++y) all.find(x, y);
    }
    for (std::size_t direction = 0; direction < directions; ++direction) {
      for (std::uint32_t i = 0; i < points * points; ++i) {
        extent from{};
        from[(direction + 1) % directions] = i / points;
        from[(direction + 2) % directions] = i % points;
        all.eliminate(direction, from, {});
        all.substitute(direction, from, {});
      }
    }
    all.move();
  }
  return all;
}

}  // namespace tributary::appbt
