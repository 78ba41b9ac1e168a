// SPDX-License-Identifier: Apache-2.0
// The words of each memory module, packed from address 0 on.
#pragma once

#include <algorithm>
#include <cstdint>

#include <tributary/memory/address_map.h>

namespace tributary {

/// The addresses of words within their module: the words that an address map gives to one module,
/// region after region by base and row after row, follow each other from byte 0 on.
class relative_addresses {
 public:
  /// `map` must outlive the object.
  explicit relative_addresses(const address_map& map);

  /// The address in its module of the byte at `address`, which must be in a region.
  std::uint64_t relative(std::uint64_t address) const;

  /// Bytes that the map gives to a module.
  std::uint64_t size(mm_id module) const;

  /// The inverse for a range of a module's bytes, both ends included: `visit(region, first, last)`
  /// for each region that it touches, with the addresses of its first and last byte there. In an
  /// interleaved or hashed region what lies between them also holds words of other modules.
  template <class Visit>
  void for_each_region(mm_id module, std::uint64_t first, std::uint64_t last, Visit&& visit) const {
    std::uint64_t base = 0;
    for (const address_region& region : map_->regions()) {
      const std::uint64_t bytes = bytes_in(region, module);
      if (bytes != 0 && first < base + bytes && last >= base) {
        visit(region, absolute(region, module, first > base ? first - base : 0),
              absolute(region, module, std::min(last - base, bytes - 1)));
      }
      base += bytes;
    }
  }

 private:
  std::uint64_t bytes_in(const address_region& region, mm_id module) const;
  std::uint64_t absolute(const address_region& region, mm_id module, std::uint64_t offset) const;

  const address_map* map_;
};

}  // namespace tributary
