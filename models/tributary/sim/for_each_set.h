// SPDX-License-Identifier: Apache-2.0
// From one set byte to the next, for the ports that send in a cycle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <tributary/sim/active_groups.h>
#include <tributary/sim/small_number.h>

namespace tributary {

namespace detail {

inline std::uint64_t eight_bytes(const std::uint8_t* bytes) {
  std::uint64_t eight = 0;
  std::memcpy(&eight, bytes, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  eight = __builtin_bswap64(eight);
#endif
  return eight;
}

/// Bit i is set where byte i of `eight` has a bit of `mask`.
inline std::uint32_t set_bytes(std::uint64_t eight, std::uint64_t mask) {
  constexpr std::uint64_t low_bits = 0x7f7f7f7f7f7f7f7fULL;
  eight &= mask;
  // The upper bit of each byte that is not zero, then these eight side by side.
  const std::uint64_t upper = (((eight & low_bits) + low_bits) | eight) & ~low_bits;
  return static_cast<std::uint32_t>(((upper >> 7U) * 0x0102040810204080ULL) >> 56U);
}

/// The same of 32 bytes. Often none of them has one.
inline std::uint32_t set_of_block(const std::uint8_t* bytes, std::uint64_t mask) {
  const std::uint64_t first = eight_bytes(bytes);
  const std::uint64_t second = eight_bytes(bytes + 8);
  const std::uint64_t third = eight_bytes(bytes + 16);
  const std::uint64_t fourth = eight_bytes(bytes + 24);
  if (((first | second | third | fourth) & mask) == 0) return 0;
  return set_bytes(first, mask) | set_bytes(second, mask) << 8U | set_bytes(third, mask) << 16U |
         set_bytes(fourth, mask) << 24U;
}

/// The same of fewer bytes.
inline std::uint32_t set_of_rest(const std::uint8_t* bytes, std::size_t count, std::uint8_t mask) {
  std::uint32_t set = 0;
  for (std::size_t i = 0; i < count; ++i) set |= std::uint32_t{(bytes[i] & mask) != 0} << i;
  return set;
}

}  // namespace detail

/// Calls `visit(i)` for each of `count` bytes in which a bit of `mask` is set, ascending, and
/// leaves out groups that are quiet (`active`, or null for none). A block of 32 bytes at a time,
/// and from one set byte to the next without a branch for those between: few ports of a network
/// send in one cycle, and which ones cannot be predicted. A visit may change the visited byte, but
/// no other.
template <class Visit>
[[gnu::always_inline]] inline void for_each_set(const std::uint8_t* bytes, std::size_t count,
                                                const active_groups* active, std::uint8_t mask,
                                                Visit&& visit) {
  constexpr std::size_t block = 32;
  static_assert(active_groups::width % block == 0);
  const std::uint64_t masks = 0x0101010101010101ULL * mask;
  for (std::size_t first = 0; first < count; first += block) {
    if (active != nullptr && first % active_groups::width == 0) {
      first = active->next_port(first);
      if (first >= count) break;
    }
    std::uint32_t set = count - first < block
                            ? detail::set_of_rest(bytes + first, count - first, mask)
                            : detail::set_of_block(bytes + first, masks);
    for (; set != 0; set &= set - 1) {
      visit(first + static_cast<std::size_t>(__builtin_ctz(set)));
    }
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
/// The same over the active groups of `numbers`.
template <class Visit>
void for_each_set(const std::vector<small_number>& numbers, const active_groups& active,
                  std::uint8_t mask, Visit&& visit) {
  for_each_set(bytes_of(numbers), numbers.size(), &active, mask, visit);
}

}  // namespace tributary
