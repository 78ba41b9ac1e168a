// SPDX-License-Identifier: Apache-2.0
// From one set byte to the next, for the ports that send in a cycle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <tributary/sim/active_groups.h>

namespace tributary {

/// Calls `visit(i)` for each of `count` bytes in which a bit of `mask` is set, ascending, and
/// leaves out groups that are quiet (`active`, or null for none). Eight bytes at a time, and from
/// one set byte to the next without a branch for those between: few ports of a network send in one
/// cycle, and which ones cannot be predicted. A visit may change the visited byte, but no other.
template <class Visit>
void for_each_set(const std::uint8_t* bytes, std::size_t count, const active_groups* active,
                  std::uint8_t mask, Visit&& visit) {
  constexpr std::uint64_t ones = 0x0101010101010101ULL;
  constexpr std::uint64_t low_bits = 0x7f7f7f7f7f7f7f7fULL;
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    if (active != nullptr && i % active_groups::width == 0) {
      i = active->next_port(i);
      if (i + 8 > count) break;
    }
    std::uint64_t eight = 0;
    std::memcpy(&eight, bytes + i, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    eight = __builtin_bswap64(eight);
#endif
    eight &= ones * mask;
    // The upper bit of each byte that is not zero, and nothing else.
    std::uint64_t set = (((eight & low_bits) + low_bits) | eight) & ~low_bits;
    for (; set != 0; set &= set - 1) {
      visit(i + (static_cast<std::size_t>(__builtin_ctzll(set)) >> 3U));
    }
  }
  for (; i < count; ++i) {
    if ((bytes[i] & mask) != 0) visit(i);
  }
}

/// The same over all of `count` bytes.
template <class Visit>
void for_each_set(const std::uint8_t* bytes, std::size_t count, std::uint8_t mask, Visit&& visit) {
  for_each_set(bytes, count, nullptr, mask, visit);
}
/// The same over all of `bytes`.
template <class Visit>
void for_each_set(const std::vector<std::uint8_t>& bytes, std::uint8_t mask, Visit&& visit) {
  for_each_set(bytes.data(), bytes.size(), nullptr, mask, visit);
}
/// The same over the active groups of `bytes`.
template <class Visit>
void for_each_set(const std::vector<std::uint8_t>& bytes, const active_groups& active,
                  std::uint8_t mask, Visit&& visit) {
  for_each_set(bytes.data(), bytes.size(), &active, mask, visit);
}

}  // namespace tributary
