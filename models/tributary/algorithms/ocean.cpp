// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/ocean.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <tributary/algorithms/application_program.h>
#include <tributary/algorithms/ocean_model.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

using ocean::basin;
using ocean::is_red;
using ocean::star;

constexpr std::uint64_t own_rows = application_process::line_words;
constexpr std::uint64_t line_words = application_process::line_words;

/// Processes in rows and columns.
struct process_grid {
  std::uint32_t rows = 1;
  std::uint32_t columns = 1;

  explicit process_grid(std::uint32_t processes) {
    while (rows * columns < processes) (rows < columns ? rows : columns) *= 2;
  }
};

/// Where a process has its part of each grid, in words of its region "local"; the same for all.
class block_layout {
 public:
  block_layout(const ocean_config& config, const process_grid& processes) {
    std::uint64_t next = application_process::free_words;
    const auto take = [&](std::uint64_t words) {
      const std::uint64_t first = next;
      next += (words + line_words - 1) / line_words * line_words;
      return first;
    };
    for (std::uint32_t level = 0; level < config.levels; ++level) {
      one made;
      made.rows = (config.points >> level) / processes.rows;
      made.columns = (config.points >> level) / processes.columns;
      const std::uint64_t words = std::uint64_t{made.rows + 2} * (made.columns + 2);
      made.values = take(words);
      made.wanted = take(words);
      levels_.push_back(made);
    }
    change_ = take(std::uint64_t{levels_[0].rows + 2} * (levels_[0].columns + 2));
    words_ = next;
  }

  struct one {
    std::uint32_t rows = 0;
    std::uint32_t columns = 0;
    std::uint64_t values = 0;  ///< first word: the stream function, or corrections of it
    std::uint64_t wanted = 0;  ///< the vorticity, or residuals

    /// The word of a point; -1 and `rows` or `columns` are those of neighbours.
    std::uint64_t place(std::int64_t row, std::int64_t column) const {
      return static_cast<std::uint64_t>((row + 1) * (std::int64_t{columns} + 2) + column + 1);
    }
  };
  const one& at(std::uint32_t level) const { return levels_.at(level); }
  std::uint64_t change() const { return change_; }
  std::uint64_t words() const { return words_; }

 private:
  std::vector<one> levels_;
  std::uint64_t change_ = 0;
  std::uint64_t words_ = 0;
};

class ocean_process {
 public:
  static std::uint32_t locks(const ocean_config& config) { return config.levels; }
  static ocean::outcome expected(const ocean_config& config) {
    return ocean::simulate(config.points, config.levels, config.steps + 1);
  }

  ocean_process(program_context& context, const ocean_config& config,
                const kept_synchronization& machine, application_figures& figures)
      : context_(context),
        config_(config),
        basin_(config.points),
        processes_(context.size()),
        row_(context.rank() / processes_.columns),
        column_(context.rank() % processes_.columns),
        layout_(config, processes_),
        meeting_(context, config.meeting, machine, locks(config), own_rows, figures) {}

  void run() {
    step();
    meeting_.begin_measurement();
    for (std::uint32_t i = 0; i < config_.steps; ++i) step();
    meeting_.end_of_measurement();
  }

  /// Throws `simulation_error` if this process's points, or the sums, are not these.
  void compare(const ocean::outcome& with) {
    const block_layout::one& block = layout_.at(0);
    for_each_point(0, [&](std::uint32_t row, std::uint32_t column) {
      const std::size_t place =
          std::size_t{row_ * block.rows + row} * config_.points + column_ * block.columns + column;
      const double stream = load(block.values, block, row, column);
      const double vorticity = load(block.wanted, block, row, column);
      if (stream == with.stream[place] && vorticity == with.vorticity[place]) return;
      throw simulation_error(fmt::format(
          "point {} of row {} is not what one processor computes; it was read too early or late",
          place % config_.points, place / config_.points));
    });
    if (context_.rank() != 0) return;
    bool same = load_sum(config_.levels - 1) == with.energy;
    for (std::uint32_t i = 0; i + 1 < config_.levels; ++i) {
      same = same && load_sum(i) == with.errors[i];
    }
    if (same) return;
    throw simulation_error(
        "the sums over all points are not those of one processor; an addition was lost");
  }

