// SPDX-License-Identifier: Apache-2.0
// A machine that parks elements that spin is in the same state as one that simulates their polls.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <support/observed_machine.h>
#include <support/sizes.h>
#include <support/wanderer.h>
#include <tributary/sim/random_stream.h>
#include <ultracomputer/ultracomputer.h>

namespace tributary {
namespace {

using testing::wanderer;
using machine_maker = std::function<std::unique_ptr<ultracomputer>()>;

/// Each element adds to words of others and spins on its own until the others have done the same;
/// before that, one in some looks at or stores to words of its own, or of others, that nobody waits
/// for, by its local port and through the network.
void add_and_spin(program_context& c) {
  constexpr std::uint64_t rounds = 12;
  const std::uint64_t own = c.local_address(3);
  std::uint64_t expected = 0;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    c.delay(c.random(80));
    for (std::uint32_t away = 1; away < c.size(); away *= 2) {
      c.post(operation::fetch_add, c.local_address(pe_id{(c.rank() + away) % c.size()}, 3), 1);
      ++expected;
    }
    const pe_id other{static_cast<std::uint32_t>(c.random(c.size()))};
    switch (c.random(6)) {
      case 0:
        c.post(operation::load, c.local_address(other, 3));
        break;
      case 1:
        c.post(operation::store, c.local_address(other, 4), round);
        break;
      case 2:
        c.post(operation::fetch_add, c.shared_address(mm_id{c.rank()}, 1), 1);
        break;
      case 3:
        c.fence();
        break;
      default:
        break;
    }
    c.spin(own, [&](word_t word) { return word >= expected; });
  }
}

/// Steps one machine cycle by cycle, and has the other go the same way in leaps of random length.
void check(const machine_maker& make, random_stream& random, std::uint64_t cycles,
           std::uint64_t& parked, const std::string& where) {
  const auto stepped = make();
  const auto parking = make();
  while (parking->now() < cycles) {
    const std::uint64_t leap = 1 + random.below(std::uint64_t{1} << random.below(12));
    parking->run_until(parking->now() + leap);
    while (stepped->now() < parking->now()) stepped->step();
    const std::string place = where + ", cycle " + std::to_string(parking->now());
    // Not EXPECT_EQ of states: these are long.
    EXPECT_EQ(stepped->statistics().to_json_text(), parking->statistics().to_json_text()) << place;
    EXPECT_TRUE(stepped->save() == parking->save()) << "states differ: " << place;
    if (::testing::Test::HasFailure() || parking->finished()) break;
    if (random.below(8) == 0) {
      stepped->reset_statistics();
      parking->reset_statistics();
    }
  }
  parked += parking->parked().times();
  EXPECT_EQ(stepped->parked().times(), 0U) << where;
}

ultracomputer_config random_machine(random_stream& random, std::uint32_t largest) {
  ultracomputer_config config = testing::random_configuration(random, largest);
  config.addresses = {};
  config.processor.turnaround = 1 + static_cast<std::uint32_t>(random.below(30));
  if (random.below(4) == 0) config.memory = {40, 38, 16};  // a modern memory
  return config;
}

/// Checks random machines that run a program; how often elements were parked.
std::uint64_t check_machines(random_stream& random, std::uint64_t rounds, std::uint32_t largest,
                             std::uint64_t cycles, void (*what)(program_context&)) {
  std::uint64_t parked = 0;
  for (std::uint64_t round = 0; round < rounds && !::testing::Test::HasFailure(); ++round) {
    const ultracomputer_config config = random_machine(random, largest);
    const std::uint64_t seed = random.next_u64();
    check([&] { return std::make_unique<ultracomputer>(config, seed, make_program(what)); }, random,
          cycles, parked, testing::to_string(config));
  }
  return parked;
}

TEST(parked_spinners, leave_no_trace_in_random_machines) {
  random_stream random(91, 0U, 0U);
  std::uint64_t parked = check_machines(random, testing::scaled(40), 16, 6000, add_and_spin);
  parked += check_machines(random, testing::scaled(8), 256, 6000, add_and_spin);
  if (testing::sanitized) return;
  EXPECT_GT(parked, testing::scaled(300));
}

TEST(parked_spinners, leave_no_trace_in_programs_that_do_everything) {
  random_stream random(92, 0U, 0U);
  // Not fewer without optimisation: such programs seldom park.
  const std::uint64_t parked =
      check_machines(random, testing::sanitized ? 3 : 16, 16, 3000, wanderer);
  if (testing::sanitized) return;
  EXPECT_GT(parked, 4U);
}

TEST(parked_spinners, leave_no_trace_in_locks_and_barriers) {
  random_stream random(93, 0U, 0U);
  std::uint64_t parked = 0;
  for (std::uint64_t round = 0; round < testing::scaled(56) && !HasFailure(); ++round) {
    ultracomputer_config config = random_machine(random, 64);
    config.workload.kind = workload_kind::program;
    program_choice& chosen = config.workload.program;
    chosen.name = round % 2 == 0 ? program_kind::supersteps : program_kind::readers_writers;
    chosen.supersteps.barrier = barrier_algorithms()[round / 2 % 4].second;
    chosen.readers_writers.lock = readers_writers_algorithms()[round / 2 % 4].second;
    const std::uint64_t seed = random.next_u64();
    check([&] { return std::make_unique<ultracomputer>(config, seed); }, random, 4000, parked,
          testing::to_string(config));
  }
  if (testing::sanitized) return;
  EXPECT_GT(parked, testing::scaled(1400));
}

/// Counts what is offered.
struct offer_counter final : observer<offered_request> {
  std::uint64_t offers = 0;
  void on_event(const offered_request&) override { ++offers; }
};

TEST(parked_spinners, are_none_while_offers_are_observed) {
  ultracomputer_config config;
  config.network.processing_elements = 8;
  ultracomputer machine(config, 1, make_program(add_and_spin));
  offer_counter counted;
  machine.interfaces().offers().attach(counted);
  machine.run_until(100000);
  EXPECT_TRUE(machine.finished());
  EXPECT_EQ(machine.parked().times(), 0U);
  EXPECT_EQ(counted.offers, machine.interfaces().accepted().value());
}

}  // namespace
}  // namespace tributary
