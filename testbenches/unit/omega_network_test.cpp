// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <tributary/network/omega/omega_network.h>
#include <tributary/sim/error.h>

#include "support/composed_network.h"

namespace tributary {
namespace {

using testing::network_arrivals;
using testing::whole_network;

omega_network_config of_size(std::uint32_t elements) {
  omega_network_config config;
  config.processing_elements = elements;
  return config;
}

packet request(std::uint32_t pe, std::uint32_t module, std::uint32_t sequence = 0) {
  packet made;
  made.location = location_of(mm_id{module}, 8 * word_bytes);
  made.pe = static_cast<std::uint16_t>(pe);
  made.sequence = sequence;
  return made;
}

struct journey {
  std::size_t module = 0;
  int to_memory = 0;  ///< cycles from acceptance to the module
  std::size_t pe = 0;
  int back = 0;  ///< cycles from the module's response to its delivery
};

/// One request alone, there and back.
journey travel(whole_network& network, std::uint32_t pe, std::uint32_t module) {
  const std::size_t lines = network.network().lines();
  const std::vector<std::uint8_t> ready(lines, 1);
  network_arrivals nothing;
  nothing.requests.resize(lines);
  nothing.replies.resize(lines);
  network_arrivals entering = nothing;
  entering.requests[pe] = request(pe, module);
  journey result;
  testing::network_departures leaving = network.cycle(ready, entering);
  while (leaving.served.empty() && result.to_memory < 100) {
    leaving = network.cycle(ready, nothing);
    ++result.to_memory;
  }
  if (leaving.served.size() != 1) return result;
  result.module = leaving.served[0].first;
  entering = nothing;
  entering.replies[result.module] = reply{1, 0, static_cast<std::uint16_t>(pe)};
  leaving = network.cycle(ready, entering);
  while (leaving.delivered.empty() && result.back < 100) {
    leaving = network.cycle(ready, nothing);
    ++result.back;
  }
  if (leaving.delivered.size() == 1) result.pe = leaving.delivered[0].first;
  return result;
}

TEST(omega_network, stages) {
  EXPECT_EQ(of_size(2).stages(), 1U);
  EXPECT_EQ(of_size(1024).stages(), 10U);
  EXPECT_EQ(of_size(65536).stages(), 16U);
}

TEST(omega_network, connects_every_element_with_every_module) {
  for (const std::uint32_t n : {2U, 4U, 8U, 32U}) {
    whole_network network(of_size(n));
    const int k = static_cast<int>(network.network().stages());
    for (std::uint32_t pe = 0; pe < n; ++pe) {
      for (std::uint32_t module = 0; module < n; ++module) {
        const journey made = travel(network, pe, module);
        ASSERT_EQ(made.module, module) << n << " elements, from " << pe;
        ASSERT_EQ(made.pe, pe) << n << " elements, back from " << module;
        ASSERT_EQ(made.to_memory, k) << pe << " to " << module;
        ASSERT_EQ(made.back, k) << module << " to " << pe;
      }
    }
    EXPECT_TRUE(network.idle());
  }
}

TEST(omega_network, refuses_other_sizes) {
  for (const std::uint32_t n : {0U, 3U, 12U, 65535U}) {
    EXPECT_THROW(of_size(n).validate(), configuration_error) << n;
  }
  for (const std::uint32_t n : {2U, 64U, 65536U}) EXPECT_NO_THROW(of_size(n).validate()) << n;
}

TEST(omega_network, a_copy_goes_its_own_way) {
  whole_network original(of_size(8));
  network_arrivals entering;
  entering.requests.resize(8);
  entering.replies.resize(8);
  entering.requests[3] = request(3, 5);
  const std::vector<std::uint8_t> ready(8, 1);
  original.cycle(ready, entering);
  whole_network copy = original;
  EXPECT_TRUE(copy.network() == original.network());
  entering.requests[3].reset();
  original.cycle(ready, entering);
  EXPECT_FALSE(copy.network() == original.network());
  copy.cycle(ready, entering);
  EXPECT_TRUE(copy.network() == original.network());
}

TEST(omega_network, counts_by_stage) {
  whole_network network(of_size(8));
  travel(network, 1, 6);
  for (std::size_t stage = 0; stage < 3; ++stage) {
    EXPECT_EQ(network.network().column(stage).counters().arrived, 1U) << stage;
    EXPECT_EQ(network.network().column(stage).counters().departed, 1U) << stage;
  }
  network.network().reset_statistics();
  EXPECT_EQ(network.network().column(0).counters().arrived, 0U);
}

}  // namespace
}  // namespace tributary
