// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/reflective_collectives.h>

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include <tributary/algorithms/binomial_broadcast.h>
#include <tributary/algorithms/radix_broadcast.h>
#include <tributary/algorithms/reflective_all_reduce.h>
#include <tributary/algorithms/reflective_barrier.h>
#include <tributary/algorithms/root_collect_barrier.h>
#include <tributary/algorithms/single_copy_broadcast.h>
#include <tributary/nic/reflective_ring.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

using words = bill_board::words;

/// What nodes do in one repetition, as they tell it in whatever order they run.
struct repetition_times {
  std::uint32_t ended = 0;
  cycle_t last_begun = 0;
  cycle_t first_ended = never;
  cycle_t last_ended = 0;
};

word_t word_of(std::uint32_t node, std::uint64_t repetition, std::uint64_t word) {
  return static_cast<std::uint32_t>((node + 1) * 1000003ULL + repetition * 10007ULL + word);
}

words words_of(std::uint32_t node, std::uint64_t repetition, std::uint64_t count) {
  words made;
  for (std::uint64_t i = 0; i < count; ++i) made.push_back(word_of(node, repetition, i));
  return made;
}

words sum_of_all(std::uint32_t nodes, std::uint64_t repetition, std::uint64_t count) {
  words sums(count);
  for (std::uint32_t node = 0; node < nodes; ++node) {
    for (std::uint64_t i = 0; i < count; ++i) {
      sums[i] = static_cast<std::uint32_t>(sums[i] + word_of(node, repetition, i));
    }
  }
  return sums;
}

bill_board_layout board_of(const reflective_collectives_config& config, std::uint32_t nodes) {
  bill_board_layout layout;
  layout.nodes = nodes;
  layout.words = config.words;
  layout.buffers = reflective_all_reduce::buffers;
  if (config.operation == reflective_operation::broadcast &&
      config.broadcast == reflective_broadcast_algorithm::binomial) {
    layout.buffers = binomial_broadcast::buffers(nodes);
  }
  return layout;
}

std::unique_ptr<reflective_broadcast> broadcast_of(const reflective_collectives_config& config,
                                                   program_context& context) {
  const bill_board_layout layout = board_of(config, context.size());
  switch (config.broadcast) {
    case reflective_broadcast_algorithm::single_copy:
      return std::make_unique<single_copy_broadcast>(context, layout);
    case reflective_broadcast_algorithm::binomial:
      return std::make_unique<binomial_broadcast>(context, layout);
    case reflective_broadcast_algorithm::radix:
      break;
  }
  return std::make_unique<radix_broadcast>(context, layout, config.radix);
}

std::unique_ptr<barrier> barrier_of(const reflective_collectives_config& config,
                                    program_context& context) {
  if (config.barrier == reflective_barrier_algorithm::root_collect) {
    return std::make_unique<root_collect_barrier>(context, 0);
  }
  return std::make_unique<reflective_barrier>(context, 0, config.radix);
}

class reflective_collectives final : public program {
 public:
  explicit reflective_collectives(const reflective_collectives_config& config) : config_(config) {}

  void reset() override { times_.assign(static_cast<std::size_t>(config_.repetitions), {}); }

  void run(program_context& context) override {
    switch (config_.operation) {
      case reflective_operation::broadcast:
        broadcast(context);
        return;
      case reflective_operation::barrier:
        cross(context);
        return;
      case reflective_operation::all_reduce:
        reduce(context);
        return;
      case reflective_operation::stream:
        stream(context);
        return;
    }
  }

 private:
  void broadcast(program_context& context) {
    const auto own = broadcast_of(config_, context);
    const bool is_root = context.rank() == 0;
    for (std::uint64_t i = 0; i < config_.repetitions; ++i) {
      begin(context, i, is_root);
      const words wanted = words_of(0, i, config_.words);
      const words got = own->broadcast(is_root ? wanted : words(wanted.size()));
      end(context, i);
      check(context, i, got, wanted);
      own->release();
    }
  }

  void cross(program_context& context) {
    const auto own = barrier_of(config_, context);
    for (std::uint64_t i = 0; i < config_.repetitions; ++i) {
      begin(context, i, true);
      own->cross();
      end(context, i);
    }
  }

  void reduce(program_context& context) {
    reflective_all_reduce own(context, board_of(config_, context.size()));
    for (std::uint64_t i = 0; i < config_.repetitions; ++i) {
      begin(context, i, true);
      const words got = own.reduce(words_of(context.rank(), i, config_.words));
      end(context, i);
      check(context, i, got, sum_of_all(context.size(), i, config_.words));
    }
  }

  void stream(program_context& context) {
    if (context.rank() >= config_.streaming(context.size())) return;
    const std::uint64_t first = context.rank() * config_.words;
    for (std::uint64_t i = 0; i < config_.repetitions; ++i) {
      for (std::uint64_t word = 0; word < config_.words; ++word) {
        context.store(reflected_address(first + word), word_of(context.rank(), i, word));
      }
    }
    context.fence();
  }

