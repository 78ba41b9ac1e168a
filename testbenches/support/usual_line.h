// SPDX-License-Identifier: Apache-2.0
// The line of machines that choose no other.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tributary/memory/line.h>

namespace tributary {

inline constexpr std::uint64_t line_bytes = line_size().bytes();
inline constexpr std::size_t line_words = line_size().words();

}  // namespace tributary
