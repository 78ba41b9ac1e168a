// SPDX-License-Identifier: Apache-2.0
// Random accesses of all nodes to a few words that share lines, on tiny caches, queues and pools.
// Every word only grows, by fetch-and-adds and by pairs of load-linked and store-conditional, so
// that it tells whether two writers ever had it at once; readers must never see it shrink. Protocol
// processors add to the same words. The long form, 10^5 machines in shards, is
// shards/coherence_random_long.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <tributary/magic/coherence_audit.h>
#include <tributary/processor/node_programs.h>

#include <support/coherent_wanderer.h>
#include <support/owned_increments.h>
#include <support/sizes.h>

namespace tributary {
namespace {

using testing::check_directory;
using testing::coherent_config;
using testing::coherent_machine;
using testing::owned_increments;
using testing::random_case;
using testing::wanderer;

/// What has happened in all cases: sources of answers, causes of refusals, handlers, by their
/// names.
using occurrences = std::map<std::string, double>;

/// The last part of a path, if it has `part` in it.
std::string name_behind(const std::string& path, const std::string& part) {
  const std::size_t found = path.find(part);
  return found == std::string::npos ? "" : path.substr(found + part.size());
}

void add_occurrences(const flat_statistic& from, occurrences& to) {
  for (const char* group : {".protocols.coherence.refused.", ".protocols.coherence.served."}) {
    const std::string name = name_behind(from.path, group);
    if (!name.empty()) to[name] += from.value;
  }
  const std::string handler = name_behind(from.path, ".handler.coherence.");
  const std::size_t dot = handler.find(".count");
  if (dot != std::string::npos) to[handler.substr(0, dot)] += from.value;
}

/// Each refusal that a cache got has one cause, and each answer one source.
void check_statistics(coherent_machine& m, const random_case& drawn, occurrences& all) {
  statistics_tree tree;
  m.machine.report(tree.root());
  double refused = 0;
  double refusals = 0;
  double served = 0;
  double answers = 0;
  double conversions = 0;
  double elements = 0;
  double records = 0;
  for (const flat_statistic& each : tree.flatten()) {
    add_occurrences(each, all);
    const auto is = [&](const char* part) { return each.path.find(part) != std::string::npos; };
    if (is(".protocols.coherence.refused.")) refused += each.value;
    if (is(".protocols.coherence.served.")) served += each.value;
    if (is(".cache.refused")) refusals += each.value;
    if (is(".cache.miss_latency.count")) answers += each.value;
    if (is(".line_interface.conversions")) conversions += each.value;
    if (is(".protocols.coherence.elements")) elements = std::max(elements, each.value);
    if (is(".protocols.coherence.records")) records = std::max(records, each.value);
  }
  EXPECT_EQ(refused + conversions, refusals);
  EXPECT_EQ(served, answers + conversions);
  EXPECT_LE(elements, static_cast<double>(drawn.config.coherence.elements));
  EXPECT_LE(records, static_cast<double>(drawn.config.coherence.records));
}

/// Programs that let the protocol processors of all nodes increment words at random.
class owners {
 public:
  owners(const random_case& drawn, coherent_machine& m, std::map<std::uint64_t, word_t>& added)
      : case_(drawn),
        all_(m),
        added_(added),
        programs_(m.machine.config(),
                  make_program([this](program_context& context) { increment(context); }),
                  uncached_processor()) {
    for (std::uint32_t i = 0; i < m.machine.size(); ++i) {
      magic_node& node = m.machine.node(i);
      programs_.elements().add(i, node.clockwork(), node.processor());
    }
  }

  bool done() {
    for (std::uint32_t i = 0; i < all_.machine.size(); ++i) {
      if (!programs_.finished(i) || completed(i) != increments) return false;
    }
    return true;
  }

 private:
  static constexpr word_t increments = 20;

  word_t completed(std::uint32_t node) const {
    const magic_node& at = all_.machine.node(node);
    return testing::owned_increments_of(at).completed(at.memory());
  }
  void increment(program_context& context) {
    random_stream draws(case_.seed, context.rank(), 10U);
    const address_layout& layout = all_.machine.config().node.addresses;
    for (word_t asked = 0; asked < increments; ++asked) {
      while (asked - completed(context.rank()) == case_.config.coherence.owned_lines) {
        context.delay(20);
      }
      const auto line = static_cast<std::uint32_t>(draws.below(case_.lines));
      const auto word = static_cast<std::uint32_t>(draws.below(testing::words_of_a_line));
      const std::uint64_t address = case_.address(all_, line, word);
      added_[address] += 1;
      context.store(layout.address_of(layout.node_of(address), owned_increments::space,
                                      layout.offset_of(address)),
                    0);
      context.delay(1 + draws.below(testing::one_of(draws, {2U, 300U, 3000U})));
    }
  }

