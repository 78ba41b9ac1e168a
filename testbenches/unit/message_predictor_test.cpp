// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tributary/network/port.h>
#include <tributary/nic/message_predictor.h>
#include <tributary/nic/predicted_endpoint.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

#include <support/failure.h>

namespace tributary {
namespace {

using trace = std::vector<message_identifier>;

message_predictor_config of_kind(predictor_kind kind) {
  message_predictor_config config;
  config.kind = kind;
  return config;
}

message_predictor_config of_window(predictor_kind kind, std::uint32_t window) {
  message_predictor_config config = of_kind(kind);
  config.window = window;
  return config;
}

message_predictor_config of_log(predictor_kind kind, std::uint32_t log) {
  message_predictor_config config = of_kind(kind);
  config.log = log;
  return config;
}

/// One letter a message, all of one tag.
void feed(message_predictor& predictor, const std::string& letters, message_tag tag = 0) {
  for (const char letter : letters) predictor.observe(tag, static_cast<unsigned char>(letter));
}

std::string times(std::uint32_t count, const std::string& what) {
  std::string all;
  for (std::uint32_t i = 0; i < count; ++i) all += what;
  return all;
}

std::uint64_t hits(const message_predictor_config& config, const std::string& letters) {
  message_predictor predictor(config);
  feed(predictor, letters);
  EXPECT_EQ(predictor.counts().hits.value() + predictor.counts().misses.value(), letters.size());
  return predictor.counts().hits.value();
}

// T68 of the specification.
TEST(message_predictor, a_cycle_costs_its_length_and_one) {
  const std::string all = "abcdefghijklmnopqrstuvwxyz";
  for (const predictor_kind kind : {predictor_kind::single_cycle, predictor_kind::tag_cycle,
                                    predictor_kind::tag_better_cycle}) {
    for (std::uint32_t c = 1; c <= 26; ++c) {
      for (const std::uint32_t n : {2U, 3U, 17U}) {
        message_predictor predictor(of_log(kind, c));  // the least log that holds it
        feed(predictor, times(n, all.substr(0, c)));
        EXPECT_EQ(predictor.counts().misses.value(), c + 1)
            << "cycle of " << c << ", " << n << " times";
        EXPECT_EQ(predictor.counts().unpredicted.value(), c + 1);
      }
    }
  }
}

// T69: A comes again within its own loop.
TEST(message_predictor, a_head_within_its_loop_is_learned_twice) {
  EXPECT_EQ(hits(of_kind(predictor_kind::single_cycle), times(25, "abac")), 92U);
}

// T70.
TEST(message_predictor, a_window_as_long_as_the_cycle_knows_it) {
  for (std::uint32_t k = 1; k <= 8; ++k) {
    EXPECT_EQ(hits(of_window(predictor_kind::lru, k), times(50, "abcdef")), k <= 5 ? 0U : 294U)
        << "window of " << k;
  }
}

// T71: with a log longer than what follows, the automaton of the publication.
TEST(message_predictor, a_log_with_a_limit_forgets_a_message_that_never_recurs) {
  const std::string before = times(10, "abcd");
  const std::string with_break = before + "x" + times(100, "abcd");
  EXPECT_EQ(hits(of_log(predictor_kind::single_cycle, 1U << 20U), before), 35U);
  EXPECT_EQ(hits(of_log(predictor_kind::single_cycle, 1U << 20U), with_break), 35U);
  // The log is full after three messages; the next begins one, and the cycle is known again once
  // that has come for the second time: 8 of the 400 are lost.
  EXPECT_EQ(hits(of_log(predictor_kind::single_cycle, 4), with_break), 35U + 392U);
}

TEST(message_predictor, loops_with_breaks) {
  // Runs of 9 times 5 different messages with a different break before each but the first. The
  // first run costs 6 misses; each other one the break, 5 until the log is full, and 5 more.
  std::string letters = times(9, "abcde");
  for (const char different : {'1', '2', '3', '4'}) letters += different + times(9, "abcde");
  EXPECT_EQ(hits(of_log(predictor_kind::single_cycle, 5), letters), 39U + 4U * 35U);
}

TEST(message_predictor, loop_nests_are_one_cycle) {
  // for 12: A, 4 times B C, D. The outer loop has 10 messages and A once.
  const std::string nest = times(12, "a" + times(4, "bc") + "d");
  EXPECT_EQ(hits(of_kind(predictor_kind::single_cycle), nest), 120U - 11U);
  EXPECT_EQ(hits(of_window(predictor_kind::lru, 4), nest), 120U - 4U);
  // After the first nest, A and D are lost each time, and the first B and C after A: 4 of 10.
  EXPECT_EQ(hits(of_window(predictor_kind::lru, 2), nest), 12U * 6U);
}

TEST(message_predictor, cycles_that_are_kept_cost_a_miss_when_they_return) {
  // Ten runs, in turn of one cycle or the other, each 6 times.
  const std::string runs = times(5, times(6, "abc") + times(6, "defg"));
  const std::uint64_t all = 5 * (18 + 24);
  EXPECT_EQ(hits(of_kind(predictor_kind::tag_cycle), runs), all - 5 * (4 + 5));
  EXPECT_EQ(hits(of_kind(predictor_kind::tag_better_cycle), runs), all - (4 + 5) - 8);
  message_predictor_config one = of_kind(predictor_kind::tag_better_cycle);
  one.cycles = 1;
  EXPECT_EQ(hits(one, runs), all - 5 * (4 + 5));
}

TEST(message_predictor, a_newer_cycle_replaces_one_with_the_same_head) {
  message_predictor_config config = of_log(predictor_kind::tag_better_cycle, 3);
  message_predictor predictor(config);
  feed(predictor, "ababab");  // the cycle "ab"
  feed(predictor, "xcd");     // a break; the log is full
  feed(predictor, "abca");    // a new log, and the cycle "abc"
  feed(predictor, "yy");      // a break, and the cycle "y"
  feed(predictor, "a");
  EXPECT_EQ(predictor.predict(0), trace{'b'});
  feed(predictor, "b");
  EXPECT_EQ(predictor.predict(0), trace{'c'});
}

TEST(message_predictor, a_tag_remembers_its_last_message) {
  message_predictor predictor(of_kind(predictor_kind::tag));
  EXPECT_EQ(predictor.observe(1, 10), prediction::none);
  EXPECT_EQ(predictor.observe(2, 20), prediction::none);
  EXPECT_EQ(predictor.observe(1, 10), prediction::hit);
  EXPECT_EQ(predictor.observe(2, 10), prediction::miss);
  EXPECT_EQ(predictor.observe(2, 10), prediction::hit);
  EXPECT_EQ(predictor.predict(1), trace{10});
  EXPECT_EQ(predictor.predict(3), trace{});
}

TEST(message_predictor, each_tag_has_its_cycle) {
  // Two loops that a program receives in, of 2 and 3 messages, in turn.
  message_predictor tagged(of_kind(predictor_kind::tag_cycle));
  message_predictor without(of_kind(predictor_kind::single_cycle));
  for (std::uint64_t i = 0; i < 600; ++i) {
    for (const message_tag tag : {1U, 2U}) {
      const message_identifier message = 10 * tag + i % (tag + 1);
      tagged.observe(tag, message);
      without.observe(tag, message);
    }
  }
  EXPECT_EQ(tagged.counts().misses.value(), 3U + 4U);
  // One cycle of 12 messages, whose head comes three times: it is learned as of 4.
  EXPECT_GT(without.counts().misses.value(), tagged.counts().misses.value());
}

TEST(message_predictor, the_tag_used_least_recently_loses_its_entry) {
  message_predictor_config config = of_kind(predictor_kind::tag);
  config.tags = 2;
  message_predictor predictor(config);
  for (int i = 0; i < 10; ++i) {
    for (const message_tag tag : {1U, 2U, 3U}) predictor.observe(tag, tag);
  }
  EXPECT_EQ(predictor.counts().hits.value(), 0U);
  EXPECT_EQ(predictor.counts().unpredicted.value(), 30U);
  predictor.observe(2, 2);  // an entry that is there, and is used last now
  predictor.observe(4, 4);
  EXPECT_EQ(predictor.predict(2), trace{2});
  EXPECT_EQ(predictor.predict(3), trace{});
}

TEST(message_predictor, evictions_of_windows) {
  message_predictor fifo(of_window(predictor_kind::fifo, 2));
  message_predictor lru(of_window(predictor_kind::lru, 2));
  message_predictor lfu(of_window(predictor_kind::lfu, 3));
  feed(fifo, "abac");
  feed(lru, "abac");
  feed(lfu, "aabbcad");
  EXPECT_EQ(fifo.predict(0), (trace{'b', 'c'}));
  EXPECT_EQ(lru.predict(0), (trace{'a', 'c'}));
  EXPECT_EQ(lfu.predict(0), (trace{'b', 'a', 'd'}));
  // Of those that came once, the one that has not come for longest.
  message_predictor equal(of_window(predictor_kind::lfu, 3));
  feed(equal, "abcd");
  EXPECT_EQ(equal.predict(0), (trace{'b', 'c', 'd'}));
}

// What windows do not promise: more of a window may hit less, but for LRU.
TEST(message_predictor, longer_windows_may_hit_less) {
  const std::string belady = "abcdabeabcde";
  EXPECT_EQ(hits(of_window(predictor_kind::fifo, 3), belady), 3U);
  EXPECT_EQ(hits(of_window(predictor_kind::fifo, 4), belady), 2U);
  const std::string counts = "ecbcebacac";
  EXPECT_EQ(hits(of_window(predictor_kind::lfu, 2), counts), 4U);
  EXPECT_EQ(hits(of_window(predictor_kind::lfu, 3), counts), 3U);
}

TEST(message_predictor, statistics) {
  message_predictor predictor(of_kind(predictor_kind::single_cycle));
  EXPECT_EQ(predictor.counts().hit_ratio(), 0.0);
  feed(predictor, "ababab");
  EXPECT_EQ(predictor.counts().hits.value(), 3U);
  EXPECT_EQ(predictor.counts().misses.value(), 3U);
  EXPECT_EQ(predictor.counts().unpredicted.value(), 3U);
  EXPECT_EQ(predictor.counts().hit_ratio(), 0.5);
  predictor.reset_statistics();
  feed(predictor, "ac");
  EXPECT_EQ(predictor.counts().hits.value(), 1U);
  EXPECT_EQ(predictor.counts().misses.value(), 1U);
  EXPECT_EQ(predictor.counts().unpredicted.value(), 0U);
}

TEST(message_predictor, none_observes_nothing) {
  message_predictor predictor{message_predictor_config()};
  feed(predictor, "aaaa");
  EXPECT_EQ(predictor.counts().hits.value() + predictor.counts().misses.value(), 0U);
  EXPECT_EQ(predictor.predict(0), trace{});
}

TEST(message_predictor, refuses_by_name) {
  const auto told = [](const message_predictor_config& config) {
    return testing::failure([&] { message_predictor predictor(config); });
  };
  const std::string without_cap = told(of_log(predictor_kind::single_cycle, 0));
  EXPECT_NE(without_cap.find("predictor.log"), std::string::npos) << without_cap;
  EXPECT_NE(without_cap.find("without a limit"), std::string::npos) << without_cap;
  EXPECT_NE(told(of_window(predictor_kind::lru, 0)).find("window"), std::string::npos);
  message_predictor_config config;
  config.tags = 0;
  EXPECT_NE(told(config).find("tags"), std::string::npos);
  config = {};
  config.cycles = 5000;
  EXPECT_NE(told(config).find("cycles"), std::string::npos);
  EXPECT_EQ(told({}), "");
}

TEST(message_predictor, goes_on_from_a_state) {
  for (auto kind = static_cast<int>(predictor_kind::lru);
       kind <= static_cast<int>(predictor_kind::tag_better_cycle); ++kind) {
    const message_predictor_config config = of_kind(static_cast<predictor_kind>(kind));
    message_predictor first(config);
    feed(first, "abcabcadeadeabcxx", 1);
    feed(first, "fgfgh", 2);
    message_predictor second(config);
    second.restore(first.save());
    for (message_predictor* each : {&first, &second}) {
      feed(*each, "abcabc", 1);
      feed(*each, "hfgh", 2);
    }
    EXPECT_EQ(second.save(), first.save()) << kind;
    EXPECT_EQ(second.counts().hits.value(), first.counts().hits.value()) << kind;
  }
}

TEST(message_predictor, refuses_the_state_of_another_configuration) {
  message_predictor longer(of_log(predictor_kind::single_cycle, 8));
  feed(longer, "abcdefgh");
  message_predictor shorter(of_log(predictor_kind::single_cycle, 7));
  EXPECT_THROW(shorter.restore(longer.save()), input_error);
  message_predictor window(of_window(predictor_kind::lru, 4));
  EXPECT_THROW(window.restore(longer.save()), input_error);
  feed(window, "abcd");
  message_predictor small(of_window(predictor_kind::lru, 3));
  EXPECT_THROW(small.restore(window.save()), input_error);
  EXPECT_THROW(small.restore("ab"), input_error);
}

/// An interface that writes down what it is told.
class told_endpoint final : public network_endpoint {
 public:
  std::string told;

