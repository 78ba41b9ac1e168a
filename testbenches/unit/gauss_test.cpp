// SPDX-License-Identifier: Apache-2.0
// The program `gauss`: what it computes, on which machines, and what it refuses.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>

#include <support/application_runs.h>
#include <support/failure.h>
#include <support/hasty_context.h>
#include <support/ideal_machine.h>
#include <tributary/algorithms/gauss.h>
#include <tributary/memory/address_map.h>
#include <tributary/processor/program.h>

namespace tributary::testing {
namespace {

gauss_config small() {
  gauss_config config;
  config.equations = 37;  // the processes have unequally many, and rows end within a line
  return config;
}

std::unique_ptr<program> gauss_of(const gauss_config& config, std::uint32_t processes) {
  std::unique_ptr<program> made =
      make_gauss_program(config, address_map(address_map_config(), processes), {});
  made->reset();
  return made;
}

// It throws if an unknown is not near that of which the system was made.
TEST(gauss, solves_its_system_as_one_processor_does_on_ideal_memory) {
  for (const auto& [name, barrier] : barrier_algorithms()) {
    for (const std::uint32_t processes : {2U, 8U}) {
      for (const auto& [when, reading] : remote_readings()) {
        gauss_config config = small();
        config.barrier = barrier;
        config.reading = reading;
        ideal_config machine;
        machine.elements = processes;
        EXPECT_NO_THROW(ideal_machine(machine, 1, gauss_of(config, processes)).run())
            << name << ' ' << when;
      }
    }
  }
}

TEST(gauss, computes_the_same_on_coherent_nodes) {
  const auto make = [](const address_map& map, const kept_synchronization& machine) {
    return make_gauss_program(small(), map, machine);
  };
  EXPECT_EQ(failure_on_coherent_nodes(make), "");
}

TEST(gauss, notices_rows_that_are_read_too_early) {
  const std::string why = failure_in_haste(*gauss_of(small(), 4));
  EXPECT_NE(why.find("not what one processor computes"), std::string::npos) << why;
}

TEST(gauss, refuses_fewer_equations_than_processes_and_more_than_memory_holds) {
  gauss_config config = small();
  config.equations = 7;
  const std::string few = failure([&] { gauss_of(config, 8); });
  EXPECT_NE(few.find("workload.program.gauss.equations"), std::string::npos) << few;
  EXPECT_NE(few.find("at least 8"), std::string::npos) << few;

  address_map_config regions;
  for (address_region& each : regions.regions) {
    if (each.name == "local") each.size = 8192;
  }
  const std::string many =
      failure([&] { make_gauss_program(small(), address_map(regions, 2), {}); });
  EXPECT_NE(many.find("workload.program.gauss.equations"), std::string::npos) << many;
  EXPECT_NE(many.find("larger memories"), std::string::npos) << many;
}

}  // namespace
}  // namespace tributary::testing
