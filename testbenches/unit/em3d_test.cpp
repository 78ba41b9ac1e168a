// SPDX-License-Identifier: Apache-2.0
// The program `em3d`: what it computes, on which machines, and what it refuses.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>

#include <support/application_runs.h>
#include <support/failure.h>
#include <support/hasty_context.h>
#include <support/ideal_machine.h>
#include <tributary/algorithms/em3d.h>
#include <tributary/memory/address_map.h>
#include <tributary/processor/program.h>

namespace tributary::testing {
namespace {

em3d_config small() {
  em3d_config config;
  config.graph_nodes = 64;
  config.iterations = 2;
  config.remote = 0.4;
  return config;
}

std::unique_ptr<program> em3d_of(const em3d_config& config, std::uint32_t processes) {
  std::unique_ptr<program> made =
      make_em3d_program(config, address_map(address_map_config(), processes), {});
  made->reset();
  return made;
}

TEST(em3d, computes_what_one_processor_does_on_ideal_memory) {
  for (const auto& [name, barrier] : barrier_algorithms()) {
    for (const std::uint32_t processes : {2U, 8U}) {
      em3d_config config = small();
      config.barrier = barrier;
      ideal_config machine;
      machine.elements = processes;
      EXPECT_NO_THROW(ideal_machine(machine, 1, em3d_of(config, processes)).run()) << name;
    }
  }
}

TEST(em3d, computes_the_same_on_coherent_nodes) {
  const auto make = [](const address_map& map, const kept_synchronization& machine) {
    return make_em3d_program(small(), map, machine);
  };
  EXPECT_EQ(failure_on_coherent_nodes(make), "");
}

TEST(em3d, notices_values_that_are_read_too_early) {
  const std::string why = failure_in_haste(*em3d_of(small(), 4));
  EXPECT_NE(why.find("is not what one processor computes"), std::string::npos) << why;
}

TEST(em3d, refuses_what_cannot_be_shared) {
  em3d_config config = small();
  config.graph_nodes = 36;
  const std::string uneven = failure([&] { em3d_of(config, 8); });
  EXPECT_NE(uneven.find("workload.program.em3d.graph_nodes"), std::string::npos) << uneven;
}

}  // namespace
}  // namespace tributary::testing
