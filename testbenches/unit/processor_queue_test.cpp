// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include <tributary/magic/data_buffers.h>
#include <tributary/magic/processor_queue.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/error.h>

#include <support/failure.h>
#include <support/text_checks.h>
#include <support/timed_actions.h>
#include <support/usual_line.h>

namespace tributary {
namespace {

using testing::failure;

/// One who puts messages into the queue, and records what it is told.
struct test_client final : processor_queue_client {
  bool must_wait(const message&) const override { return waits; }
  void taken(const message& sent, cycle_t now) override {
    told.push_back("took " + std::to_string(sent.address) + " in " + std::to_string(now));
    if (queue != nullptr) free_then.push_back(queue->free());
  }
  void room(cycle_t now) override { told.push_back("room in " + std::to_string(now)); }

  bool waits = false;
  const processor_queue* queue = nullptr;
  std::vector<std::size_t> free_then;
  std::vector<std::string> told;
};

using texts = std::vector<std::string>;

/// A queue with two clients and an inbox that takes what it sees, if it may.
class bench : private selector {
 public:
  explicit bench(std::uint32_t depth = 8, std::uint8_t clients = 2)
      : buffers({}, clock, node_id{1}), queue(depth, clock, buffers) {
    queue.tell(*this);
    for (std::uint8_t i = 0; i < clients; ++i) {
      EXPECT_EQ(queue.add_client(client[i]), i);
      client[i].queue = &queue;
    }
  }

  /// A message of a client that is known by its address.
  void push(std::uint8_t of, std::uint64_t address, cycle_t visible, std::uint32_t length = 0) {
    message header;
    header.address = address;
    header.length = length;
    line_data words{};
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = 100 * address + i;
    queue.push(of, header, words, visible);
  }
  void at(cycle_t when, std::function<void()> what) { actions_.at(when, std::move(what)); }

  void take_all_buffers() {
    while (buffers.available(buffer_claim::processor)) {
      held.push_back(*buffers.allocate(buffer_claim::processor, clock.now()));
    }
  }

  agenda clock;
  data_buffers buffers;
  processor_queue queue;
  test_client client[2];
  bool takes = true;
  texts taken;  ///< address and cycle
  std::vector<message> messages;
  std::vector<cycle_t> looked;
  std::deque<payload_handle> held;

 private:
  void look(cycle_t now) override {
    looked.push_back(now);
    while (takes && queue.front(now) != nullptr) {
      const message seen = *queue.front(now);
      messages.push_back(queue.take(now));
      EXPECT_EQ(messages.back(), seen);
      taken.push_back(std::to_string(seen.address) + " in " + std::to_string(now));
    }
  }