  void room(std::uint8_t lane, cycle_t at) override {
    told += "room " + std::to_string(lane) + " " + std::to_string(at) + "\n";
  }
  void arrive(const network_transfer& transfer, cycle_t head, cycle_t tail) override {
    told += "arrive " + std::to_string(transfer.cargo) + " " + std::to_string(head) + " " +
            std::to_string(tail) + "\n";
  }
};

TEST(predicted_endpoint, hands_on_what_comes_and_observes_it) {
  told_endpoint behind;
  predicted_endpoint front(behind, of_kind(predictor_kind::tag));
  network_transfer transfer;
  transfer.bytes = 64;
  for (const std::uint8_t lane : std::vector<std::uint8_t>{0, 1, 0, 1}) {
    transfer.lane = lane;
    ++transfer.cargo;
    front.arrive(transfer, 10, 12);
  }
  front.room(1, 7);
  EXPECT_EQ(behind.told,
            "arrive 1 10 12\narrive 2 10 12\narrive 3 10 12\narrive 4 10 12\nroom 1 7\n");
  EXPECT_EQ(front.predictor().counts().hits.value(), 2U);
  EXPECT_EQ(front.predictor().counts().unpredicted.value(), 2U);
}

TEST(predicted_endpoint, source_lane_and_bytes_make_different_messages) {
  std::set<message_identifier> all;
  for (const std::uint32_t source : {0U, 1U, 256U, 4095U}) {
    for (const std::uint8_t lane : std::vector<std::uint8_t>{0, 3}) {
      for (const std::uint32_t bytes : {0U, 1U, 1500U, 65536U, 0xFFFFFFFFU}) {
        network_transfer transfer;
        transfer.source = node_id{source};
        transfer.lane = lane;
        transfer.bytes = bytes;
        all.insert(predicted_endpoint::identifier(transfer));
      }
    }
  }
  EXPECT_EQ(all.size(), 4U * 2 * 5);
}

}  // namespace
}  // namespace tributary
