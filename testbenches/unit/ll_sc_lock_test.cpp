// SPDX-License-Identifier: Apache-2.0
// What the lock by load-linked and store-conditional asks the caches for.
#include <cstddef>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include <tributary/algorithms/ll_sc_lock.h>
#include <tributary/sim/error.h>
#include <tributary/sim/statistics.h>

#include <support/synchronizing_machine.h>

namespace tributary {
namespace {

using reading = ll_sc_lock::reading;
using testing::synchronizing_config;
using testing::synchronizing_machine;

constexpr memory_place place{0, 4, 4};

/// What all caches counted.
struct cache_counts {
  double shared = 0;
  double exclusive = 0;
  double upgrades = 0;
  double failed = 0;

  explicit cache_counts(synchronizing_machine& machine) {
    statistics_tree tree;
    machine.nodes().report(tree.root());
    for (const flat_statistic& each : tree.flatten()) {
      add(each, ".cache.misses.shared", shared);
      add(each, ".cache.misses.exclusive", exclusive);
      add(each, ".cache.misses.upgrade", upgrades);
      add(each, ".cache.conditional_stores_failed", failed);
    }
  }

 private:
  static void add(const flat_statistic& each, const std::string& name, double& sum) {
    const std::size_t at = each.path.rfind(name);
    if (at != std::string::npos && at + name.size() == each.path.size()) sum += each.value;
  }
};

void wait_until(program_context& context, cycle_t when) {
  if (context.now() < when) context.delay(when - context.now());
}

/// Node 1 takes the lock from node 0, which has released it; the counts of that alone.
cache_counts second_acquisition(reading how) {
  constexpr cycle_t later = 8000;
  synchronizing_machine machine(2);
  machine.run([&](program_context& context) {
    ll_sc_lock lock(context, place, {}, how);
    if (context.rank() == 1) {
      wait_until(context, later);
      machine.nodes().reset_statistics();
    }
    lock.acquire();
    lock.release();
  });
  return cache_counts(machine);
}

TEST(ll_sc_lock, a_free_lock_is_one_miss_if_asked_for_to_be_written) {
  for (const reading how : {reading::first_exclusive, reading::exclusive}) {
    const cache_counts seen = second_acquisition(how);
    EXPECT_EQ(seen.exclusive, 1);
    EXPECT_EQ(seen.shared + seen.upgrades, 0);
  }
  const cache_counts seen = second_acquisition(reading::shared);
  EXPECT_EQ(seen.shared, 1);
  EXPECT_EQ(seen.upgrades, 1);
  EXPECT_EQ(seen.exclusive, 0);
}

/// While node 0 holds the lock for long, the others read it in their caches.
TEST(ll_sc_lock, who_waits_shares_the_line) {
  constexpr std::uint32_t nodes = 4;
  constexpr cycle_t at_rest = 20000;
  constexpr cycle_t released = 60000;
  synchronizing_machine machine(nodes);
  machine.run([&](program_context& context) {
    ll_sc_lock lock(context, place);
    wait_until(context, 1000 * context.rank());
    lock.acquire();
    if (context.rank() == 0) {
      wait_until(context, at_rest);
      machine.nodes().reset_statistics();
      wait_until(context, released);
      const cache_counts seen(machine);
      EXPECT_EQ(seen.shared + seen.exclusive + seen.upgrades, 0);
    }
    lock.release();
  });
}

/// Who sees a 1 looks again at once; who fails to store keeps away.
TEST(ll_sc_lock, only_a_failed_store_is_backed_off_from) {
  constexpr std::uint64_t longest = 1U << 20;
  constexpr cycle_t released = 20000;
  synchronizing_machine machine(2);
  cycle_t got = 0;
  machine.run([&](program_context& context) {
    ll_sc_lock lock(context, place, {longest, longest});
    wait_until(context, 1000 * (context.rank() + 1));
    lock.acquire();
    if (context.rank() == 0) wait_until(context, released);
    if (context.rank() == 1) got = context.now();
    lock.release();
  });
  EXPECT_EQ(cache_counts(machine).failed, 0);
  EXPECT_GT(got, released);
  EXPECT_LT(got, released + 4000);
}

/// All see the lock free together: all but one fail to store, and store after their draws.
TEST(ll_sc_lock, a_failed_store_is_made_again_later) {
  constexpr std::uint32_t nodes = 4;
  synchronizing_machine machine(nodes);
  std::uint32_t held = 0;
  machine.run([&](program_context& context) {
    ll_sc_lock lock(context, place, {100, 1000}, reading::shared);
    wait_until(context, 1000);
    lock.acquire();
    ++held;
    lock.release();
  });
  EXPECT_EQ(held, nodes);
  EXPECT_GT(cache_counts(machine).failed, 0);
}

TEST(ll_sc_lock, back_off_out_of_range_is_refused) {
  synchronizing_machine machine(2);
  machine.run([](program_context& context) {
    EXPECT_THROW(ll_sc_lock(context, place, {0, 5}), configuration_error);
    EXPECT_THROW(ll_sc_lock(context, place, {9, 8}), configuration_error);
  });
}

/// A swap of a word that another cache has: one miss or two, as a free lock.
TEST(ll_sc_lock, loops_ask_to_write_if_they_shall) {
  for (const bool asks : {false, true}) {
    synchronizing_config config(2);
    config.processor.loops_ask_to_write = asks;
    synchronizing_machine machine(config);
    machine.run([&](program_context& context) {
      if (context.rank() == 1) {
        wait_until(context, 8000);
        machine.nodes().reset_statistics();
      }
      context.swap(place.central(context, 0), context.rank());
    });
    const cache_counts seen(machine);
    EXPECT_EQ(seen.exclusive, asks ? 1 : 0);
    EXPECT_EQ(seen.shared, asks ? 0 : 1);
    EXPECT_EQ(seen.upgrades, asks ? 0 : 1);
  }
}

}  // namespace
}  // namespace tributary
