// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/em3d.h>

#include <cstddef>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include <tributary/memory/line.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>
#include <tributary/sim/random_stream.h>

namespace tributary {
namespace {

/// A node of one kind, by its number among all of it: number n is process n / `each`'s.
struct neighbour {
  std::uint32_t number = 0;
  word_t weight = 0;
};

/// The edges of both kinds, and what the values become.
class wave_graph {
 public:
  wave_graph(const em3d_config& config, std::uint32_t processes, std::uint32_t processes_a_node)
      : degree_(config.degree), of_kind_(config.graph_nodes / 2) {
    const std::uint32_t each = of_kind_ / processes;
    const std::uint64_t remote = probability_threshold(config.remote);
    const std::uint32_t nodes = processes / processes_a_node;
    for (std::uint32_t kind = 0; kind < 2; ++kind) {
      for (std::uint32_t number = 0; number < of_kind_; ++number) {
        random_stream draws(config.graph, number * 2 + kind, purpose::placement);
        const std::uint32_t owner = number / each;
        for (std::uint32_t i = 0; i < degree_; ++i) {
          const bool elsewhere = nodes > 1 && draws.bernoulli(remote);
          const std::uint32_t to =
              elsewhere ? other_process(draws, owner, nodes, processes_a_node) : owner;
          const auto place = static_cast<std::uint32_t>(draws.below(each));
          edges_.push_back({to * each + place, draws.next_u32() | 1U});
        }
      }
    }
  }

  std::uint32_t of_kind() const { return of_kind_; }
  /// The `i`-th edge of a node.
  const neighbour& edge(std::uint32_t kind, std::uint32_t number, std::uint32_t i) const {
    return edges_[(std::size_t{kind} * of_kind_ + number) * degree_ + i];
  }

  static word_t first_value(std::uint32_t kind, std::uint32_t number) {
    return (std::uint64_t{kind} << 32 | number) * 0x9e3779b97f4a7c15 + 1;
  }

  /// All values behind so many iterations.
  std::vector<word_t> simulate(std::uint32_t iterations) const {
    std::vector<word_t> values;
    for (std::uint32_t kind = 0; kind < 2; ++kind) {
      for (std::uint32_t i = 0; i < of_kind_; ++i) values.push_back(first_value(kind, i));
    }
    for (std::uint32_t half = 0; half < 2 * iterations; ++half) {
      const std::uint32_t kind = half % 2;
      for (std::uint32_t number = 0; number < of_kind_; ++number) {
        word_t& value = values[std::size_t{kind} * of_kind_ + number];
        for (std::uint32_t i = 0; i < degree_; ++i) {
          const neighbour& to = edge(kind, number, i);
          value -= to.weight * values[std::size_t{1 - kind} * of_kind_ + to.number];
        }
      }
    }
    return values;
  }

 private:
  /// A process of another node of the machine.
  static std::uint32_t other_process(random_stream& draws, std::uint32_t owner, std::uint32_t nodes,
                                     std::uint32_t processes_a_node) {
    const std::uint32_t here = owner / processes_a_node;
    const auto drawn = static_cast<std::uint32_t>(draws.below(nodes - 1));
    const std::uint32_t node = drawn < here ? drawn : drawn + 1;
    return node * processes_a_node + static_cast<std::uint32_t>(draws.below(processes_a_node));
  }

  std::uint32_t degree_;
  std::uint32_t of_kind_;
  std::vector<neighbour> edges_;
};

/// What each process's part of the region "local" holds: words that barriers use, the values of
/// the one kind, then of the other, from lines of their own on.
constexpr std::uint64_t barrier_words = 64;

std::uint64_t words_of_kind(std::uint32_t each) {
  return (std::uint64_t{each} + most_line_words - 1) / most_line_words * most_line_words;
}

class em3d_program final : public program {
 public:
  em3d_program(const em3d_config& config, const kept_synchronization& machine,
               std::uint32_t processes)
      : config_(config),
        machine_(machine),
        graph_(config, processes, machine.processes),
        each_(graph_.of_kind() / processes) {}

  void run(program_context& context) override {
    const std::unique_ptr<barrier> meeting =
        make_barrier(barrier_choice(config_.barrier), context, memory_place{}, machine_);
    for (std::uint32_t kind = 0; kind < 2; ++kind) {
      for (std::uint32_t i = 0; i < each_; ++i) {
        const std::uint32_t number = context.rank() * each_ + i;
        context.store(address_of(context, kind, number), wave_graph::first_value(kind, number));
      }
    }
    meeting->cross();
    iterate(context, *meeting);
    const cycle_t begin = context.now();
    for (std::uint32_t i = 0; i < config_.iterations; ++i) iterate(context, *meeting);
    context.sample("time", context.now() - begin);
    compare(context);
  }

