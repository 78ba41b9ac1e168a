// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/data_parallel_programs/shallow_model.h>

#include <tributary/algorithms/data_parallel_programs/drawn_numbers.h>

namespace tributary::data_parallel_programs {
namespace {

// In SI units, as the program "shallow" of SPEC has them.
constexpr double time_step = 90;
constexpr double spacing = 1e5;
constexpr double stream_height = 1e6;
constexpr double mean_pressure = 50000;
constexpr double pressure_height = 4000;
/// The weight of the filter over time.
constexpr double filter = 0.001;

double bulge(std::uint32_t at, std::uint32_t side) {
  const double x = (at % side + 0.5) / side;
  return 4 * x * (1 - x);
}
double stream(std::uint32_t row, std::uint32_t column, std::uint32_t side) {
  return stream_height * bulge(row, side) * bulge(column, side);
}

void smooth(std::vector<double>& now, std::vector<double>& old, const std::vector<double>& next,
            bool first_step) {
  for (std::uint32_t i = 0; i < now.size(); ++i) {
    old[i] = first_step ? now[i] : now[i] + filter * (next[i] - 2 * now[i] + old[i]);
    now[i] = next[i];
  }
}

}  // namespace

shallow_water::shallow_water(std::uint64_t system, std::uint32_t side, std::uint32_t first,
                             std::uint32_t width)
    : side_(side), width_(width) {
  for (water_columns* each : {&u, &v, &p, &cu, &cv, &z, &h, &new_u, &new_v, &new_p}) {
    each->assign(width + 1, std::vector<double>(side));
  }
  for (std::uint32_t j = 0; j < width; ++j) {
    const std::uint32_t column = first + j;
    const std::vector<double> ripple = drawn_numbers(system, column, side);
    for (std::uint32_t i = 0; i < side; ++i) {
      u[j][i] = ripple[i] + (stream(i, column, side) - stream(i, column + 1, side)) / spacing;
      v[j][i] = ripple[i] + (stream(i + 1, column, side) - stream(i, column, side)) / spacing;
      p[j][i] = mean_pressure + pressure_height * (bulge(i, side) + bulge(column, side));
    }
  }
  old_u = u;
  old_v = v;
  old_p = p;
}

void shallow_water::find_fluxes() {
  constexpr double slope = 4 / spacing;
  for (std::uint32_t j = 0; j < width_; ++j) {
    for (std::uint32_t i = 0; i < side_; ++i) {
      const std::uint32_t n = (i + 1) % side_;
      cu[j][n] = 0.5 * (p[j][n] + p[j][i]) * u[j][n];
      cv[j + 1][i] = 0.5 * (p[j + 1][i] + p[j][i]) * v[j + 1][i];
      z[j + 1][n] = slope * (v[j + 1][n] - v[j + 1][i] - u[j + 1][n] + u[j][n]) /
                    (p[j][i] + p[j][n] + p[j + 1][n] + p[j + 1][i]);
      h[j][i] = p[j][i] + 0.25 * (u[j][n] * u[j][n] + u[j][i] * u[j][i] +
                                  v[j + 1][i] * v[j + 1][i] + v[j][i] * v[j][i]);
    }
  }
}

void shallow_water::advance() {
  const double step = first_step_ ? time_step : 2 * time_step;
  const double turn = step / 8;
  const double slope = step / spacing;
  for (std::uint32_t j = 0; j < width_; ++j) {
    for (std::uint32_t i = 0; i < side_; ++i) {
      const std::uint32_t n = (i + 1) % side_;
      new_u[j][n] =
          old_u[j][n] +
          turn * (z[j + 1][n] + z[j][n]) * (cv[j + 1][n] + cv[j + 1][i] + cv[j][i] + cv[j][n]) -
          slope * (h[j][n] - h[j][i]);
      new_v[j + 1][i] =
          old_v[j + 1][i] -
          turn * (z[j + 1][n] + z[j + 1][i]) * (cu[j + 1][n] + cu[j + 1][i] + cu[j][i] + cu[j][n]) -
          slope * (h[j + 1][i] - h[j][i]);
      new_p[j][i] = old_p[j][i] - slope * (cu[j][n] - cu[j][i]) - slope * (cv[j + 1][i] - cv[j][i]);
    }
  }
}

void shallow_water::smooth() {
  for (std::uint32_t j = 0; j < width_; ++j) {
    data_parallel_programs::smooth(u[j], old_u[j], new_u[j], first_step_);
    data_parallel_programs::smooth(v[j], old_v[j], new_v[j], first_step_);
    data_parallel_programs::smooth(p[j], old_p[j], new_p[j], first_step_);
  }
  first_step_ = false;
}

shallow_water simulate_water(std::uint64_t system, std::uint32_t side, std::uint32_t steps) {
  shallow_water water(system, side, 0, side);
  for (std::uint32_t step = 0; step < steps; ++step) {
    for (water_columns* each : {&water.u, &water.v, &water.p}) (*each)[side] = (*each)[0];
    water.find_fluxes();
    for (water_columns* each : {&water.cv, &water.z}) (*each)[0] = (*each)[side];
    for (water_columns* each : {&water.cu, &water.h, &water.old_v}) (*each)[side] = (*each)[0];
    water.advance();
    water.new_v[0] = water.new_v[side];
    water.smooth();
  }
  return water;
}

}  // namespace tributary::data_parallel_programs
