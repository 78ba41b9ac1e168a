// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <tributary/algorithms/flash_barrier.h>
#include <tributary/algorithms/flash_lock.h>
#include <tributary/sim/error.h>

#include <support/lock_steps.h>
#include <support/synchronizing_machine.h>

namespace tributary {
namespace {

using testing::crowded;
using testing::lock_steps;
using testing::lock_traffic;
using testing::shared;
using testing::synchronizing_config;
using testing::synchronizing_machine;

void acquire(flash_lock& lock) { lock.acquire(); }
void release(flash_lock& lock) { lock.release(); }

/// S.V1: three messages and one command where home, holder and requester are three nodes; two
/// where the home is one of them (FLASH Figure 6.10).
TEST(flash_lock, a_free_lock_comes_by_three_messages) {
  synchronizing_machine machine(4);
  const std::vector<lock_traffic> seen =
      lock_steps(machine, 0)
          .run({{1, acquire}, {1, release}, {2, acquire}, {2, release}, {0, acquire}});
  EXPECT_EQ(seen[0].requests, 1U) << "from the home";
  EXPECT_EQ(seen[0].grants, 1U);
  EXPECT_EQ(seen[2].requests, 2U) << "from a third node";
  EXPECT_EQ(seen[2].grants, 1U);
  EXPECT_EQ(seen[2].writes, 1U);
  EXPECT_EQ(seen[2].reads, 2U) << "before the request, and when the token has come";
  EXPECT_EQ(seen[4].requests, 1U) << "back to the home";
  EXPECT_EQ(seen[4].grants, 1U);
}

/// S.V2: one message, from who has it to who is next; the home does nothing (FLASH Figure 6.14).
TEST(flash_lock, a_held_lock_is_handed_on_by_one_message) {
  synchronizing_machine machine(4);
  const std::vector<lock_traffic> seen =
      lock_steps(machine, 3).run({{1, acquire}, {2, acquire}, {1, release}, {2, release}});
  EXPECT_EQ(seen[1].requests, 2U);
  EXPECT_EQ(seen[1].grants, 0U);
  EXPECT_EQ(seen[2].requests, 0U);
  EXPECT_EQ(seen[2].grants, 1U);
  EXPECT_EQ(seen[2].writes, 1U) << "the unlock";
}

/// S.V3 (FLASH Figure 6.13).
TEST(flash_lock, one_processor_locks_again_in_its_caches) {
  synchronizing_machine machine(4);
  const std::vector<lock_traffic> seen =
      lock_steps(machine, 0).run({{1, acquire}, {1, release}, {1, [](flash_lock& lock) {
                                                                 for (int i = 0; i < 10; ++i) {
                                                                   lock.acquire();
                                                                   lock.release();
                                                                 }
                                                               }}});
  EXPECT_EQ(seen[2].requests + seen[2].grants + seen[2].reads + seen[2].writes, 0U);
}

/// Who has held a lock, in order, and whether two did at once.
class holders {
 public:
  void enter(std::uint32_t who) {
    overlapped_ = overlapped_ || inside_;
    inside_ = true;
    order_.push_back(who);
  }
  void leave() { inside_ = false; }
  bool overlapped() const { return overlapped_; }
  const std::vector<std::uint32_t>& order() const { return order_; }