  const random_case& case_;
  coherent_machine& all_;
  std::map<std::uint64_t, word_t>& added_;
  node_programs programs_;
};

void run_case(const random_case& drawn, occurrences& all_cases) {
  const std::string text = drawn.text();
  SCOPED_TRACE(text);
  coherent_machine m(drawn.config, testing::with_owned_increments);
  std::map<std::uint64_t, word_t> added;
  owners protocol_processors(drawn, m, added);
  std::vector<std::unique_ptr<wanderer>> all;
  for (std::uint32_t i = 0; i < m.machine.size(); ++i) {
    all.push_back(std::make_unique<wanderer>(drawn, m, i, added));
  }
  const auto done = [&] {
    return protocol_processors.done() &&
           std::all_of(all.begin(), all.end(), [](const auto& each) { return each->done(); });
  };
  m.machine.run_until(20'000'000, [&] { return done() && m.machine.idle(); });
  ASSERT_TRUE(done()) << "some access is under way after 20 million cycles";
  ASSERT_TRUE(m.machine.idle());
  m.machine.run_until(m.machine.now() + 1000);  // until words that nobody waits for have come
  for (const auto& [address, count] : added) {
    EXPECT_EQ(m.newest(address), count) << std::hex << address;
    check_directory(m, address, text);
    // No two fetch-and-adds found the same value.
    std::vector<word_t> olds;
    for (const auto& each : all) {
      const auto& own = each->olds[address];
      olds.insert(olds.end(), own.begin(), own.end());
    }
    std::sort(olds.begin(), olds.end());
    EXPECT_EQ(std::adjacent_find(olds.begin(), olds.end()), olds.end()) << std::hex << address;
  }
  for (std::uint32_t i = 0; i < m.machine.size(); ++i) {
    EXPECT_EQ(m.unexpected(i), 0U);
    EXPECT_EQ(m.machine.node(i).buffers().in_use(), 0U);
  }
  EXPECT_NO_THROW(coherence_audit(m.machine).check_rest());
  check_statistics(m, drawn, all_cases);
}

/// Runs the cases of these seeds, after which every cause, source and handler must have occurred.
void run_cases(std::uint64_t first, std::uint64_t count) {
  occurrences all;
  for (std::uint64_t seed = first; seed < first + count && !::testing::Test::HasFailure(); ++seed) {
    run_case(random_case(seed), all);
  }
  if (testing::sanitized) return;
  for (const auto& [name, times] : all) {
    std::cout << name << " " << times << "\n";
    EXPECT_GT(times, 0) << name << " never occurs";
  }
  const coherent_machine any(coherent_config(2));
  for (const std::string& handler : any.machine.node(0).protocols().handler_names()) {
    EXPECT_EQ(all.count(name_behind(handler, "coherence.")), 1U) << handler << " never runs";
  }
}

TEST(coherence_random, words_grow_by_what_is_added_and_never_shrink) {
  run_cases(0, testing::quartered(300));
}

TEST(coherence_random, the_largest_machine_drains) {
  random_case drawn(1);
  drawn.config = coherent_config(128);
  drawn.config.machine.network.topology = topology_kind::hypercube;
  drawn.lines = 64;
  drawn.accesses = 10;
  occurrences all;
  run_case(drawn, all);
}

// --- the long form -------------------------------------------------------------------------------

constexpr std::uint64_t shards = 40;

class coherence_random_long : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(coherence_random_long, words_grow_by_what_is_added_and_never_shrink) {
  constexpr std::uint64_t seeds = testing::scaled(100000 / shards);
  run_cases(GetParam() * seeds, testing::sanitized ? 4 : seeds);
}

INSTANTIATE_TEST_SUITE_P(shards, coherence_random_long, ::testing::Range(std::uint64_t{0}, shards));

}  // namespace
}  // namespace tributary
