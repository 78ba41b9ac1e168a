// SPDX-License-Identifier: Apache-2.0
#include <tributary/trace/round_trip_account.h>

#include <gtest/gtest.h>

#include <tributary/sim/statistics.h>

namespace tributary {
namespace {

namespace events = communication_events;
using type = communication_message;
using purpose = communication_purpose;

struct told {
  type is = type::read;
  purpose of = purpose::get;
  std::uint32_t from = 0;
  std::uint64_t to = events::none;
  std::uint64_t address = 0;
  std::uint64_t bytes = 8;
  bool writes = false;
  bool cold = false;
  request_part part = request_part::asks;
};

trace_event event_of(const event_kind& kind, const told& message) {
  trace_event event;
  event.kind = &kind;
  event.track = track_id{message.from};
  event.identity = trace_identity::message(message.from, 0);
  event.address = message.address;
  event.details = events::message.put(static_cast<std::uint64_t>(message.is)) |
                  events::purpose.put(static_cast<std::uint64_t>(message.of)) |
                  events::to.put(message.to) | events::bytes.put(message.bytes) |
                  events::writes.put(message.writes ? 1 : 0) |
                  events::cold.put(message.cold ? 1 : 0) |
                  events::request.put(static_cast<std::uint64_t>(message.part));
  return event;
}

class round_trips : public testing::Test {
 protected:
  void sent(const told& message) { account.on_event(event_of(events::sent, message)); }
  double of(const char* category) const {
    statistics_tree tree;
    account.report(tree.root());
    return tree.find(category);
  }

