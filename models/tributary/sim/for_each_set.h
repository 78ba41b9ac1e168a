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

/// Bit i says whether byte i of `eight` has a bit of the mask, of which `masks` is eight copies.
inline std::uint32_t which_of_eight(std::uint64_t eight, std::uint64_t masks) {
  constexpr std::uint64_t low_bits = 0x7f7f7f7f7f7f7f7fULL;
  eight &= masks;
  // The upper bit of each byte that is not zero; the product brings bit 8 i to bit 56 + i.
  const std::uint64_t upper = (((eight & low_bits) + low_bits) | eight) & ~low_bits;
  return static_cast<std::uint32_t>(((upper >> 7U) * 0x0102040810204080ULL) >> 56U);
}

/// The same of 32 bytes. Often none of them has one.
inline std::uint32_t which_of_block(const std::uint8_t* bytes, std::uint64_t masks) {
  const std::uint64_t first = eight_bytes(bytes);
  const std::uint64_t second = eight_bytes(bytes + 8);
  const std::uint64_t third = eight_bytes(bytes + 16);
  const std::uint64_t fourth = eight_bytes(bytes + 24);
  if (((first | second | third | fourth) & masks) == 0) return 0;
  return which_of_eight(first, masks) | which_of_eight(second, masks) << 8U |
         which_of_eight(third, masks) << 16U | which_of_eight(fourth, masks) << 24U;
}

/// The same of fewer than 32 bytes.
inline std::uint32_t which_of_rest(const std::uint8_t* bytes, std::size_t count,
                                   std::uint64_t masks) {
  std::uint32_t which = 0;
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) which |= which_of_eight(eight_bytes(bytes + i), masks) << i;
  for (; i < count; ++i) which |= std::uint32_t{(bytes[i] & masks) != 0} << i;
  return which;
}

}  // namespace detail

/// Calls `visit(i)` for each byte of a range in which a bit of `mask` is set, ascending, and
/// leaves out groups that are quiet (`active`, or null for none). The range begins with a group. A
/// block of 32 bytes at a time, and from one set byte to the next without a branch for those
/// between: few ports of a network send in one cycle, and which ones cannot be predicted. A visit
/// may change the visited byte, but no other.
template <class Visit>
[[gnu::always_inline]] inline void for_each_set(const std::uint8_t* bytes, const port_range& range,
                                                const active_groups* active, std::uint8_t mask,
                                                Visit&& visit) {
  constexpr std::size_t block = 32;
  static_assert(active_groups::width % block == 0);
  const std::uint64_t masks = 0x0101010101010101ULL * mask;
  const std::size_t end = range.last;
  for (std::size_t first = range.first; first < end; first += block) {
    if (active != nullptr && first % active_groups::width == 0) {
      first = active->next_port(first, end);
      if (first >= end) break;
    }
    std::uint32_t set = end - first < block
                            ? detail::which_of_rest(bytes + first, end - first, masks)
                            : detail::which_of_block(bytes + first, masks);
    for (; set != 0; set &= set - 1) {
      visit(first + static_cast<std::size_t>(__builtin_ctz(set)));
    }
  }
}

/// The same over all of `count` bytes.
template <class Visit>
void for_each_set(const std::uint8_t* bytes, std::size_t count, std::uint8_t mask, Visit&& visit) {
  for_each_set(bytes, port_range{0, count}, nullptr, mask, visit);
}
/// The same over all of `bytes`.
template <class Visit>
void for_each_set(const std::vector<std::uint8_t>& bytes, std::uint8_t mask, Visit&& visit) {
  for_each_set(bytes.data(), port_range{0, bytes.size()}, nullptr, mask, visit);
}
/// The same over the active groups of `bytes`.
template <class Visit>
void for_each_set(const std::vector<std::uint8_t>& bytes, const active_groups& active,
                  std::uint8_t mask, Visit&& visit) {
  for_each_set(bytes.data(), port_range{0, bytes.size()}, &active, mask, visit);
}
/// The same over the active groups of `numbers`.
template <class Visit>
void for_each_set(const std::vector<small_number>& numbers, const active_groups& active,
                  std::uint8_t mask, Visit&& visit) {
  for_each_set(bytes_of(numbers), port_range{0, numbers.size()}, &active, mask, visit);
}
/// The same over a range of `numbers`.
template <class Visit>
void for_each_set(const std::vector<small_number>& numbers, const port_range& range,
                  const active_groups& active, std::uint8_t mask, Visit&& visit) {
  for_each_set(bytes_of(numbers), range, &active, mask, visit);
}

}  // namespace tributary