  /// `counts`: whether the time of the operation cannot begin before this node does.
  void begin(program_context& context, std::uint64_t repetition, bool counts) {
    context.delay(config_.interval - context.now() % config_.interval);
    if (config_.skew > 1) context.delay(context.random(config_.skew));
    const cycle_t now = context.now();
    repetition_times& times = times_[static_cast<std::size_t>(repetition)];
    if (counts) times.last_begun = std::max(times.last_begun, now);
    context.begin("operation");
    if (counts) context.delay(config_.overhead);
  }

  void end(program_context& context, std::uint64_t repetition) {
    const cycle_t now = context.now();
    context.end("operation");
    repetition_times& times = times_[static_cast<std::size_t>(repetition)];
    times.first_ended = std::min(times.first_ended, now);
    times.last_ended = std::max(times.last_ended, now);
    if (++times.ended < context.size()) return;
    // Of all nodes, and so in whatever order they come back from a checkpoint.
    if (times.first_ended < times.last_begun &&
        config_.operation != reflective_operation::broadcast) {
      throw simulation_error(
          fmt::format("repetition {}: a node ended in cycle {}, before the last began in cycle {}",
                      repetition, times.first_ended, times.last_begun));
    }
    context.sample("operation", times.last_ended - times.last_begun);
  }

  static void check(const program_context& context, std::uint64_t repetition, const words& got,
                    const words& wanted) {
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (got.at(i) == wanted[i]) continue;
      throw simulation_error(fmt::format("node {}, repetition {}: word {} is {}, and should be {}",
                                         context.rank(), repetition, i, got[i], wanted[i]));
    }
  }

  reflective_collectives_config config_;
  std::vector<repetition_times> times_;  // by repetition
};

}  // namespace

void reflective_collectives_config::bind(parameter_set& parameters) {
  using u32 = tributary::interval<std::uint32_t>;
  using u64 = tributary::interval<std::uint64_t>;
  parameters.add_choice("operation", operation,
                        {{"broadcast", reflective_operation::broadcast},
                         {"barrier", reflective_operation::barrier},
                         {"all_reduce", reflective_operation::all_reduce},
                         {"stream", reflective_operation::stream}},
                        "What the nodes do together.");
  parameters.add_choice("broadcast", broadcast,
                        {{"radix", reflective_broadcast_algorithm::radix},
                         {"single_copy", reflective_broadcast_algorithm::single_copy},
                         {"binomial", reflective_broadcast_algorithm::binomial}},
                        "How they broadcast.");
  parameters.add_choice("barrier", barrier,
                        {{"radix", reflective_barrier_algorithm::radix},
                         {"root_collect", reflective_barrier_algorithm::root_collect}},
                        "How they cross a barrier.");
  parameters.add("radix", radix, u32{2, 65536}, "nodes",
                 "That a node of the tree tells, or that meet in a group.");
  parameters.add("words", words, u64{0, 1U << 20}, "words",
                 "Of 4 bytes, of a message; of a stream: that a writer stores in a repetition.");
  parameters.add("writers", writers, u32{0, 1024}, "nodes",
                 "Of a stream: nodes that store; 0: all.");
  parameters.add("repetitions", repetitions, u64{1, 1U << 20}, "",
                 "Of the operation, by each node.");
  parameters.add("interval", interval, u64{1, 1ULL << 40}, "cycles",
                 "Each repetition begins at a multiple of this.");
  parameters.add("skew", skew, u64{0, 1ULL << 32}, "cycles",
                 "Each node begins up to so many cycles later, drawn: polls then have no fixed "
                 "phase.");
  parameters.add("overhead", overhead, u64{0, 1ULL << 32}, "cycles",
                 "Of a call, by the nodes that begin the operation: T_ov of the equations.");
}

std::uint64_t reflective_collectives_config::memory_words(std::uint32_t nodes) const {
  switch (operation) {
    case reflective_operation::barrier:
      return barrier == reflective_barrier_algorithm::radix ? reflective_barrier::words(nodes)
                                                            : root_collect_barrier::words(nodes);
    case reflective_operation::stream:
      return streaming(nodes) * words;
    default:
      return board_of(*this, nodes).size();
  }
}

void reflective_collectives_config::validate(std::uint32_t nodes, std::uint64_t available) const {
  check_ranges(*this);
  if (writers > nodes) {
    throw configuration_error({"program.writers", "", fmt::format("{} writers", writers),
                               fmt::format("0 to {}, as there are nodes", nodes), "choose fewer"});
  }
  const std::uint64_t needed = memory_words(nodes);
  if (needed <= available) return;
  throw configuration_error(
      {"ring.memory_words", "",
       fmt::format("flags and messages of {} nodes need {} words, and memories have {}", nodes,
                   needed, available),
       fmt::format("{} or more", needed), "enlarge it, or lower nodes or program.words"});
}

std::unique_ptr<program> make_reflective_collectives(const reflective_collectives_config& config) {
  return std::make_unique<reflective_collectives>(config);
}

}  // namespace tributary
