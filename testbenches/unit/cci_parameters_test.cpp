// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <tributary/systemc/cci_parameters.h>
#include <tributary/systemc/combining_network.h>

#include <support/failure.h>
#include <support/systemc_test.h>

namespace tributary {
namespace {

class cci_parameters_test : public testing::systemc_test {};

struct soc : sc_core::sc_module {
  explicit soc(const sc_core::sc_module_name& name) : sc_module(name) {}

  combining_network_config config;
  cci_parameters parameters{config};
};

void preset(const std::string& name, const cci::cci_value& value) {
  cci::cci_get_global_broker(cci::cci_originator("test")).set_preset_cci_value(name, value);
}

TEST_F(cci_parameters_test, presets_take_the_place_of_defaults) {
  static cci_utils::broker broker("global");
  static const cci::cci_broker_handle handle = cci::cci_register_broker(broker);
  preset("a.network.processing_elements", cci::cci_value(8));
  preset("a.network.queue_type", cci::cci_value("A"));
  preset("a.network.coupled", cci::cci_value(true));
  soc a("a");
  EXPECT_EQ(a.config.network.processing_elements, 8U);
  EXPECT_EQ(a.config.network.switches.type, queue_type::a);
  EXPECT_TRUE(a.config.network.switches.coupled);
  EXPECT_EQ(a.config.memory_interface.interval, combining_network_config().memory_interface.interval);

  const auto seen = handle.get_param_handle("a.network.slots");
  ASSERT_TRUE(seen.is_valid()) << "other tools see what was not preset";
  EXPECT_EQ(seen.get_cci_value().to_json(), std::to_string(a.config.network.switches.slots));
  EXPECT_FALSE(seen.get_description().empty());
  EXPECT_GT(a.parameters.size(), 20U);

  preset("b.network.queue_type", cci::cci_value("C"));
  const std::string problem = testing::failure<configuration_error>([] { soc b("b"); });
  EXPECT_NE(problem.find("network.queue_type"), std::string::npos) << problem;
  EXPECT_NE(problem.find("CCI: b.network.queue_type"), std::string::npos) << problem;
}

}  // namespace
}  // namespace tributary
