// SPDX-License-Identifier: Apache-2.0
// Random programs on FLASH nodes that fetch-and-add to words which handlers of their homes change,
// next to loads and stores of the same lines, on tiny caches, tables and pools. What the additions
// found must be the sums of additions in some order, each once; a word only grows; and a word that
// one processor alone stores keeps what was stored last.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <flash/flash_machine.h>
#include <tributary/sim/random_stream.h>

#include <support/failure.h>
#include <support/handler_statistics.h>
#include <support/random_choice.h>
#include <support/sizes.h>

namespace tributary {
namespace {

using testing::between;
using testing::one_of;

constexpr cycle_t patience = 20'000'000;

/// A machine and how much its programs do.
struct random_case {
  explicit random_case(std::uint64_t number) : seed(number) {
    random_stream draws(number, 5U, 21U);
    config.machine.nodes = 1U << between(draws, 1, 3);
    message_network_config& network = config.machine.network;
    network.topology = config.machine.nodes == 2
                           ? topology_kind::point_to_point
                           : one_of(draws, {topology_kind::mesh, topology_kind::hypercube});
    combining(draws);
    magic_node_config& node = config.machine.node;
    node.memory.bytes = std::uint64_t{1} << 18;
    node.caches.present = draws.below(5) != 0;
    node.caches.levels.levels = {{512, 2, 64, 0}, {1024, 2, 128, 50}};
    node.caches.levels.outstanding = between(draws, 1, 4);
    node.buffers.buffers = between(draws, 4, 16);
    node.network_interface.out_depth = between(draws, 4, 8);
    config.coherence.consistency =
        one_of(draws, {consistency_kind::relaxed, consistency_kind::sequential});
    config.coherence.owned_lines = between(draws, 1, 3);
    config.coherence.records = between(draws, 1, 4);
    config.fetch_op.method = one_of(
        draws, {fetch_op_method::coherent, fetch_op_method::coherent, fetch_op_method::home});
    if (!node.caches.present) config.fetch_op.method = fetch_op_method::home;
    config.processor.start_window = 50;
    config.processor.turnaround = one_of(draws, {1U, 10U, 100U});
    words = between(draws, 1, 4);
    references = between(draws, 20, 60);
  }

  std::string text() const {
    const auto number = [](auto value) { return std::to_string(static_cast<int>(value)); };
    const message_network_config& network = config.machine.network;
    const magic_node_config& node = config.machine.node;
    return "case " + std::to_string(seed) + ", " + number(config.machine.nodes) +
           " nodes, topology " + number(network.topology) + ", combining " +
           number(network.omega.combining) + ", endpoint " + number(network.endpoint_buffers) +
           ", caches " + number(node.caches.present) + ", method " +
           number(config.fetch_op.method) + ", owned " + number(config.coherence.owned_lines) +
           ", buffers " + number(node.buffers.buffers) + ", out " +
           number(node.network_interface.out_depth);
  }

  std::uint64_t seed;
  flash_config config;
  std::uint64_t words = 1;
  std::uint64_t references = 20;

 private:
  void combining(random_stream& draws) {
    message_network_config& network = config.machine.network;
    if (draws.below(3) != 0) return;
    network.topology = topology_kind::omega;
    network.omega.combining =
        one_of(draws, {combining_design::none, combining_design::baseline,
                       combining_design::improved, combining_design::aggressive});
    network.omega.slots = network.omega.combining == combining_design::aggressive
                              ? between(draws, 3, 5)
                              : between(draws, 2, 5);
    network.endpoint_buffers = between(draws, 1, 6);
    network.router_buffers = between(draws, 1, 4);
  }
};

/// What a processor added, and what was there before.
struct addition {
  word_t before = 0;
  word_t added = 0;
};

class random_programs {
 public:
  explicit random_programs(const random_case& drawn)
      : case_(drawn), additions_(drawn.words), machine_(drawn.config, drawn.seed, program_of()) {}

  /// Adds how often handlers ran to `all`. Throws `error`.
  void run(std::map<std::string, std::uint64_t>& all) {
    machine_.run_until(patience);
    if (!machine_.finished()) throw error("a program does not end");
    machine_.drain({});
    auto& nodes = dynamic_cast<magic_machine&>(machine_.nodes());
    nodes.run_until(nodes.now() + 1000);  // until words that nobody waits for have come
    for (std::uint64_t word = 0; word < case_.words; ++word) check_sum(word);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (nodes.node(i).buffers().in_use() != 0) throw error("a data buffer is lost");
    }
    for (const auto& [name, times] : testing::handler_totals(nodes)) all[name] += times;
  }

