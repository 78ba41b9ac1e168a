// SPDX-License-Identifier: Apache-2.0
// A machine on several threads is in the same state as one on a single thread.
#include <gtest/gtest.h>

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
      shared->use_threads(threads);
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

ultracomputer_config large_machine(random_stream& random) {
  ultracomputer_config config = testing::random_configuration(random, 2);
  config.network.processing_elements = 512U << random.below(random.below(3) + 1);
  return config;
}

TEST(threads, leave_no_trace_in_random_machines) {
  random_stream random(271, 0U, 0U);
  for (std::uint64_t round = 0; round < testing::scaled(16); ++round) {
    const ultracomputer_config config = large_machine(random);
    const std::uint64_t seed = random.next_u64();
    check([&] { return std::make_unique<ultracomputer>(config, seed); }, random, 400,
          testing::to_string(config));
  }
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
    ultracomputer_config config = large_machine(random);
    config.addresses = {};
    const std::uint64_t seed = random.next_u64();
    check([&] { return std::make_unique<ultracomputer>(config, seed, make_program(add_and_wait)); },
          random, 800, testing::to_string(config));
  }
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
