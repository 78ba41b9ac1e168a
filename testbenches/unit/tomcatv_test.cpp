// SPDX-License-Identifier: Apache-2.0
// The program `tomcatv` and its model: what they compute, on which machines, and what is refused.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <support/application_runs.h>
#include <support/failure.h>
#include <support/hasty_context.h>
#include <support/ideal_machine.h>
#include <tributary/algorithms/tomcatv.h>
#include <tributary/algorithms/tomcatv_model.h>
#include <tributary/memory/address_map.h>
#include <tributary/processor/program.h>

namespace tributary::testing {
namespace {

tomcatv_config small() {
  tomcatv_config config;
  config.points = 48;
  config.iterations = 2;
  return config;
}

std::unique_ptr<program> tomcatv_of(const tomcatv_config& config, std::uint32_t processes) {
  std::unique_ptr<program> made =
      make_tomcatv_program(config, address_map(address_map_config(), processes), {});
  made->reset();
  return made;
}

// An iteration leaves about 1 - pi^2 / (points - 1)^2 of the smoothest deviation: 0.92 here.
TEST(tomcatv, the_mesh_comes_to_fit_its_boundary) {
  constexpr std::uint32_t points = 12;
  const tomcatv::outcome made = tomcatv::simulate(points, 200);
  EXPECT_LT(made.missing.back().x, made.missing.front().x / 1000);
  EXPECT_LT(made.missing.back().y, made.missing.front().y / 1000);
  for (const std::uint32_t edge : {0U, points - 1}) {
    EXPECT_EQ(made.rows[edge].x, tomcatv::initial(edge, points).x);
    EXPECT_EQ(made.rows[edge].y, tomcatv::initial(edge, points).y);
  }
  for (std::uint32_t i = 0; i < points; ++i) {
    const tomcatv::row before = tomcatv::initial(i, points);
    EXPECT_EQ(made.rows[i].x.front(), before.x.front()) << i;
    EXPECT_EQ(made.rows[i].y.back(), before.y.back()) << i;
  }
}

/// Of a mesh of equal squares nothing is missing.
TEST(tomcatv, leaves_a_regular_mesh_as_it_is) {
  constexpr std::size_t points = 8;
  const auto regular = [](std::uint32_t number) {
    tomcatv::row made;
    for (std::size_t i = 0; i < points; ++i) {
      made.x.push_back(number);
      made.y.push_back(static_cast<double>(i));
    }
    return made;
  };
  tomcatv::row here = regular(3);
  tomcatv::change change;
  const tomcatv::greatest missing = change.find(regular(2), here, regular(4));
  EXPECT_EQ(missing, tomcatv::greatest());
  change.solve();
  change.move(here);
  EXPECT_EQ(here.x, regular(3).x);
  EXPECT_EQ(here.y, regular(3).y);
}

/// The points of a row move as its equations say: beside, middle and beside again give what is
/// missing.
TEST(tomcatv, solves_the_equations_of_a_row) {
  constexpr std::uint32_t points = 16;
  const tomcatv::row before = tomcatv::initial(5, points);
  const tomcatv::row behind = tomcatv::initial(7, points);
  const tomcatv::row here = tomcatv::initial(6, points);
  tomcatv::row moved = here;
  tomcatv::change change;
  change.find(before, here, behind);
  change.solve();
  change.move(moved);
  for (std::size_t i = 1; i + 1 < points; ++i) {
    const auto square = [](double x, double y) { return 0.25 * (x * x + y * y); };
    const double a = square(here.x[i + 1] - here.x[i - 1], here.y[i + 1] - here.y[i - 1]);
    const double b = square(behind.x[i] - before.x[i], behind.y[i] - before.y[i]);
    const double c = 0.125 * ((behind.x[i] - before.x[i]) * (here.x[i + 1] - here.x[i - 1]) +
                              (behind.y[i] - before.y[i]) * (here.y[i + 1] - here.y[i - 1]));
    const double missing =
        a * (behind.x[i] - 2 * here.x[i] + before.x[i]) +
        b * (here.x[i + 1] - 2 * here.x[i] + here.x[i - 1]) -
        c * (behind.x[i + 1] - behind.x[i - 1] - before.x[i + 1] + before.x[i - 1]);
    const auto by = [&](std::size_t point) { return moved.x[point] - here.x[point]; };
    EXPECT_NEAR((2 * b + a * 2 / 0.98) * by(i) - b * (by(i - 1) + by(i + 1)), missing, 1e-15) << i;
  }
}

TEST(tomcatv, computes_what_one_processor_does_on_ideal_memory) {
  for (const auto& [name, barrier] : barrier_algorithms()) {
    for (const std::uint32_t processes : {2U, 8U}) {
      for (const auto& [when, reading] : remote_readings()) {
        tomcatv_config config = small();
        config.barrier = barrier;
        config.reading = reading;
        ideal_config machine;
        machine.elements = processes;
        EXPECT_NO_THROW(ideal_machine(machine, 1, tomcatv_of(config, processes)).run())
            << name << ' ' << when;
      }
    }
  }
}

TEST(tomcatv, computes_the_same_on_coherent_nodes) {
  const auto make = [](const address_map& map, const kept_synchronization& machine) {
    return make_tomcatv_program(small(), map, machine);
  };
  EXPECT_EQ(failure_on_coherent_nodes(make), "");
}

TEST(tomcatv, notices_rows_that_are_read_too_early) {
  const std::string why = failure_in_haste(*tomcatv_of(small(), 4));
  EXPECT_NE(why.find("is not what one processor computes"), std::string::npos) << why;
}

TEST(tomcatv, processes_may_own_a_row_more_than_others) {
  tomcatv_config config = small();
  config.points = 45;
  ideal_config machine;
  machine.elements = 16;
  EXPECT_NO_THROW(ideal_machine(machine, 1, tomcatv_of(config, 16)).run());
}

TEST(tomcatv, refuses_fewer_than_two_rows_each) {
  tomcatv_config config = small();
  config.points = 15;
  const std::string why = failure([&] { tomcatv_of(config, 8); });
  EXPECT_NE(why.find("workload.program.tomcatv.points"), std::string::npos) << why;
  EXPECT_NE(why.find("at least 16"), std::string::npos) << why;
}

}  // namespace
}  // namespace tributary::testing
