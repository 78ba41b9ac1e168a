// SPDX-License-Identifier: Apache-2.0
// The platform composed of modules has the numbers of the machine in a plain loop.
#include <gtest/gtest.h>

#include <cstdint>
#include <sstream>
#include <string>

#include <ultracomputer/ultracomputer.h>

#include "program_output.h"

namespace tributary::testing {
namespace {

/// What the example prints, from the loop.
std::string numbers_of_the_loop(std::uint32_t elements) {
  ultracomputer_config config;
  config.network.processing_elements = elements;
  config.network.switches.wait_buffer_entries = 100;
  config.network.switches.adaptive_limit = 2;
  config.workload.traffic.hot_spot = 1;
  ultracomputer machine(config, 1);
  machine.step(3000);
  machine.reset_statistics();
  machine.step(10000);

  double combined = 0;
  for (unsigned stage = 0; stage < config.network.stages(); ++stage) {
    combined += machine.statistics().find("network.stage." + std::to_string(stage) + ".combined");
  }
  std::ostringstream text;
  text << elements << " processing elements, latency "
       << machine.statistics().find("interface.latency.mean") << " cycles, " << combined
       << " requests combined\ncombining rate by stage:";
  for (unsigned stage = 0; stage < config.network.stages(); ++stage) {
    const std::string path = "network.stage." + std::to_string(stage) + ".combining_rate";
    text << ' ' << machine.statistics().find(path);
  }
  text << '\n';
  return text.str();
}

class polling_platform : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(polling_platform, has_the_numbers_of_the_loop) {
  const std::string printed =
      output_of(std::string(POLLING_PLATFORM) + " " + std::to_string(GetParam()));
  const std::string numbers = numbers_of_the_loop(GetParam());
  ASSERT_GE(printed.size(), numbers.size());
  EXPECT_EQ(printed.substr(printed.size() - numbers.size()), numbers);
  // Two elements are too few to combine with these switches, which is said.
  EXPECT_EQ(printed.find("/tributary/combining") != std::string::npos, GetParam() == 2);
}

INSTANTIATE_TEST_SUITE_P(sizes, polling_platform, ::testing::Values(2U, 8U, 64U, 256U));

}  // namespace
}  // namespace tributary::testing
