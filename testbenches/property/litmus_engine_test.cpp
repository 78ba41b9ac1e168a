// SPDX-License-Identifier: Apache-2.0
// Litmus programs in the SystemC engine: on every design it observes what the core's loop does.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>

#include <ultracomputer/ultracomputer.h>
#include <ultracomputer/ultracomputer_platform.h>

#include "support/litmus.h"
#include "support/program_machines.h"

namespace tributary {
namespace {

using testing::all_litmus;
using testing::litmus_form;
using testing::litmus_kind;
using testing::litmus_program;
using testing::litmus_result;
using testing::litmus_setup;
using testing::named_design;

litmus_result run_in_systemc(const named_design& design, const litmus_setup& setup,
                             std::uint64_t seed) {
  ultracomputer_config config = testing::program_machine(design, setup.elements);
  config.interface = setup.interface;
  config.processor.turnaround = setup.turnaround;
  const litmus_program* played = nullptr;
  ultracomputer_platform machine(config, seed, [&setup, &played, seed] {
    auto made = std::make_unique<litmus_program>(setup.form, seed, setup.elements, setup.rounds);
    played = made.get();
    return made;
  });
  machine.run_until(1000000);
  EXPECT_TRUE(machine.finished());
  return played->result();
}

/// Outcomes across words that were seen.
std::uint64_t across_words(const litmus_result& result) {
  std::uint64_t across = 0;
  for (std::size_t i = 0; i < all_litmus().size(); ++i) {
    if (all_litmus()[i].kind == litmus_kind::across_words) across += result.counts[i].seen;
  }
  return across;
}

litmus_setup short_setup(litmus_form form) {
  litmus_setup setup;
  setup.form = form;
  setup.rounds = 20;
  return setup;
}

/// Every reply, every word in the end, and the cycles in which each thread began and was done.
TEST(litmus_engine, both_engines_observe_the_same) {
  for (const named_design& design : testing::designs_for_programs()) {
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      SCOPED_TRACE(std::string(design.name) + ", seed " + std::to_string(seed));
      for (const litmus_form form : {litmus_form::issued, litmus_form::fenced}) {
        const litmus_setup setup = short_setup(form);
        const litmus_result modules = run_in_systemc(design, setup, seed);
        const litmus_result loop = run_litmus(design.name, setup, seed);
        EXPECT_GE(loop.observations.size(), setup.rounds);
        EXPECT_TRUE(modules.observations == loop.observations);
        if (form == litmus_form::issued) {
          EXPECT_GT(across_words(modules), 0U);
        } else {
          EXPECT_EQ(across_words(modules), 0U);
        }
      }
    }
  }
}

TEST(litmus_engine, another_design_is_told_apart) {
  const litmus_setup setup = short_setup(litmus_form::issued);
  const named_design& design = testing::designs_for_programs().front();
  const litmus_result modules = run_in_systemc(design, setup, 1);
  EXPECT_TRUE(modules.observations == run_litmus(design.name, setup, 1).observations);
  EXPECT_FALSE(modules.observations == run_litmus("baseline", setup, 1).observations);
}

}  // namespace
}  // namespace tributary