 private:
  void step() {
    if (context_.rank() == 0) {
      for (std::uint32_t i = 0; i < config_.levels; ++i) context_.store(sum_address(i), 0);
    }
    find_change();
    meeting_.cross();
    advance();
    meeting_.cross();
    cycle(0);
    sum_energy();
    meeting_.cross();
  }

  // --- the vorticity

  void find_change() {
    const block_layout::one& block = layout_.at(0);
    copy_edges(block.values, 0, std::nullopt);
    copy_edges(block.wanted, 0, std::nullopt);
    for_each_point(0, [&](std::uint32_t row, std::uint32_t column) {
      // One after the other, here and below: compilers choose the order of a call's arguments.
      const star vorticity = around(block.wanted, block, row, column);
      const star stream = around(block.values, block, row, column);
      const double change = basin_.tendency(vorticity, stream, row_ * block.rows + row);
      store(layout_.change(), block, row, column, change);
    });
  }

  void advance() {
    const block_layout::one& block = layout_.at(0);
    for_each_point(0, [&](std::uint32_t row, std::uint32_t column) {
      const double before = load(block.wanted, block, row, column);
      const double change = load(layout_.change(), block, row, column);
      store(block.wanted, block, row, column, basin::advanced(before, change));
    });
  }

  void sum_energy() {
    const block_layout::one& block = layout_.at(0);
    std::int64_t own = 0;
    for_each_point(0, [&](std::uint32_t row, std::uint32_t column) {
      const double stream = load(block.values, block, row, column);
      const double vorticity = load(block.wanted, block, row, column);
      own += ocean::energy(stream, vorticity);
    });
    add(config_.levels - 1, own);
  }

  // --- the stream function

  void cycle(std::uint32_t level) {
    relax(level);
    if (level + 1 == config_.levels) return;
    restrict_to_coarser(level);
    meeting_.cross();
    cycle(level + 1);
    prolong(level);
    meeting_.cross();
    relax(level);
  }

  void relax(std::uint32_t level) {
    for (const bool red : {true, false}) {
      relax(level, red);
      meeting_.cross();
    }
  }

  void relax(std::uint32_t level, bool red) {
    const block_layout::one& block = layout_.at(level);
    copy_edges(block.values, level, !red);
    for_each_point(
        level,
        [&](std::uint32_t row, std::uint32_t column) {
          if (is_red(row_ * block.rows + row, column_ * block.columns + column) != red) return;
          const star value = around(block.values, block, row, column);
          const double wanted = load(block.wanted, block, row, column);
          store(block.values, block, row, column, basin_.relaxed(value, wanted, level));
        },
        2);
  }

  void restrict_to_coarser(std::uint32_t level) {
    const block_layout::one& block = layout_.at(level);
    const block_layout::one& coarser = layout_.at(level + 1);
    copy_edges(block.values, level, false);
    std::int64_t errors = 0;
    for_each_point(level + 1, [&](std::uint32_t row, std::uint32_t column) {
      double sum = 0;
      for (std::uint32_t i = 0; i < 4; ++i) {
        const std::uint32_t fine_row = 2 * row + i / 2;
        const std::uint32_t fine_column = 2 * column + i % 2;
        const star value = around(block.values, block, fine_row, fine_column);
        const double wanted = load(block.wanted, block, fine_row, fine_column);
        const double error = basin_.residual(value, wanted, level);
        errors += ocean::squared_error(error);
        sum += error;
      }
      store(coarser.wanted, coarser, row, column, sum / 4);
      store(coarser.values, coarser, row, column, 0);
    });
    add(level, errors);
  }

