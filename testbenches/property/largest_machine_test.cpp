// SPDX-License-Identifier: Apache-2.0
// 65,536 elements, the most that identities of 16 bits can name, do what smaller machines do.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <tributary/sim/observer.h>

#include "support/observed_machine.h"

namespace tributary {
namespace {

constexpr std::uint32_t elements = 65536;
constexpr std::uint64_t least_latency = 2 * 16 + 2;

/// Every element sends one request in cycle 1 and no other.
ultracomputer_config one_request_each() {
  ultracomputer_config config;
  config.network.processing_elements = elements;
  config.processor.start_window = 1;
  config.processor.turnaround = 1'000'000;
  return config;
}

/// Where requests were served and delivered.
class arrivals final : public observer<trace_event> {
 public:
  void on_event(const trace_event& event) override {
    const std::uint32_t at = tracks_.place_of(event.track).switch_index;
    if (event.kind == &request_events::served) ++served[at];
    if (event.kind == &request_events::delivered && at == event.identity.origin()) {
      ++delivered[event.identity.origin()];
    }
  }

  std::vector<unsigned> served = std::vector<unsigned>(elements);
  std::vector<unsigned> delivered = std::vector<unsigned>(elements);

 private:
  omega_tracks tracks_{16, elements};
};

TEST(largest_machine, serves_every_element_at_its_module_without_a_conflict) {
  ultracomputer_config config = one_request_each();
  config.workload.traffic.pattern = traffic_pattern::shift;  // an omega network passes it
  config.workload.traffic.operations = {{operation::store, 1}};
  config.validate();
  ultracomputer machine(config, 1);
  arrivals seen;
  machine.observers().attach(seen);
  machine.step(least_latency + 1);
  machine.observers().detach(seen);
  EXPECT_EQ(seen.served, std::vector<unsigned>(elements, 1));
  EXPECT_EQ(seen.delivered, std::vector<unsigned>(elements, 1));
  EXPECT_EQ(machine.statistics().find("interface.latency.mean"), least_latency);
  std::vector<unsigned> written(elements);
  for (const auto& [location, value] : machine.memories().words().contents()) {
    ++written[location >> location_word_bits];
  }
  EXPECT_EQ(written, std::vector<unsigned>(elements, 1));
  EXPECT_TRUE(machine.drain());
}

TEST(largest_machine, combines_at_the_last_module_and_drains) {
  ultracomputer_config config = one_request_each();
  config.network.switches.wait_buffer_entries = 100;
  config.network.switches.adaptive_limit = 2;
  config.workload.traffic.hot_spot = 1;
  config.workload.traffic.hot_module = elements - 1;
  config.validate();
  ultracomputer machine(config, 1);
  machine.step(least_latency);
  EXPECT_TRUE(machine.drain());
  const statistics_tree found = machine.statistics();
  EXPECT_EQ(found.find("interface.latency.count"), elements);
  EXPECT_EQ(found.find("interface.latency.min"), least_latency);
  double combined = 0;
  for (unsigned stage = 0; stage < 16; ++stage) {
    combined += found.find("network.stage." + std::to_string(stage) + ".combined");
  }
  EXPECT_EQ(combined + found.find("memory.served"), elements);
}

}  // namespace
}  // namespace tributary
