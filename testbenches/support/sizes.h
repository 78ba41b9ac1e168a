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

/// `amount` in an optimised build; a quarter under sanitizers, a fifth without optimisation.
constexpr std::uint64_t scaled(std::uint64_t amount) {
#if defined(__SANITIZE_ADDRESS__)
  return amount / 4 + 1;
#elif defined(NDEBUG)
  return amount;
#else
  return amount / 5 + 1;
#endif
}

}  // namespace tributary::testing
