// SPDX-License-Identifier: Apache-2.0
#include <tributary/memory/relative_addresses.h>

namespace tributary {

relative_addresses::relative_addresses(const address_map& map) : map_(&map) {}

std::uint64_t relative_addresses::relative(std::uint64_t address) const {
  const address_region& region = *map_->region_of(address);
  const mm_id module = map_->module_of(region, address);
  std::uint64_t base = 0;
  for (const address_region& before : map_->regions()) {
    if (&before == &region) break;
    base += bytes_in(before, module);
  }
  return base + map_->row_of(region, address) * word_bytes + address % word_bytes;
}

std::uint64_t relative_addresses::size(mm_id module) const {
  std::uint64_t bytes = 0;
  for (const address_region& region : map_->regions()) bytes += bytes_in(region, module);
  return bytes;
}

std::uint64_t relative_addresses::bytes_in(const address_region& region, mm_id module) const {
  const bool elsewhere = region.mapping == region_mapping::module && region.module != index(module);
  return elsewhere ? 0 : map_->rows(region) * word_bytes;
}

std::uint64_t relative_addresses::absolute(const address_region& region, mm_id module,
                                           std::uint64_t offset) const {
  return map_->address_in(region, module, offset / word_bytes) + offset % word_bytes;
}

}  // namespace tributary
