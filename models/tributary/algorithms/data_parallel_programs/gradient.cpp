// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/data_parallel_programs/gradient.h>

#include <cstddef>
#include <vector>

#include <tributary/algorithms/data_parallel_programs/checks.h>
#include <tributary/algorithms/data_parallel_programs/drawn_numbers.h>
#include <tributary/algorithms/data_parallel_programs/node_variables.h>
#include <tributary/algorithms/data_parallel_programs/program_parameters.h>
#include <tributary/sim/parameters.h>

namespace tributary::data_parallel_programs {
namespace {

/// Rounds times nodes of a vector that a number of 32 bits can name.
constexpr std::uint32_t most_nodes = 1U << 16U;

struct gradient_case {
  gradient_config config;
  std::uint32_t nodes;
};

std::vector<double> vector_of(const gradient_config& config, std::uint32_t node,
                              std::uint32_t round) {
  return drawn_numbers(config.system, round * most_nodes + node, config.words);
}

struct gradient_layout {
  std::uint64_t own = 0;    // the node's vector
  std::uint64_t parts = 0;  // of the nodes, one behind the other
  std::uint64_t sum = 0;
  std::uint64_t bytes = 0;

  explicit gradient_layout(std::uint64_t words) {
    variable_places places;
    own = places.next(words);
    parts = places.next(words);
    sum = places.next(words);
    bytes = places.bytes();
  }
};

class gradient_process {
 public:
  gradient_process(data_parallel& here, const gradient_case& which)
      : here_(here),
        config_(which.config),
        layout_(config_.words),
        part_words_(config_.words / here.nodes()) {}

  void run() {
    for (std::uint32_t round = 0; round < config_.rounds; ++round) {
      scatter(round);
      here_.barrier();
      add_up();
      gather();
      here_.barrier();
      sums_.emplace_back();
      for (std::uint32_t i = 0; i < config_.words; ++i) {
        sums_.back().push_back(read_double(here_, layout_.sum + place(i)));
      }
    }
  }

  void compare(const std::vector<std::vector<double>>& with) const {
    for (std::uint32_t round = 0; round < config_.rounds; ++round) {
      for (std::uint32_t i = 0; i < config_.words; ++i) {
        expect_same(here_, "sum", std::uint64_t{round} * config_.words + i, sums_[round][i],
                    with[round][i]);
      }
    }
  }

  static std::vector<std::vector<double>> expected(const gradient_case& which) {
    std::vector<std::vector<double>> sums;
    for (std::uint32_t round = 0; round < which.config.rounds; ++round) {
      sums.push_back(vector_of(which.config, 0, round));
      for (std::uint32_t node = 1; node < which.nodes; ++node) {
        const std::vector<double> added = vector_of(which.config, node, round);
        for (std::size_t i = 0; i < added.size(); ++i) sums.back()[i] += added[i];
      }
    }
    return sums;
  }

 private:
  static std::uint64_t place(std::uint32_t word) { return std::uint64_t{word} * word_bytes; }
  std::uint32_t own_number() const { return static_cast<std::uint32_t>(here_.node()); }
  /// Where the part of a node begins in a vector.
  std::uint64_t part(std::uint32_t node) const { return place(node * part_words_); }
  std::uint32_t part_bytes() const { return part_words_ * word_bytes; }

  void scatter(std::uint32_t round) {
    const std::vector<double> own = vector_of(config_, own_number(), round);
    for (std::uint32_t i = 0; i < config_.words; ++i) {
      write_double(here_, layout_.own + place(i), own[i]);
    }
    for (std::uint32_t node = 0; node < here_.nodes(); ++node) {
      if (node == own_number()) continue;
      here_.send({node_id{node}, layout_.parts + part(own_number())}, layout_.own + part(node),
                 part_bytes());
    }
  }

  /// A number of this node's part, from each node.
  double contribution(std::uint32_t node, std::uint32_t word) {
    const std::uint64_t of_others = layout_.parts + part(node);
    const std::uint64_t from = node == own_number() ? layout_.own + part(node) : of_others;
    return read_double(here_, from + place(word));
  }

  void add_up() {
    for (std::uint32_t i = 0; i < part_words_; ++i) {
      double sum = contribution(0, i);
      for (std::uint32_t node = 1; node < here_.nodes(); ++node) sum += contribution(node, i);
      write_double(here_, layout_.sum + part(own_number()) + place(i), sum);
    }
    here_.context().delay(config_.element_cycles * config_.words);
  }

  void gather() {
    const std::uint64_t own = layout_.sum + part(own_number());
    for (std::uint32_t node = 0; node < here_.nodes(); ++node) {
      if (config_.gather == gradient_gather::broadcasts) {
        here_.broadcast(node_id{node}, layout_.sum + part(node), part_bytes());
      } else if (node != own_number()) {
        here_.send({node_id{node}, own}, own, part_bytes());
      }
    }
  }

  data_parallel& here_;
  const gradient_config& config_;
  gradient_layout layout_;
  std::uint32_t part_words_;
  std::vector<std::vector<double>> sums_;  // by round
};

}  // namespace

void gradient_config::bind(parameter_set& parameters) {
  using u32 = interval<std::uint32_t>;
  parameters.add("rounds", rounds, u32{1, 1000}, "rounds", "Sums of all vectors.");
  parameters.add("words", words, u32{1, 1U << 20U}, "words", "Of a vector, a number each.");
  parameters.add_choice(
      "gather", gather,
      {{"broadcasts", gradient_gather::broadcasts}, {"sends", gradient_gather::sends}},
      "How sums come to all nodes: by a broadcast of each node, or from each to each.");
  bind_cycles(parameters, "element_cycles", element_cycles, "to add a number");
  bind_system(parameters, system, "the vectors");
}

std::unique_ptr<kernel> make_gradient(const gradient_config& config, std::uint32_t nodes) {
  require_multiple("gradient.words", config.words, nodes, "the nodes");
  return std::make_unique<compared_kernel<gradient_process, gradient_case>>(
      gradient_case{config, nodes}, gradient_layout(config.words).bytes);
}

}  // namespace tributary::data_parallel_programs
