// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <tributary/memory/operation.h>
#include <tributary/sim/random_stream.h>

namespace tributary {
namespace {

constexpr word_t all_ones = ~word_t{0};
constexpr word_t most = 0x7fffffffffffffffULL;   // greatest two's complement word
constexpr word_t least = 0x8000000000000000ULL;  // least

std::vector<form> forms() {
  return {form::identity,       form::constant,         form::add,  form::logic, form::clamp_signed,
          form::clamp_unsigned, form::compare_and_swap, form::merge};
}

/// Words at the edges, or at random.
word_t draw_word(random_stream& random) {
  constexpr std::array<word_t, 8> edges{0, 1, 2, all_ones, all_ones - 1, most, least, least + 1};
  const std::uint64_t kind = random.below(3);
  if (kind == 0) return edges[random.below(edges.size())];
  return kind == 1 ? random.below(5) : random.next_u64();
}

word_function draw_function(form kind, random_stream& random) {
  const word_t a = draw_word(random);
  return {kind, a, draw_word(random)};
}

/// What the operation does to a word, written down a second time.
word_t meaning(operation op, word_t x, word_t e, word_t f) {
  const auto as_signed = [](word_t w) { return static_cast<std::int64_t>(w); };
  switch (op) {
    case operation::load:
      return x;
    case operation::store:
    case operation::swap:
      return e;
    case operation::test_and_set:
      return 1;
    case operation::fetch_add:
      return x + e;
    case operation::fetch_and:
      return x & e;
    case operation::fetch_or:
      return x | e;
    case operation::fetch_xor:
      return x ^ e;
    case operation::fetch_max:
      return as_signed(x) > as_signed(e) ? x : e;
    case operation::fetch_min:
      return as_signed(x) < as_signed(e) ? x : e;
    case operation::fetch_max_unsigned:
      return std::max(x, e);
    case operation::fetch_min_unsigned:
      return std::min(x, e);
    case operation::compare_and_swap:
      return x == e ? f : x;
    case operation::narrow_store: {
      word_t result = 0;
      for (unsigned bit = 0; bit < 64; ++bit) {
        const word_t from = ((f >> bit) & 1U) != 0 ? e : x;
        result |= from & (word_t{1} << bit);
      }
      return result;
    }
  }
  return 0;
}

TEST(operation, each_does_what_its_name_says) {
  random_stream random(1, 0U, 0U);
  for (std::size_t i = 0; i < operation_count; ++i) {
    const auto op = static_cast<operation>(i);
    for (int trial = 0; trial < 2000; ++trial) {
      const word_t x = draw_word(random);
      const word_t e = trial % 4 == 0 ? x : draw_word(random);
      const word_t f = draw_word(random);
      ASSERT_EQ(apply(function_of(op, e, f), x), meaning(op, x, e, f))
          << name_of(op) << " x=" << x << " e=" << e << " f=" << f;
    }
  }
}

TEST(operation, composition_is_first_then_second) {
  random_stream random(2, 0U, 0U);
  for (const form first : forms()) {
    for (const form second : forms()) {
      if (!composes(first, second)) continue;
      for (int trial = 0; trial < 1000; ++trial) {
        const word_function f = draw_function(first, random);
        const word_function g = draw_function(second, random);
        const word_t x = draw_word(random);
        ASSERT_EQ(apply(compose(f, g), x), apply(g, apply(f, x)))
            << name_of(first) << " then " << name_of(second) << " of " << x;
        ASSERT_EQ(answer_second(f, x), apply(f, x)) << name_of(first);
      }
    }
  }
}

TEST(operation, composing_again_is_associative) {
  random_stream random(3, 0U, 0U);
  int tried = 0;
  for (int trial = 0; trial < 200000; ++trial) {
    const auto draw_form = [&] { return static_cast<form>(random.below(form_count)); };
    const word_function f = draw_function(draw_form(), random);
    const word_function g = draw_function(draw_form(), random);
    const word_function h = draw_function(draw_form(), random);
    if (!composes(f.kind, g.kind)) continue;
    const word_function fg = compose(f, g);
    if (!composes(fg.kind, h.kind)) continue;
    const word_t x = draw_word(random);
    ASSERT_EQ(apply(compose(fg, h), x), apply(h, apply(g, apply(f, x))))
        << name_of(f.kind) << ", " << name_of(g.kind) << ", " << name_of(h.kind);
    ++tried;
  }
  EXPECT_GT(tried, 10000);
}

/// Section 5: identity composes with every form, a constant with every form before or after it,
/// each other form with itself only; compare-and-swap and narrow stores never combine.
TEST(operation, which_forms_compose) {
  const auto never = [](form kind) {
    return kind == form::compare_and_swap || kind == form::merge;
  };
  const auto with_all = [](form kind) { return kind == form::identity || kind == form::constant; };
  for (const form first : forms()) {
    for (const form second : forms()) {
      const bool expected = !never(first) && !never(second) &&
                            (with_all(first) || with_all(second) || first == second);
      EXPECT_EQ(composes(first, second), expected) << name_of(first) << " then " << name_of(second);
    }
  }
}

TEST(operation, the_table_of_a_queue_holds_the_enabled_pairs) {
  random_stream random(4, 0U, 0U);
  for (int trial = 0; trial < 64; ++trial) {
    const auto enabled = static_cast<std::uint8_t>(random.below(256));
    const std::uint64_t table = combining_table(enabled);
    for (const form first : forms()) {
      for (const form second : forms()) {
        const auto i = static_cast<unsigned>(first);
        const auto j = static_cast<unsigned>(second);
        const bool both = ((enabled >> i) & 1U) != 0 && ((enabled >> j) & 1U) != 0;
        ASSERT_EQ(((table >> (i * form_count + j)) & 1U) != 0, both && composes(first, second))
            << name_of(first) << " then " << name_of(second) << ", enabled " << unsigned{enabled};
      }
    }
  }
  EXPECT_EQ(combining_table(0), 0U);
}

TEST(operation, byte_masks) {
  EXPECT_EQ(byte_mask(0), 0U);
  EXPECT_EQ(byte_mask(0xff), all_ones);
  EXPECT_EQ(byte_mask(0x01), 0xffU);
  EXPECT_EQ(byte_mask(0x80), 0xff00000000000000ULL);
  for (unsigned enables = 0; enables < 256; ++enables) {
    const word_t mask = byte_mask(static_cast<std::uint8_t>(enables));
    for (unsigned byte = 0; byte < word_bytes; ++byte) {
      const word_t found = (mask >> (8 * byte)) & 0xffU;
      EXPECT_EQ(found, ((enables >> byte) & 1U) != 0 ? 0xffU : 0U) << enables << ' ' << byte;
    }
  }
}

TEST(operation, a_narrow_store_changes_its_bytes_only) {
  const word_function f =
      function_of(operation::narrow_store, 0x1122334455667788ULL, byte_mask(0x0c));
  EXPECT_EQ(apply(f, all_ones), 0xffffffff5566ffffULL);
  EXPECT_EQ(apply(f, 0), 0x0000000055660000ULL);
}

TEST(operation, arithmetic_wraps_and_clamps_respect_signs) {
  EXPECT_EQ(apply(function_of(operation::fetch_add, 1), all_ones), 0U);
  EXPECT_EQ(apply(function_of(operation::fetch_max, least), 0), 0U);
  EXPECT_EQ(apply(function_of(operation::fetch_max, all_ones), least), all_ones) << "-1 wins";
  EXPECT_EQ(apply(function_of(operation::fetch_min, all_ones), most), all_ones);
  EXPECT_EQ(apply(function_of(operation::fetch_max_unsigned, least), most), least);
}

TEST(operation, names_are_distinct_and_found_again) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < operation_count; ++i) {
    const auto op = static_cast<operation>(i);
    EXPECT_EQ(operation_named(name_of(op)), op);
    names.emplace(name_of(op));
  }
  EXPECT_EQ(names.size(), operation_count);
  for (const form kind : forms()) EXPECT_EQ(form_named(name_of(kind)), kind);
  EXPECT_FALSE(operation_named("fetch_and_add").has_value());
  EXPECT_FALSE(form_named("").has_value());
}

TEST(operation, operands) {
  EXPECT_EQ(operand_count(operation::load), 0U);
  EXPECT_EQ(operand_count(operation::test_and_set), 0U);
  EXPECT_EQ(operand_count(operation::fetch_add), 1U);
  EXPECT_EQ(operand_count(operation::compare_and_swap), 2U);
  EXPECT_EQ(operand_count(operation::narrow_store), 2U);
}

TEST(operation, is_found_by_its_function) {
  for (std::size_t i = 0; i < operation_count; ++i) {
    const auto asked = static_cast<operation>(i);
    const word_function function = function_of(asked, 5, 0xff);
    const std::optional<operation> found = operation_of(function);
    ASSERT_TRUE(found.has_value()) << name_of(asked);
    EXPECT_EQ(function_of(*found, 5, 0xff).kind, function.kind) << name_of(asked);
    // A swap and a test_and_set are stores whose old word is wanted.
    if (function.kind != form::constant) {
      EXPECT_EQ(*found, asked) << name_of(asked);
    }
  }
  EXPECT_EQ(operation_of(function_of(operation::swap, 5)), operation::store);
  EXPECT_FALSE(operation_of({form::logic, 6, 3}).has_value());
}

}  // namespace
}  // namespace tributary
