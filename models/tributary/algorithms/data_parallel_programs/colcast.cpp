// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/data_parallel_programs/colcast.h>

#include <tributary/algorithms/data_parallel_programs/checks.h>
#include <tributary/algorithms/data_parallel_programs/node_variables.h>
#include <tributary/algorithms/data_parallel_programs/program_parameters.h>
#include <tributary/sim/parameters.h>

namespace tributary::data_parallel_programs {
namespace {

class colcast_process {
 public:
  colcast_process(data_parallel& here, const colcast_config& config)
      : here_(here), config_(config), each_(config.columns / here.nodes()) {}

  void run() {
    for (std::uint32_t i = 0; i < config_.columns; ++i) {
      if (owner(i) == here_.node()) write_own(i);
    }
    for (std::uint32_t i = 0; i < config_.columns; ++i) cast(i);
  }

 private:
  node_id owner(std::uint32_t column) const { return node_id{column / each_}; }
  std::uint64_t place(std::uint32_t column, std::uint32_t word) const {
    return (std::uint64_t{column} * config_.words + word) * word_bytes;
  }

  void write_own(std::uint32_t column) {
    for (std::uint32_t i = 0; i < config_.words; ++i) {
      here_.write(place(column, i), stamp(here_.node(), i, column));
    }
  }

  void cast(std::uint32_t column) {
    here_.broadcast(owner(column), place(column, 0), config_.words * word_bytes);
    for (std::uint32_t i = 0; i < config_.words; ++i) {
      expect_stamp(here_, place(column, i), owner(column), i, column);
    }
    here_.context().delay(config_.compute_cycles);
  }

  data_parallel& here_;
  const colcast_config& config_;
  std::uint32_t each_;
};

}  // namespace

void colcast_config::bind(parameter_set& parameters) {
  using u32 = interval<std::uint32_t>;
  parameters.add("columns", columns, u32{1, 4096}, "columns",
                 "Each broadcast by its owner (Klaiber 5.4: 128).");
  parameters.add("words", words, u32{1, 8192}, "words", "Of a column (Klaiber 5.4: 128).");
  bind_cycles(parameters, "compute_cycles", compute_cycles, "behind a broadcast");
}

std::unique_ptr<kernel> make_colcast(const colcast_config& config, std::uint32_t nodes) {
  require_multiple("colcast.columns", config.columns, nodes, "the nodes");
  variable_places places;
  places.next(std::uint64_t{config.columns} * config.words);
  return std::make_unique<generator_kernel<colcast_process, colcast_config>>(config,
                                                                             places.bytes());
}

}  // namespace tributary::data_parallel_programs
