// SPDX-License-Identifier: Apache-2.0
// Readers-writers locks under random timing on ideal memory and on every design: exclusion,
// progress, and the order that each promises. What the checks find is in
// readers_writers_faults_test.cpp.
// The long form, thousands of random timings: TRIBUTARY_LONG=1 readers_writers_test
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <tributary/algorithms/centralized_readers_writers_lock.h>
#include <tributary/algorithms/mcs_fair_readers_writers_lock.h>
#include <tributary/algorithms/mcs_reader_preference_lock.h>
#include <tributary/algorithms/mcs_writer_preference_lock.h>
#include <tributary/algorithms/readers_writers_lock.h>
#include <tributary/sim/error.h>
#include <tributary/sim/random_stream.h>

#include "readers_writers_trial.h"
#include "support/algorithm_runs.h"
#include "support/reference_count.h"
#include "support/sizes.h"

namespace tributary {
namespace {

using testing::find_delayed_reader;
using testing::find_overtaken_request;
using testing::find_overtaken_writer;
using testing::find_overtaking_reader;
using testing::lock_request;
using testing::trial_config;
using testing::trial_failure;

using algorithm = readers_writers_algorithm;

std::uint64_t rounds_of_random_trials() {
  return testing::long_form() ? 1500 : testing::scaled(10);
}

/// Random readers and writers, many or few of either, in a hurry or not.
trial_config random_trial(random_stream& random, algorithm which) {
  trial_config config;
  constexpr std::uint64_t percents[] = {5, 20, 50, 90};
  constexpr std::uint64_t delays[] = {0, 15, 80, 400};
  config.rounds = 3 + random.below(4);
  config.writer_percent = percents[random.below(4)];
  config.before = delays[random.below(4)];
  config.inside = delays[random.below(4)];
  config.hesitation = random.below(2) * 300;
  config.place.module = static_cast<std::uint32_t>(random.below(32));
  config.place.row = random.below(3);
  config.place.local = random.below(3);
  config.make = [which](program_context& context, const memory_place& place) {
    return make_readers_writers_lock(which, context, place);
  };
  return config;
}

std::string name_of(algorithm which) {
  for (const auto& [name, value] : readers_writers_algorithms()) {
    if (value == which) return name;
  }
  return "";
}

/// The order that the algorithm promises.
std::string find_breach(algorithm which, const std::vector<lock_request>& history) {
  std::string breach = find_overtaken_writer(history);
  if (!breach.empty()) return breach;
  switch (which) {
    case algorithm::centralized:
      return find_overtaking_reader(
          history, [&](std::size_t writer) { return history[writer].announced(); });
    case algorithm::mcs_fair:
      return find_overtaken_request(history);
    case algorithm::mcs_reader_preference:
      return find_delayed_reader(history);
    case algorithm::mcs_writer_preference:
      return testing::find_overtaking_reader_of_list(history);
  }
  return "no such lock";
}

class every_lock : public ::testing::TestWithParam<algorithm> {};

TEST_P(every_lock, keeps_its_promises_under_random_timing) {
  random_stream random(81, static_cast<std::uint32_t>(GetParam()), 0U);
  for (std::uint64_t round = 0; round < rounds_of_random_trials(); ++round) {
    const trial_config config = random_trial(random, GetParam());
    const std::uint32_t elements = std::uint32_t{2} << random.below(5);
    const std::uint64_t seed = random.next_u64();
    const auto judge = [](const std::vector<lock_request>& history) {
      return find_breach(GetParam(), history);
    };
    ASSERT_EQ(trial_failure(elements, seed, config, judge), "")
        << "round " << round << ", writers " << config.writer_percent << " %, delays before "
        << config.before << ", inside " << config.inside << ", hesitation " << config.hesitation;
  }
}

/// Few elements, whose readers leave the queue in another order than they came.
TEST_P(every_lock, keeps_its_promises_to_readers_that_come_and_stay) {
  trial_config config;
  config.hesitation = 100;
  config.make = [](program_context& context, const memory_place& place) {
    return make_readers_writers_lock(GetParam(), context, place);
  };
  const auto judge = [](const std::vector<lock_request>& history) {
    return find_breach(GetParam(), history);
  };
  for (const std::uint64_t longest : {50U, 400U}) {
    config.before = config.inside = longest;
    for (std::uint64_t seed = 1; seed <= testing::halved(16); ++seed) {
      ASSERT_EQ(trial_failure(4, seed, config, judge), "") << "seed " << seed;
    }
  }
}

TEST_P(every_lock, keeps_its_promises_on_many_coherent_nodes) {
  trial_config config;
  config.rounds = 1;
  config.before = 2000;
  config.make = [](program_context& context, const memory_place& place) {
    return make_readers_writers_lock(GetParam(), context, place);
  };
  const auto judge = [](const std::vector<lock_request>& history) {
    return find_breach(GetParam(), history);
  };
  for (const std::uint32_t nodes : testing::many_nodes()) {
    EXPECT_EQ(testing::trial_failure_on_coherent_nodes(nodes, 2, config, judge), "");
  }
}

/// All readers hold it together: each waits inside until all are there.
TEST_P(every_lock, lets_all_readers_in_together) {
  const auto meet = [](const std::string&) {
    return testing::make_meeting_of_readers([](program_context& context) {
      return make_readers_writers_lock(GetParam(), context, {});
    });
  };
  for (const std::uint32_t elements : {2U, 8U, 32U}) {
    EXPECT_EQ(testing::failure_on_any(elements, elements, meet), "");
  }
}

/// Uncontested; the page has the numbers.
TEST_P(every_lock, makes_the_same_references_the_second_time) {
  const auto twice = [](program_context& context) {
    const std::shared_ptr<readers_writers_lock> lock =
        make_readers_writers_lock(GetParam(), context, {});
    std::vector<std::function<void()>> steps = {
        [lock] { lock->acquire_read(); }, [lock] { lock->release_read(); },
        [lock] { lock->acquire_write(); }, [lock] { lock->release_write(); }};
    steps.insert(steps.end(), {steps[0], steps[1], steps[2], steps[3]});
    return steps;
  };
  const auto counted = testing::reference_counter::count(8, twice);
  ASSERT_EQ(counted.size(), 8U);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(counted[i], counted[i + 4]) << "step " << i;
}

INSTANTIATE_TEST_SUITE_P(algorithms, every_lock,
                         ::testing::Values(algorithm::centralized, algorithm::mcs_fair,
                                           algorithm::mcs_reader_preference,
                                           algorithm::mcs_writer_preference),
                         [](const auto& each) { return name_of(each.param); });

/// Locks under which a writer gets in while readers come without end.
class no_starving_writer : public ::testing::TestWithParam<algorithm> {};

TEST_P(no_starving_writer, among_readers_without_end) {
  const auto storm = [](const std::string&) {
    return testing::make_storm_of_readers([](program_context& context) {
      return make_readers_writers_lock(GetParam(), context, {});
    });
  };
  for (const std::uint32_t elements : {4U, 16U}) {
    EXPECT_EQ(testing::failure_on_fair(elements, elements, storm), "");
  }
}

INSTANTIATE_TEST_SUITE_P(algorithms, no_starving_writer,
                         ::testing::Values(algorithm::centralized, algorithm::mcs_fair,
                                           algorithm::mcs_writer_preference),
                         [](const auto& each) { return name_of(each.param); });

/// Elements, bits of the turns and writers that have come before: fields that wrap soon.
class wrapping_turns
    : public ::testing::TestWithParam<std::tuple<std::uint32_t, unsigned, word_t>> {};

TEST_P(wrapping_turns, of_the_centralized_lock) {
  const std::uint32_t elements = std::get<0>(GetParam());
  const unsigned bits = std::get<1>(GetParam());
  const word_t turns = std::get<2>(GetParam());
  word_t end = 0;
  trial_config config;
  config.writer_percent = 60;
  config.initial = testing::word_after(turns, bits);
  config.at_end = [&end](word_t word) { end = word; };
  config.make = [bits](program_context& context, const memory_place& place) {
    return std::make_unique<centralized_readers_writers_lock>(context, place, bits);
  };
  const auto judge = [&end, bits, turns](const std::vector<lock_request>& history) {
    const auto writers = static_cast<word_t>(std::count_if(
        history.begin(), history.end(), [](const lock_request& each) { return each.writer; }));
    const word_t expected = testing::word_after(turns + writers, bits);
    if (end == expected) return find_breach(algorithm::centralized, history);
    return "the word ends as " + std::to_string(end) + " instead of " + std::to_string(expected);
  };
  for (std::uint64_t seed = 1; seed <= testing::scaled(4); ++seed) {
    ASSERT_EQ(trial_failure(elements, seed, config, judge), "");
  }
}

TEST(centralized_readers_writers_lock, refuses_more_elements_than_it_can_count) {
  const auto refusal = [](unsigned bits) {
    const auto make = [bits](const std::string&) {
      return make_program([bits](program_context& context) {
        centralized_readers_writers_lock(context, {}, bits);
      });
    };
    return testing::failure_on_ideal_memory(8, 1, make);
  };
  const auto refuse = [](program_context& context) {
    EXPECT_THROW(centralized_readers_writers_lock(context, {}, 3), configuration_error);
  };
  const auto make = [&refuse](const std::string&) { return make_program(refuse); };
  EXPECT_EQ(testing::failure_on_ideal_memory(8, 1, make), "");
  EXPECT_EQ(refusal(4), "");
  EXPECT_EQ(refusal(30), "");
  EXPECT_NE(refusal(3).find("at most 7 elements, not 8"), std::string::npos) << refusal(3);
  EXPECT_NE(refusal(31).find("at most 3 elements"), std::string::npos) << refusal(31);
  EXPECT_NE(refusal(0).find("at most 0 elements"), std::string::npos) << refusal(0);
  EXPECT_NE(refusal(32).find("at most 0 elements"), std::string::npos) << refusal(32);
}

INSTANTIATE_TEST_SUITE_P(fields, wrapping_turns,
                         ::testing::Values(std::make_tuple(2U, 2U, word_t{0}),
                                           std::make_tuple(4U, 3U, word_t{7}),
                                           std::make_tuple(16U, 5U, word_t{30}),
                                           std::make_tuple(16U, 20U, (word_t{1} << 20) - 3)));

}  // namespace
}  // namespace tributary
