// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include <tributary/controller/handler_context.h>
#include <tributary/magic/software_queue.h>
#include <tributary/sim/error.h>
#include <tributary/sim/random_stream.h>

#include <support/block_statistics.h>
#include <support/failure.h>
#include <support/plain_memory.h>

#include <support/text_checks.h>
#include <support/usual_line.h>

namespace tributary {
namespace {

using testing::failure;
using testing::plain_memory;

class counting_selector final : public selector {
 public:
  void look(cycle_t /*now*/) override { ++looks; }
  int looks = 0;
};

constexpr std::uint64_t memory_bytes = 8192;
constexpr std::uint64_t anchor = 128;
constexpr node_id here{5};

struct software_queue_test : ::testing::Test {
  plain_memory memory{memory_bytes};
  counting_selector who;
  software_queue queue{memory, memory_bytes, anchor, here};

  software_queue_test() { queue.tell(who); }

  static message with(std::uint16_t aux) {
    message made;
    made.type = 33;
    made.aux = aux;
    made.source = node_id{2};
    made.destination = here;
    made.address = 0x500000000 + aux * std::uint64_t{8};
    made.tag = 3;
    made.flavor = 2;
    made.length = line_bytes;
    made.data = payload_handle{4};
    return made;
  }

  /// The records from the first, by the bytes in memory; checks both directions.
  std::vector<std::uint64_t> listed() const {
    std::vector<std::uint64_t> records;
    const std::uint64_t first = memory.read(anchor);
    for (std::uint64_t at = first; at != 0 && records.size() < 1000;) {
      records.push_back(at);
      const std::uint64_t next = memory.read(at);
      EXPECT_EQ(memory.read(next + 8), at) << "previous of " << next;
      at = next == first ? 0 : next;
    }
    return records;
  }

