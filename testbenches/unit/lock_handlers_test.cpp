// SPDX-License-Identifier: Apache-2.0
// Handlers of locks, each by itself.
#include <gtest/gtest.h>

#include <cstdint>

#include <tributary/protocols/locks/lock_handlers.h>

#include <support/synchronizing_node.h>

namespace tributary {
namespace {

using testing::synchronizing_luck;
using testing::synchronizing_node;
using testing::synchronizing_plan;
using testing::synchronizing_state;

/// Node 0 of two, with two locks in one line of states. The caches may have the state of lock 1.
struct two_locks {
  two_locks() {
    locks::lock_memory& places = settings.places;
    places.base = 0x1000;
    places.count = 2;
    places.nodes = 2;
    settings.timeout = 1;
    plan.layout.space_bits = lock_command::space_bits;
    plan.space = lock_command::space;
    plan.words = {places.state(0), places.state(1), places.checking(0)};
    // What the grant names, and the line that interventions are about.
    plan.offsets = {lock_command::token(0), lock_command::state(1, places.line)};
    plan.place_in_line = lock_command::place(1, places.line);
    plan.seen_in_write_back = [](word_t word) { return word; };
    at.nodes[0].words[2] = 1;
    at.nodes[0].put_off.push({});
  }

  lock_state lock(std::size_t number) const { return lock_state(at.nodes[0].words[number]); }
  void set(std::size_t number, const lock_state& state) {
    at.nodes[0].words[number] = state.word();
  }

  /// Runs the handler that looks for tokens that are not used.
  void check(std::size_t room) {
    message deferred;
    deferred.origin = message_origin::deferred;
    deferred.destination = deferred.source = node_id{0};
    deferred.address = plan.address(0, 0);
    synchronizing_luck luck;
    luck.room = room;
    synchronizing_node node(plan, at, deferred, 0, luck);
    node.begin_deferred();
    locks::handlers<synchronizing_node>(node, settings).check();
    node.end();
  }
  std::size_t grants() const {
    std::size_t sent = 0;
    for (const auto& lane : at.channels[0][1]) sent += lane.size();
    return sent;
  }

  locks::handler_settings settings;
  synchronizing_plan plan;
  synchronizing_state at;
};

/// A token that has come and that node 1 waits for.
lock_state unused_token() {
  lock_state state;
  state.initialize(node_id{1});
  state.install_token();
  state.set_next(node_id{1});
  return state;
}

/// Else the state would say that the lock is free, while a command on its way gives the token away.
TEST(lock_handlers, a_time_out_takes_no_copy_as_long_as_there_is_no_room_to_send) {
  two_locks all;
  all.set(0, unused_token());
  lock_state cached = unused_token();
  cached.set_cached(true);
  all.set(1, cached);
  // A process has locked it, unlocked it, and has not told yet.
  lock_state copy = cached;
  copy.lock();
  copy.set_locked(false);
  copy.set_token(false);
  copy.clear_next();
  all.at.nodes[0].copy.present = true;
  all.at.nodes[0].copy.word = copy.word();

  all.check(0);
  EXPECT_EQ(all.grants(), 1U) << "the reply that it is promised";
  EXPECT_FALSE(all.lock(0).token());
  EXPECT_TRUE(all.at.nodes[0].copy.present);
  EXPECT_EQ(all.lock(1).word(), cached.word());

  all.plan.offsets[0] = lock_command::token(1);
  all.check(synchronizing_luck::much);
  EXPECT_EQ(all.grants(), 2U);
  EXPECT_FALSE(all.lock(1).token()) << "given back";
  EXPECT_FALSE(all.at.nodes[0].copy.present);
}

}  // namespace
}  // namespace tributary