 private:
  std::uint64_t address_of(const program_context& context, std::uint32_t kind,
                           std::uint32_t number) const {
    return context.local_address(pe_id{number / each_},
                                 barrier_words + kind * words_of_kind(each_) + number % each_);
  }

  void iterate(program_context& context, barrier& meeting) const {
    for (std::uint32_t kind = 0; kind < 2; ++kind) {
      for (std::uint32_t i = 0; i < each_; ++i) compute(context, kind, context.rank() * each_ + i);
      meeting.cross();
    }
  }

  void compute(program_context& context, std::uint32_t kind, std::uint32_t number) const {
    word_t value = context.load(address_of(context, kind, number));
    for (std::uint32_t i = 0; i < config_.degree; ++i) {
      const neighbour& to = graph_.edge(kind, number, i);
      value -= to.weight * context.load(address_of(context, 1 - kind, to.number));
    }
    context.delay(config_.degree * config_.edge_cycles);
    context.store(address_of(context, kind, number), value);
  }

  void compare(program_context& context) {
    if (!expected_) expected_ = graph_.simulate(config_.iterations + 1);
    for (std::uint32_t kind = 0; kind < 2; ++kind) {
      for (std::uint32_t i = 0; i < each_; ++i) {
        const std::uint32_t number = context.rank() * each_ + i;
        const word_t found = context.load(address_of(context, kind, number));
        if (found == (*expected_)[std::size_t{kind} * graph_.of_kind() + number]) continue;
        throw simulation_error(fmt::format(
            "node {} of kind {} is not what one processor computes; it was read too early or late",
            number, kind));
      }
    }
  }

  em3d_config config_;
  kept_synchronization machine_;
  wave_graph graph_;
  std::uint32_t each_;
  std::optional<std::vector<word_t>> expected_;
};

void refuse(const char* key, const std::string& problem, const std::string& allowed,
            const std::string& advice) {
  throw configuration_error(
      {std::string("workload.program.em3d.") + key, "", problem, allowed, advice});
}

}  // namespace

void em3d_config::bind(parameter_set& parameters) {
  using u32 = interval<std::uint32_t>;
  using u64 = interval<std::uint64_t>;
  parameters.add("graph_nodes", graph_nodes, u32{2, 1U << 24U}, "nodes",
                 "Nodes of the graph, both kinds together (Falsafi and Wood, Table 1: 38,400).");
  parameters.add("degree", degree, u32{1, 64}, "edges", "Edges of each node (not published).");
  parameters.add("remote", remote, interval<double>{0, 1}, "",
                 "Part of the edges that lead to other nodes of the machine (Table 1: 0.15).");
  parameters.add("iterations", iterations, u32{1, 1U << 20U}, "",
                 "Iterations, behind a first one that is not measured (Table 1: 40).");
  parameters.add("edge_cycles", edge_cycles, u64{0, 1000000}, "cycles",
                 "That a processor computes for an edge, beyond the load of its value (fitted to "
                 "Table 2, Single by Fixed at 1 us).");
  parameters.add_choice("barrier", barrier, barrier_algorithms(), "Where processes meet.");
  parameters.add("graph", graph, u64{0, std::uint64_t{1} << 62U}, "",
                 "Names the graph, whatever the seed of a run.");
}

std::unique_ptr<program> make_em3d_program(const em3d_config& config, const address_map& map,
                                           const kept_synchronization& machine) {
  const std::uint32_t processes = map.modules() * machine.processes;
  check_barrier("workload.program.em3d", barrier_choice(config.barrier), machine);
  if (config.graph_nodes % (2 * processes) != 0) {
    refuse("graph_nodes",
           fmt::format("{} nodes of two kinds cannot be shared evenly by {} processes",
                       config.graph_nodes, processes),
           fmt::format("multiples of {}", 2 * processes), "choose a multiple");
  }
  const std::uint64_t words = barrier_words + 2 * words_of_kind(config.graph_nodes / 2 / processes);
  const std::uint64_t there = local_words(map.rows(*map.region_named("local")), machine.processes);
  if (words > there) {
    refuse("graph_nodes", fmt::format("they need {} words of the region local of a process", words),
           fmt::format("as many as need {}", there), "choose fewer, or larger memories");
  }
  return std::make_unique<em3d_program>(config, machine, processes);
}

}  // namespace tributary
