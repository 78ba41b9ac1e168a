// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/data_parallel_programs/sparse_gather.h>

#include <vector>

#include <tributary/algorithms/data_parallel_programs/checks.h>
#include <tributary/algorithms/data_parallel_programs/node_variables.h>
#include <tributary/algorithms/data_parallel_programs/program_parameters.h>
#include <tributary/sim/parameters.h>
#include <tributary/sim/random_stream.h>

namespace tributary::data_parallel_programs {
namespace {

struct sparse_gather_layout {
  std::uint64_t rows = 0;
  std::uint64_t arrivals = 0;
  std::uint64_t bytes = 0;

  explicit sparse_gather_layout(const sparse_gather_config& config) {
    variable_places places;
    rows = places.next(std::uint64_t{config.rows} * config.words);
    arrivals = places.next(std::uint64_t{config.tokens} * config.words);
    bytes = places.bytes();
  }
};

class sparse_gather_process {
 public:
  sparse_gather_process(data_parallel& here, const sparse_gather_config& config)
      : here_(here),
        config_(config),
        layout_(config),
        draws_(config.system, here.node(), purpose::placement) {}

  void run() {
    for (std::uint32_t i = 0; i < config_.rows * config_.words; ++i) {
      here_.write(layout_.rows + std::uint64_t{word_bytes} * i, stamp(here_.node(), i, 0));
    }
    here_.barrier();
    for (std::uint32_t phase = 0; phase < config_.phases; ++phase) gather();
  }

 private:
  struct route {
    node_id node;
    std::uint32_t row;
  };

  std::uint64_t place(std::uint32_t row) const {
    return std::uint64_t{row} * config_.words * word_bytes;
  }

  void gather() {
    std::vector<route> routes;
    here_.statement([&] {
      for (std::uint32_t token = 0; token < config_.tokens; ++token) {
        const node_id node{static_cast<std::uint32_t>(draws_.below(here_.nodes()))};
        routes.push_back({node, static_cast<std::uint32_t>(draws_.below(config_.rows))});
        if (node == here_.node()) continue;
        here_.get({node, layout_.rows + place(routes.back().row)}, layout_.arrivals + place(token),
                  config_.words * word_bytes);
      }
    });
    here_.context().delay(config_.compute_cycles);
    here_.barrier();
    for (std::uint32_t token = 0; token < config_.tokens; ++token) check(token, routes[token]);
  }

  void check(std::uint32_t token, const route& by) {
    const std::uint64_t begin =
        by.node == here_.node() ? layout_.rows + place(by.row) : layout_.arrivals + place(token);
    for (std::uint32_t i = 0; i < config_.words; ++i) {
      expect_stamp(here_, begin + std::uint64_t{word_bytes} * i, by.node,
                   by.row * config_.words + i, 0);
    }
  }

  data_parallel& here_;
  const sparse_gather_config& config_;
  sparse_gather_layout layout_;
  random_stream draws_;
};

}  // namespace

void sparse_gather_config::bind(parameter_set& parameters) {
  using u32 = interval<std::uint32_t>;
  parameters.add("phases", phases, u32{1, 10000}, "phases", "Gets and a barrier.");
  parameters.add("tokens", tokens, u32{1, 65536}, "tokens", "Of a node in a phase.");
  parameters.add("rows", rows, u32{1, 65536}, "rows", "Of each node.");
  parameters.add("words", words, u32{1, 8192}, "words", "Of a row.");
  bind_cycles(parameters, "compute_cycles", compute_cycles, "in a phase");
  bind_system(parameters, system, "the routing table");
}

std::unique_ptr<kernel> make_sparse_gather(const sparse_gather_config& config, std::uint32_t) {
  return std::make_unique<generator_kernel<sparse_gather_process, sparse_gather_config>>(
      config, sparse_gather_layout(config).bytes);
}

}  // namespace tributary::data_parallel_programs
