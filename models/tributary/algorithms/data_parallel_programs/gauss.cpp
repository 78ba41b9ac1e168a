// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/data_parallel_programs/gauss.h>

#include <cstddef>
#include <vector>

#include <tributary/algorithms/application_process.h>
#include <tributary/algorithms/data_parallel_programs/checks.h>
#include <tributary/algorithms/data_parallel_programs/drawn_numbers.h>
#include <tributary/algorithms/data_parallel_programs/node_variables.h>
#include <tributary/algorithms/data_parallel_programs/program_parameters.h>
#include <tributary/sim/parameters.h>

namespace tributary::data_parallel_programs {
namespace {

using row = std::vector<double>;

/// The low bits of a candidate have the number of its row, in place of the last digits.
constexpr std::uint32_t most_rows = 1024;
constexpr word_t no_candidate = 0;

/// A word that is the greater the greater the element is; of equal ones the first row's.
word_t candidate(double element, std::uint32_t row_number) {
  constexpr word_t sign = word_t{1} << 63U;
  return (word_of(element) & ~sign & ~word_t{most_rows - 1}) | (most_rows - 1 - row_number);
}
std::uint32_t row_of(word_t found) {
  return most_rows - 1 - static_cast<std::uint32_t>(found % most_rows);
}

/// Consecutive rows of the matrix, of which each is the pivot once.
class row_block {
 public:
  row_block(const gauss_config& config, std::uint32_t first, std::uint32_t count) : first_(first) {
    for (std::uint32_t i = 0; i < count; ++i) {
      rows_.push_back(drawn_numbers(config.system, first + i, config.side));
    }
    done_.resize(count);
  }

  std::uint32_t first() const { return first_; }
  const std::vector<row>& rows() const { return rows_; }
  bool has(std::uint32_t number) const { return number - first_ < rows_.size(); }

  /// The best of its rows that were no pivot yet.
  word_t best(std::uint32_t column) const {
    word_t best = no_candidate;
    for (std::uint32_t i = 0; i < rows_.size(); ++i) {
      if (done_[i]) continue;
      best = combined(combining_operation::maximum, best, candidate(rows_[i][column], first_ + i));
    }
    return best;
  }
  const row& take(std::uint32_t number) {
    done_[number - first_] = true;
    return rows_[number - first_];
  }
  /// Changes those rows by the pivot's, `by[column]` and behind; returns how many elements.
  std::uint64_t eliminate(const row& by, std::uint32_t column) {
    std::uint64_t changed = 0;
    for (std::uint32_t i = 0; i < rows_.size(); ++i) {
      if (done_[i]) continue;
      row& own = rows_[i];
      own[column] /= by[column];
      for (std::size_t j = column + 1; j < own.size(); ++j) own[j] -= own[column] * by[j];
      changed += own.size() - column;
    }
    return changed;
  }

 private:
  std::uint32_t first_;
  std::vector<row> rows_;
  std::vector<bool> done_;
};

/// What one processor finds.
struct outcome {
  row_block rows;
  std::vector<std::uint32_t> pivots;
};

class gauss_process {
 public:
  gauss_process(data_parallel& here, const gauss_config& config)
      : here_(here),
        config_(config),
        each_(config.side / here.nodes()),
        own_(config, static_cast<std::uint32_t>(here.node()) * each_, each_) {}

  void run() {
    for (std::uint32_t column = 0; column < config_.side; ++column) eliminate(column);
  }

  void compare(const outcome& with) const {
    for (std::uint32_t i = 0; i < config_.side; ++i) {
      expect_same(here_, "pivot", i, pivots_[i], with.pivots[i]);
    }
    for (std::uint32_t i = 0; i < each_; ++i) {
      const std::uint32_t number = own_.first() + i;
      for (std::uint32_t j = 0; j < config_.side; ++j) {
        expect_same(here_, "element", std::uint64_t{number} * config_.side + j, own_.rows()[i][j],
                    with.rows.rows()[number][j]);
      }
    }
  }

  static outcome expected(const gauss_config& config) {
    outcome made{row_block(config, 0, config.side), {}};
    for (std::uint32_t column = 0; column < config.side; ++column) {
      made.pivots.push_back(row_of(made.rows.best(column)));
      const row by = made.rows.take(made.pivots.back());
      made.rows.eliminate(by, column);
    }
    return made;
  }

 private:
  static std::uint64_t place(std::uint32_t column) { return std::uint64_t{column} * word_bytes; }

  void eliminate(std::uint32_t column) {
    const std::uint32_t pivot =
        row_of(here_.reduce(own_.best(column), combining_operation::maximum, word_bytes));
    pivots_.push_back(pivot);
    const std::uint32_t from = config_.shrinking ? column : 0;
    if (own_.has(pivot)) {
      const row& chosen = own_.take(pivot);
      for (std::uint32_t j = from; j < config_.side; ++j) write_double(here_, place(j), chosen[j]);
    }
    here_.broadcast(node_id{pivot / each_}, place(from), (config_.side - from) * word_bytes);
    row by(config_.side);
    for (std::uint32_t j = column; j < config_.side; ++j) by[j] = read_double(here_, place(j));
    here_.context().delay(config_.element_cycles * own_.eliminate(by, column));
  }

  data_parallel& here_;
  const gauss_config& config_;
  std::uint32_t each_;
  row_block own_;
  std::vector<std::uint32_t> pivots_;
};

}  // namespace

void gauss_config::bind(parameter_set& parameters) {
  parameters.add("side", side, interval<std::uint32_t>{2, most_rows}, "rows",
                 "Of the matrix, and columns (Klaiber 5.4: 128).");
  parameters.add("shrinking", shrinking,
                 "Whether a broadcast leaves out the columns that are done (no, as published).");
  bind_cycles(parameters, "element_cycles", element_cycles, "to change an element");
  bind_system(parameters, system, "the matrix");
}

std::unique_ptr<kernel> make_gauss(const gauss_config& config, std::uint32_t nodes) {
  require_multiple("gauss.side", config.side, nodes, "the nodes");
  variable_places places;
  places.next(config.side);
  return std::make_unique<compared_kernel<gauss_process, gauss_config>>(config, places.bytes());
}

}  // namespace tributary::data_parallel_programs
