// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tributary/memory/shared_port.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/error.h>

#include <support/accesses.h>
#include <support/block_statistics.h>
#include <support/failure.h>
#include <support/text_checks.h>
#include <support/told_port.h>

namespace tributary {
namespace {

using testing::failure;
using testing::load_of;
using testing::told_port;

using told = std::vector<std::string>;

/// What each process was told: "completed 3 of 7 at 10".
class told_processes final : public memory_client {
 public:
  void completed(const completion& ended, cycle_t now) override {
    told.push_back("completed " + std::to_string(ended.tag) + " of " +
                   std::to_string(index(ended.pe)) + at(now));
  }
  void room(std::size_t element, cycle_t now) override {
    told.push_back("room of " + std::to_string(element) + at(now));
  }
  void settled(std::size_t element, cycle_t now) override {
    told.push_back("settled of " + std::to_string(element) + at(now));
  }
  std::vector<std::string> told;

 private:
  static std::string at(cycle_t now) { return " at " + std::to_string(now); }
};

/// The three processes of node 2: elements 6 to 8.
struct three_processes {
  three_processes() { unit.set_client(&client); }
  /// Tags of what has come to the port below, in order.
  std::vector<std::uint64_t> taken() const {
    std::vector<std::uint64_t> tags;
    for (const auto& each : below.taken) tags.push_back(each.second.tag);
    return tags;
  }

