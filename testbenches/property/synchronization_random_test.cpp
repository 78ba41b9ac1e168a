// SPDX-License-Identifier: Apache-2.0
// Random programs that lock, cross barriers and reduce at the controllers, on tiny caches, queues
// and pools, so that the states of locks are evicted all the time and requests wait for room. Every
// handler's end is looked at: one token a lock, granted in the order in which the home took the
// requests. Words that a lock protects are incremented one load and one store at a time. A third of
// the machines have several processes a node, which share its tokens. The long
// form, 10^5 machines in shards, is shards/synchronization_random_long.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <support/coherence_pools.h>
#include <support/failure.h>
#include <support/handler_statistics.h>
#include <support/late_messages.h>
#include <support/sizes.h>
#include <support/synchronization_case.h>
#include <support/synchronizing_machine.h>
#include <support/synchronizing_programs.h>
#include <support/token_watch.h>

namespace tributary {
namespace {

using testing::occurrences;
using testing::synchronization_case;
using testing::synchronizing_config;
using testing::synchronizing_machine;
using testing::synchronizing_programs;
using testing::token_watch;

/// Cycles after which a case hangs. The longest take millions: 28 processes that lock all locks one
/// after the other, on caches of two lines and slow links.
constexpr cycle_t patience = 40'000'000;

/// The machine of a case, and those who look at it.
class checked_machine {
 public:
  explicit checked_machine(const synchronization_case& drawn)
      : case_(drawn), machine_(watched(drawn.config)), watch_(drawn, machine_) {
    for (std::uint32_t i = 0; i < drawn.nodes(); ++i) {
      const random_stream draws(drawn.seed, i, 15U);
      late_.push_back(std::make_unique<testing::late_arrivals>(
          machine_.nodes(), i, testing::random_delays(draws, drawn.messages_late)));
    }
  }

  /// Adds to what has happened. Throws `error`.
  void run(occurrences& all) {
    synchronizing_programs programs(case_, machine_, watch_);
    const std::string problem = testing::failure(
        [&] { machine_.run([&](program_context& context) { programs.run(context); }, patience); });
    if (!problem.empty()) throw error(problem + "; " + programs.text() + watch_.text());
    // Until words that nobody waits for have come.
    machine_.nodes().run_until(machine_.nodes().now() + 1000);
    watch_.check_rest();
    programs.check_rest();
    testing::check_pools(machine_.coherent(), case_.addresses(), case_.text());
    add(testing::handler_totals(machine_.nodes()), all);
    add(watch_.rare, all);
    add(programs.rare, all);
  }

 private:
  synchronizing_config watched(synchronizing_config config) {
    config.lock_handler_ended = [this](const std::string& handler, handler_context& context) {
      watch_.ended(handler, context);
    };
    config.barrier_handler_ended = [this](const std::string&, handler_context& context) {
      testing::check_joins(machine_, case_, context);
    };
    return config;
  }
  static void add(const occurrences& from, occurrences& to) {
    for (const auto& [what, times] : from) to[what] += times;
  }

  const synchronization_case& case_;
  synchronizing_machine machine_;
  token_watch watch_;
  std::vector<std::unique_ptr<testing::late_arrivals>> late_;
};

void run_case(const synchronization_case& drawn, occurrences& all) {
  SCOPED_TRACE(drawn.text());
  EXPECT_EQ(testing::failure([&] { checked_machine(drawn).run(all); }), "");
}

/// Handlers of locks, barriers and reductions, and other things that a few cases do not do. No lock
/// is unknown to its home; a join waits for room too rarely (`flash_barrier_test` has it).
std::set<std::string> must_occur() {
  std::set<std::string> names = {"a process gives up", "processor_write gives a token",
                                 "request_token gives a token", "write_back gives a token",
                                 "check gives a token"};
  synchronizing_machine any(2);
  for (const std::string& name : any.nodes().node(0).protocols().handler_names()) {
    if (name.rfind("coherence.", 0) != 0) names.insert(name);
  }
  names.erase("locks.unknown_lock");
  names.erase("barriers.join_later");
  return names;
}

/// Runs the cases of these seeds, after which every handler must have run.
void run_cases(std::uint64_t first, std::uint64_t count) {
  occurrences all;
  for (std::uint64_t seed = first; seed < first + count && !::testing::Test::HasFailure(); ++seed) {
    run_case(synchronization_case(seed), all);
  }
  if (testing::sanitized || ::testing::Test::HasFailure()) return;
  for (const auto& [name, times] : all) std::cout << name << " " << times << "\n";
  for (const std::string& name : must_occur()) EXPECT_GT(all[name], 0U) << name << " never occurs";
}

/// TRIBUTARY_SEED=n runs case n alone.
TEST(synchronization_random, tokens_are_granted_in_order_and_barriers_hold) {
  if (const char* asked = std::getenv("TRIBUTARY_SEED")) {
    occurrences found;
    run_case(synchronization_case(std::strtoull(asked, nullptr, 10)), found);
    return;
  }
  run_cases(0, testing::halved(300));
}

// --- the long form -------------------------------------------------------------------------------

constexpr std::uint64_t shards = 100;

class synchronization_random_long : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(synchronization_random_long, tokens_are_granted_in_order_and_barriers_hold) {
  const std::uint64_t seeds = testing::scaled(100000 / shards);
  run_cases(GetParam() * seeds, testing::sanitized ? 4 : seeds);
}

INSTANTIATE_TEST_SUITE_P(shards, synchronization_random_long,
                         ::testing::Range(std::uint64_t{0}, shards));

}  // namespace
}  // namespace tributary