  void prolong(std::uint32_t level) {
    const block_layout::one& block = layout_.at(level);
    const block_layout::one& coarser = layout_.at(level + 1);
    for_each_point(level, [&](std::uint32_t row, std::uint32_t column) {
      const double by = load(coarser.values, coarser, row / 2, column / 2);
      store(block.values, block, row, column, load(block.values, block, row, column) + by);
    });
  }

  // --- edges

  /// A side of the block: its points, those of the neighbour next to them, and who that is.
  struct side {
    std::uint32_t neighbour;
    std::uint32_t length;
    std::int64_t to_row, to_column;      ///< of the first place outside of the block
    std::int64_t from_row, from_column;  ///< of the neighbour's first point
    bool along_row;

    std::int64_t row(std::int64_t first, std::uint32_t i) const {
      return along_row ? first : first + i;
    }
    std::int64_t column(std::int64_t first, std::uint32_t i) const {
      return along_row ? first + i : first;
    }
  };

  std::vector<side> sides(const block_layout::one& block) const {
    const std::uint32_t own = context_.rank();
    const std::int64_t last_row = block.rows - 1;
    const std::int64_t last_column = block.columns - 1;
    std::vector<side> found;
    if (row_ > 0) {
      found.push_back({own - processes_.columns, block.columns, -1, 0, last_row, 0, true});
    }
    if (row_ + 1 < processes_.rows) {
      found.push_back({own + processes_.columns, block.columns, block.rows, 0, 0, 0, true});
    }
    if (column_ > 0) found.push_back({own - 1, block.rows, 0, -1, 0, last_column, false});
    if (column_ + 1 < processes_.columns) {
      found.push_back({own + 1, block.rows, 0, block.columns, 0, 0, false});
    }
    return found;
  }

  /// Copies the neighbours' edges of a grid: their red points, or the others, or all.
  void copy_edges(std::uint64_t grid, std::uint32_t level, std::optional<bool> red) {
    const block_layout::one& block = layout_.at(level);
    const std::vector<side> all = sides(block);
    const auto from = [&](const side& each, std::uint32_t i) {
      return grid + block.place(each.row(each.from_row, i), each.column(each.from_column, i));
    };
    const auto is_wanted = [&](const side& each, std::uint32_t i) {
      const std::int64_t row = std::int64_t{row_ * block.rows} + each.row(each.to_row, i);
      const std::int64_t column =
          std::int64_t{column_ * block.columns} + each.column(each.to_column, i);
      return !red || ((row + column) % 2 == 0) == *red;
    };
    if (config_.prefetch) prefetch_edges(all, from, is_wanted);
    for (const side& each : all) {
      for (std::uint32_t i = 0; i < each.length; ++i) {
        if (!is_wanted(each, i)) continue;
        const word_t value =
            context_.load(context_.local_address(pe_id{each.neighbour}, from(each, i)));
        const std::uint64_t to =
            grid + block.place(each.row(each.to_row, i), each.column(each.to_column, i));
        context_.store(context_.local_address(to), value);
      }
    }
  }

  template <class From, class Wanted>
  void prefetch_edges(const std::vector<side>& all, const From& from, const Wanted& is_wanted) {
    for (const side& each : all) {
      std::optional<std::uint64_t> line;
      for (std::uint32_t i = 0; i < each.length; ++i) {
        const std::uint64_t word = from(each, i);
        if (!is_wanted(each, i) || line == word / line_words) continue;
        line = word / line_words;
        context_.prefetch(context_.local_address(pe_id{each.neighbour}, word));
      }
    }
  }

  // --- points, words and sums

  /// Calls `visit(row, column)` for all points of the block; computes for as long as those of a row
  /// take behind it, of which one in `of` is computed.
  template <class Visit>
  void for_each_point(std::uint32_t level, Visit&& visit, std::uint32_t of = 1) {
    const block_layout::one& block = layout_.at(level);
    for (std::uint32_t row = 0; row < block.rows; ++row) {
      for (std::uint32_t column = 0; column < block.columns; ++column) visit(row, column);
      context_.delay(config_.point_cycles * block.columns / of);
    }
  }