 private:
  bool inside_ = false;
  bool overlapped_ = false;
  std::vector<std::uint32_t> order_;
};

/// S.V4.
TEST(flash_lock, is_granted_in_the_order_in_which_requests_come_to_the_home) {
  const std::vector<std::uint32_t> order = {3, 6, 1, 7, 0, 2, 5, 4};
  constexpr cycle_t apart = 2000;
  synchronizing_machine machine(8);
  holders seen;
  machine.run([&](program_context& context) {
    flash_lock lock(context, machine.lock_place(7, 2));
    std::uint32_t place = 0;
    while (order[place] != context.rank()) ++place;
    context.delay(apart * (place + 1));
    lock.acquire();
    seen.enter(context.rank());
    context.delay(place == 0 ? apart * order.size() : 10);
    seen.leave();
    lock.release();
  });
  EXPECT_EQ(seen.order(), order);
  EXPECT_FALSE(seen.overlapped());
}

/// S.V5: the home of many locks has no room to pass requests on.
TEST(flash_lock, requests_wait_at_the_home_for_room) {
  constexpr std::uint32_t nodes = 8;
  constexpr std::uint32_t all_locks = 20;
  synchronizing_machine machine(crowded(nodes));
  std::vector<holders> seen(all_locks);
  machine.run([&](program_context& context) {
    std::vector<std::unique_ptr<flash_lock>> locks;
    for (std::uint32_t i = 0; i < all_locks; ++i) {
      locks.push_back(std::make_unique<flash_lock>(context, machine.lock_place(i, 0)));
    }
    flash_barrier made(context, machine.barrier_place(), {nodes, 4, 4});
    for (std::uint32_t round = 0; round < 3; ++round) {
      made.cross();
      for (std::uint32_t i = 0; i < all_locks; ++i) {
        // All are asked for before the first is awaited.
        locks[i]->try_acquire(0);
      }
      for (std::uint32_t i = 0; i < all_locks; ++i) {
        if (!locks[i]->held()) locks[i]->acquire();
        seen[i].enter(context.rank());
        seen[i].leave();
        locks[i]->release();
      }
    }
  });
  for (const holders& each : seen) {
    EXPECT_FALSE(each.overlapped());
    EXPECT_EQ(each.order().size(), 3 * nodes);
  }
  EXPECT_GT(machine.runs("locks.request_later"), 0U) << "there was room for every request";
  for (std::uint32_t i = 0; i < all_locks; ++i) EXPECT_FALSE(machine.lock(0, i).deferring());
}

/// FLASH 6.1.6: they share the token of their node, and each gets in in the end, whether the token
/// stays or times out in between.
TEST(flash_lock, processes_of_one_node_compete_for_it) {
  constexpr std::uint64_t rounds = 20;
  for (const std::uint32_t nodes : {2U, 4U}) {
    for (const std::uint64_t timeout : {0U, 2000U}) {
      SCOPED_TRACE(std::to_string(nodes) + " nodes, time-out " + std::to_string(timeout));
      synchronizing_config config = shared(nodes, 2);
      config.locks.timeout = timeout;
      config.machine.node.timed.period = 500;
      synchronizing_machine machine(config);
      std::uint64_t inside = 0;
      std::uint64_t met = 0;
      std::uint64_t entries = 0;
      machine.run([&](program_context& context) {
        flash_lock lock(context, machine.lock_place(5, 0));
        context.delay(3000);
        for (std::uint64_t round = 0; round < rounds; ++round) {
          lock.acquire();
          if (++inside != 1) ++met;
          ++entries;
          context.delay(context.random(100));
          --inside;
          lock.release();
          if (context.random(3) == 0) context.delay(context.random(500));
        }
      });
      EXPECT_EQ(met, 0U);
      EXPECT_EQ(entries, rounds * nodes * 2);
    }
  }
}

/// S.V8: a token that came to a process which has given up goes on after one period to two.
TEST(flash_lock, an_unused_token_goes_to_who_waits) {
  constexpr cycle_t timeout = 5000;  // of the nodes
  synchronizing_config config(4);
  config.locks.timeout = timeout;
  config.machine.node.timed.period = 100;
  const cycle_t ratio = config.machine.node.caches.clock_ratio;
  synchronizing_machine machine(config);
  cycle_t granted_unused = 0;
  cycle_t reclaimed = 0;
  bool again = false;
  machine.run([&](program_context& context) {
    flash_lock lock(context, machine.lock_place(0, 0));
    switch (context.rank()) {
      case 1:
        context.delay(4000);
        lock.acquire();
        context.delay(20000);
        granted_unused = context.now() / ratio;
        lock.release();
        break;
      case 2:
        context.delay(10000);
        EXPECT_FALSE(lock.try_acquire(1000)) << "somebody holds it";
        context.delay(100000);
        again = lock.try_acquire(10000);
        lock.release();
        break;
      case 3:
        context.delay(15000);
        lock.acquire();
        reclaimed = context.now() / ratio;
        lock.release();
        break;
      default:
        break;
    }
  });
  EXPECT_GE(reclaimed - granted_unused, timeout);
  EXPECT_LE(reclaimed - granted_unused, 2 * timeout + 500) << "and the way from node to node";
  EXPECT_TRUE(again) << "asks again when it comes back";
}

/// Locks without rule N7: the copy does not say that the token was asked for.
void acquire_without_mark(program_context& context, flash_lock& lock,
                          const flash_lock_place& place) {
  const auto address = [&](std::uint64_t offset) {
    return lock_command::address(place.addresses, node_id{context.rank()}, offset);
  };
  const std::uint64_t state = address(lock_command::state(place.number, place.line));
  while (!lock_state(context.load_linked(state)).token()) {
    context.store(address(lock_command::token(place.number)), 0);
  }
  lock.acquire();
}

/// Commands by which processor 2 asks for a token while processor 1 holds the lock.
std::uint64_t commands_of_who_waits(bool marks) {
  constexpr std::uint32_t nodes = 4;
  constexpr std::uint64_t others = nodes + 2;  // the home, and of processor 1 token and unlock
  synchronizing_machine machine(nodes);
  machine.run([&](program_context& context) {
    const flash_lock_place place = machine.lock_place(0, 0);
    flash_lock lock(context, place);
    if (context.rank() == 0 || context.rank() == 3) return;
    context.delay(context.rank() * 5000);
    if (context.rank() == 1 || marks) {
      lock.acquire();
    } else {
      acquire_without_mark(context, lock, place);
    }
    context.delay(20000);
    lock.release();
  });
  return machine.runs("locks.processor_write") - others;
}

/// S.V50: without rule N7 at least ten times as many.
TEST(flash_lock, who_waits_asks_once) {
  EXPECT_EQ(commands_of_who_waits(true), 1U);
  EXPECT_GE(commands_of_who_waits(false), 10U);
}

/// S.V9, FLASH 6.1.6: a vector of all 16 K locks is one line.
TEST(flash_lock, a_round_of_time_outs_looks_at_three_lines) {
  locks::lock_memory places;
  places.base = 4096;
  places.count = lock_command::most;
  places.queues = 256;
  places.nodes = 128;
  const std::uint64_t words = places.vector_words();
  EXPECT_EQ(words, 16U);
  const line_size line = places.line;
  EXPECT_EQ(line.start(places.installed(0)), line.start(places.installed(words - 1)));
  EXPECT_EQ(line.start(places.aging(0)), line.start(places.aging(words - 1)));
  EXPECT_EQ(line.start(places.checking(0)), line.start(places.checking(words - 1)));
  EXPECT_LT(places.state(places.count - 1), line.start(places.installed(0)));
}

/// What a program on processor 1 of two nodes is told when it does something wrong with a lock of
/// home 0, which knows of it unless it is number 1.
std::string refusal(const std::function<void(program_context&, flash_lock_place)>& wrong) {
  synchronizing_config config(2);
  config.locks.queues = 2;
  synchronizing_machine machine(config);
  std::string told;
  machine.run([&](program_context& context) {
    if (context.rank() == 0) flash_lock(context, machine.lock_place(0, 0));
    context.delay(2000);
    if (context.rank() == 0) return;
    try {
      wrong(context, machine.lock_place(0, 0));
    } catch (const error& found) {
      told = found.what();
    }
  });
  return told;
}

TEST(flash_lock, refuses_what_the_controllers_cannot_keep_by_name) {
  const auto make = [](const std::function<void(flash_lock_place&)>& change) {
    return refusal([&](program_context& context, flash_lock_place place) {
      change(place);
      flash_lock(context, place);
    });
  };
  EXPECT_EQ(make([](flash_lock_place&) {}), "");
  EXPECT_NE(
      make([](flash_lock_place& place) { place.number = place.count; }).find("flash_lock.number"),
      std::string::npos);
  EXPECT_NE(make([](flash_lock_place& place) { place.home = node_id{2}; }).find("flash_lock.home"),
            std::string::npos);
  EXPECT_NE(make([](flash_lock_place& place) {
              place.count = lock_command::most + 1;
            }).find("flash_lock.count"),
            std::string::npos);
}

TEST(flash_lock, tells_who_uses_a_lock_wrongly) {
  const auto use = [](const std::function<void(flash_lock_place&)>& change,
                      const std::function<void(flash_lock&)>& how) {
    return refusal([&](program_context& context, flash_lock_place place) {
      change(place);
      flash_lock lock(context, place);
      how(lock);
    });
  };
  const auto lock_and_unlock = [](flash_lock& lock) {
    lock.acquire();
    lock.release();
  };
  const auto same = [](flash_lock_place&) {};
  EXPECT_EQ(use(same, lock_and_unlock), "");
  const std::string free = use(same, release);
  EXPECT_NE(free.find("lock 0"), std::string::npos) << free;
  EXPECT_NE(free.find("processor 1"), std::string::npos) << free;
  const std::string unknown =
      use([](flash_lock_place& place) { place.number = 1; }, lock_and_unlock);
  EXPECT_NE(unknown.find("lock 1"), std::string::npos) << unknown;
  EXPECT_NE(unknown.find("home 0"), std::string::npos) << unknown;
  const std::string beyond = use(
      [](flash_lock_place& place) {
        place.count = 100;  // more than the nodes have
        place.number = 70;
      },
      lock_and_unlock);
  EXPECT_NE(beyond.find("lock 70"), std::string::npos) << beyond;
}

TEST(flash_lock, tells_a_node_that_it_is_the_home_of_too_many) {
  const std::string told = refusal([](program_context& context, flash_lock_place place) {
    place.home = node_id{1};
    for (place.number = 10; place.number < 13; ++place.number) {
      flash_lock lock(context, place);
      lock.acquire();
    }
  });
  EXPECT_NE(told.find("lock 12"), std::string::npos) << told;
  EXPECT_NE(told.find("locks.queues"), std::string::npos) << told;
}

}  // namespace
}  // namespace tributary
