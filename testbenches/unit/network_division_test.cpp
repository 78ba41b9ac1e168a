// SPDX-License-Identifier: Apache-2.0
// The links of a divided network are those of the omega network, in other places.
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include <tributary/network/omega/network_division.h>

namespace tributary {
namespace {

/// A division, and the omega network that it is of: memory-side port p of a stage is line p of the
/// next, which enters switch p mod n at input p / n.
struct divided {
  divided(unsigned of_stages, std::size_t parts)
      : stages(of_stages), switches(std::size_t{1} << (of_stages - 1)), places(of_stages, parts) {}

  std::size_t undivided_port(unsigned stage, std::size_t port) const {
    return 2 * places.undivided(stage, port / 2) + port % 2;
  }
  std::size_t undivided_line(unsigned stage, std::size_t line) const {
    return line / switches * switches + places.undivided(stage, line % switches);
  }

  unsigned stages;
  std::size_t switches;
  network_division places;
};

class network_division_of_stages : public ::testing::TestWithParam<unsigned> {};

TEST_P(network_division_of_stages, every_place_is_of_another_switch) {
  for (std::size_t parts = 1; parts <= network_division::most_parts(GetParam()); parts *= 2) {
    const divided net(GetParam(), parts);
    for (unsigned stage = 0; stage < net.stages; ++stage) {
      std::vector<bool> taken(net.switches);
      for (std::size_t place = 0; place < net.switches; ++place) {
        const std::size_t stands = net.places.undivided(stage, place);
        ASSERT_LT(stands, net.switches);
        EXPECT_FALSE(taken[stands]) << stage << ", place " << place;
        taken[stands] = true;
      }
    }
  }
}

TEST_P(network_division_of_stages, links_are_those_of_the_omega_network) {
  for (std::size_t parts = 1; parts <= network_division::most_parts(GetParam()); parts *= 2) {
    const divided net(GetParam(), parts);
    for (std::size_t part = 0; part < parts; ++part) {
      const column_part its = net.places.part(part);
      for (unsigned stage = net.places.first_inner(); stage + 1 < net.stages; ++stage) {
        for (std::size_t input = 0; input < 2; ++input) {
          const port_range ports = net.places.inner_ports(part, input);
          EXPECT_GE(ports.first, its.ports.first);
          EXPECT_LE(ports.last, its.ports.last);
          for (std::size_t port = ports.first; port < ports.last; ++port) {
            const std::size_t line = port - ports.first + its.lines[input].first;
            ASSERT_EQ(net.undivided_port(stage, port), net.undivided_line(stage + 1, line))
                << parts << " parts, stage " << stage << ", port " << port;
          }
        }
      }
    }
    if (parts == 1) continue;
    const unsigned first = net.places.first_inner();
    for (std::size_t port = 0; port < 2 * net.switches; ++port) {
      const std::size_t line = net.places.crossing_line(port);
      EXPECT_EQ(net.places.crossing_port(line), port);
      ASSERT_EQ(net.undivided_port(first - 1, port), net.undivided_line(first, line))
          << parts << " parts, port " << port;
    }
  }
}

TEST_P(network_division_of_stages, what_processors_and_memory_see_stays_in_its_place) {
  for (std::size_t parts = 1; parts <= network_division::most_parts(GetParam()); parts *= 2) {
    const divided net(GetParam(), parts);
    for (std::size_t place = 0; place < net.switches; ++place) {
      EXPECT_EQ(net.places.undivided(0, place), place);
      EXPECT_EQ(net.places.undivided(net.stages - 1, place), place);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(sizes, network_division_of_stages, ::testing::Values(1, 2, 8, 9, 10, 12));

}  // namespace
}  // namespace tributary
