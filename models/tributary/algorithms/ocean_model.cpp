// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/ocean_model.h>

namespace tributary::ocean {
namespace {

// Of a basin of width 1.
constexpr double step = 1e-2;
constexpr double gradient = 1;  // of the rotation, from south to north
constexpr double wind = 1;      // in the middle of the basin
constexpr double friction = 0.1;
constexpr double viscosity = 1e-4;

constexpr double error_unit = 1099511627776.0;     // 2^40
constexpr double energy_unit = 281474976710656.0;  // 2^48

/// One grid, with zeros around it.
class grid {
 public:
  explicit grid(std::uint32_t points)
      : points_(points), values_(std::size_t{points + 2} * (points + 2)) {}

  double& at(std::uint32_t row, std::uint32_t column) { return values_[place(row, column)]; }
  star around(std::uint32_t row, std::uint32_t column) const {
    const std::size_t here = place(row, column);
    const std::size_t pitch = points_ + 2;
    return {values_[here], values_[here - pitch], values_[here + pitch], values_[here - 1],
            values_[here + 1]};
  }
  template <class Visit>
  void for_each(Visit&& visit) {
    for (std::uint32_t row = 0; row < points_; ++row) {
      for (std::uint32_t column = 0; column < points_; ++column) visit(row, column);
    }
  }
  std::vector<double> inner() {
    std::vector<double> found;
    for_each([&](std::uint32_t row, std::uint32_t column) { found.push_back(at(row, column)); });
    return found;
  }

 private:
  std::size_t place(std::uint32_t row, std::uint32_t column) const {
    return (std::size_t{row} + 1) * (points_ + 2) + column + 1;
  }

  std::uint32_t points_;
  std::vector<double> values_;
};

/// All of it on one processor, in the order of the program.
class solver {
 public:
  solver(std::uint32_t points, std::uint32_t levels) : basin_(points), change_(points) {
    for (std::uint32_t level = 0; level < levels; ++level) {
      values_.emplace_back(basin_.points(level));
      wanted_.emplace_back(basin_.points(level));
    }
  }

  outcome run(std::uint32_t steps) {
    outcome found;
    for (std::uint32_t i = 0; i < steps; ++i) {
      found.errors.assign(values_.size() - 1, 0);
      advance();
      cycle(0, found.errors);
      found.energy = 0;
      values_[0].for_each([&](std::uint32_t row, std::uint32_t column) {
        found.energy += energy(values_[0].at(row, column), wanted_[0].at(row, column));
      });
    }
    found.stream = values_[0].inner();
    found.vorticity = wanted_[0].inner();
    return found;
  }

 private:
  void advance() {
    change_.for_each([&](std::uint32_t row, std::uint32_t column) {
      change_.at(row, column) =
          basin_.tendency(wanted_[0].around(row, column), values_[0].around(row, column), row);
    });
    change_.for_each([&](std::uint32_t row, std::uint32_t column) {
      double& here = wanted_[0].at(row, column);
      here = basin::advanced(here, change_.at(row, column));
    });
  }

  void cycle(std::uint32_t level, std::vector<std::int64_t>& errors) {
    relax(level);
    if (level + 1 == values_.size()) return;
    restrict_to_coarser(level, errors);
    cycle(level + 1, errors);
    values_[level].for_each([&](std::uint32_t row, std::uint32_t column) {
      values_[level].at(row, column) += values_[level + 1].at(row / 2, column / 2);
    });
    relax(level);
  }

  void relax(std::uint32_t level) {
    for (const bool red : {true, false}) {
      values_[level].for_each([&](std::uint32_t row, std::uint32_t column) {
        if (is_red(row, column) != red) return;
        values_[level].at(row, column) = basin_.relaxed(values_[level].around(row, column),
                                                        wanted_[level].at(row, column), level);
      });
    }
  }

  void restrict_to_coarser(std::uint32_t level, std::vector<std::int64_t>& errors) {
    values_[level + 1].for_each([&](std::uint32_t row, std::uint32_t column) {
      double sum = 0;
      for (std::uint32_t i = 0; i < 4; ++i) {
        const std::uint32_t fine_row = 2 * row + i / 2;
        const std::uint32_t fine_column = 2 * column + i % 2;
        const double error = basin_.residual(values_[level].around(fine_row, fine_column),
                                             wanted_[level].at(fine_row, fine_column), level);
        errors[level] += squared_error(error);
        sum += error;
      }
      wanted_[level + 1].at(row, column) = sum / 4;
      values_[level + 1].at(row, column) = 0;
    });
  }

  basin basin_;
  grid change_;
  std::vector<grid> values_;  // by level: the stream function, and corrections of it
  std::vector<grid> wanted_;  // their Laplacians: the vorticity, and residuals
};

}  // namespace

double basin::tendency(const star& vorticity, const star& stream, std::uint32_t row) const {
  const double across = 2 * spacing_;
  const double by_row = (stream.south - stream.north) / across;
  const double by_column = (stream.east - stream.west) / across;
  const double moved = by_column * (vorticity.south - vorticity.north) / across -
                       by_row * (vorticity.east - vorticity.west) / across;
  const double place = (row + 1) * spacing_;
  const double blown = -4 * wind * place * (1 - place);
  const double spread =
      (vorticity.north + vorticity.south + vorticity.west + vorticity.east - 4 * vorticity.here) /
      squared_spacing(0);
  return blown - moved - gradient * by_column - friction * vorticity.here + viscosity * spread;
}

double basin::advanced(double vorticity, double tendency) { return vorticity + step * tendency; }

double basin::relaxed(const star& value, double wanted, std::uint32_t level) const {
  return (value.north + value.south + value.west + value.east - squared_spacing(level) * wanted) /
         4;
}

double basin::residual(const star& value, double wanted, std::uint32_t level) const {
  return wanted - (value.north + value.south + value.west + value.east - 4 * value.here) /
                      squared_spacing(level);
}

std::int64_t squared_error(double residual) {
  return static_cast<std::int64_t>(residual * residual * error_unit);
}

std::int64_t energy(double stream, double vorticity) {
  return static_cast<std::int64_t>(-stream * vorticity / 2 * energy_unit);
}

outcome simulate(std::uint32_t points, std::uint32_t levels, std::uint32_t steps) {
  return solver(points, levels).run(steps);
}

}  // namespace tributary::ocean
