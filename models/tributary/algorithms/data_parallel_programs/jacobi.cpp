// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/data_parallel_programs/jacobi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include <tributary/algorithms/data_parallel_programs/checks.h>
#include <tributary/algorithms/data_parallel_programs/drawn_numbers.h>
#include <tributary/algorithms/data_parallel_programs/grid_blocks.h>
#include <tributary/algorithms/data_parallel_programs/node_variables.h>
#include <tributary/algorithms/data_parallel_programs/program_parameters.h>
#include <tributary/sim/parameters.h>

namespace tributary::data_parallel_programs {
namespace {

/// Some rows of points, with a rim of the points around them.
class rimmed_grid {
 public:
  rimmed_grid(std::uint32_t height, std::uint32_t width)
      : width_(width + 2), points_(std::size_t{height + 2} * width_, 1.0) {}

  /// Rows and columns from 0, those of the rim.
  double& at(std::uint32_t row, std::uint32_t column) {
    return points_[std::size_t{row} * width_ + column];
  }
  double at(std::uint32_t row, std::uint32_t column) const {
    return points_[std::size_t{row} * width_ + column];
  }

 private:
  std::uint32_t width_;
  std::vector<double> points_;
};

/// Moves all points but the rim; returns the greatest change.
double relax(rimmed_grid& grid, std::uint32_t height, std::uint32_t width) {
  const rimmed_grid old = grid;
  double greatest = 0;
  for (std::uint32_t i = 1; i <= height; ++i) {
    for (std::uint32_t j = 1; j <= width; ++j) {
      const double moved =
          0.25 * (old.at(i - 1, j) + old.at(i + 1, j) + old.at(i, j - 1) + old.at(i, j + 1));
      greatest = std::max(greatest, std::abs(moved - old.at(i, j)));
      grid.at(i, j) = moved;
    }
  }
  return greatest;
}

/// The points of a block before the first iteration.
rimmed_grid initial(const jacobi_config& config, std::uint32_t first_row,
                    std::uint32_t first_column, std::uint32_t height, std::uint32_t width) {
  rimmed_grid made(height, width);
  for (std::uint32_t i = 0; i < height; ++i) {
    const std::vector<double> row = drawn_numbers(config.system, first_row + i, config.side);
    for (std::uint32_t j = 0; j < width; ++j) made.at(i + 1, j + 1) = row[first_column + j];
  }
  return made;
}

/// What one processor computes.
struct outcome {
  rimmed_grid grid;
  std::vector<double> changes;  ///< the greatest of each iteration
};

struct jacobi_layout {
  std::uint64_t grid = 0;
  std::array<std::uint64_t, 4> arrivals{};
  std::uint64_t bytes = 0;

  jacobi_layout(const jacobi_config& config, const grid_blocks& blocks) {
    const std::uint64_t words = grid_halo::shared_words(blocks, config.aggregated);
    variable_places places;
    grid = places.next(words);
    for (std::uint64_t& each : arrivals) each = places.next(words);
    bytes = places.bytes();
  }
};

class jacobi_process {
 public:
  jacobi_process(data_parallel& here, const jacobi_config& config)
      : here_(here),
        config_(config),
        blocks_(config.side, config.block_rows, here.node(), here.nodes()),
        layout_(config, blocks_),
        halo_(blocks_, layout_.arrivals, config.aggregated),
        own_(initial(config, blocks_.first_row(), blocks_.first_column(), blocks_.height(),
                     blocks_.width())) {}

  void run() {
    write_needed();
    here_.barrier();
    for (std::uint32_t i = 0; i < config_.iterations; ++i) iterate();
  }

  void compare(const outcome& with) const {
    for (std::uint32_t i = 0; i < config_.iterations; ++i) {
      expect_same(here_, "the change of iteration", i, changes_[i], with.changes[i]);
    }
    for (std::uint32_t i = 1; i <= blocks_.height(); ++i) {
      const std::uint32_t row = blocks_.first_row() + i;
      for (std::uint32_t j = 1; j <= blocks_.width(); ++j) {
        const std::uint32_t column = blocks_.first_column() + j;
        expect_same(here_, "point", std::uint64_t{row - 1} * config_.side + column - 1,
                    own_.at(i, j), with.grid.at(row, column));
      }
    }
  }

  static outcome expected(const jacobi_config& config) {
    outcome made{initial(config, 0, 0, config.side, config.side), {}};
    for (std::uint32_t i = 0; i < config.iterations; ++i) {
      made.changes.push_back(relax(made.grid, config.side, config.side));
    }
    return made;
  }

 private:
  void iterate() {
    halo_.fetch(here_, layout_.grid);
    here_.barrier();
    halo_.each([this](grid_side side, std::uint32_t i, std::uint64_t offset, node_id,
                      std::uint32_t) { rim(side, i) = read_double(here_, offset); });
    const double change = relax(own_, blocks_.height(), blocks_.width());
    here_.context().delay(config_.point_cycles * blocks_.points());
    write_needed();
    changes_.push_back(
        double_of(here_.reduce(word_of(change), combining_operation::maximum_double, word_bytes)));
  }

  void write_needed() {
    halo_.each_shared([&](std::uint64_t offset, std::uint32_t point) {
      write_double(here_, layout_.grid + offset,
                   own_.at(point / blocks_.width() + 1, point % blocks_.width() + 1));
    });
  }

  /// The i-th point behind a side.
  double& rim(grid_side side, std::uint32_t i) {
    switch (side) {
      case grid_side::north:
        return own_.at(0, i + 1);
      case grid_side::south:
        return own_.at(blocks_.height() + 1, i + 1);
      case grid_side::west:
        return own_.at(i + 1, 0);
      case grid_side::east:
        break;
    }
    return own_.at(i + 1, blocks_.width() + 1);
  }

  data_parallel& here_;
  const jacobi_config& config_;
  grid_blocks blocks_;
  jacobi_layout layout_;
  grid_halo halo_;
  rimmed_grid own_;
  std::vector<double> changes_;
};

}  // namespace

void jacobi_config::bind(parameter_set& parameters) {
  using u32 = interval<std::uint32_t>;
  parameters.add("side", side, u32{2, 2048}, "points", "Of a side of the grid (Klaiber 5.4: 128).");
  parameters.add("iterations", iterations, u32{1, 10000}, "iterations", "Klaiber 6.5.4: 18.");
  parameters.add(
      "block_rows", block_rows, u32{1, 1024}, "rows",
      "Of blocks, each with the same number of nodes (2, derived from Klaiber's counts).");
  bind_aggregated(parameters, aggregated);
  bind_cycles(parameters, "point_cycles", point_cycles, "to change a point");
  bind_system(parameters, system, "the grid before the first iteration");
}

std::unique_ptr<kernel> make_jacobi(const jacobi_config& config, std::uint32_t nodes) {
  grid_blocks::check("jacobi", config.side, config.block_rows, nodes);
  const grid_blocks blocks(config.side, config.block_rows, node_id{0}, nodes);
  return std::make_unique<compared_kernel<jacobi_process, jacobi_config>>(
      config, jacobi_layout(config, blocks).bytes);
}

}  // namespace tributary::data_parallel_programs
