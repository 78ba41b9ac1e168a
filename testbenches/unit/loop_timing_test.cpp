// SPDX-License-Identifier: Apache-2.0
// Closed and open loops on the whole machine: rules 9 and 10 of the cycle contract.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include <tributary/sim/observer.h>
#include <ultracomputer/ultracomputer.h>

namespace tributary {
namespace {

/// The cycles of acceptance and delivery of one element's requests.
class stopwatch final : public observer<trace_event> {
 public:
  explicit stopwatch(std::uint16_t pe) : pe_(pe) {}

  void on_event(const trace_event& event) override {
    if (event.identity.origin() != pe_) return;
    if (event.kind == &request_events::accepted) accepted.push_back(event.cycle);
    if (event.kind == &request_events::delivered) delivered.push_back(event.cycle);
  }

  std::vector<cycle_t> accepted;
  std::vector<cycle_t> delivered;

 private:
  std::uint16_t pe_;
};

/// A machine in which only one element issues at a time, hardly ever: each request is alone.
ultracomputer_config lonely(std::uint32_t elements) {
  ultracomputer_config config;
  config.network.processing_elements = elements;
  config.processor.turnaround = 1000000;
  config.processor.start_window = 1000000;
  return config;
}

TEST(lone_request, takes_2k_and_the_latency_of_the_memory_at_every_size) {
  for (unsigned k = 1; k <= 12; ++k) {
    ultracomputer machine(lonely(1U << k), 1);
    while (machine.interfaces().latency().count() == 0 && machine.now() < 1000000) machine.step();
    EXPECT_EQ(machine.interfaces().latency().min(), 2 * k + 2) << (1U << k) << " elements";
    EXPECT_EQ(machine.interfaces().latency().max(), 2 * k + 2) << (1U << k) << " elements";
  }
}

/// A shift is a permutation that an omega network passes without conflicts: nobody meets anybody.
TEST(lone_request, takes_so_long_from_every_element) {
  for (unsigned k = 1; k <= 8; ++k) {
    ultracomputer_config config = lonely(1U << k);
    config.memory.latency = 7;
    config.processor.start_window = 1;
    config.workload.traffic.pattern = traffic_pattern::shift;
    ultracomputer machine(config, 3);
    machine.step(2 * k + 8);
    ASSERT_EQ(machine.interfaces().latency().count(), 1U << k);
    EXPECT_EQ(machine.interfaces().latency().min(), 2 * k + 7) << (1U << k) << " elements";
    EXPECT_EQ(machine.interfaces().latency().max(), 2 * k + 7) << (1U << k) << " elements";
  }
}

TEST(closed_loop, the_period_is_latency_and_turnaround) {
  for (const std::uint32_t turnaround : {1U, 2U, 10U}) {
    ultracomputer_config config;
    config.network.processing_elements = 2;
    config.processor.turnaround = turnaround;
    config.processor.start_window = 1;
    config.workload.traffic.pattern = traffic_pattern::shift;  // no two meet
    ultracomputer machine(config, 1);
    stopwatch watch(1);
    machine.observers().attach(watch);
    machine.step(200);
    machine.observers().detach(watch);
    ASSERT_GT(watch.accepted.size(), 10U);
    EXPECT_EQ(watch.accepted[0], 1U) << "start window 1 starts in cycle 1";
    for (std::size_t i = 1; i < watch.delivered.size(); ++i) {
      ASSERT_EQ(watch.delivered[i] - watch.accepted[i], 4U);
      ASSERT_EQ(watch.accepted[i] - watch.accepted[i - 1], 4 + turnaround)
          << "turnaround " << turnaround;
    }
  }
}

TEST(closed_loop, local_accesses_take_the_latency_of_the_memory) {
  ultracomputer_config config;
  config.network.processing_elements = 2;
  config.processor.start_window = 1;
  config.processor.turnaround = 5;
  config.workload.traffic.region = "local";
  config.workload.traffic.hot_spot = 1;
  config.workload.traffic.hot_module = 1;
  ultracomputer machine(config, 1);
  stopwatch own(1);
  machine.observers().attach(own);
  machine.step(3);
  machine.observers().detach(own);
  ASSERT_EQ(own.delivered.size(), 1U);
  EXPECT_EQ(own.delivered[0] - own.accepted[0], 2U);
}

TEST(closed_loop, every_slot_starts_within_the_window) {
  ultracomputer_config config;
  config.network.processing_elements = 256;
  config.processor.start_window = 100;
  config.processor.turnaround = 1000000;
  ultracomputer machine(config, 1);
  machine.step(99);
  const auto issued = [&] {
    return machine.interfaces().total_outstanding() + machine.interfaces().total_waiting() +
           machine.interfaces().latency().count();
  };
  EXPECT_GT(issued(), 200U);
  machine.step(1);
  EXPECT_EQ(issued(), 256U);
}

TEST(closed_loop, keeps_as_many_requests_as_it_may) {
  ultracomputer_config config;
  config.network.processing_elements = 8;
  config.processor.start_window = 1;
  config.interface.outstanding = 4;
  ultracomputer machine(config, 1);
  std::uint64_t most = 0;
  for (int i = 0; i < 500; ++i) {
    machine.step();
    for (std::size_t pe = 0; pe < 8; ++pe) {
      const std::uint64_t now = machine.interfaces().outstanding(pe);
      ASSERT_LE(now, 4U);
      most = now > most ? now : most;
    }
  }
  EXPECT_EQ(most, 4U);
}

double generated_per_element_and_cycle(double load, std::uint64_t cycles) {
  ultracomputer_config config;
  config.network.processing_elements = 16;
  config.workload.kind = workload_kind::open_loop;
  config.workload.open_loop.load = load;
  config.interface.outstanding = 64;
  ultracomputer machine(config, 1);
  machine.step(cycles);
  const auto& ports = machine.interfaces();
  const std::uint64_t all =
      ports.latency().count() + ports.total_outstanding() + ports.total_waiting();
  return static_cast<double>(all) / 16 / static_cast<double>(cycles);
}

TEST(open_loop, generates_its_load) {
  for (const double load : {0.0, 0.01, 0.1, 0.2, 1.0}) {
    const double allowed = 5 * std::sqrt(load * (1 - load) / (16 * 5000.0));
    EXPECT_NEAR(generated_per_element_and_cycle(load, 5000), load, allowed + 1e-12) << load;
  }
}

TEST(open_loop, a_full_source_queue_generates_nothing) {
  ultracomputer_config config;
  config.network.processing_elements = 4;
  config.workload.kind = workload_kind::open_loop;
  config.workload.open_loop.load = 1;
  config.workload.open_loop.source_queue = 3;
  ultracomputer machine(config, 1);
  for (int i = 0; i < 300; ++i) {
    machine.step();
    for (std::size_t pe = 0; pe < 4; ++pe) ASSERT_LE(machine.interfaces().waiting(pe), 3U);
  }
  EXPECT_EQ(machine.interfaces().waiting(0), 3U);
}

}  // namespace
}  // namespace tributary