  double statistic(const std::string& path) const { return testing::statistic(queue, path); }
};

using records = std::vector<std::uint64_t>;

TEST_F(software_queue_test, entry_is_bytes_in_memory) {
  memory.write(anchor, 99);
  const software_queue other(memory, memory_bytes, anchor, here);
  EXPECT_EQ(memory.read(anchor), 0U) << "empty";

  queue.schedule(256, handler_id{17}, with(9), 10);
  EXPECT_EQ(memory.read(anchor), 256U);
  EXPECT_EQ(memory.read(256 + 0), 256U) << "next of one alone";
  EXPECT_EQ(memory.read(256 + 8), 256U) << "previous of one alone";
  message kept = with(9);
  kept.origin = message_origin::deferred;
  EXPECT_EQ(memory.read(256 + 16), header_words_of(kept).first);
  EXPECT_EQ(memory.read(256 + 24), header_words_of(kept).second);
  EXPECT_EQ(memory.read(256 + 32), 17U);
  for (std::uint64_t at = 256 + deferred_record_bytes; at < 512; at += 8) {
    EXPECT_EQ(memory.read(at), 0U) << "the rest of the record is the protocol's";
  }
}

TEST_F(software_queue_test, entry_shows_with_its_handler_and_without_payload) {
  EXPECT_EQ(queue.front(1), nullptr);
  queue.schedule(256, handler_id{17}, with(9), 10);
  EXPECT_EQ(who.looks, 1);
  ASSERT_NE(queue.front(10), nullptr);
  message expected = with(9);
  expected.origin = message_origin::deferred;
  expected.data = no_payload;
  EXPECT_EQ(*queue.front(10), expected);
  EXPECT_EQ(queue.front_handler(), handler_id{17});
  EXPECT_EQ(queue.take(14), expected);
  EXPECT_EQ(queue.front(14), nullptr) << "until the handler reloads the registers";
  EXPECT_TRUE(queue.handed_out());
}

TEST_F(software_queue_test, tells_when_an_entry_shows_that_did_not_before) {
  queue.schedule(256, handler_id{1}, with(1), 10);
  queue.schedule(512, handler_id{2}, with(2), 11);
  EXPECT_EQ(who.looks, 1) << "the second does not show";
  queue.take(12);
  queue.schedule(768, handler_id{3}, with(3), 13);
  EXPECT_EQ(queue.front(13), nullptr);
  EXPECT_EQ(who.looks, 1);
  queue.reschedule(with(101), 20);
  EXPECT_FALSE(queue.handed_out());
  EXPECT_EQ(who.looks, 2);
}

TEST_F(software_queue_test, the_next_may_be_taken_while_a_handler_still_runs) {
  queue.schedule(256, handler_id{1}, with(1), 1);
  queue.schedule(512, handler_id{2}, with(2), 1);
  EXPECT_EQ(queue.take(2).aux, 1);
  queue.reschedule(with(1), 3);
  EXPECT_EQ(queue.take(3).aux, 2);
  queue.unschedule(9);
  EXPECT_EQ(listed(), (records{256}));
}

TEST_F(software_queue_test, refuses_records_it_cannot_use) {
  EXPECT_TRUE(testing::names(failure([&] { queue.schedule(260, handler_id{7}, with(1), 42); }),
                             {"node 5", "cycle 42", "handler 7", "record 260", "8"}));
  const auto problem = [&](std::uint64_t record) {
    const std::string text = failure([&] { queue.schedule(record, handler_id{7}, with(1), 42); });
    const std::string start = "record " + std::to_string(record);
    const std::size_t at = text.find(start);
    return at == std::string::npos ? text : text.substr(at + start.size());
  };
  const std::string outside = ", which is not within memory of 8192 bytes";
  EXPECT_EQ(problem(8192 - 32), outside);
  EXPECT_EQ(problem(8192), outside);
  EXPECT_EQ(problem(~std::uint64_t{7}), outside);
  EXPECT_EQ(problem(8192 - 40), "");
  EXPECT_TRUE(testing::names(problem(8192 - 40), {"already"}));
  EXPECT_TRUE(testing::names(problem(8192 - 72), {"overlaps", "record"}));
  EXPECT_TRUE(testing::names(problem(0), {"0"}));
  EXPECT_TRUE(testing::names(problem(96), {"overlaps", "anchor"}));
  EXPECT_TRUE(testing::names(problem(128), {"overlaps", "anchor"}));
  EXPECT_EQ(problem(88), "") << "up to the anchor";
  EXPECT_TRUE(testing::names(problem(120), {"overlaps", "anchor"}));
  EXPECT_EQ(problem(136), "") << "right behind it";
  EXPECT_TRUE(testing::names(problem(168), {"overlaps", "record"}));
  EXPECT_NE(failure([&] { queue.schedule(1024, no_handler, with(1), 42); }), "");
  EXPECT_EQ(queue.size(), 3U) << "what was refused left nothing behind";
  EXPECT_EQ(listed(), (records{8152, 88, 136}));
}

TEST_F(software_queue_test, refuses_to_reload_without_a_handler) {
  const std::string rule = ", but none that came from the queue is without its next entry";
  const std::string where = "software queue of node 5, cycle 8: a handler was ";
  EXPECT_EQ(failure([&] { queue.unschedule(8); }), where + "unscheduled" + rule);
  EXPECT_EQ(failure([&] { queue.reschedule(with(1), 8); }), where + "rescheduled" + rule);
  queue.schedule(256, handler_id{1}, with(1), 8);
  EXPECT_EQ(failure([&] { queue.unschedule(8); }), where + "unscheduled" + rule);
  queue.take(8);
  queue.unschedule(8);
  EXPECT_EQ(failure([&] { queue.unschedule(8); }), where + "unscheduled" + rule);
  EXPECT_THROW(queue.take(9), error);
}

TEST_F(software_queue_test, notices_records_that_were_overwritten) {
  queue.schedule(256, handler_id{1}, with(1), 1);
  queue.schedule(512, handler_id{2}, with(2), 1);
  queue.take(2);
  memory.write(256, 1000);
  EXPECT_TRUE(testing::names(failure([&] { queue.unschedule(3); }),
                             {"node 5", "cycle 3", "256", "queued", "1000"}));
  memory.write(256, 512);
  memory.write(512 + 32, 0x10000);
  EXPECT_NE(failure([&] { queue.unschedule(3); }).find("record at 512 was overwritten"),
            std::string::npos);
}

TEST_F(software_queue_test, counts) {
  queue.schedule(256, handler_id{1}, with(1), 10);
  queue.schedule(512, handler_id{2}, with(2), 10);
  queue.take(13);
  queue.reschedule(with(1), 20);
  queue.take(25);
  queue.unschedule(30);
  queue.take(30);
  EXPECT_EQ(statistic("scheduled"), 2);
  EXPECT_EQ(statistic("rescheduled"), 1);
  EXPECT_EQ(statistic("unscheduled"), 1);
  EXPECT_EQ(statistic("wait.count"), 3);
  EXPECT_EQ(statistic("wait.sum"), 3 + 15 + 10);
  EXPECT_EQ(statistic("queued"), 1);
  EXPECT_EQ(statistic("peak"), 2);
  queue.reset_statistics();
  EXPECT_EQ(statistic("scheduled"), 0);
  EXPECT_EQ(statistic("wait.count"), 0);
  EXPECT_EQ(statistic("queued"), 1);
  EXPECT_EQ(statistic("peak"), 1);
}

TEST_F(software_queue_test, agrees_with_a_plain_queue_on_random_use) {
  struct entry {
    std::uint64_t record;
    unsigned run;
    std::uint16_t aux;
  };
  random_stream random(11, 0U, 0U);
  std::deque<entry> model;
  records free;
  for (std::uint64_t at = 256; at + 64 <= memory_bytes; at += 64) free.push_back(at);
  bool running = false;
  std::size_t longest = 0;
  std::uint16_t next_aux = 0;
  for (cycle_t now = 1; now < 20000; ++now) {
    // Half of the time the queue tends to grow, half to shrink.
    const bool growing = now / 500 % 2 == 0;
    const std::uint64_t choice = random.below(8);
    if (choice < (growing ? 4U : 1U)) {
      if (free.empty()) continue;
      const std::size_t which = random.below(free.size());
      const entry added{free[which], static_cast<unsigned>(random.below(100)), next_aux++};
      free.erase(free.begin() + static_cast<std::ptrdiff_t>(which));
      queue.schedule(added.record, static_cast<handler_id>(added.run), with(added.aux), now);
      model.push_back(added);
    } else if (!running) {
      ASSERT_EQ(queue.front(now) == nullptr, model.empty());
      if (model.empty()) continue;
      ASSERT_EQ(queue.front_handler(), static_cast<handler_id>(model.front().run));
      const message taken = queue.take(now);
      ASSERT_EQ(taken.aux, model.front().aux);
      ASSERT_EQ(taken.address, with(model.front().aux).address);
      running = true;
    } else if (choice < 6) {
      queue.unschedule(now);
      free.push_back(model.front().record);
      model.pop_front();
      running = false;
    } else {
      entry moved = model.front();
      moved.aux = next_aux++;
      queue.reschedule(with(moved.aux), now);
      model.pop_front();
      model.push_back(moved);
      running = false;
    }
    records expected;
    for (const entry& each : model) {
      expected.push_back(each.record);
      ASSERT_EQ(message_of({memory.read(each.record + 16), 0}).aux, each.aux);
      ASSERT_EQ(memory.read(each.record + 32), each.run);
    }
    ASSERT_EQ(listed(), expected) << "cycle " << now;
    ASSERT_EQ(queue.size(), expected.size());
    longest = std::max(longest, model.size());
  }
  EXPECT_GT(longest, 50U);
}

}  // namespace
}  // namespace tributary
