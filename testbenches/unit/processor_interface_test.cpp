// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include <tributary/magic/data_buffers.h>
#include <tributary/magic/node_events.h>
#include <tributary/magic/processor_interface.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

#include <support/block_statistics.h>
#include <support/failure.h>
#include <support/text_checks.h>
#include <support/timed_actions.h>
#include <support/unit_trace.h>

namespace tributary {
namespace {

constexpr node_id here{2};
constexpr std::uint32_t nodes = 4;

access read_of(std::uint64_t address, std::uint64_t tag = 0) { return {address, {}, tag}; }

access write_of(std::uint64_t address, word_t value, std::uint64_t tag = 0) {
  return posted_store(address, value, tag);
}

/// A processor interface with a processor and an inbox that record what they are told.
class bench : private memory_client, private selector {
 public:
  struct told {
    cycle_t cycle;
    std::uint64_t tag;
    word_t value;
    bool operator==(const told& other) const {
      return cycle == other.cycle && tag == other.tag && value == other.value;
    }
  };
  struct taken_message {
    cycle_t cycle;
    message what;
  };

  explicit bench(const processor_interface_config& config = {}, const data_buffers_config& db = {})
      : buffers(db, clock, here),
        queue(config.queue, clock, buffers),
        unit(config, clock, layout, here, nodes, queue) {
    unit.set_client(this);
    queue.tell(*this);
  }

  /// In its cycle, which must come; the agenda cannot be asked from outside for the current one.
  void at(cycle_t when, std::function<void()> what) {
    actions_.at(when, std::move(what), wake_rank::processor);
  }

  agenda clock;
  address_layout layout;
  data_buffers buffers;
  processor_queue queue;
  processor_interface unit;
  bool takes = true;  ///< the inbox takes whatever it sees, at once
  std::vector<told> completions;
  std::vector<cycle_t> rooms;
  std::vector<taken_message> taken;
  std::function<void(cycle_t)> on_room;

 private:
  void completed(const completion& ended, cycle_t now) override {
    EXPECT_EQ(ended.pe, pe_id{0});
    completions.push_back({now, ended.tag, ended.value});
  }
  void room(std::size_t, cycle_t now) override {
    rooms.push_back(now);
    if (on_room) on_room(now);
  }
  void look(cycle_t now) override {
    while (takes && queue.front(now) != nullptr) taken.push_back({now, queue.take(now)});
  }

