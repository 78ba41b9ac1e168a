// SPDX-License-Identifier: Apache-2.0
// How much work a random test does.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace tributary::testing {

/// Whether the environment asks for the long form (TRIBUTARY_LONG=1).
inline bool long_form() {
  const char* asked = std::getenv("TRIBUTARY_LONG");
  return asked != nullptr && asked[0] == '1';
}

/// `amount` in an optimised build; an eighth under sanitizers and without optimisation: what
/// `./dev test` runs, and what the faults of `./dev mutants --core` are judged by.
constexpr std::uint64_t scaled(std::uint64_t amount) {
#if defined(__SANITIZE_ADDRESS__) || !defined(NDEBUG)
  return amount / 8 + 1;
#else
  return amount;
#endif
}

}  // namespace tributary::testing
