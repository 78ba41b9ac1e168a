// SPDX-License-Identifier: Apache-2.0
// Litmus programs in the SystemC engine: the same outcomes in the same rounds.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>

#include <ultracomputer/ultracomputer.h>
#include <ultracomputer/ultracomputer_platform.h>

#include "support/litmus.h"
#include "support/program_machines.h"

namespace tributary {
namespace {

using testing::all_litmus;
using testing::litmus_counts;
using testing::litmus_form;
using testing::litmus_kind;
using testing::litmus_program;
using testing::litmus_setup;

constexpr const char* design = "baseline";

litmus_counts run_in_systemc(const litmus_setup& setup, std::uint64_t seed) {
  ultracomputer_config config =
      testing::program_machine(testing::designs_for_programs()[1], setup.elements);
  config.interface = setup.interface;
  const litmus_program* played = nullptr;
  ultracomputer_platform machine(config, seed, [&setup, &played, seed] {
    auto made = std::make_unique<litmus_program>(setup.form, seed, setup.elements, setup.rounds);
    played = made.get();
    return made;
  });
  machine.run_until(1000000);
  EXPECT_TRUE(machine.finished());
  return played->counts();
}

std::uint64_t expect_equal(const litmus_setup& setup, std::uint64_t seed) {
  const litmus_counts modules = run_in_systemc(setup, seed);
  const litmus_counts loop = run_litmus(design, setup, seed);
  std::uint64_t across = 0;
  for (std::size_t i = 0; i < all_litmus().size(); ++i) {
    SCOPED_TRACE(all_litmus()[i].name + ", seed " + std::to_string(seed));
    EXPECT_EQ(modules[i].runs, loop[i].runs);
    EXPECT_EQ(modules[i].seen, loop[i].seen);
    if (all_litmus()[i].kind == litmus_kind::across_words) across += modules[i].seen;
  }
  return across;
}

TEST(litmus_engine, both_engines_see_the_same_outcomes) {
  ASSERT_STREQ(testing::designs_for_programs()[1].name, design);
  litmus_setup setup;
  setup.rounds = 40;
  EXPECT_GT(expect_equal(setup, 1), 0U);
  setup.form = litmus_form::fenced;
  EXPECT_EQ(expect_equal(setup, 1), 0U);
}

}  // namespace
}  // namespace tributary