  testing::timed_actions actions_{clock};
};

using testing::failure;
using testing::statistic;

using completions = std::vector<bench::told>;

TEST(processor_interface, read_comes_to_the_inbox_and_its_answer_back) {
  bench b;
  const std::uint64_t address = b.layout.address_of(node_id{3}, 2, 0x380);
  b.at(100, [&] { b.unit.offer(0, read_of(address, 77), 100); });
  b.clock.advance_to(101);
  EXPECT_TRUE(b.taken.empty());
  b.clock.advance_to(102);
  ASSERT_EQ(b.taken.size(), 1U) << "a cycle each for bus and interface";
  const message& what = b.taken[0].what;
  EXPECT_EQ(what.type, static_cast<std::uint8_t>(common_type::uncached_read));
  EXPECT_EQ(what.origin, message_origin::processor);
  EXPECT_EQ(what.address, address);
  EXPECT_EQ(what.source, here);
  EXPECT_EQ(what.destination, here);
  EXPECT_EQ(what.length, 0);
  EXPECT_EQ(what.data, no_payload);
  EXPECT_EQ(what.tag, 0);
  b.at(150, [&] { b.unit.answer(0, 4711, 151); });
  b.clock.advance_to(154);
  EXPECT_TRUE(b.completions.empty());
  EXPECT_FALSE(b.unit.idle());
  b.clock.advance_to(1000);
  EXPECT_EQ(b.completions, (completions{{155, 77, 4711}}));
  EXPECT_TRUE(b.unit.idle());
}

TEST(processor_interface, takes_no_more_than_its_queue_holds) {
  processor_interface_config config;
  config.queue = 2;
  bench b(config);
  b.takes = false;
  b.at(100, [&] {
    b.unit.offer(0, read_of(0x40, 1), 100);
    EXPECT_TRUE(b.unit.can_take());
    b.unit.offer(0, read_of(0x48, 2), 100);
    EXPECT_FALSE(b.unit.can_take()) << "of four that may be outstanding";
  });
  b.clock.advance_to(150);
  b.at(151, [&] { b.queue.take(151); });
  b.clock.advance_to(152);
  EXPECT_TRUE(b.unit.can_take());
  EXPECT_EQ(b.rooms.size(), 1U);
}

TEST(processor_interface, write_is_posted_and_carries_its_doubleword) {
  bench b;
  b.at(100, [&] { b.unit.offer(0, write_of(0x40, 99), 100); });
  b.clock.advance_to(1000);
  EXPECT_EQ(b.completions, (completions{{101, 0, 0}})) << "complete when the interface has it";
  ASSERT_EQ(b.taken.size(), 1U);
  EXPECT_EQ(b.taken[0].cycle, 102U);
  const message& what = b.taken[0].what;
  EXPECT_EQ(what.type, static_cast<std::uint8_t>(common_type::uncached_write));
  EXPECT_EQ(what.length, word_bytes);
  ASSERT_NE(what.data, no_payload);
  EXPECT_EQ(b.buffers.word(what.data, 0), 99U);
  EXPECT_EQ(b.buffers.valid(what.data, 0), 102U);
  EXPECT_FALSE(b.buffers.filled(what.data, 1));
  EXPECT_EQ(b.buffers.holders(what.data), 1U);
  EXPECT_TRUE(b.unit.idle()) << "outstanding until the inbox took it";
}

TEST(processor_interface, four_are_outstanding) {
  bench b;
  b.takes = false;
  b.at(10, [&] {
    for (unsigned i = 0; i < 4; ++i) {
      ASSERT_TRUE(b.unit.can_take());
      b.unit.offer(0, i % 2 == 0 ? read_of(8 * i) : write_of(8 * i, i), 10);
    }
    EXPECT_FALSE(b.unit.can_take());
    EXPECT_THROW(b.unit.offer(0, read_of(0), 10), simulation_error);
  });
  b.clock.advance_to(50);
  EXPECT_TRUE(b.rooms.empty());
  // The read at the front goes, and stays outstanding; the write behind it gives its tag back.
  b.at(60, [&] { EXPECT_EQ(b.queue.take(60).tag, 0); });
  b.at(61, [&] { EXPECT_EQ(b.queue.take(61).tag, 1); });
  b.at(62, [&] { b.unit.offer(0, read_of(64), 62); });
  b.clock.advance_to(70);
  EXPECT_EQ(b.rooms, std::vector<cycle_t>{61});
  b.at(80, [&] { b.unit.answer(0, 5, 80); });
  b.clock.advance_to(90);
  EXPECT_EQ(b.rooms, (std::vector<cycle_t>{61, 84}));
  EXPECT_EQ(b.unit.outstanding() + b.unit.waiting(), 3U);
  b.at(91, [&] { EXPECT_EQ(b.queue.take(91).tag, 2); });
  b.at(92, [&] { EXPECT_EQ(b.queue.take(92).tag, 3); });
  b.at(93, [&] { EXPECT_EQ(b.queue.take(93).tag, 1) << "the tag that was free"; });
  b.clock.advance_to(100);
}

TEST(processor_interface, asks_again_as_soon_as_there_is_room) {
  bench b;
  unsigned left = 20;
  b.on_room = [&](cycle_t now) {
    while (left != 0 && b.unit.can_take()) {
      b.unit.offer(0, write_of(8 * left, left), now);
      --left;
    }
  };
  b.at(1, [&] { b.on_room(1); });
  b.clock.advance_to(1000);
  EXPECT_EQ(b.taken.size(), 14U) << "all buffers but those for arriving messages are full";
  const auto first = b.taken;  // each buffer that is freed lets another access be taken
  for (const auto& each : first) b.buffers.release(each.what.data, b.clock.now());
  b.clock.advance_to(2000);
  ASSERT_EQ(b.taken.size(), 20U);
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(b.taken[i].what.address, 8 * (20 - i)) << "in the order of the program";
  }
}

TEST(processor_interface, write_waits_for_a_buffer_and_a_read_behind_it_too) {
  bench b;
  std::deque<payload_handle> held;
  while (b.buffers.available(buffer_claim::processor)) {
    held.push_back(*b.buffers.allocate(buffer_claim::processor, 0));
  }
  b.at(10, [&] { b.unit.offer(0, write_of(8, 1), 10); });
  b.at(11, [&] { b.unit.offer(0, read_of(8), 11); });
  b.clock.advance_to(100);
  EXPECT_TRUE(b.taken.empty());
  b.at(120, [&] { b.buffers.release(held.front(), 130); });
  b.clock.advance_to(200);
  ASSERT_EQ(b.taken.size(), 2U);
  EXPECT_EQ(b.taken[0].cycle, 130U);
  EXPECT_EQ(b.taken[0].what.type, static_cast<std::uint8_t>(common_type::uncached_write));
  EXPECT_EQ(b.buffers.valid(b.taken[0].what.data, 0), 130U);
  EXPECT_EQ(b.taken[1].cycle, 130U);
  EXPECT_EQ(statistic(b.unit, "buffer_wait.max"), 118);
}

/// Loads may be tried again or read ahead, so the later one waits until the earlier is answered.
TEST(processor_interface, an_operation_and_a_load_of_its_word_keep_their_order) {
  access add = read_of(0x40);
  add.function = function_of(operation::fetch_add, 1);
  struct {
    const char* name;
    access first;
    access second;
  } const pairs[] = {{"a load behind an operation", add, read_of(0x40)},
                     {"an operation behind a load", read_of(0x40), add}};
  for (const auto& each : pairs) {
    bench b;
    b.unit.perform_operations();
    b.at(10, [&] { b.unit.offer(0, each.first, 10); });
    b.at(11, [&] { b.unit.offer(0, each.second, 11); });
    b.at(50, [&] { b.unit.answer(0, 1, 50); });
    b.clock.advance_to(100);
    ASSERT_EQ(b.taken.size(), 2U) << each.name;
    EXPECT_EQ(b.taken[0].cycle, 12U) << each.name;
    EXPECT_EQ(b.taken[1].cycle, 50U) << each.name << ": it comes in cycle 13";
  }
}

TEST(processor_interface, a_load_of_another_word_does_not_wait_for_an_operation) {
  access add = read_of(0x40);
  add.function = function_of(operation::fetch_add, 1);
  bench b;
  b.unit.perform_operations();
  b.at(10, [&] { b.unit.offer(0, add, 10); });
  b.at(11, [&] { b.unit.offer(0, read_of(0x48), 11); });
  b.clock.advance_to(100);
  ASSERT_EQ(b.taken.size(), 2U);
  EXPECT_EQ(b.taken[1].cycle, 13U);
}

TEST(processor_interface, windows_say_where_an_access_goes_and_whose_it_is) {
  address_layout layout;
  processor_interface_config config;
  address_window user;
  user.base = 0x1000;
  user.size = 0x1000;
  user.target = layout.address_of(node_id{1}, 0, 0x8000);
  user.process = 7;
  address_window command;
  command.base = 0x2000;
  command.size = 0x800;
  command.target = layout.address_of(node_id{0}, 2, 0x100);
  command.own_node = true;
  command.flavor = 3;
  config.windows = {user, command};
  bench b(config);
  const message in_user = b.unit.translate(read_of(0x1ff8));
  EXPECT_EQ(in_user.address, layout.address_of(node_id{1}, 0, 0x8ff8));
  EXPECT_EQ(in_user.process, 7);
  EXPECT_EQ(in_user.flavor, 0);
  const message in_command = b.unit.translate(write_of(0x2008, 1));
  EXPECT_EQ(in_command.address, layout.address_of(here, 2, 0x108)) << "of the processor's node";
  EXPECT_EQ(in_command.flavor, 3);
  EXPECT_THROW(b.unit.translate(read_of(0xff8)), simulation_error);
  EXPECT_THROW(b.unit.translate(read_of(0x2800)), simulation_error);
}

TEST(processor_interface, refuses_what_it_cannot_serve) {
  bench b;
  EXPECT_TRUE(testing::names(failure([&] { b.unit.offer(0, write_of(0x3c, 0), 0); }),
                             {"node 2 in cycle 0", "0x3c", "8"}));
  access add = read_of(0x38);
  add.function = function_of(operation::fetch_add, 1);
  EXPECT_NE(failure([&] { b.unit.offer(0, add, 0); }).find("no handler"), std::string::npos);
  EXPECT_TRUE(testing::names(
      failure([&] { b.unit.offer(0, read_of(b.layout.address_of(node_id{4}, 0, 0)), 0); }),
      {"node 2 in cycle 0", "0x400000000", " 4"}));
  EXPECT_NE(failure([&] { b.unit.offer(0, read_of(~std::uint64_t{7}), 0); }), "");
  EXPECT_TRUE(b.unit.idle()) << "nothing is half taken";
  EXPECT_NE(failure([&] { b.queue.take(0); }), "");
}

TEST(processor_interface, refuses_answers_that_nobody_waits_for) {
  bench b;
  b.takes = false;
  EXPECT_TRUE(
      testing::names(failure([&] { b.unit.answer(0, 1, 0); }), {"node 2 in cycle 0", "tag 0"}));
  EXPECT_NE(failure([&] { b.unit.answer(200, 1, 0); }), "");
  b.at(1, [&] {
    b.unit.offer(0, read_of(0), 1);
    b.unit.offer(0, write_of(0, 1), 1);
    EXPECT_NE(failure([&] { b.unit.answer(0, 1, 1); }), "") << "no handler took it";
  });
  b.at(20, [&] {
    b.queue.take(20);
    b.queue.take(20);
    EXPECT_NE(failure([&] { b.unit.answer(1, 1, 20); }), "") << "a write";
    b.unit.answer(0, 1, 20);
    EXPECT_NE(failure([&] { b.unit.answer(0, 1, 20); }), "") << "twice";
  });
  b.clock.advance_to(100);
  EXPECT_TRUE(b.unit.idle());
}

std::string refusal(const processor_interface_config& config) {
  return failure([&] { config.validate(address_layout(), nodes); });
}

TEST(processor_interface, checks_its_configuration) {
  const address_layout layout;
  processor_interface_config config;
  EXPECT_EQ(refusal(config), "");
  config.outstanding = 9;
  EXPECT_NE(refusal(config).find("outstanding"), std::string::npos);
  config.outstanding = 4;
  address_window window;
  window.base = 0x1000;
  config.windows = {window};
  EXPECT_TRUE(testing::names(refusal(config), {"windows.0", "0x1000", "empty"}));
  config.windows[0].size = 0x1000;
  EXPECT_EQ(refusal(config), "");
  config.windows.push_back(config.windows[0]);
  config.windows[1].base = 0x1ff8;
  EXPECT_NE(refusal(config).find("overlaps windows.0"), std::string::npos);
  config.windows[1].base = 0x2000;
  EXPECT_EQ(refusal(config), "");
  config.windows[1].target = layout.address_of(node_id{4}, 0, 0);
  EXPECT_TRUE(testing::names(refusal(config), {"node 4"}));
  config.windows[1].own_node = true;
  EXPECT_EQ(refusal(config), "");
  config.windows[1].target = layout.address_of(node_id{0}, 1, 0) - 8;
  EXPECT_NE(refusal(config).find("address space"), std::string::npos);
  config.windows[1].size = 8;
  EXPECT_EQ(refusal(config), "");
  config.windows[1].base = ~std::uint64_t{7};
  EXPECT_EQ(refusal(config), "") << "up to the last address";
  config.windows[1].target = 0;
  config.windows[1].size = 16;
  EXPECT_NE(refusal(config).find("beyond 64 bits"), std::string::npos);
}

TEST(processor_interface, windows_are_read_from_json) {
  processor_interface_config config;
  parameter_set set = parameter_set::of(config);
  set.read_json_text(
      R"({"outstanding": 2, "windows": [{"base": 8, "size": 16, "flavor": 2, "own_node": true}]})",
      "test.json");
  ASSERT_EQ(config.windows.size(), 1U);
  EXPECT_EQ(config.windows[0].size, 16U);
  EXPECT_EQ(config.windows[0].flavor, 2U);
  EXPECT_TRUE(config.windows[0].own_node);
  EXPECT_EQ(config.outstanding, 2U);
}

TEST(processor_interface, tells_observers_and_counts) {
  bench b;
  testing::unit_trace trace(b.unit);
  b.at(100, [&] { b.unit.offer(0, write_of(0x40, 99), 100); });
  b.at(110, [&] { b.unit.offer(0, read_of(0x48), 110); });
  b.at(150, [&] { b.unit.answer(0, 4711, 151); });
  b.clock.advance_to(1000);
  const std::vector<trace_event>& events = trace.events();
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[0].kind, &node_events::processor_request);
  EXPECT_EQ(events[0].cycle, 100U);
  EXPECT_EQ(events[0].value, 99U);
  EXPECT_EQ(events[1].kind, &node_events::processor_request);
  EXPECT_EQ(trace.track(events[1]), "processor");
  EXPECT_EQ(events[1].address, 0x48U);
  EXPECT_EQ(events[2].kind, &node_events::processor_answer);
  EXPECT_EQ(events[2].cycle, 150U);
  EXPECT_EQ(events[2].last, 155U);
  EXPECT_EQ(events[2].value, 4711U);
  EXPECT_EQ(events[2].identity, trace_identity::reference(index(here), 1));
  EXPECT_EQ(node_events::tag.in(events[2].details), 0U);
  EXPECT_EQ(statistic(b.unit, "reads"), 1);
  EXPECT_EQ(statistic(b.unit, "writes"), 1);
  EXPECT_EQ(statistic(b.unit, "read_latency.mean"), 45);
  EXPECT_EQ(statistic(b.unit, "full"), 0);
  b.unit.reset_statistics();
  EXPECT_EQ(statistic(b.unit, "reads"), 0);
  EXPECT_EQ(statistic(b.unit, "read_latency.count"), 0);
}

}  // namespace
}  // namespace tributary
