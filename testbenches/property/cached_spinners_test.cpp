// SPDX-License-Identifier: Apache-2.0
// Nodes that park programs which spin in their caches are in the same state as nodes that simulate
// their polls.
#include <gtest/gtest.h>

#include <cstdint>
#include <iterator>
#include <memory>
#include <string>

#include <flash/flash_machine.h>
#include <support/sizes.h>
#include <tributary/sim/error.h>
#include <tributary/sim/observer.h>
#include <tributary/sim/random_stream.h>

namespace tributary {
namespace {

/// While it observes, nobody is parked.
class offers_seen final : private observer<offered_request> {
 public:
  explicit offers_seen(flash_machine& machine) : all_(machine.elements().offers()) {
    all_.attach(*this);
  }
  ~offers_seen() { all_.detach(*this); }
  offers_seen(const offers_seen&) = delete;
  offers_seen& operator=(const offers_seen&) = delete;

 private:
  void on_event(const offered_request&) override {}

  observer_list<offered_request>& all_;
};

std::uint32_t between(random_stream& random, std::uint32_t least, std::uint32_t most) {
  return least + static_cast<std::uint32_t>(random.below(most - least + 1));
}

flash_config random_config(random_stream& random) {
  flash_config config;
  config.machine.nodes = between(random, 2, 6);
  config.machine.network.topology = topology_kind::mesh;
  config.machine.node.caches.present = true;
  config.machine.node.caches.clock_ratio = between(random, 1, 5);
  config.machine.node.addresses.space_bits = barrier_command::space_bits;
  config.machine.node.jump_table.candidates = 6;
  config.barriers.count = 1;
  config.locks.count = 1;
  config.processor.turnaround = between(random, 1, 9);
  config.workload.choice.kind = workload_kind::program;
  program_choice& program = config.workload.choice.program;
  program.name = program_kind::coordination;
  coordination_config& asked = program.coordination;
  asked.work = static_cast<coordinated_work>(random.below(7));
  asked.count = between(random, 1, 6);
  asked.pause = random.below(200);
  asked.held = random.below(60);
  asked.barrier = static_cast<barrier_algorithm>(random.below(5));
  constexpr lock_algorithm locks[] = {lock_algorithm::test_and_set, lock_algorithm::ticket,
                                      lock_algorithm::mcs_queue, lock_algorithm::flash};
  asked.lock = locks[random.below(std::size(locks))];
  return config;
}

std::string state_of(const flash_machine& machine) {
  return machine.statistics().to_json().to_text();
}

/// Runs both to cycles that are drawn, and compares them there; how often one was parked.
std::uint64_t compare(const flash_config& config, random_stream& random) {
  flash_machine parking(config, 1);
  flash_machine polling(config, 1);
  const offers_seen nobody_parks(polling);
  while (!polling.finished()) {
    const cycle_t last = polling.now() + between(random, 1, 5000);
    polling.run_until(last);
    parking.run_until(last);
    EXPECT_EQ(parking.now(), polling.now());
    EXPECT_EQ(state_of(parking), state_of(polling)) << "in cycle " << polling.now();
    if (::testing::Test::HasFailure()) break;
    if (random.below(4) != 0) continue;
    parking.reset_statistics();
    polling.reset_statistics();
  }
  EXPECT_TRUE(parking.finished());
  EXPECT_EQ(polling.elements().times_parked(), 0U);
  return parking.elements().times_parked();
}

TEST(cached_spinners, leave_no_trace) {
  random_stream random(7, 0U, 0U);
  std::uint64_t parked = 0;
  for (std::uint64_t i = 0; i < testing::scaled(60) && !HasFailure(); ++i) {
    SCOPED_TRACE("machine " + std::to_string(i));
    parked += compare(random_config(random), random);
  }
  if (testing::sanitized) return;
  EXPECT_GT(parked, testing::scaled(100));
}

TEST(cached_spinners, are_found_if_they_wait_in_vain) {
  flash_config config;
  config.machine.node.caches.present = true;
  config.processor.turnaround = 1;
  config.workload.choice.program.run.patience = 5000;
  const auto report = [&](bool parks) {
    flash_machine machine(config, 1, make_program([](program_context& c) {
                            c.spin(c.shared_address(0), [](word_t word) { return word != 0; });
                          }));
    std::unique_ptr<offers_seen> seen;
    if (!parks) seen = std::make_unique<offers_seen>(machine);
    try {
      machine.run_until(1'000'000);
    } catch (const simulation_error& problem) {
      return std::to_string(machine.now()) + ": " + problem.what();
    }
    return std::string("no report");
  };
  EXPECT_EQ(report(true), report(false));
  EXPECT_NE(report(true).find("no program has gone on"), std::string::npos) << report(true);
}

}  // namespace
}  // namespace tributary
