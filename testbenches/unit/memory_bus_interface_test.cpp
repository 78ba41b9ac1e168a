// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <tributary/nic/memory_bus_interface.h>
#include <tributary/sim/error.h>
#include <tributary/sim/state_archive.h>

#include <support/block_statistics.h>
#include <support/failure.h>
#include <support/timed_actions.h>

namespace tributary {
namespace {

using testing::statistic;

constexpr std::uint64_t flag = 0x40;
constexpr std::uint64_t device = std::uint64_t{1} << 30;

network_message message_of_words(std::uint16_t number, std::size_t words = 0) {
  network_message made;
  made.header.source = node_id{3};
  made.header.destination = node_id{1};
  made.header.type = 20;
  made.header.aux = number;
  made.header.address = 0x1230;
  made.header.length = static_cast<std::uint32_t>(8 * words);
  for (std::size_t i = 0; i < words; ++i) made.words[i] = 1000U * number + i;
  return made;
}

std::vector<word_t> words_of_message(const network_message& of) {
  const header_words header = header_words_of(of.header);
  std::vector<word_t> words{header.first, header.second};
  words.insert(words.end(), of.words.begin(), of.words.begin() + of.header.length / 8);
  return words;
}

/// An interface between a network that is told here when it is full, and memory of flags in which a
/// store takes 10 cycles.
class bench : private interface_outlet, private message_reader, private timed_block {
 public:
  explicit bench(const memory_bus_interface_config& config = {})
      : flags(*this), unit(config, clock, *this, flags, flag), play(clock) {
    unit.set_reader(*this);
    clock.enroll(*this);
  }

  void arrive_at(cycle_t when, const network_message& what) {
    play.at(when, [=] { unit.arrive(what, when); });
  }
  word_t read(cycle_t now = 0) { return unit.read(device, now).value; }
  /// All words until one is refused; how many were taken.
  std::size_t write(const std::vector<word_t>& words) {
    std::size_t taken = 0;
    while (taken < words.size() && unit.write(device, words[taken], clock.now())) ++taken;
    return taken;
  }

  /// A port that ends each store 10 cycles later.
  class flag_port final : public processor_port {
   public:
    explicit flag_port(bench& owner) : owner_(owner) {}
    void set_client(memory_client* client) override { client_ = client; }
    void check(std::size_t, const access&) const override {}
    bool can_take(std::size_t) const override { return !full; }
    void offer(std::size_t, const access& request, cycle_t now) override {
      stored.emplace_back(request.address, request.function.a);
      owner_.clock.wake(owner_, now + 10);
    }
    std::size_t waiting(std::size_t) const override { return 0; }
    std::size_t outstanding(std::size_t) const override { return 0; }

    std::vector<std::pair<std::uint64_t, word_t>> stored;
    bool full = false;
    memory_client* client_ = nullptr;

   private:
    bench& owner_;
  };

  agenda clock;
  flag_port flags;
  memory_bus_interface unit;
  testing::timed_actions play;
  std::size_t in_network = 0;
  std::vector<network_message> sent;
  std::vector<std::pair<cycle_t, std::uint16_t>> told;

