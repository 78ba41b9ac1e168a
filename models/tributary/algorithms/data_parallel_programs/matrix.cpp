// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/data_parallel_programs/matrix.h>

#include <cstddef>
#include <utility>
#include <vector>

#include <tributary/algorithms/data_parallel_programs/checks.h>
#include <tributary/algorithms/data_parallel_programs/node_variables.h>
#include <tributary/algorithms/data_parallel_programs/program_parameters.h>
#include <tributary/sim/parameters.h>
#include <tributary/sim/random_stream.h>

namespace tributary::data_parallel_programs {
namespace {

using column = std::vector<double>;

/// Column `number` of the first matrix, or of the second one behind all of the first.
column drawn(const matrix_config& config, std::uint32_t number) {
  random_stream draws(config.system, number, purpose::placement);
  column made(config.side);
  for (double& each : made) each = static_cast<double>(draws.next_u32()) / 0x1p31 - 1;
  return made;
}

/// Adds to a column of the product what a column of the first matrix gives.
void add_product(column& product, const column& first, double factor) {
  for (std::size_t i = 0; i < product.size(); ++i) product[i] += first[i] * factor;
}

class matrix_process {
 public:
  matrix_process(data_parallel& here, const matrix_config& config)
      : here_(here), config_(config), each_(config.side / here.nodes()) {
    for (std::uint32_t i = 0; i < each_; ++i) {
      second_.push_back(drawn(config, config.side + first_own() + i));
      product_.emplace_back(config.side, 0.0);
    }
  }

  void run() {
    for (std::uint32_t i = first_own(); i < first_own() + each_; ++i) {
      const column own = drawn(config_, i);
      for (std::uint32_t row = 0; row < config_.side; ++row) {
        write_double(here_, place(i, row), own[row]);
      }
    }
    for (std::uint32_t i = 0; i < config_.side; ++i) multiply_by(i);
  }

  void compare(const std::vector<column>& with) const {
    for (std::uint32_t i = 0; i < each_; ++i) {
      const std::uint32_t number = first_own() + i;
      for (std::uint32_t row = 0; row < config_.side; ++row) {
        expect_same(here_, "of the product, element", std::uint64_t{row} * config_.side + number,
                    product_[i][row], with[number][row]);
      }
    }
  }

  static std::vector<column> expected(const matrix_config& config) {
    std::vector<column> product(config.side, column(config.side));
    std::vector<column> second;
    for (std::uint32_t j = 0; j < config.side; ++j) {
      second.push_back(drawn(config, config.side + j));
    }
    for (std::uint32_t i = 0; i < config.side; ++i) {
      const column first = drawn(config, i);
      for (std::uint32_t j = 0; j < config.side; ++j) add_product(product[j], first, second[j][i]);
    }
    return product;
  }

 private:
  std::uint32_t first_own() const { return static_cast<std::uint32_t>(here_.node()) * each_; }
  std::uint64_t place(std::uint32_t number, std::uint32_t row) const {
    return (std::uint64_t{number} * config_.side + row) * word_bytes;
  }

  void multiply_by(std::uint32_t number) {
    here_.broadcast(node_id{number / each_}, place(number, 0), config_.side * word_bytes);
    column first(config_.side);
    for (std::uint32_t row = 0; row < config_.side; ++row) {
      first[row] = read_double(here_, place(number, row));
    }
    for (std::uint32_t j = 0; j < each_; ++j) add_product(product_[j], first, second_[j][number]);
    here_.context().delay(config_.element_cycles * config_.side * each_);
  }

  data_parallel& here_;
  const matrix_config& config_;
  std::uint32_t each_;
  std::vector<column> second_;  // its own
  std::vector<column> product_;
};

}  // namespace

void matrix_config::bind(parameter_set& parameters) {
  parameters.add("side", side, interval<std::uint32_t>{1, 1024}, "columns",
                 "Of each matrix, and rows (Klaiber 5.4: 128).");
  bind_cycles(parameters, "element_cycles", element_cycles, "to multiply and add");
  bind_system(parameters, system, "the matrices");
}

std::unique_ptr<kernel> make_matrix(const matrix_config& config, std::uint32_t nodes) {
  require_multiple("matrix.side", config.side, nodes, "the nodes");
  variable_places places;
  places.next(std::uint64_t{config.side} * config.side);
  return std::make_unique<compared_kernel<matrix_process, matrix_config>>(config, places.bytes());
}

}  // namespace tributary::data_parallel_programs
