// SPDX-License-Identifier: Apache-2.0
// A platform with RTL switches that is reset in mid-traffic begins anew.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include <tributary/rtl/switch_variants.h>
#include <tributary/rtl/verilated_options.h>
#include <tributary/systemc/omega_network_module.h>

#include "support/event_text.h"
#include "support/module_platform.h"

namespace tributary {
namespace {

constexpr cycle_t cycles = 300;

/// Loads to one word and others: memory keeps its words over a reset.
ultracomputer_config configuration(const switch_variant& variant) {
  ultracomputer_config config;
  config.network.processing_elements = 8;
  config.network.switches = config_of(variant.parameters);
  config.workload.traffic.hot_spot = 0.8;
  return config;
}

switch_maker maker_of(const switch_variant& variant) {
  return [variant](const combining_switch_config&, unsigned route_bit, const switch_place& place) {
    verilated_options options;
    options.name = to_string(place);
    return variant.make(route_bit, options);
  };
}

class platform_reset : public ::testing::TestWithParam<switch_variant> {};

TEST_P(platform_reset, a_network_of_rtl_begins_anew) {
  ultracomputer_config config = configuration(GetParam());
  ultracomputer model(config, 1);
  testing::event_text of_model(model.observers());
  model.run_until(cycles);

  config.network.rtl = "all";
  config.network.make_switch = maker_of(GetParam());
  testing::platform_of<omega_network_module> platform(config, 1);
  platform.trace(97);
  platform.reset_n.write(false);
  ASSERT_EQ(platform.trace(3), "") << "something happens in reset";
  platform.reset_n.write(true);
  const std::string trace = platform.trace(cycles);
  EXPECT_TRUE(trace == of_model.text()) << testing::first_difference(of_model.text(), trace);
}

INSTANTIATE_TEST_SUITE_P(variants, platform_reset, ::testing::ValuesIn(built_switch_variants()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace tributary