  round_trip_account account{round_trip_config{}};
};

TEST_F(round_trips, a_read_costs_one_and_its_answer_none) {
  sent({type::read, purpose::get, 0, 1});
  sent({type::write, purpose::get, 1, 0});
  EXPECT_EQ(of("get_send"), 1);
  EXPECT_EQ(of("all"), 1);
}

TEST_F(round_trips, writes_cost_one_at_the_next_barrier_of_their_node) {
  sent({type::write, purpose::send, 2, 1});
  sent({type::write, purpose::send, 2, 3});
  EXPECT_EQ(of("get_send"), 0) << "no barrier yet";
  sent({type::write, purpose::barrier, 1, 0});
  EXPECT_EQ(of("get_send"), 0) << "another node's barrier";
  sent({type::write, purpose::barrier, 2, 0});
  sent({type::write, purpose::barrier, 2, 0});
  EXPECT_EQ(of("get_send"), 1);
  EXPECT_EQ(of("synchronization"), 1.5) << "three hops";
}

TEST_F(round_trips, a_hop_of_a_broadcast_costs_a_half_however_many_its_messages_are) {
  for (const std::uint64_t address : {0U, 32U, 64U}) {
    sent({type::write, purpose::broadcast, 0, 1, address, 32});
  }
  EXPECT_EQ(of("broadcast_reduce"), 0.5);
  for (const std::uint64_t address : {0U, 32U}) {
    sent({type::write, purpose::broadcast, 0, 2, address, 32});
  }
  EXPECT_EQ(of("broadcast_reduce"), 1) << "to another node";
  for (const std::uint64_t address : {64U, 96U}) {
    sent({type::write, purpose::broadcast, 0, 2, address, 32});
  }
  EXPECT_EQ(of("broadcast_reduce"), 1) << "goes on where it was";
  for (const std::uint64_t address : {128U, 160U}) {
    sent({type::write, purpose::broadcast, 0, 1, address, 32});
  }
  for (const std::uint64_t address : {128U, 160U}) {
    sent({type::write, purpose::broadcast, 0, 2, address, 32});
  }
  EXPECT_EQ(of("broadcast_reduce"), 2) << "the next broadcast, behind the last one";
}

TEST_F(round_trips, the_own_copy_of_a_broadcast_ends_its_hop) {
  sent({type::write, purpose::broadcast, 3, 0, 0, 32});
  account.on_event(event_of(events::arrived, {type::write, purpose::broadcast, 1, 3, 0, 32}));
  sent({type::write, purpose::broadcast, 3, 0, 32, 32});
  EXPECT_EQ(of("broadcast_reduce"), 1);
}

TEST_F(round_trips, caches_that_write_at_once_wait_for_each_write) {
  account = round_trip_account({true, false, 32, false});
  sent({type::fetch_line, purpose::send, 0, events::none, 0, 0, true});
  sent({type::invalidate, purpose::barrier, 0, events::none, 64, 0, true});
  sent({type::invalidated, purpose::barrier, 1, 0, 64, 0, true});
  EXPECT_EQ(of("get_send"), 1);
  EXPECT_EQ(of("synchronization"), 1);
}

TEST_F(round_trips, a_line_that_is_fetched_ahead_costs_nothing) {
  sent({type::fetch_line, purpose::get, 0, events::none, 0});
  told ahead{type::fetch_line, purpose::get, 0, events::none, 32};
  ahead.part = request_part::ahead;
  sent(ahead);
  ahead.is = type::forward;
  sent(ahead);
  EXPECT_EQ(of("get_send"), 1);
}

TEST_F(round_trips, what_a_home_passes_on_costs_a_half_once_a_request) {
  account = round_trip_account({true, false, 32, false});
  told read{type::fetch_line, purpose::get, 0, 1};
  sent(read);
  told forward{type::forward, purpose::get, 1, 2};
  forward.part = request_part::passed_on;
  sent(forward);
  EXPECT_EQ(of("get_send"), 1.5) << "a load, from an owner";
  sent({type::invalidate, purpose::send, 0, 1, 64, 0, true});
  told invalidate{type::invalidate, purpose::send, 1, 2, 64, 0, true};
  invalidate.part = request_part::passed_on;
  sent(invalidate);
  invalidate.to = 3;
  invalidate.part = request_part::further;
  sent(invalidate);
  EXPECT_EQ(of("get_send"), 3) << "a store, while two others have copies";
}

TEST_F(round_trips, a_home_waits_for_its_own_store_only_at_a_barrier) {
  told own{type::invalidate, purpose::send, 1, 2, 64, 0, true};
  own.part = request_part::at_home;
  account = round_trip_account({true, false, 32, false});
  sent(own);
  EXPECT_EQ(of("all"), 0);
  account = round_trip_account({true, true, 32, false});
  sent(own);
  sent({type::write, purpose::barrier, 1, 0});
  EXPECT_EQ(of("get_send"), 1);
}

TEST_F(round_trips, an_update_by_way_of_a_home_is_two_hops) {
  told update{type::update, purpose::barrier, 0, 1, 0, 8, true};
  sent(update);
  update.from = 1;
  update.to = 2;
  update.part = request_part::passed_on;
  sent(update);
  update.to = 3;
  update.part = request_part::further;
  sent(update);
  EXPECT_EQ(of("synchronization"), 1);
}

TEST_F(round_trips, a_reset_in_the_middle_forgets_counts_and_nothing_else) {
  sent({type::read, purpose::get, 0, 1});
  sent({type::write, purpose::send, 2, 3});
  sent({type::write, purpose::broadcast, 4, 5, 0, 32});
  account.reset();
  EXPECT_EQ(of("all"), 0);
  sent({type::write, purpose::get, 1, 0});
  EXPECT_EQ(of("all"), 0) << "the answer to the read";
  sent({type::write, purpose::barrier, 1, 0});
  EXPECT_EQ(of("all"), 0.5) << "the hop alone, and no write of node 1";
  sent({type::write, purpose::broadcast, 4, 5, 32, 32});
  EXPECT_EQ(of("broadcast_reduce"), 0) << "goes on where it was";
  sent({type::write, purpose::barrier, 2, 0});
  EXPECT_EQ(of("get_send"), 1) << "node 2 waits for its write";
}

TEST_F(round_trips, cold_misses_are_left_out) {
  sent({type::fetch_line, purpose::get, 0, events::none, 0, 0, false, true});
  EXPECT_EQ(of("all"), 0);
}

}  // namespace
}  // namespace tributary
