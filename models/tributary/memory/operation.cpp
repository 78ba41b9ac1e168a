// SPDX-License-Identifier: Apache-2.0
#include <tributary/memory/operation.h>

#include <array>
#include <cstdint>
#include <limits>

namespace tributary {
namespace {

constexpr auto signed_maximum = static_cast<word_t>(std::numeric_limits<std::int64_t>::max());
constexpr auto signed_minimum = static_cast<word_t>(std::numeric_limits<std::int64_t>::min());

constexpr std::array<std::string_view, form_count> form_names{
#define TRIBUTARY_FORM(name, code, apply, compose_a, compose_b, combines) #name,
#include <tributary/memory/operation_forms.def>
};

constexpr std::array<std::string_view, operation_count> operation_names{
#define TRIBUTARY_OPERATION(name, form, a, b, operands) #name,
#include <tributary/memory/operation_forms.def>
};

constexpr std::array<form, operation_count> forms{
#define TRIBUTARY_OPERATION(name, form_name, a, b, operands) form::form_name,
#include <tributary/memory/operation_forms.def>
};

/// By form, its first operation. Traces ask for every request that they see.
constexpr std::array<std::uint8_t, form_count> first_operations() {
  std::array<std::uint8_t, form_count> first{};
  for (std::size_t i = operation_count; i > 0; --i) {
    first[static_cast<std::size_t>(forms[i - 1])] = static_cast<std::uint8_t>(i - 1);
  }
  return first;
}
constexpr std::array<std::uint8_t, form_count> first_operation = first_operations();

template <class Enumeration, class Names>
std::optional<Enumeration> find(const Names& names, std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<Enumeration>(i);
  }
  return std::nullopt;
}

}  // namespace

word_function function_of(operation op, [[maybe_unused]] word_t e, [[maybe_unused]] word_t f) {
  switch (op) {
#define TRIBUTARY_OPERATION(name, form_name, a, b, operands) \
  case operation::name:                                      \
    return {form::form_name, a, b};
#include <tributary/memory/operation_forms.def>
  }
  return {};
}

namespace {

/// Whether the operation asks for `asked`, of its own form, by operands e and f.
bool asks_for(operation op, const word_function& asked, [[maybe_unused]] word_t e,
              [[maybe_unused]] word_t f) {
  switch (op) {
#define TRIBUTARY_OPERATION(name, form_name, a_of, b_of, operands) \
  case operation::name:                                            \
    return (a_of) == asked.a && (b_of) == asked.b;
#include <tributary/memory/operation_forms.def>
  }
  return false;
}

}  // namespace

std::optional<operation> operation_of(const word_function& f) {
  for (std::size_t i = first_operation[static_cast<std::size_t>(f.kind)];
       i < operation_count && forms[i] == f.kind; ++i) {
    const auto op = static_cast<operation>(i);
    // Each operation has its first operand, unchanged, in one of the two.
    if (asks_for(op, f, f.a, f.b) || asks_for(op, f, f.b, f.a)) return op;
  }
  return std::nullopt;
}

unsigned operand_count(operation op) {
  switch (op) {
#define TRIBUTARY_OPERATION(name, form, a, b, operands) \
  case operation::name:                                 \
    return operands;
#include <tributary/memory/operation_forms.def>
  }
  return 0;
}

std::string_view name_of(form kind) { return form_names[static_cast<std::size_t>(kind)]; }
std::string_view name_of(operation op) { return operation_names[static_cast<std::size_t>(op)]; }

std::optional<operation> operation_named(std::string_view name) {
  return find<operation>(operation_names, name);
}
std::optional<form> form_named(std::string_view name) { return find<form>(form_names, name); }

}  // namespace tributary
