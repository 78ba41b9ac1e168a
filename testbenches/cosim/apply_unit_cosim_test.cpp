// SPDX-License-Identifier: Apache-2.0
// The arithmetic of the RTL beside the table of operations.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include <tributary/memory/operation.h>
#include <tributary/rtl/packed_messages.h>
#include <tributary/rtl/verilated_coverage.h>
#include <tributary/sim/random_stream.h>

#include "support/random_choice.h"
#include "support/sizes.h"
#include "verilated_apply_unit.h"
#include "verilated_apply_unit_few.h"
#include "verilated_compose_unit.h"

namespace tributary {
namespace {

constexpr unsigned forms = form_count;

word_t operand(random_stream& random) {
  const word_t sign = word_t{1} << 63;
  return testing::one_of<word_t>(
      random, {0, 1, ~word_t{0}, sign, sign - 1, random.next_u64(), random.below(8)});
}

/// Compares an apply unit that has the forms of the bits in `built` with the table. Any other form
/// leaves the word as it is.
template <class Unit>
void expect_forms(unsigned built, std::uint64_t cases) {
  VerilatedContext context;
  Unit unit(&context);
  random_stream random(1, 0U, 0U);
  for (std::uint64_t i = 0; i < cases; ++i) {
    const word_function function{static_cast<form>(i % forms), operand(random), operand(random)};
    const word_t word = random.below(4) == 0 ? function.a : operand(random);
    unit.form_i = static_cast<CData>(function.kind);
    unit.a_i = function.a;
    unit.b_i = function.b;
    unit.word_i = word;
    unit.eval();
    const bool is_built = ((built >> static_cast<unsigned>(function.kind)) & 1U) != 0;
    ASSERT_EQ(unit.word_o, is_built ? apply(function, word) : word)
        << name_of(function.kind) << std::hex << " a " << function.a << " b " << function.b
        << " of " << word << ", forms built: " << built;
  }
  write_coverage(context);
}

TEST(apply_unit_cosim, applies_every_form_as_the_table_does) {
  expect_forms<verilated_apply_unit>((1U << forms) - 1, testing::scaled(20'000));
}

TEST(apply_unit_cosim, leaves_the_word_for_a_form_that_is_not_built) {
  expect_forms<verilated_apply_unit_few>(7, testing::scaled(4'000));
}

TEST(apply_unit_cosim, composes_every_pair_of_forms_as_the_table_does) {
  VerilatedContext context;
  verilated_compose_unit unit(&context);
  constexpr message_layout layout;
  random_stream random(2, 0U, 0U);
  for (std::uint64_t i = 0; i < testing::scaled(40'000); ++i) {
    const word_function first{static_cast<form>(i % forms), operand(random), operand(random)};
    const word_function second{static_cast<form>(i / forms % forms), operand(random),
                               operand(random)};
    if (!composes(first.kind, second.kind)) continue;
    packed_fields first_port(unit.first_i, 0);
    layout.set(first_port, first);
    packed_fields second_port(unit.second_i, 0);
    layout.set(second_port, second);
    unit.eval();
    packed_fields composed(unit.composed_o, 0);
    const word_function both = layout.read<word_function>(composed);
    const word_function expected = compose(first, second);
    ASSERT_TRUE(both == expected) << name_of(first.kind) << " then " << name_of(second.kind)
                                  << std::hex << ": RTL " << name_of(both.kind) << ' ' << both.a
                                  << ' ' << both.b << ", table " << name_of(expected.kind) << ' '
                                  << expected.a << ' ' << expected.b;
  }
  write_coverage(context);
}

}  // namespace
}  // namespace tributary
