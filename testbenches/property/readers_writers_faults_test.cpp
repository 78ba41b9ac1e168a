// SPDX-License-Identifier: Apache-2.0
// What the checks of readers-writers locks find: every lock runs with errors in it, and without
// the order that it promises.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tributary/algorithms/centralized_readers_writers_lock.h>
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
using testing::tampering;
using testing::trial_config;

using algorithm = readers_writers_algorithm;

constexpr algorithm all_locks[] = {algorithm::centralized, algorithm::mcs_fair,
                                   algorithm::mcs_reader_preference,
                                   algorithm::mcs_writer_preference};
constexpr algorithm lists[] = {algorithm::mcs_fair, algorithm::mcs_reader_preference,
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

/// What a lock asks for where the error strikes.
struct situation {
  std::uint64_t word;       ///< address of the central word concerned
  std::uint64_t own_grant;  ///< of the first of the element's own words
  const testing::lock_phase& phase;
};

using request_error = std::function<std::optional<word_t>(const situation&, made_reference&)>;
using answer_error = std::function<void(const situation&, const made_reference&, word_t&)>;

/// The trial of a lock whose references meet with the error; `word` says which central word the
/// situation names.
trial_config broken(algorithm which, std::uint32_t word, const request_error& request,
                    const answer_error& answer = nullptr) {
  trial_config config = trial_of(which);
  const memory_place place = config.place;
  config.error = [=](program_context& context, const testing::lock_phase& phase) {
    const situation at{place.central(context, word), place.own(context, context.rank(), 0), phase};
    tampering how;
    if (request) how.request = [=](made_reference& made) { return request(at, made); };
    if (answer) {
      how.answer = [=](const made_reference& made, word_t& word_seen) {
        answer(at, made, word_seen);
      };
    }
    return how;
  };
  return config;
}

trial_config broken_answer(algorithm which, std::uint32_t word, const answer_error& answer) {
  return broken(which, word, nullptr, answer);
}

TEST(errors_in_every_lock, posted_writes_are_not_fenced) {
  for (const algorithm which : all_locks) {
    trial_config config = trial_of(which);
    config.without_fence = true;
    const std::string failure = failure_of(config);
    EXPECT_TRUE(excludes_badly(failure)) << failure;
  }
}

/// A release that takes a failed compare-and-swap for the end of its queue and does not wait for
/// who is about to link himself to it.
TEST(errors_in_every_list, nobody_waits_for_the_next_one) {
  for (const algorithm which : lists) {
    const std::uint32_t tail = which == algorithm::mcs_fair ? 0 : 1;
    trial_config config = broken_answer(
        which, tail, [](const situation& at, const made_reference& made, word_t& answer) {
          if (made.address == at.word && made.what == operation::compare_and_swap) answer = made.e;
        });
    config.rounds = 20;
    config.before = 150;
    const std::string failure = failure_of(config);
    EXPECT_TRUE(stands_still(failure)) << failure;
  }
}

// ---- the centralized lock: bits as by default

constexpr word_t one_issued = word_t{1}
                              << (64 - centralized_readers_writers_lock::default_turn_bits);
constexpr word_t one_served = word_t{1}
                              << (64 - 2 * centralized_readers_writers_lock::default_turn_bits);

TEST(errors_in_the_centralized_lock, a_reader_does_not_look_for_writers) {
  const trial_config config =
      broken_answer(algorithm::centralized, 0,
                    [](const situation& at, const made_reference& made, word_t& answer) {
                      if (at.phase.reading && made.what == operation::fetch_add) answer = 0;
                    });
  EXPECT_TRUE(excludes_badly(failure_of(config))) << failure_of(config);
}

TEST(errors_in_the_centralized_lock, a_reader_does_not_take_itself_out) {
  const trial_config config =
      broken(algorithm::centralized, 0,
             [](const situation& at, made_reference& made) -> std::optional<word_t> {
               if (at.phase.reading && at.phase.acquiring && made.e + 1 == 0) return 0;
               return std::nullopt;
             });
  EXPECT_TRUE(stands_still(failure_of(config))) << failure_of(config);
}

TEST(errors_in_the_centralized_lock, a_writer_does_not_look_for_readers) {
  const trial_config config =
      broken_answer(algorithm::centralized, 0,
                    [](const situation& at, const made_reference& made, word_t& answer) {
                      if (!at.phase.reading && made.e == one_issued) answer &= ~(one_served - 1);
                    });
  EXPECT_TRUE(excludes_badly(failure_of(config))) << failure_of(config);
}

TEST(errors_in_the_centralized_lock, the_carry_of_the_turns_is_left_in) {
  trial_config config = broken(algorithm::centralized, 0,
                               [](const situation&, made_reference& made) -> std::optional<word_t> {
                                 if (made.e == one_served - one_issued) made.e = one_served;
                                 return std::nullopt;
                               });
  constexpr unsigned bits = centralized_readers_writers_lock::default_turn_bits;
  config.initial = testing::word_after((word_t{1} << bits) - 2, bits);
  EXPECT_TRUE(stands_still(failure_of(config))) << failure_of(config);
}

// ---- the fair list

TEST(errors_in_the_fair_list, a_woken_reader_forgets_the_one_behind) {
  const trial_config config = broken_answer(
      algorithm::mcs_fair, 1, [](const situation& at, const made_reference& made, word_t& answer) {
        if (at.phase.reading && made.address == at.own_grant) answer &= ~word_t{2};
      });
  EXPECT_TRUE(stands_still(failure_of(config))) << failure_of(config);
}

/// As with a store to the whole word: a reader that asked in between is lost.
TEST(errors_in_the_fair_list, a_grant_wipes_out_who_is_behind) {
  const trial_config config = broken(
      algorithm::mcs_fair, 1, [](const situation&, made_reference& made) -> std::optional<word_t> {
        if (made.what == operation::fetch_or) made.what = operation::store;
        return std::nullopt;
      });
  EXPECT_TRUE(stands_still(failure_of(config))) << failure_of(config);
}

TEST(errors_in_the_fair_list, a_reader_is_not_counted_before_it_goes_in) {
  const trial_config config =
      broken(algorithm::mcs_fair, 1,
             [](const situation& at, made_reference& made) -> std::optional<word_t> {
               if (!at.phase.reading && made.address == at.word && made.e == 1) return 0;
               return std::nullopt;
             });
  const std::string failure = failure_of(config);
  EXPECT_TRUE(excludes_badly(failure) || stands_still(failure)) << failure;
}

TEST(errors_in_the_fair_list, a_writer_does_not_look_for_readers) {
  trial_config config = broken_answer(
      algorithm::mcs_fair, 1, [](const situation& at, const made_reference& made, word_t& answer) {
        if (made.address == at.word && made.what == operation::load) answer = 0;
      });
  // Readers that have left the queue in another order than they came.
  config.before = 400;
  config.inside = 400;
  EXPECT_TRUE(excludes_badly(failure_of(config))) << failure_of(config);
}

/// Why the library's fair list has the waiting writer beside the count. Element 0 is the last
/// reader and slow: it takes the writer, element 3, when that one waits again and reader 1 is in.
class slow_last_reader final : public program {
 public:
  explicit slow_last_reader(testing::lock_maker make) : make_(std::move(make)) {}

  void reset() override { readers_ = 0; }

  void run(program_context& context) override {
    const memory_place place;
    tampering slow;
    slow.request = [&](made_reference& made) {
      hold_up(context, made, place);
      return std::optional<word_t>();
    };
    testing::tampered_context held_up(context, slow);
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

// ---- the list that prefers readers

constexpr word_t writer_holds = word_t{1} << 31;

TEST(errors_in_the_list_that_prefers_readers, a_reader_does_not_look_for_writers) {
  const trial_config config =
      broken_answer(algorithm::mcs_reader_preference, 2,
                    [](const situation& at, const made_reference& made, word_t& answer) {
                      if (at.phase.reading && made.address == at.word) answer &= ~writer_holds;
                    });
  EXPECT_TRUE(excludes_badly(failure_of(config))) << failure_of(config);
}

TEST(errors_in_the_list_that_prefers_readers, a_reader_does_not_look_again) {
  const trial_config config =
      broken_answer(algorithm::mcs_reader_preference, 2,
                    [](const situation& at, const made_reference& made, word_t& answer) {
                      if (made.address == at.word && made.what == operation::load)
                        answer |= writer_holds;
                    });
  EXPECT_TRUE(stands_still(failure_of(config))) << failure_of(config);
}

TEST(errors_in_the_list_that_prefers_readers, a_writer_does_not_try_again_once_it_is_known) {
  // The readers may have left between its two attempts.
  const trial_config config =
      broken(algorithm::mcs_reader_preference, 2,
             [](const situation& at, made_reference& made) -> std::optional<word_t> {
               const bool again = made.what == operation::compare_and_swap && made.e != 0;
               if (!at.phase.reading && made.address == at.word && again) return 0;
               return std::nullopt;
             });
  EXPECT_TRUE(stands_still(failure_of(config))) << failure_of(config);
}

// ---- the list that prefers writers

constexpr word_t reader_interest = 1;
constexpr word_t all_counted = 2;
constexpr word_t one_writer = 4;
constexpr word_t writers = 12;
constexpr word_t one_reader = 16;

TEST(errors_in_the_list_that_prefers_writers, a_reader_does_not_look_for_writers) {
  const trial_config config =
      broken_answer(algorithm::mcs_writer_preference, 2,
                    [](const situation&, const made_reference& made, word_t& answer) {
                      if (made.what == operation::fetch_or) answer &= ~writers;
                    });
  EXPECT_FALSE(failure_of(config).empty());
}

TEST(errors_in_the_list_that_prefers_writers, a_woken_reader_does_not_count_the_next) {
  const trial_config config =
      broken(algorithm::mcs_writer_preference, 2,
             [](const situation& at, made_reference& made) -> std::optional<word_t> {
               if (at.phase.acquiring && made.e == one_reader) return 0;
               return std::nullopt;
             });
  EXPECT_TRUE(excludes_badly(failure_of(config))) << failure_of(config);
}

TEST(errors_in_the_list_that_prefers_writers, a_writer_does_not_see_a_group_about_to_go_in) {
  const trial_config config =
      broken_answer(algorithm::mcs_writer_preference, 2,
                    [](const situation&, const made_reference& made, word_t& answer) {
                      if (made.e == one_writer) answer &= ~reader_interest;
                    });
  EXPECT_TRUE(excludes_badly(failure_of(config))) << failure_of(config);
}

TEST(errors_in_the_list_that_prefers_writers, a_group_does_not_tell_its_last_reader_of_a_writer) {
  const trial_config config =
      broken(algorithm::mcs_writer_preference, 2,
             [](const situation& at, made_reference& made) -> std::optional<word_t> {
               if (at.phase.reading && made.e == all_counted) return 0;
               return std::nullopt;
             });
  EXPECT_FALSE(failure_of(config).empty());
}

/// One flag for "a writer is there" and "the last reader lets it in": the last reader of one group
/// lets a writer in while the next group is about to go in.
TEST(errors_in_the_list_that_prefers_writers, every_last_reader_lets_a_writer_in) {
  const trial_config config = broken_answer(
      algorithm::mcs_writer_preference, 2,
      [](const situation& at, const made_reference& made, word_t& answer) {
        const bool leaves = at.phase.reading && !at.phase.acquiring && made.address == at.word;
        if (leaves && (answer & writers) != 0) answer |= all_counted;
      });
  EXPECT_TRUE(excludes_badly(failure_of(config))) << failure_of(config);
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

/// By hand: a writer that is known from cycle 100 on and granted in 300, a reader that asks then,
/// and one that asked before and takes a group off the list, this one with it, until cycle 160.
TEST(what_a_lock_does_not_promise, is_found_where_a_reader_overtakes_a_writer) {
  lock_request writer;
  writer.element = 1;
  writer.writer = true;
  writer.began = 50;
  writer.granted = 300;
  writer.acquiring = {{{operation::swap, 8, 2, 0}, 0, 70},
                      {{operation::fetch_add, 16, one_writer, 0}, reader_interest, 100}};
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
