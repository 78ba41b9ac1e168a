// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/data_parallel_programs/halo2d.h>

#include <array>

#include <tributary/algorithms/data_parallel_programs/checks.h>
#include <tributary/algorithms/data_parallel_programs/grid_blocks.h>
#include <tributary/algorithms/data_parallel_programs/node_variables.h>
#include <tributary/algorithms/data_parallel_programs/program_parameters.h>
#include <tributary/sim/parameters.h>

namespace tributary::data_parallel_programs {
namespace {

struct halo2d_layout {
  std::array<std::uint64_t, 2> grids{};
  std::array<std::uint64_t, 4> arrivals{};
  std::uint64_t bytes = 0;

  halo2d_layout(const halo2d_config& config, const grid_blocks& blocks) {
    const std::uint64_t words = grid_halo::shared_words(blocks, config.aggregated);
    variable_places places;
    for (std::uint32_t i = 0; i < config.grids; ++i) grids[i] = places.next(words);
    for (std::uint64_t& each : arrivals) each = places.next(words);
    bytes = places.bytes();
  }
};

class halo2d_process {
 public:
  halo2d_process(data_parallel& here, const halo2d_config& config)
      : here_(here),
        config_(config),
        blocks_(config.side, config.block_rows, here.node(), here.nodes()),
        layout_(config, blocks_),
        halo_(blocks_, layout_.arrivals, config.aggregated) {}

  void run() {
    write_values(0);
    here_.barrier();
    for (std::uint32_t i = 0; i < config_.iterations; ++i) iterate(i);
  }

 private:
  std::uint64_t grid(std::uint32_t iteration) const {
    return layout_.grids[iteration % config_.grids];
  }

  void iterate(std::uint32_t iteration) {
    const bool in_turn = config_.grids > 1;
    halo_.fetch(here_, grid(iteration));
    if (!in_turn) {
      here_.barrier();
      check(iteration);
    }
    here_.context().delay(config_.compute_cycles);
    write_values(iteration + 1);
    expect_reduced(here_, iteration, config_.reduce_bytes);
    if (in_turn) check(iteration);
  }

  void write_values(std::uint32_t iteration) {
    halo_.each_shared([&](std::uint64_t offset, std::uint32_t point) {
      here_.write(grid(iteration) + offset, stamp(here_.node(), point, iteration));
    });
  }

  void check(std::uint32_t iteration) {
    halo_.each(
        [&](grid_side, std::uint32_t, std::uint64_t offset, node_id neighbour,
            std::uint32_t point) { expect_stamp(here_, offset, neighbour, point, iteration); });
  }

  data_parallel& here_;
  const halo2d_config& config_;
  grid_blocks blocks_;
  halo2d_layout layout_;
  grid_halo halo_;
};

}  // namespace

void halo2d_config::bind(parameter_set& parameters) {
  using u32 = interval<std::uint32_t>;
  parameters.add("side", side, u32{2, 2048}, "points", "Of a side of the grid (Klaiber 5.4: 128).");
  parameters.add("iterations", iterations, u32{1, 10000}, "iterations", "Klaiber 6.5.4: 18.");
  parameters.add(
      "block_rows", block_rows, u32{1, 1024}, "rows",
      "Of blocks, each with the same number of nodes (2, derived from Klaiber's counts).");
  parameters.add("grids", grids, u32{1, 2}, "grids",
                 "1: a barrier between the gets and the next values. 2: two grids in turn, and no "
                 "barrier but the reduction.");
  bind_aggregated(parameters, aggregated);
  bind_reduce_bytes(parameters, reduce_bytes);
  bind_cycles(parameters, "compute_cycles", compute_cycles, "in an iteration");
}

std::unique_ptr<kernel> make_halo2d(const halo2d_config& config, std::uint32_t nodes) {
  grid_blocks::check("halo2d", config.side, config.block_rows, nodes);
  check_reduce_bytes("halo2d", config.reduce_bytes);
  const grid_blocks blocks(config.side, config.block_rows, node_id{0}, nodes);
  return std::make_unique<generator_kernel<halo2d_process, halo2d_config>>(
      config, halo2d_layout(config, blocks).bytes);
}

}  // namespace tributary::data_parallel_programs
