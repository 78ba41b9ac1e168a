// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/data_parallel_programs/rowcast.h>

#include <algorithm>

#include <tributary/algorithms/data_parallel_programs/checks.h>
#include <tributary/algorithms/data_parallel_programs/node_variables.h>
#include <tributary/algorithms/data_parallel_programs/program_parameters.h>
#include <tributary/sim/parameters.h>

namespace tributary::data_parallel_programs {
namespace {

class rowcast_process {
 public:
  rowcast_process(data_parallel& here, const rowcast_config& config)
      : here_(here), config_(config), each_(config.rows / here.nodes()) {}

  void run() {
    for (std::uint32_t i = 0; i < config_.rows; ++i) cast(i);
  }

 private:
  static std::uint64_t place(std::uint32_t word) { return std::uint64_t{word} * word_bytes; }

  void cast(std::uint32_t row) {
    const node_id owner{row / each_};
    const std::uint32_t first = config_.shrinking ? std::min(row, config_.words - 1) : 0;
    expect_reduced(here_, row, config_.reduce_bytes);
    if (owner == here_.node()) {
      for (std::uint32_t i = first; i < config_.words; ++i) {
        here_.write(place(i), stamp(owner, i, row));
      }
    }
    here_.broadcast(owner, place(first), (config_.words - first) * word_bytes);
    for (std::uint32_t i = first; i < config_.words; ++i) {
      expect_stamp(here_, place(i), owner, i, row);
    }
    here_.context().delay(config_.compute_cycles);
  }

  data_parallel& here_;
  const rowcast_config& config_;
  std::uint32_t each_;
};

}  // namespace

void rowcast_config::bind(parameter_set& parameters) {
  using u32 = interval<std::uint32_t>;
  parameters.add("rows", rows, u32{1, 4096}, "rows",
                 "Each broadcast by its owner (Klaiber 5.4: 128).");
  parameters.add("words", words, u32{1, 8192}, "words", "Of a row (Klaiber 5.4: 128).");
  bind_reduce_bytes(parameters, reduce_bytes);
  parameters.add(
      "shrinking", shrinking,
      "Whether each broadcast is a word shorter than the one before (no, as published).");
  bind_cycles(parameters, "compute_cycles", compute_cycles, "behind a broadcast");
}

std::unique_ptr<kernel> make_rowcast(const rowcast_config& config, std::uint32_t nodes) {
  require_multiple("rowcast.rows", config.rows, nodes, "the nodes");
  check_reduce_bytes("rowcast", config.reduce_bytes);
  variable_places places;
  places.next(config.words);
  return std::make_unique<generator_kernel<rowcast_process, rowcast_config>>(config,
                                                                             places.bytes());
}

}  // namespace tributary::data_parallel_programs