  testing::timed_actions actions_{clock};
};

TEST(processor_queue, messages_come_to_the_inbox_in_their_cycles_and_in_order) {
  bench b;
  b.push(0, 1, 10);
  b.push(1, 2, 10);
  b.push(0, 3, 12);
  b.push(1, 4, 11);
  b.clock.advance_to(9);
  EXPECT_EQ(b.queue.front(9), nullptr);
  EXPECT_TRUE(b.taken.empty());
  b.clock.advance_to(100);
  EXPECT_EQ(b.taken, (texts{"1 in 10", "2 in 10", "3 in 12", "4 in 12"}))
      << "whatever client a message is of, and though the last had come before";
  EXPECT_TRUE(b.queue.idle());
}

TEST(processor_queue, holds_as_many_as_it_has_places) {
  bench b(3);
  b.takes = false;
  EXPECT_TRUE(b.queue.idle());
  EXPECT_EQ(b.queue.free(), 3U);
  b.push(0, 1, 10);
  b.push(1, 2, 10);
  b.push(0, 3, 10);
  EXPECT_EQ(b.queue.size(0), 2U);
  EXPECT_EQ(b.queue.size(1), 1U);
  EXPECT_EQ(b.queue.free(), 0U);
  EXPECT_TRUE(b.queue.full());
  EXPECT_FALSE(b.queue.idle());
  EXPECT_TRUE(testing::names(failure([&] { b.push(0, 4, 10); }), {"full", "full()"}));
  b.at(10, [&] { b.queue.take(10); });
  b.clock.advance_to(10);
  EXPECT_FALSE(b.queue.full());
  EXPECT_EQ(b.queue.size(0), 1U);
}

TEST(processor_queue, tells_whose_message_was_taken_and_others_that_there_is_room) {
  bench b(2);
  b.push(0, 1, 10);
  b.push(1, 2, 20);
  b.clock.advance_to(100);
  EXPECT_EQ(b.client[0].told, (texts{"took 1 in 10", "room in 20"}));
  EXPECT_EQ(b.client[1].told, (texts{"room in 10", "took 2 in 20"}));
  EXPECT_EQ(b.client[0].free_then, std::vector<std::size_t>{1}) << "the place is free by then";
  EXPECT_EQ(b.client[1].free_then, std::vector<std::size_t>{2});
}

TEST(processor_queue, a_client_may_keep_its_message_and_all_behind_it) {
  bench b;
  b.client[0].waits = true;
  b.push(0, 1, 10);
  b.push(1, 2, 10);
  EXPECT_TRUE(b.queue.holds_first());
  b.clock.advance_to(50);
  EXPECT_TRUE(b.taken.empty());
  EXPECT_TRUE(testing::names(failure([&] { b.queue.take(50); }), {"queue", "front()"}));
  b.at(60, [&] { b.client[0].waits = false; });
  b.clock.advance_to(65);
  EXPECT_TRUE(b.taken.empty()) << "the inbox has not been told to look";
  b.at(70, [&] { b.queue.look(70); });
  b.clock.advance_to(100);
  EXPECT_EQ(b.taken, (texts{"1 in 70", "2 in 70"}));
  EXPECT_FALSE(b.queue.holds_first()) << "there is none";
}

TEST(processor_queue, a_client_keeps_the_first_message_only_if_that_is_its_own) {
  bench b;
  b.client[0].waits = true;
  b.push(1, 1, 10);
  b.push(0, 2, 10);
  b.clock.advance_to(50);
  EXPECT_EQ(b.taken, texts{"1 in 10"});
  EXPECT_TRUE(b.queue.holds_first());
}

TEST(processor_queue, a_payload_lies_in_a_data_buffer_when_the_message_is_seen) {
  bench b;
  b.push(0, 1, 10, 2 * word_bytes);
  b.push(1, 2, 10, line_bytes);
  b.clock.advance_to(9);
  EXPECT_EQ(b.buffers.in_use(), 0U) << "it has not come";
  b.clock.advance_to(10);
  ASSERT_EQ(b.messages.size(), 2U);
  const payload_handle few = b.messages[0].data;
  const payload_handle line = b.messages[1].data;
  ASSERT_NE(few, no_payload);
  ASSERT_NE(line, no_payload);
  EXPECT_EQ(b.buffers.word(few, 1), 101U);
  EXPECT_EQ(b.buffers.valid(few, 1), 10U);
  EXPECT_FALSE(b.buffers.filled(few, 2)) << "as long as the payload";
  for (std::size_t i = 0; i < line_words; ++i) EXPECT_EQ(b.buffers.word(line, i), 200 + i);
  EXPECT_EQ(b.buffers.holders(line), 1U) << "who takes the message has the buffer";
}

TEST(processor_queue, a_message_waits_for_a_buffer_and_those_behind_it_too) {
  bench b;
  b.take_all_buffers();
  EXPECT_EQ(b.held.size(), 14U) << "the others are for arriving messages";
  b.push(0, 1, 10);
  b.push(1, 2, 11, line_bytes);
  b.push(0, 3, 12);
  b.clock.advance_to(100);
  EXPECT_EQ(b.taken, texts{"1 in 10"});
  EXPECT_EQ(b.queue.front(100), nullptr);
  b.at(120, [&] { b.buffers.release(b.held[0], 130); });
  b.clock.advance_to(200);
  EXPECT_EQ(b.taken, (texts{"1 in 10", "2 in 130", "3 in 130"}));
  EXPECT_EQ(b.buffers.valid(b.messages[1].data, 0), 130U);
}

TEST(processor_queue, the_oldest_gets_the_buffer_that_is_freed) {
  bench b;
  b.takes = false;
  b.take_all_buffers();
  b.push(0, 1, 10);
  b.push(0, 2, 10, line_bytes);
  b.push(1, 3, 10, word_bytes);
  b.push(1, 4, 500, word_bytes);
  b.clock.advance_to(50);
  const std::uint32_t before = b.buffers.in_use();
  const std::size_t looked = b.looked.size();
  for (std::size_t i = 0; i < 3; ++i) {
    const cycle_t when = 60 + 10 * i;
    b.at(when, [&b, i, when] { b.buffers.release(b.held[i], when); });
  }
  b.clock.advance_to(100);
  EXPECT_EQ(b.buffers.in_use(), before - 1) << "the message of cycle 500 has not come";
  EXPECT_EQ(b.looked.size(), looked + 2) << "the inbox looks when a message got its buffer";
  EXPECT_EQ(b.queue.buffer_wait().count(), 2U);
  EXPECT_EQ(b.queue.buffer_wait().max(), 60U) << "the second of them: from 10 to 70";
  b.at(110, [&] {
    EXPECT_EQ(b.queue.take(110).address, 1U);
    EXPECT_EQ(b.queue.take(110).address, 2U);
    EXPECT_EQ(b.queue.take(110).address, 3U);
  });
  b.clock.advance_to(110);
  EXPECT_EQ(b.queue.queue_wait().count(), 3U);
  EXPECT_EQ(b.queue.queue_wait().max(), 100U);
  b.queue.reset_statistics();
  EXPECT_EQ(b.queue.buffer_wait().count(), 0U);
  EXPECT_EQ(b.queue.queue_wait().count(), 0U);
}

/// Brings a fresh bench to where another one is.
void restore(bench& fresh, const bench& from) {
  fresh.buffers.restore(from.buffers.save());
  fresh.queue.restore(from.queue.save());
  fresh.clock.restore(from.clock.save());
}

void fill_for_a_checkpoint(bench& b) {
  b.takes = false;
  b.take_all_buffers();
  b.push(0, 1, 10);
  b.push(1, 2, 10, line_bytes);  // waits for a buffer
  b.push(0, 3, 40);              // has not come
  b.clock.advance_to(20);
}

TEST(processor_queue, goes_on_from_a_checkpoint) {
  bench saved;
  fill_for_a_checkpoint(saved);
  bench fresh;
  restore(fresh, saved);
  for (bench* each : {&saved, &fresh}) {
    each->takes = true;
    each->at(30, [each, data = saved.held[0]] { each->buffers.release(data, 30); });
    each->clock.advance_to(100);
    EXPECT_EQ(each->taken, (texts{"1 in 30", "2 in 30", "3 in 40"}));
    EXPECT_EQ(each->client[0].told, (texts{"took 1 in 30", "room in 30", "took 3 in 40"}));
    ASSERT_EQ(each->messages.size(), 3U);
    EXPECT_EQ(each->buffers.word(each->messages[1].data, 15), 215U);
    EXPECT_EQ(each->queue.queue_wait().max(), 20U);
  }
  EXPECT_EQ(fresh.queue.save(), saved.queue.save());
}

TEST(processor_queue, refuses_the_checkpoint_of_another_queue) {
  bench saved;
  fill_for_a_checkpoint(saved);
  const std::string state = saved.queue.save();
  bench shorter(2);
  EXPECT_NE(failure([&] { shorter.queue.restore(state); }).find("depth"), std::string::npos);
  bench lonely(8, 1);
  EXPECT_NE(failure([&] { lonely.queue.restore(state); }).find("has no client"), std::string::npos);
  bench cut;
  EXPECT_THROW(cut.queue.restore(state.substr(0, state.size() - 1)), input_error);
}

}  // namespace
}  // namespace tributary
