// SPDX-License-Identifier: Apache-2.0
// Nodes and a network as modules do in every cycle what they do in the plain loop.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include <support/module_magic_machine.h>
#include <support/random_magic_machine.h>
#include <support/sizes.h>
#include <support/systemc_test.h>

namespace tributary {
namespace {

using testing::compare_with_plain;
using testing::random_case;

class magic_engine_equality_test : public testing::systemc_test {};

TEST_F(magic_engine_equality_test, random_machines_have_the_same_events) {
  std::size_t events = 0;
  const std::uint64_t cases = testing::long_form() ? testing::scaled(1000) : testing::scaled(24);
  for (std::uint64_t i = 0; i < cases; ++i) {
    compare_with_plain(random_case(i), false, events);
    ASSERT_FALSE(HasFailure()) << i;
  }
  EXPECT_GT(events, 25000 * cases);
  RecordProperty("events", std::to_string(events));
}

TEST_F(magic_engine_equality_test, lanes_keep_to_the_base_protocol) {
  std::size_t events = 0;
  const std::uint64_t cases = testing::long_form() ? testing::scaled(200) : testing::scaled(6);
  for (std::uint64_t i = 0; i < cases; ++i) {
    compare_with_plain(random_case(10000 + i), true, events);
    ASSERT_FALSE(HasFailure()) << i;
  }
}

}  // namespace
}  // namespace tributary
