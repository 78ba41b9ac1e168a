// SPDX-License-Identifier: Apache-2.0
// A machine on several threads is in the same state as one on a single thread.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <support/observed_machine.h>
#include <support/sizes.h>
#include <support/wanderer.h>
#include <tributary/sim/error.h>
#include <tributary/sim/random_stream.h>
#include <ultracomputer/ultracomputer.h>

namespace tributary {
namespace {

using machine_maker = std::function<std::unique_ptr<ultracomputer>()>;

/// Has both go the same way in leaps of random length, and changes the number of threads now and
/// then.
void check(const machine_maker& make, random_stream& random, std::uint64_t cycles,
           const std::string& where) {
  const auto alone = make();
  const auto shared = make();
  std::size_t threads = 0;
  while (shared->now() < cycles && !::testing::Test::HasFailure()) {
    if (threads == 0 || random.below(4) == 0) {
      threads = 2 + random.below(7);
      shared->use_threads(threads,
                          random.below(3) == 0 ? thread_use::while_faster : thread_use::always);
    }
    const cycle_t next = shared->now() + 1 + random.below(std::uint64_t{1} << random.below(8));
    shared->run_until(next);
    alone->run_until(next);
    const std::string place =
        where + ", cycle " + std::to_string(next) + ", " + std::to_string(threads) + " threads";
    EXPECT_EQ(alone->statistics().to_json_text(), shared->statistics().to_json_text()) << place;
    if (shared->now() < cycles && random.below(4) != 0) continue;
    // Not EXPECT_EQ of states: these are long.
    EXPECT_TRUE(alone->save() == shared->save()) << "states differ: " << place;
    EXPECT_TRUE(alone->network() == shared->network()) << "networks differ: " << place;
    if (random.below(8) == 0) {
      alone->reset_statistics();
      shared->reset_statistics();
    }
    if (shared->finished()) break;
  }
}

/// Of 2, 4 or 8 parts at most.
ultracomputer_config large_machine(random_stream& random, std::uint64_t round) {
  ultracomputer_config config = testing::random_configuration(random, 2);
  config.network.processing_elements = 512U << (round % 3);
  config.network.switches.arrival_registers = false;
  return config;
}

/// All sizes and types of switches, sanitized or not.
std::uint64_t rounds() { return std::max<std::uint64_t>(6, testing::scaled(16)); }

TEST(threads, leave_no_trace_in_random_machines) {
  random_stream random(271, 0U, 0U);
  for (std::uint64_t round = 0; round < rounds(); ++round) {
    ultracomputer_config config = large_machine(random, round);
    combining_switch_config& switches = config.network.switches;
    switches.microarchitecture = queue_microarchitecture::parallel;
    switches.type = round % 2 == 0 ? queue_type::a : queue_type::b;
    switches.slots = std::max(switches.slots, 2U);
    const std::uint64_t seed = random.next_u64();
    check([&] { return std::make_unique<ultracomputer>(config, seed); }, random, 400,
          testing::to_string(config));
  }
}

/// They ask on all threads, and latencies are added when somebody looks.
TEST(threads, leave_no_trace_in_elements_that_draw) {
  random_stream random(276, 0U, 0U);
  for (std::uint64_t round = 0; round < rounds() / 2; ++round) {
    ultracomputer_config config = large_machine(random, round);
    config.workload.kind = workload_kind::open_loop;
    config.workload.traffic.hot_spot = 0.1;
    const std::uint64_t seed = random.next_u64();
    check([&] { return std::make_unique<ultracomputer>(config, seed); }, random, 300,
          testing::to_string(config));
  }
}

TEST(threads, tell_observers_of_offers_in_their_order) {
  class noting final : public observer<offered_request> {
   public:
    void on_event(const offered_request& offered) override {
      text += std::to_string(offered.cycle) + " " + std::to_string(index(offered.pe)) + "\n";
    }
    std::string text;
  };
  random_stream random(277, 0U, 0U);
  ultracomputer_config config = large_machine(random, 0);
  config.workload.kind = workload_kind::open_loop;
  std::string texts[2];
  std::string states[2];
  for (const std::size_t threads : {1U, 2U}) {
    ultracomputer machine(config, 3);
    machine.use_threads(threads);
    noting told;
    machine.run_until(50);
    machine.interfaces().offers().attach(told);
    machine.run_until(150);
    machine.interfaces().offers().detach(told);
    machine.run_until(200);
    texts[threads - 1] = told.text;
    states[threads - 1] = machine.save();
  }
  EXPECT_EQ(texts[0], texts[1]);
  EXPECT_NE(texts[0], "");
  EXPECT_TRUE(states[0] == states[1]);
}

/// Elements add to words of others and to one that all share, and wait for their own, by their
/// local ports.
void add_and_wait(program_context& c) {
  for (std::uint64_t round = 1; round <= 3; ++round) {
    c.delay(c.random(40));
    c.fetch_add(c.shared_address(mm_id{0}, 1), 1);
    c.post(operation::fetch_add, c.local_address(pe_id{(c.rank() + 1) % c.size()}, 3), 1);
    c.spin(c.local_address(3), [&](word_t word) { return word >= round; });
  }
}

TEST(threads, leave_no_trace_in_programs_with_local_ports) {
  random_stream random(272, 0U, 0U);
  for (std::uint64_t round = 0; round < testing::scaled(6); ++round) {
    ultracomputer_config config = large_machine(random, round);
    config.addresses = {};
    const std::uint64_t seed = random.next_u64();
    check([&] { return std::make_unique<ultracomputer>(config, seed, make_program(add_and_wait)); },
          random, 800, testing::to_string(config));
  }
}

TEST(threads, leave_no_trace_in_systolic_queues) {
  random_stream random(273, 0U, 0U);
  ultracomputer_config config = large_machine(random, 1);
  combining_switch_config& switches = config.network.switches;
  switches = {};
  switches.microarchitecture = queue_microarchitecture::systolic;
  config.workload.traffic.hot_spot = 0.3;
  check([&] { return std::make_unique<ultracomputer>(config, 1); }, random, 400,
        testing::to_string(config));
}

TEST(threads, take_over_the_state_of_a_machine_on_others) {
  random_stream random(274, 0U, 0U);
  const ultracomputer_config config = large_machine(random, 1);
  const auto machine = [&](std::size_t threads) {
    auto made = std::make_unique<ultracomputer>(config, 5);
    made->use_threads(threads);
    return made;
  };
  const auto first = machine(4);
  first->run_until(200);
  const std::string state = first->save();
  for (const std::size_t threads : {1U, 2U, 4U}) {
    const auto second = machine(threads);
    second->restore(state);
    EXPECT_TRUE(second->save() == state) << threads;
    second->run_until(300);
    first->run_until(300);
    EXPECT_TRUE(second->save() == first->save()) << threads;
  }
}

TEST(threads, give_way_to_observers_and_come_back) {
  class counting final : public observer<trace_event> {
   public:
    void on_event(const trace_event&) override { ++events; }
    std::uint64_t events = 0;
  };
  random_stream random(275, 0U, 0U);
  ultracomputer_config config = large_machine(random, 0);
  const auto alone = std::make_unique<ultracomputer>(config, 7);
  const auto shared = std::make_unique<ultracomputer>(config, 7);
  shared->use_threads(2);
  std::uint64_t events[2]{};
  for (ultracomputer* const each : {alone.get(), shared.get()}) {
    counting told;
    each->run_until(100);
    each->observers().attach(told);
    each->run_until(150);
    each->observers().detach(told);
    each->run_until(250);
    events[each == shared.get() ? 1 : 0] = told.events;
  }
  EXPECT_EQ(events[0], events[1]);
  EXPECT_GT(events[0], 0U);
  EXPECT_TRUE(alone->save() == shared->save());
}

TEST(threads, are_no_more_than_the_network_has_parts) {
  ultracomputer_config config;
  config.network.processing_elements = 512;
  EXPECT_EQ(divided_network::most_parts(omega_network(config.network)), 2U);
  config.network.processing_elements = 256;
  EXPECT_EQ(divided_network::most_parts(omega_network(config.network)), 1U);
  config.network.processing_elements = 4096;
  EXPECT_EQ(divided_network::most_parts(omega_network(config.network)), 16U);
  config.network.switches.arrival_registers = true;
  EXPECT_EQ(divided_network::most_parts(omega_network(config.network)), 1U);
}

}  // namespace
}  // namespace tributary
