// SPDX-License-Identifier: Apache-2.0
// Networks with switches in RTL give the trace and the statistics of the models, in both engines,
// at every variant that was built.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>

#include <tributary/rtl/switch_variants.h>
#include <tributary/sim/random_stream.h>
#include <ultracomputer/ultracomputer_model.h>

#include "support/event_text.h"
#include "support/observed_machine.h"
#include "support/sizes.h"

namespace tributary {
namespace {

struct outcome {
  std::string trace;
  std::string statistics;
};

outcome run(engine_kind engine, const ultracomputer_config& config, std::uint64_t seed,
            std::uint64_t cycles) {
  const std::unique_ptr<ultracomputer_machine> simulated = make_ultracomputer(engine, config, seed);
  testing::event_text trace(simulated->observers());
  simulated->run_until(cycles);
  simulated->drain();
  return {trace.text(), simulated->statistics().to_json_text()};
}

void expect_the_models_trace(ultracomputer_config config, std::uint64_t seed, std::uint64_t cycles,
                             const std::string& rtl) {
  SCOPED_TRACE(testing::to_string(config) + ", RTL " + rtl + ", seed " + std::to_string(seed));
  const outcome expected = run(engine_kind::loop, config, seed, cycles);
  config.network.rtl = rtl;
  for (const engine_kind engine : {engine_kind::loop, engine_kind::systemc}) {
    const outcome found = run(engine, config, seed, cycles);
    ASSERT_TRUE(found.trace == expected.trace)
        << testing::first_difference(expected.trace, found.trace);
    EXPECT_EQ(found.statistics, expected.statistics);
  }
}

class network_cosim : public ::testing::TestWithParam<switch_variant> {
 protected:
  ultracomputer_config configuration(std::uint32_t elements) {
    ultracomputer_config config = testing::random_configuration(random_, elements);
    config.network.processing_elements = elements;
    config.network.switches = config_of(GetParam().parameters);
    config.workload.traffic.hot_module %= elements;
    return config;
  }
  random_stream random_{71, 0U, 0U};
};

TEST_P(network_cosim, eight_elements_with_every_switch_in_rtl) {
  for (std::uint64_t seed = 1; seed <= testing::scaled(10); ++seed) {
    expect_the_models_trace(configuration(8), seed, 300, "all");
    if (HasFatalFailure()) return;
  }
}

TEST_P(network_cosim, sixty_four_elements_with_mixed_switches) {
  for (std::uint64_t seed = 1; seed <= testing::scaled(4); ++seed) {
    std::string rtl = "stage " + std::to_string(random_.below(6));
    for (unsigned i = 0; i < 6; ++i) {
      rtl += ", stage " + std::to_string(random_.below(6)) + " switch " +
             std::to_string(random_.below(32));
    }
    expect_the_models_trace(configuration(64), seed, 200, rtl);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(variants, network_cosim, ::testing::ValuesIn(built_switch_variants()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace tributary
