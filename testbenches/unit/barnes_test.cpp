// SPDX-License-Identifier: Apache-2.0
// The program `barnes`: what it computes, on which machines, and which faults it notices.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <support/application_runs.h>
#include <support/failure.h>
#include <support/faulty_context.h>
#include <support/ideal_machine.h>
#include <support/text_checks.h>
#include <tributary/algorithms/barnes.h>
#include <tributary/algorithms/barnes_model.h>
#include <tributary/memory/address_map.h>
#include <tributary/processor/program.h>
#include <tributary/sim/statistics.h>

namespace tributary::testing {
namespace {

// --- the model -----------------------------------------------------------------------------------

/// Half of the mass of a Plummer sphere lies within 1.3 of its scale radius, which is 3 pi / 16
/// (Aarseth, Henon and Wielen, 1974).
TEST(barnes_model, bodies_are_a_plummer_sphere) {
  constexpr std::uint32_t bodies = 2000;
  constexpr double half_mass_radius = 1.3048 * 0.58905;
  std::uint32_t inside = 0;
  for (std::uint32_t i = 0; i < bodies; ++i) {
    const barnes::vector at = barnes::initial(i, bodies).position;
    if (std::hypot(at[0], at[1], at[2]) < half_mass_radius) ++inside;
  }
  EXPECT_NEAR(inside, bodies / 2, 70);  // three deviations
}

/// What all bodies do to each, one by one.
barnes::vector pulled_by_all(const std::vector<barnes::body>& bodies, std::size_t number) {
  barnes::pull on(bodies[number].position);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (i != number) on.add(bodies[i].mass, bodies[i].position);
  }
  return on.acceleration();
}

/// Relative error of accelerations that a tree gives, root of the mean square.
double error_of(double angle) {
  constexpr std::uint32_t bodies = 300;
  std::vector<barnes::body> before;
  for (std::uint32_t i = 0; i < bodies; ++i) before.push_back(barnes::initial(i, bodies));
  const barnes::outcome after = barnes::simulate(bodies, 1, {4, angle});
  double wrong = 0;
  double all = 0;
  for (std::size_t i = 0; i < bodies; ++i) {
    const barnes::vector right = pulled_by_all(before, i);
    for (std::size_t axis = 0; axis < barnes::axes; ++axis) {
      const double apart = after.bodies[i].acceleration.at(axis) - right.at(axis);
      wrong += apart * apart;
      all += right.at(axis) * right.at(axis);
    }
  }
  return std::sqrt(wrong / all);
}

TEST(barnes_model, smaller_angles_are_more_exact) {
  EXPECT_LT(error_of(0), 1e-12);
  EXPECT_LT(error_of(0.3), 0.003);
  EXPECT_LT(error_of(0.3), error_of(1) / 4);
  EXPECT_LT(error_of(1), 0.05);
}

TEST(barnes_model, without_an_angle_every_pair_is_looked_at) {
  for (const std::uint32_t bodies : {2U, 3U, 50U}) {
    EXPECT_EQ(barnes::simulate(bodies, 1, {3, 0}).interactions, bodies * (bodies - 1)) << bodies;
  }
}

/// Velocities are half a step behind places, which is what the two differ by.
double energy_after(std::uint32_t steps) {
  const barnes::outcome found = barnes::simulate(200, steps, {4, 0.3});
  double energy = found.potential;
  for (const barnes::body& each : found.bodies) {
    for (const double speed : each.velocity) energy += each.mass * speed * speed / 2;
  }
  return energy;
}

TEST(barnes_model, energy_is_kept) {
  EXPECT_NEAR(energy_after(1), -0.25, 0.05);  // of the units in which the bodies are drawn
  EXPECT_NEAR(energy_after(40), energy_after(1), 0.01);
}

// --- the program ---------------------------------------------------------------------------------

barnes_config small() {
  barnes_config config;
  config.bodies = 32;
  config.tree.leaf_bodies = 3;
  config.locks = 8;
  config.interaction_cycles = 10;
  return config;
}

std::unique_ptr<program> barnes_of(const barnes_config& config, std::uint32_t processes,
                                   const kept_synchronization& machine = {}) {
  std::unique_ptr<program> made =
      make_barnes_program(config, address_map(address_map_config(), processes), machine);
  made->reset();
  return made;
}

TEST(barnes, computes_what_one_processor_does_on_ideal_memory) {
  for (const auto& [name, lock] : lock_algorithms()) {
    for (const auto& [barrier_name, barrier] : barrier_algorithms()) {
      barnes_config config = small();
      config.meeting.lock = lock;
      config.meeting.barrier = barrier;
      config.meeting.back_off = {16, 1024};
      ideal_config machine;
      machine.elements = 8;
      EXPECT_NO_THROW(ideal_machine(machine, 1, barnes_of(config, 8)).run())
          << name << ", " << barrier_name;
    }
  }
}

/// Trees of one body a leaf, of few leaves, of no cell below the root; more processes than bodies.
TEST(barnes, trees_of_every_shape) {
  for (const std::uint32_t bodies : {2U, 3U, 17U, 60U}) {
    for (const std::uint32_t leaf_bodies : {1U, 2U, 64U}) {
      barnes_config config = small();
      config.bodies = bodies;
      config.tree.leaf_bodies = leaf_bodies;
      config.steps = 2;
      ideal_machine machine(ideal_config(), 1, barnes_of(config, 4));
      EXPECT_NO_THROW(machine.run()) << bodies << ", " << leaf_bodies;
    }
  }
}

TEST(barnes, notices_a_lock_that_lets_two_in) {
  barnes_config config = small();
  config.locks = 1;
  const std::unique_ptr<program> application = barnes_of(config, 4);
  std::string seen;
  for (std::uint64_t seed = 1; seen.empty() && seed <= 20; ++seed) {
    application->reset();
    seen = failure_with(context_fault::split_updates, seed, *application);
  }
  EXPECT_NE(seen, "");
  application->reset();
  EXPECT_EQ(failure_with(context_fault::none, 1, *application), "");
}

TEST(barnes, computes_the_same_on_coherent_nodes_with_every_lock) {
  for (const lock_algorithm lock : {lock_algorithm::ll_sc, lock_algorithm::mcs_queue,
                                    lock_algorithm::ticket, lock_algorithm::flash}) {
    for (const barrier_algorithm barrier :
         {barrier_algorithm::flash, barrier_algorithm::mcs_tree}) {
      barnes_config config = small();
      config.meeting.lock = lock;
      config.meeting.barrier = barrier;
      const auto make = [&](const address_map& map, const kept_synchronization& machine) {
        return make_barnes_program(config, map, machine);
      };
      EXPECT_EQ(failure_on_coherent_nodes(make), "")
          << static_cast<int>(lock) << ' ' << static_cast<int>(barrier);
    }
  }
}

/// Each body is put into the tree under one lock at least, and each process adds its bounds.
TEST(barnes, acquisitions_are_of_bodies_divisions_and_bounds) {
  ideal_config ideal;
  ideal.elements = 8;
  ideal_machine machine(ideal, 1, barnes_of(small(), 8));
  machine.run();
  statistics_tree tree;
  machine.work().report(tree.root());
  const auto count = [&](const char* path) {
    return tree.find(std::string("samples.") + path + ".count");
  };
  const std::uint32_t in_a_step = small().bodies + 8;
  EXPECT_GE(count("acquire") + count("hand_off"), in_a_step);
  EXPECT_LT(count("acquire") + count("hand_off"), 2 * in_a_step);
}

TEST(barnes, refuses_what_the_machine_does_not_have) {
  barnes_config config = small();
  config.meeting.lock = lock_algorithm::flash;
  const auto text = [&] { return failure([&] { barnes_of(config, 4); }); };
  EXPECT_TRUE(names(text(), {"workload.program.barnes.lock", "locks.count"})) << text();
  config.meeting.lock = lock_algorithm::ticket;
  config.meeting.barrier = barrier_algorithm::flash;
  EXPECT_TRUE(names(text(), {"workload.program.barnes.barrier", "barriers.count"})) << text();
}

}  // namespace
}  // namespace tributary::testing