 private:
  void wake(cycle_t now, std::uint64_t) override { flags.client_->completed({}, now); }
  std::size_t unsent() const override { return in_network; }
  void send(const network_message& what, cycle_t) override { sent.push_back(what); }
  void announced(const network_message& arrived, cycle_t now) override {
    told.emplace_back(now, arrived.header.aux);
  }
};

TEST(memory_bus_interface, a_message_leaves_with_its_last_word) {
  bench one;
  const network_message what = message_of_words(7, 3);
  std::vector<word_t> words = words_of_message(what);
  const word_t last = words.back();
  words.pop_back();
  EXPECT_EQ(one.write(words), 4U);
  EXPECT_TRUE(one.sent.empty());
  EXPECT_FALSE(one.unit.idle());
  EXPECT_EQ(one.write({last}), 1U);
  ASSERT_EQ(one.sent.size(), 1U);
  EXPECT_EQ(one.sent[0].header, what.header);
  EXPECT_EQ(one.sent[0].words, what.words);
  EXPECT_TRUE(one.unit.idle());
}

TEST(memory_bus_interface, one_without_payload_has_two_words) {
  bench one;
  EXPECT_EQ(one.write(words_of_message(message_of_words(1))), 2U);
  EXPECT_EQ(one.write(words_of_message(message_of_words(2))), 2U);
  ASSERT_EQ(one.sent.size(), 2U);
  EXPECT_EQ(one.sent[1].header.aux, 2);
}

TEST(memory_bus_interface, a_full_send_queue_refuses_the_first_word_and_no_other) {
  memory_bus_interface_config config;
  config.depth = 2;
  bench one(config);
  const std::vector<word_t> words = words_of_message(message_of_words(1, 1));
  one.in_network = 1;
  EXPECT_EQ(one.write({words[0]}), 1U);
  one.in_network = 2;
  EXPECT_EQ(one.write({words[1], words[2]}), 2U);
  EXPECT_EQ(one.write(words), 0U);
  EXPECT_EQ(statistic(one.unit, "full"), 1);
  one.in_network = 1;
  EXPECT_EQ(one.write(words), 3U);
  EXPECT_EQ(one.sent.size(), 2U);
}

TEST(memory_bus_interface, tells_of_each_message_by_a_count_in_a_cacheable_word) {
  bench one;
  one.arrive_at(5, message_of_words(1));
  one.arrive_at(6, message_of_words(2));
  one.arrive_at(40, message_of_words(3));
  one.clock.advance_to(100);
  using words = std::vector<std::pair<std::uint64_t, word_t>>;
  EXPECT_EQ(one.flags.stored, (words{{flag, 1}, {flag, 2}, {flag, 3}}));
  using tolds = std::vector<std::pair<cycle_t, std::uint16_t>>;
  EXPECT_EQ(one.told, (tolds{{15, 1}, {25, 2}, {50, 3}}));
  EXPECT_EQ(statistic(one.unit, "length.max"), 3);
}

TEST(memory_bus_interface, waits_until_the_port_of_flags_has_room) {
  bench one;
  one.flags.full = true;
  one.arrive_at(5, message_of_words(1));
  one.clock.advance_to(20);
  EXPECT_TRUE(one.flags.stored.empty());
  one.flags.full = false;
  one.flags.client_->room(0, 20);
  one.clock.advance_to(100);
  EXPECT_EQ(one.told.size(), 1U);
}

TEST(memory_bus_interface, messages_are_read_word_by_word_in_their_order) {
  bench one;
  const network_message first = message_of_words(1, 2);
  const network_message second = message_of_words(2);
  one.arrive_at(5, first);
  one.arrive_at(5, second);
  one.clock.advance_to(100);
  for (const word_t each : words_of_message(first)) EXPECT_EQ(one.read(100), each);
  for (const word_t each : words_of_message(second)) EXPECT_EQ(one.read(120), each);
  EXPECT_TRUE(one.unit.idle());
  EXPECT_EQ(statistic(one.unit, "unread.max"), 115);
  EXPECT_EQ(one.read(130), 0U) << "there is none";
  EXPECT_EQ(statistic(one.unit, "read_in_vain"), 1);
}

TEST(memory_bus_interface, a_message_that_nobody_was_told_of_is_not_read) {
  bench one;
  one.arrive_at(5, message_of_words(1));
  one.clock.advance_to(10);
  EXPECT_EQ(one.read(10), 0U);
  one.clock.advance_to(100);
  EXPECT_NE(one.read(100), 0U);
}

TEST(memory_bus_interface, statistics_begin_anew) {
  bench one;
  one.arrive_at(5, message_of_words(1));
  one.clock.advance_to(100);
  one.read();
  one.read();
  one.read();
  one.unit.reset_statistics();
  for (const char* each : {"full", "read_in_vain", "length.count", "unread.count"}) {
    EXPECT_EQ(statistic(one.unit, each), 0) << each;
  }
}

TEST(memory_bus_interface, goes_on_from_where_it_was_saved) {
  bench one;
  one.arrive_at(5, message_of_words(1, 2));
  one.arrive_at(5, message_of_words(2));
  one.clock.advance_to(17);
  EXPECT_NE(one.read(17), 0U);
  EXPECT_EQ(one.write({words_of_message(message_of_words(9, 1))[0]}), 1U);
  bench other;
  other.unit.restore(one.unit.save());
  EXPECT_EQ(other.unit.save(), one.unit.save());
  other.flags.client_->completed({}, 25);
  EXPECT_EQ(other.told.back().second, 2);
  const std::vector<word_t> first = words_of_message(message_of_words(1, 2));
  for (std::size_t i = 1; i < first.size(); ++i) EXPECT_EQ(other.read(30), first[i]);
  const std::vector<word_t> sent = words_of_message(message_of_words(9, 1));
  EXPECT_EQ(other.write({sent[1], sent[2]}), 2U);
  EXPECT_EQ(other.sent.size(), 1U);
}

TEST(memory_bus_interface, bytes_that_no_interface_saved_are_refused) {
  bench one;
  one.arrive_at(5, message_of_words(1, 2));
  one.clock.advance_to(7);
  const std::string state = one.unit.save();
  for (std::size_t i = 0; i + 1 < state.size(); i += 7) {
    bench other;
    const std::string cut = state.substr(0, i);
    EXPECT_NE(testing::failure<input_error>([&] { other.unit.restore(cut); }), "") << i;
  }
}

/// The end of a text that is restored is not the interface's: another count follows.
std::string with_number(std::string state, std::size_t place, std::uint64_t number) {
  for (std::size_t i = 0; i < 8; ++i) state[place + i] = static_cast<char>(number >> 8 * i);
  return state;
}

/// Whatever number stands anywhere in it: it is refused, or the interface can be used.
TEST(memory_bus_interface, numbers_that_no_interface_saved_do_no_harm) {
  bench one;
  one.arrive_at(5, message_of_words(1, 2));
  one.arrive_at(5, message_of_words(2));
  one.clock.advance_to(30);
  EXPECT_NE(one.read(30), 0U);
  EXPECT_EQ(one.write({1}), 1U);
  const std::string state = one.unit.save();
  int refused = 0;
  for (std::size_t place = 0; place + 8 <= state.size(); ++place) {
    for (const std::uint64_t number :
         {std::uint64_t{3}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
      bench other;
      const std::string said = testing::failure([&] {
        other.unit.restore(with_number(state, place, number));
        for (int i = 0; i < 8; ++i) other.read(40);
        other.write({0, 0, 0});
      });
      if (!said.empty()) ++refused;
    }
  }
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace tributary
