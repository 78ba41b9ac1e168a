// SPDX-License-Identifier: Apache-2.0
#include <tributary/systemc/combining_chance.h>

#include <string>

#include <tributary/systemc/combining_network.h>
#include <tributary/systemc/messages.h>

#include "support/systemc_test.h"

namespace tributary {
namespace {

combining_network_config network_of(std::uint32_t elements) {
  combining_network_config config;
  config.network.processing_elements = elements;
  return config;
}

bool names(const combining_network_config& config, const std::string& key) {
  return why_nothing_combines(config).find(key) != std::string::npos;
}

TEST(combining_chance, is_there_where_requests_wait) {
  combining_network_config config = network_of(8);
  config.memory_interface.interval = 4;
  EXPECT_EQ(why_nothing_combines(config), "");
  config.memory_interface.interval = 1;
  config.interface.outstanding = 2;
  EXPECT_EQ(why_nothing_combines(config), "");
  EXPECT_EQ(why_nothing_combines(network_of(16)), "");
}

TEST(combining_chance, is_not_asked_for_without_combining) {
  combining_network_config config = network_of(2);
  config.network.switches.combining = false;
  EXPECT_EQ(why_nothing_combines(config), "");
}

TEST(combining_chance, needs_a_form_that_combines) {
  combining_network_config config = network_of(64);
  config.network.switches.combine.enabled.fill(false);
  EXPECT_TRUE(names(config, "network.combine"));
}

TEST(combining_chance, needs_a_region_that_combines) {
  combining_network_config config = network_of(64);
  for (address_region& region : config.addresses.regions) region.combinable = false;
  EXPECT_TRUE(names(config, "addresses.regions"));
  config.addresses.regions[1].combinable = true;
  EXPECT_EQ(why_nothing_combines(config), "");
}

TEST(combining_chance, needs_slots) {
  combining_network_config config = network_of(64);
  config.network.switches.slots = 2;
  EXPECT_TRUE(names(config, "network.slots"));
  config.network.switches.coupled = true;
  EXPECT_EQ(why_nothing_combines(config), "");
}

TEST(combining_chance, of_two_elements_needs_queues_of_both) {
  combining_network_config config = network_of(2);
  config.interface.outstanding = 4;
  EXPECT_TRUE(names(config, "network.queue_type"));
  config.interface.policy = issue_policy::unordered;
  EXPECT_EQ(why_nothing_combines(config), "");
  config.interface.policy = issue_policy::automatic;
  config.network.switches.type = queue_type::a;
  EXPECT_EQ(why_nothing_combines(config), "");
}

TEST(combining_chance, is_small_where_memory_is_faster_than_the_elements) {
  EXPECT_TRUE(names(network_of(8), "memory_interface.interval"));
  combining_network_config config = network_of(4);
  config.memory_interface.interval = 4;
  EXPECT_TRUE(names(config, "interface.outstanding"));
  config.memory_interface.interval = 5;
  EXPECT_EQ(why_nothing_combines(config), "");
}

TEST(combining_chance, is_there_where_the_own_unit_makes_requests_wait) {
  combining_network_config config = network_of(4);
  EXPECT_TRUE(names(config, "memory_interface.interval"));
  config.memory_interface.fetch_ops = fetch_op_service::own_unit;
  EXPECT_EQ(why_nothing_combines(config), "");
}

class combining_chance_of_a_network : public testing::systemc_test {
 protected:
  std::size_t said_by(const combining_network_config& config) {
    sc_core::sc_clock clock("clock", 10, sc_core::SC_NS);
    combining_network network("network", config);
    network.clock(clock);
    sc_core::sc_start(100, sc_core::SC_NS);
    return reports(messages::combining).size();
  }
};

TEST_F(combining_chance_of_a_network, is_said_once) { EXPECT_EQ(said_by(network_of(8)), 1U); }

TEST_F(combining_chance_of_a_network, is_not_said_where_requests_combine) {
  EXPECT_EQ(said_by(network_of(16)), 0U);
}

}  // namespace
}  // namespace tributary
