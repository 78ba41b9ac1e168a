// SPDX-License-Identifier: Apache-2.0
// Operations as functions of a memory word: applying, composing and answering them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tributary {

/// A word of memory, 8 bytes; operations are arithmetic modulo 2^64.
using word_t = std::uint64_t;

/// Bytes of a word.
inline constexpr std::size_t word_bytes = 8;

/// How a request changes the word it addresses; the table is operation_forms.def.
enum class form : std::uint8_t {
#define TRIBUTARY_FORM(name, code, apply, compose_a, compose_b, combines) name = (code),
#include <tributary/memory/operation_forms.def>
};

/// Number of forms.
inline constexpr unsigned form_count = 8;

/// What a program asks for; each operation is one form with operands filled in.
enum class operation : std::uint8_t {
#define TRIBUTARY_OPERATION(name, form, a, b, operands) name,
#include <tributary/memory/operation_forms.def>
};

/// Number of operations.
inline constexpr std::size_t operation_count = 14;

/// A function of a memory word: the form and its two operand words.
struct word_function {
  form kind = form::identity;
  word_t a = 0;
  word_t b = 0;
};

constexpr bool operator==(const word_function& f, const word_function& g) {
  return f.kind == g.kind && f.a == g.a && f.b == g.b;
}

/// min(max(x, low), high) on words read as two's complement.
constexpr word_t clamp_signed(word_t x, word_t low, word_t high) {
  const auto s = static_cast<std::int64_t>(x);
  const auto l = static_cast<std::int64_t>(low);
  const auto h = static_cast<std::int64_t>(high);
  const std::int64_t raised = s < l ? l : s;
  return static_cast<word_t>(raised > h ? h : raised);
}

/// min(max(x, low), high) on unsigned words.
constexpr word_t clamp_unsigned(word_t x, word_t low, word_t high) {
  const word_t raised = x < low ? low : x;
  return raised > high ? high : raised;
}

/// The word that memory holds after `f` was applied to `x`.
constexpr word_t apply(const word_function& f, word_t x) {
  [[maybe_unused]] const word_t a = f.a;
  [[maybe_unused]] const word_t b = f.b;
  switch (f.kind) {
#define TRIBUTARY_FORM(name, code, apply, compose_a, compose_b, combines) \
  case form::name:                                                        \
    return apply;
#include <tributary/memory/operation_forms.def>
  }
  return x;
}

/// Whether requests of this form combine with anything (compare-and-swap and merge never do).
constexpr bool combines(form kind) {
  switch (kind) {
#define TRIBUTARY_FORM(name, code, apply, compose_a, compose_b, combines) \
  case form::name:                                                        \
    return combines;
#include <tributary/memory/operation_forms.def>
  }
  return false;
}

/// Whether a request of form `second` may combine with a waiting one of form `first`.
constexpr bool composes(form first, form second) {
  if (!combines(first) || !combines(second)) return false;
  return first == second || first == form::identity || second == form::identity ||
         first == form::constant || second == form::constant;
}

/// second o first, the function that one request carries onward for two.
/// Precondition: composes(first.kind, second.kind).
constexpr word_function compose(const word_function& first, const word_function& second) {
  if (second.kind == form::identity) return first;
  if (first.kind == form::identity || second.kind == form::constant) return second;
  if (first.kind == form::constant) return {form::constant, apply(second, first.a), 0};
  [[maybe_unused]] const word_t fa = first.a;
  [[maybe_unused]] const word_t fb = first.b;
  [[maybe_unused]] const word_t ga = second.a;
  [[maybe_unused]] const word_t gb = second.b;
  switch (first.kind) {
#define TRIBUTARY_FORM(name, code, apply, compose_a, compose_b, combines) \
  case form::name:                                                        \
    return {form::name, compose_a, compose_b};
#include <tributary/memory/operation_forms.def>
  }
  return second;
}

/// The word that answers the second of two combined requests when memory answered `reply`; the
/// first is answered with `reply` itself.
constexpr word_t answer_second(const word_function& first, word_t reply) {
  return apply(first, reply);
}

/// One bit per pair of forms, bit (first * 8 + second): the pairs that may combine when only the
/// forms in `enabled` (one bit per form) take part.
constexpr std::uint64_t combining_table(std::uint8_t enabled) {
  std::uint64_t table = 0;
  for (unsigned first = 0; first < form_count; ++first) {
    for (unsigned second = 0; second < form_count; ++second) {
      const bool both = ((enabled >> first) & 1U) != 0 && ((enabled >> second) & 1U) != 0;
      if (both && composes(static_cast<form>(first), static_cast<form>(second))) {
        table |= std::uint64_t{1} << (first * form_count + second);
      }
    }
  }
  return table;
}

/// The function that an operation with operands `e` and `f` applies to its word.
word_function function_of(operation op, word_t e = 0, word_t f = 0);

/// An operation that applies this function, of several the first in the table: a swap is told as a
/// store. Nothing for a function that no operation has, such as one of requests that combined.
std::optional<operation> operation_of(const word_function& f);

/// Number of operands that an operation takes: 0, 1 or 2.
unsigned operand_count(operation op);

/// The name in traces and tables, that of the enumerator.
std::string_view name_of(form kind);
/// The name in run files, traces and tables, that of the enumerator.
std::string_view name_of(operation op);

/// The operation of that name, or nothing.
std::optional<operation> operation_named(std::string_view name);
/// The form of that name, or nothing.
std::optional<form> form_named(std::string_view name);

/// The mask of a word's bytes that `byte_enables` selects (bit i enables byte i, the least
/// significant first): the operand b of a merge.
constexpr word_t byte_mask(std::uint8_t byte_enables) {
  word_t mask = 0;
  for (unsigned byte = 0; byte < word_bytes; ++byte) {
    if ((byte_enables >> byte) & 1U) mask |= word_t{0xff} << (8 * byte);
  }
  return mask;
}

}  // namespace tributary
