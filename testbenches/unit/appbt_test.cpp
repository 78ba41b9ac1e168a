// SPDX-License-Identifier: Apache-2.0
// The program `appbt` and its model: what they compute, on which machines, and what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <support/application_runs.h>
#include <support/failure.h>
#include <support/hasty_context.h>
#include <support/ideal_machine.h>
#include <tributary/algorithms/appbt.h>
#include <tributary/algorithms/appbt_model.h>
#include <tributary/memory/address_map.h>
#include <tributary/processor/program.h>

namespace tributary::testing {
namespace {

appbt_config small() {
  appbt_config config;
  config.points = 6;
  config.iterations = 2;
  config.lock_lines = 4;
  return config;
}

std::unique_ptr<program> appbt_of(const appbt_config& config, std::uint32_t processes) {
  std::unique_ptr<program> made =
      make_appbt_program(config, address_map(address_map_config(), processes), {});
  made->reset();
  return made;
}

/// The sum of all components of all points.
double flow_of(const appbt::box& of) {
  double sum = 0;
  for (std::uint32_t x = 0; x < of.size()[0]; ++x) {
    for (std::uint32_t y = 0; y < of.size()[1]; ++y) {
      for (std::uint32_t z = 0; z < of.size()[2]; ++z) {
        for (const double each : of.at(x, y, z)) sum += std::abs(each);
      }
    }
  }
  return sum;
}

TEST(appbt, a_fluid_between_walls_comes_to_rest) {
  constexpr std::uint32_t points = 6;
  const double before = flow_of(appbt::simulate(points, 0));
  const double behind = flow_of(appbt::simulate(points, 200));
  EXPECT_GT(before, 1);
  EXPECT_LT(behind, before / 1000);
}

using line = std::vector<appbt::values>;

appbt::box box_of(const line& flow) {
  const auto points = static_cast<std::uint32_t>(flow.size());
  appbt::box made(points, {3, 3, 0}, {1, 1, points});
  for (std::uint32_t z = 0; z < points; ++z) made.set_beside(0, 0, z, flow[z]);
  return made;
}

/// How a line of points between walls moves, by `find` alone or by the equations as well.
line moves(const line& flow, bool solves) {
  appbt::box made = box_of(flow);
  made.find(0, 0);
  if (solves) {
    made.eliminate(2, {}, {});
    made.substitute(2, {}, {});
  }
  made.move();
  line found = flow;
  for (std::uint32_t z = 0; z < flow.size(); ++z) {
    for (std::size_t i = 0; i < appbt::components; ++i) {
      found[z][i] = made.at(0, 0, z)[i] - flow[z][i];
    }
  }
  return found;
}

line sum_of(line flow, double factor, const line& other) {
  for (std::size_t z = 0; z < flow.size(); ++z) {
    for (std::size_t i = 0; i < appbt::components; ++i) flow[z][i] += factor * other[z][i];
  }
  return flow;
}

/// x - F'(u) x = F(u) along the line, F(u) being what `find` gives. F has no terms above squares,
/// so its derivative is a difference. That of `find` has the other two directions too: at walls
/// alone each of the three takes the same part of a lone point.
TEST(appbt, changes_solve_the_equations_of_a_line) {
  line flow;
  for (int z = 0; z < 7; ++z) flow.push_back({0.1 * z, 0.7 - 0.1 * z, 0.3, 0.2 * (z % 3), -0.4});
  const line found = moves(flow, true);
  const double sideways = -2.0 / 3 * moves({{1, 1, 1, 1, 1}}, false)[0][0];
  const line right = moves(flow, false);
  const line derivative =
      sum_of(moves(sum_of(flow, 1, found), false), -1, moves(sum_of(flow, -1, found), false));
  for (std::size_t z = 0; z < flow.size(); ++z) {
    for (std::size_t i = 0; i < appbt::components; ++i) {
      const double left = found[z][i] - derivative[z][i] / 2 - sideways * found[z][i];
      EXPECT_NEAR(left, right[z][i], 1e-12) << "component " << i << " of point " << z;
      EXPECT_GT(std::abs(found[z][i] - right[z][i]), 1e-6) << "the equations say nothing";
    }
  }
}

/// Two boxes that hand each other what stands at their faces compute what one does.
TEST(appbt, a_line_through_two_boxes_is_that_of_one) {
  constexpr std::uint32_t points = 6;
  appbt::box whole(points, {2, 2, 0}, {1, 1, points});
  appbt::box low(points, {2, 2, 0}, {1, 1, 3});
  appbt::box high(points, {2, 2, 3}, {1, 1, 3});
  low.set_beside(0, 0, 3, high.at(0, 0, 0));
  high.set_beside(0, 0, -1, low.at(0, 0, 2));
  for (appbt::box* each : {&whole, &low, &high}) each->find(0, 0);
  whole.eliminate(2, {}, {});
  whole.substitute(2, {}, {});
  high.eliminate(2, {}, low.eliminate(2, {}, {}));
  low.substitute(2, {}, high.substitute(2, {}, {}));
  for (appbt::box* each : {&whole, &low, &high}) each->move();
  for (std::uint32_t z = 0; z < points; ++z) {
    EXPECT_EQ(whole.at(0, 0, z), z < 3 ? low.at(0, 0, z) : high.at(0, 0, z - 3)) << z;
  }
}

void run_on_ideal_memory(const appbt_config& config, std::uint32_t processes) {
  ideal_config machine;
  machine.elements = processes;
  ideal_machine(machine, 1, appbt_of(config, processes)).run();
}

TEST(appbt, computes_what_one_processor_does_on_ideal_memory) {
  for (const auto& [name, barrier] : barrier_algorithms()) {
    appbt_config config = small();
    config.barrier = barrier;
    EXPECT_NO_THROW(run_on_ideal_memory(config, 8)) << name;
  }
}

/// Boxes of one size and of several; a group of lines, each line, and all lines.
TEST(appbt, computes_the_same_in_boxes_and_groups_of_all_sizes) {
  for (const auto& [processes, lines] :
       {std::pair<std::uint32_t, std::uint32_t>{8, 4}, {16, 1}, {2, 100}}) {
    for (const auto& [when, reading] : remote_readings()) {
      appbt_config config = small();
      config.lock_lines = lines;
      config.reading = reading;
      EXPECT_NO_THROW(run_on_ideal_memory(config, processes)) << processes << ' ' << when;
    }
  }
}

TEST(appbt, computes_the_same_on_coherent_nodes) {
  const auto make = [](const address_map& map, const kept_synchronization& machine) {
    return make_appbt_program(small(), map, machine);
  };
  EXPECT_EQ(failure_on_coherent_nodes(make), "");
}

TEST(appbt, notices_faces_that_are_read_too_early) {
  const std::string why = failure_in_haste(*appbt_of(small(), 4));
  EXPECT_NE(why.find("is not what one processor computes"), std::string::npos) << why;
}

TEST(appbt, refuses_fewer_points_than_processes_and_more_than_memory_holds) {
  appbt_config config = small();
  config.points = 3;
  const std::string few = failure([&] { appbt_of(config, 64); });
  EXPECT_NE(few.find("workload.program.appbt.points"), std::string::npos) << few;
  EXPECT_NE(few.find("at least 4"), std::string::npos) << few;

  address_map_config regions;
  for (address_region& each : regions.regions) {
    if (each.name == "local") each.size = 8192;
  }
  const std::string many =
      failure([&] { make_appbt_program(small(), address_map(regions, 2), {}); });
  EXPECT_NE(many.find("workload.program.appbt.points"), std::string::npos) << many;
  EXPECT_NE(many.find("larger memories"), std::string::npos) << many;
}

}  // namespace
}  // namespace tributary::testing
