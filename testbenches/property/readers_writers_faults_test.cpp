// SPDX-License-Identifier: Apache-2.0
// What the checks of readers-writers locks find: every lock runs without fences, and is held to an
// order that it does not promise. Faults of each are in tools/core_mutants/faults.toml.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tributary/algorithms/readers_writers_lock.h>
#include <tributary/algorithms/test_and_set_lock.h>
#include <tributary/sim/error.h>

#include "published_fair_lock.h"
#include "readers_writers_trial.h"
#include "support/algorithm_runs.h"

namespace tributary {
namespace {

using testing::lock_request;
using testing::made_reference;
using testing::reference_watch;
using testing::trial_config;

using algorithm = readers_writers_algorithm;

constexpr algorithm all_locks[] = {algorithm::centralized, algorithm::mcs_fair,
                                   algorithm::mcs_reader_preference,
                                   algorithm::mcs_writer_preference};

trial_config trial_of(algorithm which) {
  trial_config config;
  config.make = [which](program_context& context, const memory_place& place) {
    return make_readers_writers_lock(which, context, place);
  };
  config.hesitation = 100;
  return config;
}

/// Anything but exclusion and progress.
std::string no_order(const std::vector<lock_request>&) { return ""; }

/// The first failure among so many seeds, on 4 to 16 elements.
std::string failure_of(const trial_config& config, const testing::history_judge& judge = no_order,
                       std::uint64_t seeds = 100) {
  std::string failure;
  for (std::uint64_t seed = 1; failure.empty() && seed <= seeds; ++seed) {
    failure = testing::trial_failure(std::uint32_t{4} << seed % 3, seed, config, judge);
  }
  return failure;
}

bool excludes_badly(const std::string& failure) {
  return failure.find(" meets ") != std::string::npos ||
         failure.find("a write that is not over") != std::string::npos;
}

bool stands_still(const std::string& failure) {
  return failure.find("no program has gone on") != std::string::npos ||
         failure.find("have not ended") != std::string::npos;
}

TEST(errors_in_every_lock, posted_writes_are_not_fenced) {
  for (const algorithm which : all_locks) {
    trial_config config = trial_of(which);
    config.without_fence = true;
    const std::string failure = failure_of(config);
    EXPECT_TRUE(excludes_badly(failure)) << failure;
  }
}

/// Why the library's fair list has the waiting writer beside the count. Element 0 is the last
/// reader and slow: it takes the writer, element 3, when that one waits again and reader 1 is in.
class slow_last_reader final : public program {
 public:
  explicit slow_last_reader(testing::lock_maker make) : make_(std::move(make)) {}

  void reset() override { readers_ = 0; }

  void run(program_context& context) override {
    const memory_place place;
    reference_watch slow;
    slow.before = [&](const made_reference& made) { hold_up(context, made, place); };
    testing::watched_context held_up(context, slow);
    const auto lock = make_(held_up, place);
    if (context.rank() == 0) read(context, *lock, 0, 0);
    if (context.rank() == 1) read(context, *lock, 1500, 6000);
    if (context.rank() == 2) read(context, *lock, 1700, 2500);
    if (context.rank() != 3) return;
    write(context, *lock, 250);
    write(context, *lock, 2000);
  }

 private:
  static void wait_until(program_context& context, cycle_t when) {
    const cycle_t now = context.now();
    if (when > now) context.delay(when - now);
  }

  /// The published forms' words: the count in the second, the waiting writer in the third.
  static void hold_up(program_context& context, const made_reference& made,
                      const memory_place& place) {
    const bool count = made.address == place.central(context, 1);
    const bool next_writer = made.address == place.central(context, 2);
    const bool looks = made.what == operation::load;
    if (context.rank() == 3 && count && looks) wait_until(context, 800);
    if (context.rank() == 0 && next_writer) wait_until(context, looks ? 400 : 4000);
  }

  void read(program_context& context, readers_writers_lock& lock, cycle_t from, cycle_t until) {
    wait_until(context, from);
    lock.acquire_read();
    ++readers_;
    wait_until(context, until);
    --readers_;
    lock.release_read();
  }

  void write(program_context& context, readers_writers_lock& lock, cycle_t from) {
    wait_until(context, from);
    lock.acquire_write();
    if (readers_ != 0) throw simulation_error("a writer meets readers");
    lock.release_write();
  }

