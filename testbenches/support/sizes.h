// SPDX-License-Identifier: Apache-2.0
// How much work a random test does.
//
// The sanitized build is there for errors of memory and for undefined behaviour, and runs
// few cases; `./dev test` runs all of them in the release build.
#pragma once

#include <cstdint>
#include <cstdlib>

// How each compiler says that AddressSanitizer is on.
#if defined(__SANITIZE_ADDRESS__)
#define TRIBUTARY_SANITIZED_TESTS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TRIBUTARY_SANITIZED_TESTS 1
#endif
#endif

namespace tributary::testing {

/// Whether the environment asks for the long form (TRIBUTARY_LONG=1).
inline bool long_form() {
  const char* asked = std::getenv("TRIBUTARY_LONG");
  return asked != nullptr && asked[0] == '1';
}

/// Whether this is the sanitized build. Its cases are too few to ask whether rare ones came up.
#if defined(TRIBUTARY_SANITIZED_TESTS)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

/// `amount`; in the sanitized build a quarter.
constexpr std::uint64_t quartered(std::uint64_t amount) {
  return sanitized ? amount / 4 + 1 : amount;
}

/// `amount` in an optimised build; an eighth without optimisation, which is what the faults of
/// `./dev mutants --core` are judged by, and a quarter of that in the sanitized build.
constexpr std::uint64_t scaled(std::uint64_t amount) {
  if (sanitized) return amount / 32 + 1;
#if defined(NDEBUG)
  return amount;
#else
  return amount / 8 + 1;
#endif
}

}  // namespace tributary::testing