  told_port below;
  told_processes client;
  agenda time;
  shared_port unit{3, time, below};
};

using tags = std::vector<std::uint64_t>;

TEST(shared_port, each_is_told_of_its_own_accesses) {
  three_processes b;
  b.unit.offer(7, load_of(0x40, 1), 5);
  b.unit.offer(6, load_of(0x48, 1), 5);
  EXPECT_EQ(b.taken(), (tags{1, 1})) << "there is room for both";
  b.below.answer(9);
  b.below.answer(10);
  EXPECT_EQ(b.client.told, (told{"completed 1 of 7 at 9", "completed 1 of 6 at 10"}));
  EXPECT_TRUE(b.unit.idle());
}

TEST(shared_port, who_finds_no_room_waits_for_its_turn) {
  three_processes b;
  b.below.room = false;
  b.unit.offer(8, load_of(0x40, 8), 5);
  b.unit.offer(6, load_of(0x48, 6), 6);
  b.unit.offer(7, load_of(0x50, 7), 7);
  EXPECT_FALSE(b.unit.can_take(7));
  EXPECT_FALSE(b.unit.idle());
  EXPECT_EQ(b.unit.waiting(7), 1U);
  b.below.room_for = 1;
  for (cycle_t now = 10; now < 13; ++now) b.below.tell_room(now);
  EXPECT_EQ(b.taken(), (tags{6, 7, 8})) << "round robin, from process 0 on";
  EXPECT_EQ(b.client.told, (told{"room of 6 at 10", "room of 7 at 11", "room of 8 at 12"}));
  EXPECT_TRUE(b.unit.idle());
  EXPECT_EQ(testing::statistic(b.unit, "held.mean"), (4 + 4 + 7) / 3.0);
}

/// One process that asks again at once does not keep the others away.
TEST(shared_port, nobody_comes_twice_before_another_that_waits) {
  three_processes b;
  b.below.room = false;
  for (const std::size_t element : {6U, 7U, 8U}) b.unit.offer(element, load_of(0x40, element), 1);
  b.below.room_for = 1;
  for (cycle_t now = 2; now < 8; ++now) {
    b.below.tell_room(now);
    const std::uint64_t last = b.taken().back();
    b.unit.offer(static_cast<std::size_t>(last), load_of(0x40, last), now);
  }
  EXPECT_EQ(b.taken(), (tags{6, 7, 8, 6, 7, 8}));
}

/// A newcomer waits for its turn, too, though there is room by now.
TEST(shared_port, a_newcomer_waits_for_its_turn) {
  three_processes b;
  b.below.room = false;
  b.unit.offer(7, load_of(0x40, 7), 1);
  b.unit.offer(8, load_of(0x48, 8), 2);
  b.below.room_for = 1;
  b.below.tell_room(3);
  EXPECT_EQ(b.taken(), (tags{7}));
  b.unit.offer(7, load_of(0x50, 7), 4);
  b.below.tell_room(5);
  EXPECT_EQ(b.taken(), (tags{7, 8}));
}

access linked_load(std::uint64_t address, std::uint64_t tag) {
  access request = load_of(address, tag);
  request.kind = access_kind::load_linked;
  return request;
}

/// A pair is not torn: nobody else has anything under way in between.
TEST(shared_port, a_load_linked_has_the_port_for_itself_until_its_process_asks_again) {
  three_processes b;
  b.unit.offer(7, load_of(0x40, 1), 5);
  b.unit.offer(6, linked_load(0x80, 2), 6);
  EXPECT_EQ(b.taken(), (tags{1})) << "it waits for those of others";
  b.below.answer(10);
  EXPECT_EQ(b.taken(), (tags{1, 2}));
  b.unit.offer(8, load_of(0x48, 3), 11);
  b.below.answer(12);
  b.unit.offer(7, load_of(0x50, 4), 13);
  EXPECT_EQ(b.taken(), (tags{1, 2}));
  b.unit.offer(6, load_of(0x80, 5), 20);
  EXPECT_EQ(b.taken(), (tags{1, 2, 5, 4, 3})) << "round robin behind process 0";
  EXPECT_EQ(b.client.told, (told{"completed 1 of 7 at 10", "room of 6 at 10",
                                 "completed 2 of 6 at 12", "room of 7 at 20", "room of 8 at 20"}));
}

/// Who asks for nothing after a load-linked does not keep the others away for ever.
TEST(shared_port, a_load_linked_has_the_port_for_itself_for_a_while_only) {
  three_processes b;
  b.unit.offer(6, linked_load(0x80, 1), 1);
  b.below.answer(3);
  b.unit.offer(7, load_of(0x40, 2), 4);
  b.time.advance_to(2 + shared_port::most_linked_cycles);
  EXPECT_EQ(b.taken(), (tags{1}));
  b.time.advance_to(3 + shared_port::most_linked_cycles);
  EXPECT_EQ(b.taken(), (tags{1, 2}));
  EXPECT_EQ(b.client.told.back(), "room of 7 at 1003");
}

/// Who polls by load-linked lets those go who would change what it looks at.
TEST(shared_port, another_load_linked_waits_for_those_who_wait) {
  three_processes b;
  b.unit.offer(6, linked_load(0x80, 6), 1);
  b.unit.offer(7, load_of(0x40, 7), 2);
  b.below.answer(3);
  b.unit.offer(6, linked_load(0x80, 6), 4);
  EXPECT_EQ(b.taken(), (tags{6, 7}));
  b.below.answer(5);
  EXPECT_EQ(b.taken(), (tags{6, 7, 6}));
}

/// A load-linked that has its turn is not passed again and again.
TEST(shared_port, a_load_linked_gets_its_turn) {
  three_processes b;
  b.unit.offer(6, load_of(0x40, 6), 1);
  b.unit.offer(8, linked_load(0x80, 8), 2);
  b.unit.offer(7, load_of(0x40, 7), 3);
  b.below.answer(4);
  b.unit.offer(6, load_of(0x40, 6), 5);
  b.below.answer(6);
  EXPECT_EQ(b.taken(), (tags{6, 7, 8})) << "one of each other that came before it in the round";
}

TEST(shared_port, a_fence_of_each_ends_when_all_stores_are_complete) {
  three_processes b;
  b.below.incomplete = 2;
  EXPECT_EQ(b.unit.incomplete_stores(7), 2U);
  b.below.settle(9, 7);
  EXPECT_EQ(b.client.told, (told{"settled of 6 at 9", "settled of 7 at 9", "settled of 8 at 9"}));
}

TEST(shared_port, refuses_what_its_port_refuses_and_a_second_access_that_waits) {
  three_processes b;
  b.below.room = false;
  EXPECT_NE(failure([&] { b.unit.offer(6, load_of(3), 1); }), "") << "its port refuses it";
  b.unit.offer(7, load_of(0x40), 1);
  const std::string problem = failure([&] { b.unit.offer(7, load_of(0x48), 2); });
  EXPECT_TRUE(testing::names(problem, {"process 1", "0x48", "cycle 2"})) << problem;
}

TEST(shared_port, goes_on_from_a_saved_state) {
  three_processes first;
  first.below.room = false;
  first.unit.offer(8, load_of(0x40, 8), 5);
  first.unit.offer(7, linked_load(0x48, 7), 6);
  three_processes second;
  second.unit.restore(first.unit.save());
  EXPECT_EQ(second.unit.save(), first.unit.save());
  for (three_processes* const each : {&first, &second}) {
    each->below.tell_room(9);
    EXPECT_EQ(each->taken(), (tags{7}));
    EXPECT_EQ(each->client.told, (told{"room of 7 at 9"}));
  }
  EXPECT_EQ(second.unit.save(), first.unit.save());
  told_port below;
  agenda time;
  shared_port other(2, time, below);
  EXPECT_NE(failure<input_error>([&] { other.restore(first.unit.save()); }), "");
}

}  // namespace
}  // namespace tributary
