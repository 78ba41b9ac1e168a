// SPDX-License-Identifier: Apache-2.0
// A short name for a text.
#pragma once

#include <cstdint>
#include <string>

namespace tributary::validation {

/// FNV-1a.
inline std::uint64_t digest_of(const std::string& text) {
  std::uint64_t digest = 0xcbf29ce484222325U;
  for (const char each : text) {
    digest = (digest ^ static_cast<unsigned char>(each)) * 0x100000001b3U;
  }
  return digest;
}

}  // namespace tributary::validation