  testing::lock_maker make_;
  int readers_ = 0;
};

TEST(the_fair_list_as_published, lets_a_writer_in_beside_readers_where_this_one_does_not) {
  const auto failure = [](const testing::named_design& design, const testing::lock_maker& make) {
    return testing::failure_on(
        design, 4, 1, [&](const std::string&) { return std::make_unique<slow_last_reader>(make); });
  };
  for (const testing::named_design& design : testing::designs_for_programs()) {
    for (const bool corrected : {false, true}) {
      const std::string found =
          failure(design, [corrected](program_context& context, const memory_place& place) {
            return std::make_unique<testing::published_fair_lock>(context, place, corrected);
          });
      EXPECT_TRUE(excludes_badly(found)) << "corrected " << corrected << ": " << found;
    }
    EXPECT_EQ(failure(design, trial_of(algorithm::mcs_fair).make), "");
  }
}

// ---- what a lock does not promise is found where it is held to it

/// A lock of which there is one for everybody, and who comes first is chance.
class no_readers_writers_lock final : public readers_writers_lock {
 public:
  no_readers_writers_lock(program_context& context, const memory_place& place)
      : lock_(context, place) {}
  void acquire_read() override { lock_.acquire(); }
  void release_read() override { lock_.release(); }
  void acquire_write() override { lock_.acquire(); }
  void release_write() override { lock_.release(); }

 private:
  test_and_set_lock lock_;
};

TEST(what_a_lock_does_not_promise, is_found) {
  trial_config chance;
  chance.make = [](program_context& context, const memory_place& place) {
    return std::make_unique<no_readers_writers_lock>(context, place);
  };
  EXPECT_EQ(failure_of(chance, no_order, 2), "");
  EXPECT_NE(failure_of(chance, testing::find_overtaken_writer).find("overtakes"),
            std::string::npos);

  const auto overtaking_reader = [](const std::vector<lock_request>& history) {
    return testing::find_overtaking_reader(
        history, [&](std::size_t writer) { return history[writer].announced(); });
  };
  const trial_config prefers_readers = trial_of(algorithm::mcs_reader_preference);
  EXPECT_NE(failure_of(prefers_readers, overtaking_reader).find("overtakes"), std::string::npos);
  for (const algorithm which : {algorithm::centralized, algorithm::mcs_reader_preference,
                                algorithm::mcs_writer_preference}) {
    EXPECT_NE(failure_of(trial_of(which), testing::find_overtaken_request).find("overtakes"),
              std::string::npos);
  }
  for (const algorithm which :
       {algorithm::centralized, algorithm::mcs_fair, algorithm::mcs_writer_preference}) {
    EXPECT_NE(failure_of(trial_of(which), testing::find_delayed_reader).find(" waits "),
              std::string::npos);
  }
}

/// By hand, on the list that prefers writers: a writer that is known from cycle 100 on and granted
/// in 300, a reader that asks then, and one that asked before and takes a group off the list, this
/// one with it, until cycle 160.
TEST(what_a_lock_does_not_promise, is_found_where_a_reader_overtakes_a_writer) {
  lock_request writer;
  writer.element = 1;
  writer.writer = true;
  writer.began = 50;
  writer.granted = 300;
  writer.acquiring = {{{operation::swap, 8, 2, 0}, 0, 70},
                      {{operation::fetch_add, 16, 4, 0}, 1, 100}};
  lock_request next_writer = writer;
  next_writer.element = 2;
  next_writer.granted = 400;
  next_writer.acquiring = {{{operation::swap, 8, 3, 0}, 2, 90}};
  lock_request reader;
  reader.element = 3;
  reader.began = 120;
  reader.granted = 200;
  reader.acquiring = {{{operation::swap, 0, 4, 0}, 5, 140}};
  lock_request first_reader;
  first_reader.element = 4;
  first_reader.began = 40;
  first_reader.granted = 190;
  first_reader.acquiring = {{{operation::swap, 0, 5, 0}, 0, 60},
                            {{operation::swap, 0, 0, 0}, 4, 160}};
  const auto found = testing::find_overtaking_reader_of_list;
  EXPECT_NE(found({writer, reader}).find("overtakes"), std::string::npos);
  EXPECT_EQ(found({writer, reader, first_reader}), "");
  EXPECT_EQ(found({writer, next_writer, reader, first_reader}), "");
  reader.began = 170;
  EXPECT_NE(found({writer, reader, first_reader}).find("overtakes"), std::string::npos);
  // Granted after the first writer, but before the one that has joined the queue since.
  reader.granted = 350;
  EXPECT_EQ(found({writer, reader, first_reader}), "");
  EXPECT_NE(found({writer, next_writer, reader, first_reader}).find("overtakes"),
            std::string::npos);
}

TEST(what_a_lock_does_not_promise, is_found_where_a_writer_starves) {
  const auto failure = [](algorithm which) {
    return testing::failure_on_any(16, 1, [which](const std::string&) {
      return testing::make_storm_of_readers([which](program_context& context) {
        return make_readers_writers_lock(which, context, {});
      });
    });
  };
  EXPECT_NE(failure(algorithm::mcs_reader_preference).find("starves"), std::string::npos);
}

TEST(what_a_lock_does_not_promise, is_found_where_readers_exclude_each_other) {
  const std::string failure = testing::failure_on_any(4, 1, [](const std::string&) {
    return testing::make_meeting_of_readers([](program_context& context) {
      return std::make_unique<no_readers_writers_lock>(context, memory_place{});
    });
  });
  EXPECT_TRUE(stands_still(failure)) << failure;
}

}  // namespace
}  // namespace tributary
