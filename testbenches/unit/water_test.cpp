// SPDX-License-Identifier: Apache-2.0
// The program `water`: what it computes, on which machines, and how often it takes locks.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <support/application_runs.h>
#include <support/failure.h>
#include <support/faulty_context.h>
#include <support/ideal_machine.h>
#include <tributary/algorithms/water.h>
#include <tributary/algorithms/water_model.h>
#include <tributary/memory/address_map.h>
#include <tributary/processor/program.h>
#include <tributary/sim/statistics.h>

namespace tributary::testing {
namespace {

// --- the model -----------------------------------------------------------------------------------

TEST(water_model, each_pair_is_in_one_half_shell) {
  for (std::uint32_t molecules = 2; molecules < 40; ++molecules) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
    std::uint64_t all = 0;
    for (std::uint32_t i = 0; i < molecules; ++i) {
      for (std::uint32_t j = 1; j <= water::partners(i, molecules); ++j) {
        pairs.insert(std::minmax(i, (i + j) % molecules));
        ++all;
      }
    }
    EXPECT_EQ(all, molecules * (molecules - 1) / 2) << molecules;
    EXPECT_EQ(pairs.size(), all) << molecules;
  }
}

TEST(water_model, forces_of_all_molecules_cancel) {
  const water::outcome after = water::simulate(64, 20);
  std::array<std::int64_t, water::axes> total{};
  for (const water::molecule& each : after.molecules) {
    for (std::size_t i = 0; i < water::coordinates; ++i) {
      total.at(i % water::axes) += each.force.at(i);
    }
  }
  for (const std::int64_t each : total) EXPECT_EQ(each, 0);
}

double energy(const water::outcome& of) {
  double sum = static_cast<double>(of.totals.potential);
  for (const std::int64_t each : of.totals.kinetic) sum += static_cast<double>(each);
  return sum;
}

/// It goes from one form to the other, many times as much as is lost: pairs that pass the end of
/// the forces' range change it.
TEST(water_model, energy_is_kept) {
  const water::outcome early = water::simulate(64, 10);
  const water::outcome late = water::simulate(64, 200);
  const double moved = static_cast<double>(late.totals.kinetic[0] + late.totals.kinetic[1] +
                                           late.totals.kinetic[2]) -
                       static_cast<double>(early.totals.kinetic[0] + early.totals.kinetic[1] +
                                           early.totals.kinetic[2]);
  EXPECT_GT(moved, 0);
  EXPECT_LT(std::abs(energy(late) - energy(early)), moved / 5);
}

// --- the program ---------------------------------------------------------------------------------

water_config small() {
  water_config config;
  config.molecules = 20;
  config.steps = 2;
  config.locks = 8;
  config.interaction_cycles = 50;
  return config;
}

std::unique_ptr<program> water_of(const water_config& config, std::uint32_t processes,
                                  const kept_synchronization& machine = {}) {
  std::unique_ptr<program> made =
      make_water_program(config, address_map(address_map_config(), processes), machine);
  made->reset();
  return made;
}

TEST(water, computes_what_one_processor_does_on_ideal_memory) {
  for (const auto& [name, lock] : lock_algorithms()) {
    for (const auto& [barrier_name, barrier] : barrier_algorithms()) {
      water_config config = small();
      config.meeting.lock = lock;
      config.meeting.barrier = barrier;
      config.meeting.back_off = {16, 1024};
      ideal_config machine;
      machine.elements = 8;
      EXPECT_NO_THROW(ideal_machine(machine, 1, water_of(config, 8)).run())
          << name << ", " << barrier_name;
    }
  }
}

/// More processes than molecules, or molecules that they cannot share evenly.
TEST(water, processes_need_not_have_equal_shares) {
  for (const std::uint32_t molecules : {2U, 5U, 27U}) {
    water_config config = small();
    config.molecules = molecules;
    ideal_machine machine(ideal_config(), 1, water_of(config, 4));
    EXPECT_NO_THROW(machine.run()) << molecules;
  }
}

TEST(water, notices_a_lock_that_lets_two_in) {
  const std::unique_ptr<program> application = water_of(small(), 4);
  std::string seen;
  for (std::uint64_t seed = 1; seen.empty() && seed <= 20; ++seed) {
    application->reset();
    seen = failure_with(context_fault::split_updates, seed, *application);
  }
  EXPECT_NE(seen, "");
  application->reset();
  EXPECT_EQ(failure_with(context_fault::none, 1, *application), "");
}

TEST(water, computes_the_same_on_coherent_nodes_with_every_lock) {
  for (const lock_algorithm lock : {lock_algorithm::ll_sc, lock_algorithm::mcs_queue,
                                    lock_algorithm::ticket, lock_algorithm::flash}) {
    for (const barrier_algorithm barrier :
         {barrier_algorithm::flash, barrier_algorithm::mcs_tree}) {
      water_config config = small();
      config.meeting.lock = lock;
      config.meeting.barrier = barrier;
      config.meeting.placement =
          lock == lock_algorithm::flash ? lock_placement::striped : lock_placement::central;
      const auto make = [&](const address_map& map, const kept_synchronization& machine) {
        return make_water_program(config, map, machine);
      };
      EXPECT_EQ(failure_on_coherent_nodes(make), "")
          << static_cast<int>(lock) << ' ' << static_cast<int>(barrier);
    }
  }
}

std::uint64_t counted(std::uint32_t processes) {
  ideal_config ideal;
  ideal.elements = processes;
  ideal_machine machine(ideal, 1, water_of(small(), processes));
  machine.run();
  statistics_tree tree;
  machine.work().report(tree.root());
  const auto count = [&](const char* path) {
    return static_cast<std::uint64_t>(tree.find(std::string("samples.") + path + ".count"));
  };
  return count("acquire") + count("hand_off");
}

TEST(water, acquisitions_are_known_beforehand) {
  for (const std::uint32_t processes : {2U, 4U, 8U}) {
    EXPECT_EQ(counted(processes), water_acquisitions(small(), processes)) << processes;
  }
}

TEST(water, refuses_what_the_machine_does_not_have) {
  water_config config = small();
  config.meeting.lock = lock_algorithm::flash;
  const auto text = [&] { return failure([&] { water_of(config, 4); }); };
  EXPECT_NE(text().find("workload.program.water.lock"), std::string::npos) << text();
  config.meeting.lock = lock_algorithm::ticket;
  config.meeting.barrier = barrier_algorithm::flash;
  EXPECT_NE(text().find("workload.program.water.barrier"), std::string::npos) << text();
}

}  // namespace
}  // namespace tributary::testing
