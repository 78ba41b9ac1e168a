// SPDX-License-Identifier: Apache-2.0
// Accesses as a processor asks for them at a memory port.
#pragma once

#include <cstdint>

#include <tributary/memory/port.h>

namespace tributary::testing {

inline access load_of(std::uint64_t address, std::uint64_t tag = 0) { return {address, {}, tag}; }
inline access store_of(std::uint64_t address, word_t value, std::uint64_t tag = 0) {
  return {address, {form::constant, value, 0}, tag};
}

}  // namespace tributary::testing
