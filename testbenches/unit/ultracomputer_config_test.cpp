// SPDX-License-Identifier: Apache-2.0
// What a configuration of the machine made in code is refused or warned of.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

#include <tributary/sim/error.h>
#include <ultracomputer/ultracomputer.h>

namespace tributary {
namespace {

template <class Change>
ultracomputer_config with(Change change) {
  ultracomputer_config config;
  config.network.processing_elements = 4;
  change(config);
  return config;
}

TEST(ultracomputer_config, defaults_are_accepted_without_a_warning) {
  const ultracomputer_config config = with([](auto&) {});
  EXPECT_NO_THROW(config.validate());
  EXPECT_TRUE(config.warnings().empty());
}

TEST(ultracomputer_config, values_out_of_range_are_refused_though_no_file_set_them) {
  const ultracomputer_config refused[] = {
      with([](auto& c) { c.network.switches.reverse_slots = 4; }),
      with([](auto& c) { c.network.switches.slots = 65; }),
      with([](auto& c) { c.network.switches.wait_buffer_entries = 0; }),
      with([](auto& c) { c.network.switches.link_cycles = 0; }),
      with([](auto& c) { c.memory.interval = 0; }),
      with([](auto& c) { c.memory.pipeline = 0; }),
      with([](auto& c) { c.interface.outstanding = 0; }),
      with([](auto& c) { c.processor.turnaround = 0; }),
  };
  for (const ultracomputer_config& config : refused) {
    EXPECT_THROW(config.validate(), configuration_error);
  }
}

TEST(ultracomputer_config, every_form_off_is_warned_of) {
  const auto only = [](form kept) {
    return with([kept](auto& c) {
      c.network.switches.combine.enabled.fill(false);
      c.network.switches.combine.enabled[static_cast<std::size_t>(kept)] = true;
    });
  };
  EXPECT_TRUE(only(form::add).warnings().empty());
  // These two never combine, so their switches, which no parameter sets, are of no account.
  EXPECT_EQ(only(form::compare_and_swap).warnings().size(), 1U);
  EXPECT_EQ(only(form::merge).warnings().size(), 1U);
}

TEST(ultracomputer_config, an_adaptive_limit_that_is_never_reached_is_warned_of) {
  const auto limit = [](queue_type type, std::uint32_t value) {
    return with([type, value](auto& c) {
             c.network.switches.type = type;
             c.network.switches.adaptive_limit = value;
           })
        .warnings()
        .size();
  };
  EXPECT_EQ(limit(queue_type::b, 3), 0U);
  EXPECT_EQ(limit(queue_type::b, 4), 1U);
  EXPECT_EQ(limit(queue_type::a, 2), 0U);
  EXPECT_EQ(limit(queue_type::a, 3), 1U);
}

}  // namespace
}  // namespace tributary
