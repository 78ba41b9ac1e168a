// SPDX-License-Identifier: Apache-2.0
// The program `ocean`: what it computes, on which machines, and how often it crosses barriers.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <support/application_runs.h>
#include <support/failure.h>
#include <support/forwarding_context.h>
#include <support/ideal_machine.h>
#include <tributary/algorithms/ocean.h>
#include <tributary/algorithms/ocean_model.h>
#include <tributary/memory/address_map.h>
#include <tributary/processor/program.h>
#include <tributary/sim/statistics.h>

namespace tributary::testing {
namespace {

/// By the solver, which does one cycle a step: more grids leave less of the first error.
TEST(ocean_model, coarser_grids_help) {
  const ocean::outcome one_grid = ocean::simulate(32, 2, 20);
  const ocean::outcome many = ocean::simulate(32, 4, 20);
  EXPECT_LT(many.errors[0], one_grid.errors[0] / 4);
}

/// Wind from rest: the ocean begins to turn, the same way everywhere.
TEST(ocean_model, wind_turns_the_ocean) {
  const ocean::outcome after = ocean::simulate(32, 4, 20);
  EXPECT_GT(after.energy, 0);
  for (const double each : after.stream) EXPECT_GT(each, 0);
}

ocean_config small() {
  ocean_config config;
  config.points = 16;
  config.levels = 3;
  config.steps = 1;
  config.point_cycles = 5;
  return config;
}

std::unique_ptr<program> ocean_of(const ocean_config& config, std::uint32_t processes) {
  std::unique_ptr<program> made =
      make_ocean_program(config, address_map(address_map_config(), processes), {});
  made->reset();
  return made;
}

TEST(ocean, computes_what_one_processor_does_on_ideal_memory) {
  for (const auto& [name, barrier] : barrier_algorithms()) {
    for (const std::uint32_t processes : {2U, 8U}) {
      ocean_config config = small();
      config.meeting.barrier = barrier;
      ideal_config machine;
      machine.elements = processes;
      EXPECT_NO_THROW(ideal_machine(machine, 1, ocean_of(config, processes)).run()) << name;
    }
  }
}

TEST(ocean, computes_the_same_on_coherent_nodes) {
  for (const barrier_algorithm barrier :
       {barrier_algorithm::flash, barrier_algorithm::mcs_tree, barrier_algorithm::tournament}) {
    for (const bool prefetch : {false, true}) {
      ocean_config config = small();
      config.prefetch = prefetch;
      config.meeting.barrier = barrier;
      config.meeting.lock = lock_algorithm::flash;
      const auto make = [&](const address_map& map, const kept_synchronization& machine) {
        return make_ocean_program(config, map, machine);
      };
      EXPECT_EQ(failure_on_coherent_nodes(make), "")
          << static_cast<int>(barrier) << ' ' << prefetch;
    }
  }
}

/// Waits for nobody.
class hasty_context final : public forwarding_context {
 public:
  explicit hasty_context(program_context& working) : forwarding_context(working, working.size()) {}

 protected:
  word_t spin_until(std::uint64_t address, const word_predicate&) override {
    return working_.load(address);
  }
};

TEST(ocean, notices_points_that_are_read_too_early) {
  ocean_config config = small();
  config.meeting.lock = lock_algorithm::test_and_set;
  config.meeting.barrier = barrier_algorithm::dissemination;
  const std::unique_ptr<program> inner = ocean_of(config, 4);
  ideal_config machine;
  machine.slowest = 400;
  const auto run = [&] {
    ideal_machine(machine, 1, make_program([&](program_context& context) {
                    hasty_context hasty(context);
                    inner->run(hasty);
                  }))
        .run();
  };
  EXPECT_NE(failure(run), "");
}

TEST(ocean, crossings_are_known_beforehand) {
  ideal_machine machine(ideal_config(), 1, ocean_of(small(), 4));
  machine.run();
  statistics_tree tree;
  machine.work().report(tree.root());
  EXPECT_EQ(tree.find("samples.fall_through.count"), small().steps * ocean_barriers(small()));
  EXPECT_EQ(tree.find("samples.time.count"), 4);
}

TEST(ocean, refuses_what_it_cannot_share) {
  ocean_config config = small();
  config.levels = 5;
  const std::string text = failure([&] { ocean_of(config, 4); });
  EXPECT_NE(text.find("workload.program.ocean.points"), std::string::npos) << text;
}

}  // namespace
}  // namespace tributary::testing