  double load(std::uint64_t grid, const block_layout::one& block, std::int64_t row,
              std::int64_t column) {
    return double_of(context_.load(context_.local_address(grid + block.place(row, column))));
  }
  void store(std::uint64_t grid, const block_layout::one& block, std::int64_t row,
             std::int64_t column, double value) {
    context_.store(context_.local_address(grid + block.place(row, column)), word_of(value));
  }
  star around(std::uint64_t grid, const block_layout::one& block, std::int64_t row,
              std::int64_t column) {
    star found;
    found.here = load(grid, block, row, column);
    found.north = load(grid, block, row - 1, column);
    found.south = load(grid, block, row + 1, column);
    found.west = load(grid, block, row, column - 1);
    found.east = load(grid, block, row, column + 1);
    return found;
  }

  std::uint64_t sum_address(std::uint32_t number) const {
    return context_.shared_address(mm_id{0}, application_process::free_row + number);
  }
  std::int64_t load_sum(std::uint32_t number) {
    return static_cast<std::int64_t>(context_.load(sum_address(number)));
  }
  void add(std::uint32_t number, std::int64_t value) {
    meeting_.lock(number);
    const word_t before = context_.load(sum_address(number));
    context_.store(sum_address(number), before + static_cast<word_t>(value));
    meeting_.unlock(number);
  }

  program_context& context_;
  const ocean_config& config_;
  basin basin_;
  process_grid processes_;
  std::uint32_t row_;  // of this process among the others
  std::uint32_t column_;
  block_layout layout_;
  application_process meeting_;
};

void check_shares(const std::string& key, const ocean_config& config, std::uint32_t processes) {
  const process_grid among(processes);
  const std::uint32_t coarsest = config.points >> (config.levels - 1);
  // A smaller one has its edges so far out that the solver does not converge.
  constexpr std::uint32_t least = 4;
  const bool whole = coarsest << (config.levels - 1) == config.points &&
                     coarsest % among.rows == 0 && coarsest % among.columns == 0 &&
                     coarsest >= least;
  if (among.rows * among.columns == processes && whole) return;
  const std::uint32_t unit = std::max(least, among.columns);
  throw configuration_error(
      {key + ".points", "",
       fmt::format("{} x {} points on the coarsest grid cannot be shared by {} processes", coarsest,
                   coarsest, processes),
       fmt::format("multiples of {} for a power of two of processes", unit << (config.levels - 1)),
       "choose other points, fewer levels, or another number of nodes or node.processes"});
}

}  // namespace

void ocean_config::bind(parameter_set& parameters) {
  using u32 = interval<std::uint32_t>;
  meeting.bind(parameters);
  parameters.add("points", points, u32{2, 8192}, "points",
                 "Inner points of a side of the grid; its edges are two more.");
  parameters.add("levels", levels, u32{2, 12}, "grids",
                 "Grids of the solver, each with half as many points a side as the one before.");
  parameters.add("steps", steps, u32{1, 1000000}, "steps",
                 "Steps that are measured, behind a first one that is not.");
  parameters.add("prefetch", prefetch,
                 "Whether a process asks for its neighbours' edges before it copies them; needs "
                 "caches.");
  parameters.add("point_cycles", point_cycles, interval<std::uint64_t>{0, std::uint64_t{1} << 40},
                 "cycles", "Cycles of the processor in which it computes a point.");
}

std::unique_ptr<program> make_ocean_program(const ocean_config& config, const address_map& map,
                                            const kept_synchronization& machine) {
  const std::string key = "workload.program.ocean";
  const std::uint32_t processes = map.modules() * machine.processes;
  check_shares(key, config, processes);
  const block_layout layout(config, process_grid(processes));
  check_application(key, config.meeting, map, machine, ocean_process::locks(config), own_rows,
                    layout.words() - application_process::free_words);
  return std::make_unique<application_program<ocean_process, ocean_config>>(config, machine);
}

std::uint32_t ocean_barriers(const ocean_config& config) { return 6 * config.levels - 4 + 3; }

}  // namespace tributary
