// SPDX-License-Identifier: Apache-2.0
#include <tributary/memory/address_map.h>

#include <algorithm>

#include <tributary/sim/error.h>
#include <tributary/sim/log2.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

constexpr std::uint64_t tebibyte = std::uint64_t{1} << 40;

std::string range_text(const address_region& region) {
  return "\"" + region.name + "\" (base " + std::to_string(region.base) + ", size " +
         std::to_string(region.size) + ")";
}

[[noreturn]] void refuse(const address_region& region, const std::string& problem,
                         const std::string& allowed, const std::string& advice) {
  throw configuration_error(
      {"addresses.regions", "", "region " + range_text(region) + " " + problem, allowed, advice});
}

void check(const address_region& region, std::uint32_t modules) {
  if (region.size == 0 || region.size % word_bytes != 0 || region.base % word_bytes != 0) {
    refuse(region, "is empty or not made of whole words", "multiples of 8 bytes, size at least 8",
           "align base and size");
  }
  if (region.base >= address_limit || region.size > address_limit - region.base) {
    refuse(region, "reaches beyond the addresses that a packet carries",
           "addresses below " + std::to_string(address_limit), "lower base or size");
  }
  const bool spread = region.mapping != region_mapping::module;
  if (spread && region.size % (std::uint64_t{modules} * word_bytes) != 0) {
    refuse(region, "does not divide into equal shares of the modules",
           "multiples of " + std::to_string(std::uint64_t{modules} * word_bytes) + " bytes",
           "round the size up");
  }
  if (!spread && region.module >= modules) {
    refuse(region, "names module " + std::to_string(region.module),
           "0 to " + std::to_string(modules - 1), "choose a module that the machine has");
  }
}

}  // namespace

void address_region::bind(parameter_set& parameters) {
  using u64 = interval<std::uint64_t>;
  parameters.add("name", name, "What messages call the region.");
  parameters.add("base", base, u64{0, address_limit - word_bytes}, "bytes",
                 "First byte address, a multiple of 8.");
  parameters.add("size", size, u64{0, address_limit}, "bytes", "Size, a multiple of 8.");
  parameters.add_choice("mapping", mapping,
                        {{"interleaved", region_mapping::interleaved},
                         {"hashed", region_mapping::hashed},
                         {"blocked", region_mapping::blocked},
                         {"module", region_mapping::module}},
                        "How its words are spread over the memory modules.");
  parameters.add("module", module, interval<std::uint32_t>{0, 65535}, "",
                 "Memory module of a region with mapping \"module\".");
  parameters.add("combinable", combinable, "Whether requests to the region may combine.");
  parameters.add("local_port", local_port,
                 "Whether an element reaches words in its own module without the network.");
}

address_map_config::address_map_config() : regions(2) {
  regions[0].name = "shared";
  regions[0].size = tebibyte;
  regions[1].name = "local";
  regions[1].base = tebibyte;
  regions[1].size = tebibyte;
  regions[1].mapping = region_mapping::blocked;
  regions[1].local_port = true;
}

void address_map_config::bind(parameter_set& parameters) {
  parameters.add_list("regions", regions, "Address regions; the others do not exist.");
}

address_map::address_map(const address_map_config& config, std::uint32_t modules)
    : regions_(config.regions), modules_(modules), module_bits_(log2_of(modules)) {
  const bool by_nodes = std::all_of(regions_.begin(), regions_.end(), [](const auto& region) {
    return region.mapping == region_mapping::nodes;
  });
  if (modules < 2 || (!by_nodes && (modules & (modules - 1)) != 0)) {
    throw configuration_error({"addresses", "", std::to_string(modules) + " memory modules",
                               "a power of two from 2 to 65536", "use one of them"});
  }
  for (const address_region& region : regions_) check(region, modules);
  std::sort(regions_.begin(), regions_.end(),
            [](const address_region& x, const address_region& y) { return x.base < y.base; });
  if (by_nodes) return;  // they come from a machine's layout, side by side in each node
  for (std::size_t i = 1; i < regions_.size(); ++i) {
    if (regions_[i].base < regions_[i - 1].base + regions_[i - 1].size) {
      refuse(regions_[i], "overlaps region " + range_text(regions_[i - 1]), "disjoint regions",
             "move one of them");
    }
  }
}

const address_region* address_map::region_of(std::uint64_t address) const {
  for (const address_region& region : regions_) {
    if (region.contains(address)) return &region;
  }
  return nullptr;
}

const address_region* address_map::region_named(std::string_view name) const {
  for (const address_region& region : regions_) {
    if (region.name == name) return &region;
  }
  return nullptr;
}

std::uint64_t address_map::fold(std::uint64_t row) const {
  std::uint64_t folded = 0;
  for (; row != 0; row >>= module_bits_) folded ^= row;
  return folded & (modules_ - 1);
}

mm_id address_map::module_of(const address_region& region, std::uint64_t address) const {
  const std::uint64_t word = (address - region.base) / word_bytes;
  switch (region.mapping) {
    case region_mapping::interleaved:
      return mm_id{static_cast<std::uint32_t>(word & (modules_ - 1))};
    case region_mapping::hashed:
      return mm_id{
          static_cast<std::uint32_t>((word ^ fold(word >> module_bits_)) & (modules_ - 1))};
    case region_mapping::blocked:
      return mm_id{static_cast<std::uint32_t>(word / rows(region))};
    case region_mapping::nodes:
      return mm_id{static_cast<std::uint32_t>((address - region.base) / region.distance)};
    case region_mapping::module:
      break;
  }
  return mm_id{region.module};
}

std::uint64_t address_map::rows(const address_region& region) const {
  const std::uint64_t words = region.size / word_bytes;
  return region.mapping == region_mapping::module ? words : words / modules_;
}

std::uint64_t address_map::row_of(const address_region& region, std::uint64_t address) const {
  const std::uint64_t word = (address - region.base) / word_bytes;
  switch (region.mapping) {
    case region_mapping::interleaved:
    case region_mapping::hashed:
      return word >> module_bits_;
    case region_mapping::blocked:
      return word % rows(region);
    case region_mapping::nodes:
      return (address - region.base) % region.distance / word_bytes;
    case region_mapping::module:
      break;
  }
  return word;
}

std::uint64_t address_map::address_in(const address_region& region, mm_id module,
                                      std::uint64_t row) const {
  const std::uint64_t m = index(module);
  switch (region.mapping) {
    case region_mapping::interleaved:
      return region.base + (row * modules_ + m) * word_bytes;
    case region_mapping::hashed:
      return region.base + (row * modules_ + (m ^ fold(row))) * word_bytes;
    case region_mapping::blocked:
      return region.base + (m * rows(region) + row) * word_bytes;
    case region_mapping::nodes:
      return region.base + m * region.distance + row * word_bytes;
    case region_mapping::module:
      break;
  }
  return region.base + row * word_bytes;
}

std::uint64_t address_map::word(const address_region& region, std::uint64_t i) const {
  if (region.mapping != region_mapping::nodes) return region.base + i * word_bytes;
  const std::uint64_t words = region.granule / word_bytes;
  const std::uint64_t granule = i / words;
  return address_in(region, mm_id{static_cast<std::uint32_t>(granule % modules_)},
                    granule / modules_ * words + i % words);
}

}  // namespace tributary
