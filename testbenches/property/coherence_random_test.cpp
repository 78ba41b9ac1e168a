// SPDX-License-Identifier: Apache-2.0
// Random accesses of all nodes to a few words that share lines, on tiny caches, queues and pools.
// Every word only grows, by fetch-and-adds and by pairs of load-linked and store-conditional, so
// that it tells whether two writers ever had it at once; readers must never see it shrink. Protocol
// processors add to the same words. The long form, 10^5 machines in shards, is
// shards/coherence_random_long.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <tributary/magic/coherence_audit.h>
#include <tributary/processor/node_programs.h>

#include <support/coherence_pools.h>
#include <support/coherent_wanderer.h>
#include <support/failure.h>
#include <support/late_messages.h>
#include <support/owned_increments.h>
#include <support/running_coherence.h>
#include <support/sizes.h>

namespace tributary {
namespace {

using testing::check_directory;
using testing::coherent_config;
using testing::coherent_machine;
using testing::location_history;
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
  std::vector<std::unique_ptr<testing::late_arrivals>> late;
  for (std::uint32_t i = 0; i < m.machine.size(); ++i) {
    const random_stream draws(drawn.seed, i, 15U);
    late.push_back(std::make_unique<testing::late_arrivals>(
        m.machine, i, testing::random_delays(draws, drawn.messages_late)));
  }
  std::map<std::uint64_t, word_t> added;
  owners protocol_processors(drawn, m, added);
  testing::stored_words stored;
  std::vector<std::unique_ptr<wanderer>> all;
  for (std::uint32_t i = 0; i < m.machine.size(); ++i) {
    all.push_back(std::make_unique<wanderer>(drawn, m, i, added));
    all.back()->set_stored(stored);
  }
  const auto done = [&] {
    return protocol_processors.done() &&
           std::all_of(all.begin(), all.end(), [](const auto& each) { return each->done(); });
  };
  testing::running_coherence running(m, drawn.config.coherence.consistency);
  ASSERT_EQ(testing::failure([&] {
              m.machine.run_until(20'000'000, [&] {
                running.check();
                return done() && m.machine.idle();
              });
            }),
            "");
  double& longest = all_cases["cycles of the longest copy that was lost"];
  longest = std::max(longest, static_cast<double>(running.longest()));
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
  // When sequential, nobody reads what was overwritten before by the clock.
  const bool in_time = drawn.config.coherence.consistency == consistency_kind::sequential;
  for (auto& [address, history] : stored.all()) {
    EXPECT_EQ(history.fault(m.newest(address), in_time), "") << std::hex << address;
    all_cases["sights of stored words"] += static_cast<double>(history.size());
  }
  for (std::uint32_t i = 0; i < m.machine.size(); ++i) EXPECT_EQ(m.unexpected(i), 0U);
  EXPECT_NO_THROW(coherence_audit(m.machine).check_rest());
  check_statistics(m, drawn, all_cases);
  for (const auto& each : late) all_cases["late messages"] += static_cast<double>(each->late());
  const std::set<std::uint64_t> words = drawn.addresses(m);
  testing::check_pools(m, words, text);
  testing::check_pools_without_sharers(m, words, text);
}

/// By processor and number of the access: what it found and what it left.
location_history history_of(const std::vector<std::array<word_t, 4>>& events) {
  location_history history;
  for (const auto& [processor, number, found, left] : events) {
    const auto who = static_cast<std::uint32_t>(processor);
    if (left != 0) history.will_write(left);
    history.add({who, number, 10 * number, 10 * number + 5, found, left});
  }
  return history;
}

TEST(location_history, tells_what_no_order_of_the_writes_allows) {
  const auto fault = [](const std::vector<std::array<word_t, 4>>& events, word_t newest,
                        bool in_time = false) { return history_of(events).fault(newest, in_time); };
  // Two stores, which two processors see in one order or in two.
  EXPECT_EQ(fault({{0, 1, 1, 1}, {1, 1, 2, 2}, {2, 2, 1, 1}, {2, 3, 2, 2}}, 2), "");
  EXPECT_EQ(
      fault({{0, 1, 1, 1}, {1, 1, 2, 2}, {2, 2, 1, 1}, {2, 3, 2, 2}, {3, 2, 2, 2}, {3, 3, 1, 1}},
            2),
      "no order of the writes agrees with what was seen");
  // An exchange sees what is just before its own value.
  EXPECT_EQ(fault({{0, 1, 1, 1}, {1, 2, 1, 2}, {2, 1, 1, 1}, {2, 2, 2, 2}}, 2), "");
  EXPECT_EQ(fault({{0, 1, 1, 1}, {1, 2, 1, 2}, {2, 1, 2, 2}, {2, 2, 1, 1}}, 2),
            "a processor sees value 1 behind value 2, which overwrote it");
  EXPECT_EQ(fault({{0, 1, 0, 1}, {1, 1, 0, 2}}, 2), "two exchanges found value 0");
  EXPECT_EQ(
      fault({{0, 1, 0, 1}, {1, 2, 1, 2}, {2, 1, 3, 3}, {0, 2, 1, 1}, {0, 3, 3, 3}, {0, 4, 2, 2}},
            2),
      "no order of the writes agrees with what was seen")
      << "a store between the two values of an exchange";
  EXPECT_EQ(fault({{0, 1, 1, 1}, {0, 2, 2, 2}}, 1),
            "no order of the writes agrees with what was seen")
      << "a store is lost";
  EXPECT_EQ(fault({{0, 1, 1, 1}}, 7), "value 7 is left and was never written");
  // By the clock an old value may be read late, unless in time.
  EXPECT_EQ(fault({{0, 1, 1, 1}, {1, 3, 0, 0}}, 1), "");
  EXPECT_NE(fault({{0, 1, 1, 1}, {1, 3, 0, 0}}, 1, true), "");
  EXPECT_EQ(fault({{0, 1, 1, 1}, {1, 1, 0, 0}}, 1, true), "");
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

/// TRIBUTARY_SEED=n runs case n alone.
TEST(coherence_random, words_grow_by_what_is_added_and_never_shrink) {
  if (const char* asked = std::getenv("TRIBUTARY_SEED")) {
    occurrences found;
    run_case(random_case(std::strtoull(asked, nullptr, 10)), found);
    return;
  }
  run_cases(0, testing::sanitized ? testing::scaled(300) : 300);
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
  const std::uint64_t seeds = testing::scaled(100000 / shards);
  run_cases(GetParam() * seeds, testing::sanitized ? 4 : seeds);
}

INSTANTIATE_TEST_SUITE_P(shards, coherence_random_long, ::testing::Range(std::uint64_t{0}, shards));

}  // namespace
}  // namespace tributary