 private:
  std::unique_ptr<program> program_of() {
    return make_program([this](program_context& context) { refer(context); });
  }
  /// Several words of a line: one that all add to, and one a processor.
  std::uint64_t shared(const program_context& context, std::uint64_t word) const {
    const auto home = static_cast<std::uint32_t>(word % context.size());
    return context.local_address(pe_id{home}, 16 * word);
  }
  std::uint64_t own(const program_context& context, std::uint64_t word) const {
    return shared(context, word) + 8 * (1 + std::uint64_t{context.rank()});
  }

  void refer(program_context& context) {
    random_stream draws(case_.seed, context.rank(), 22U);
    std::vector<word_t> seen(case_.words);
    std::vector<word_t> stored(case_.words);
    const auto grows = [&](std::uint64_t word, word_t value) {
      if (value < seen[word]) throw error("a word shrinks");
      seen[word] = value;
    };
    for (std::uint64_t i = 0; i < case_.references; ++i) {
      const std::uint64_t word = draws.below(case_.words);
      const std::uint64_t address = shared(context, word);
      switch (draws.below(5)) {
        case 0:
          grows(word, context.load(address));
          break;
        case 1:
          context.store(own(context, word), ++stored[word]);
          break;
        case 2:
          if (context.load(own(context, word)) != stored[word]) throw error("a store is lost");
          break;
        default: {
          const word_t added = 1 + draws.below(9);
          const word_t before = context.fetch_add(address, added);
          grows(word, before);
          additions_[word].push_back({before, added});
          break;
        }
      }
      context.delay(draws.below(one_of(draws, {2U, 300U, 3000U})));
    }
  }

  /// Sorted by what they found, each addition found the sum of those before.
  void check_sum(std::uint64_t word) {
    std::vector<addition>& all = additions_[word];
    std::sort(all.begin(), all.end(),
              [](const addition& x, const addition& y) { return x.before < y.before; });
    word_t sum = 0;
    for (const addition& each : all) {
      if (each.before != sum) throw error("two additions found the same, or one is lost");
      sum += each.added;
    }
    if (newest(word) != sum) throw error("memory has another sum");
  }
  word_t newest(std::uint64_t word) {
    const address_layout& layout = case_.config.machine.node.addresses;
    const auto home = static_cast<std::uint32_t>(word % case_.config.machine.nodes);
    const address_region& local = *machine_.addresses().region_named("local");
    const std::uint64_t offset = local.base + 16 * word * word_bytes;
    const std::uint64_t address = layout.address_of(node_id{home}, 0, offset);
    for (std::size_t i = 0; i < machine_.nodes().size(); ++i) {
      const cache* const caches = machine_.nodes().node(i).caches();
      if (caches != nullptr && caches->state_of(address) != line_state::invalid) {
        return caches->word_at(address);
      }
    }
    return machine_.nodes().node(home).memory().read(offset);
  }

  const random_case& case_;
  std::vector<std::vector<addition>> additions_;  // by word
  flash_machine machine_;
};

void run_case(const random_case& drawn, std::map<std::string, std::uint64_t>& all) {
  SCOPED_TRACE(drawn.text());
  EXPECT_EQ(testing::failure([&] { random_programs(drawn).run(all); }), "");
}

/// TRIBUTARY_SEED=n runs case n alone.
TEST(fetch_op_random, additions_find_each_sum_once) {
  std::map<std::string, std::uint64_t> all;
  if (const char* asked = std::getenv("TRIBUTARY_SEED")) {
    run_case(random_case(std::strtoull(asked, nullptr, 10)), all);
    return;
  }
  const std::uint64_t count = testing::halved(300);
  for (std::uint64_t seed = 0; seed < count && !::testing::Test::HasFailure(); ++seed) {
    run_case(random_case(seed), all);
  }
  if (testing::sanitized || ::testing::Test::HasFailure()) return;
  for (const char* const name : {"perform", "forward", "perform_for_another", "take_reply",
                                 "perform_later", "perform_owned"}) {
    const std::uint64_t times = all[std::string("fetch_op.") + name];
    std::cout << name << " " << times << "\n";
    EXPECT_GT(times, 0U) << name << " never runs";
  }
}

}  // namespace
}  // namespace tributary
