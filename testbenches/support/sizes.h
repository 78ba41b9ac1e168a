// SPDX-License-Identifier: Apache-2.0
// How much work a random test does.
//
// The sanitized build is there for errors of memory and for undefined behaviour, and runs
// few cases; `./dev test` runs half of them in the release build, and `--full` all.
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

/// Whether `./dev test --full` runs, or the environment asks for the long form.
inline bool all_cases() { return long_form() || std::getenv("TRIBUTARY_FULL") != nullptr; }

/// `amount` with all cases, else half of it; in the sanitized build an eighth.
inline std::uint64_t halved(std::uint64_t amount) {
  if (sanitized) return amount / 8 + 1;
  return all_cases() ? amount : amount / 2 + 1;
}

/// `amount` in an optimised build with all cases, else half of it; an eighth without optimisation,
/// which is what the faults of `./dev mutants --core` are judged by, and a quarter of that in the
/// sanitized build.
inline std::uint64_t scaled(std::uint64_t amount) {
  if (sanitized) return amount / 32 + 1;
#if defined(NDEBUG)
  return all_cases() ? amount : amount / 2 + 1;
#else
  return amount / 8 + 1;
#endif
}

}  // namespace tributary::testing
