// SPDX-License-Identifier: Apache-2.0
// Which memory module holds an address, and how the network may treat it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tributary/memory/packet.h>
#include <tributary/sim/ids.h>

namespace tributary {

class parameter_set;

/// How the words of a region are spread over the memory modules.
enum class region_mapping : std::uint8_t {
  interleaved,  ///< word w in module w mod N (low-order interleaving)
  hashed,       ///< the same after the higher bits of w were folded into the module's number
  blocked,      ///< N equal blocks, block m in module m (node-local memory)
  module,       ///< the whole region in one module
  /// N equal parts, part m from `base` + m x `distance` on in module m: addresses that begin with
  /// the number of a node, as a machine of nodes has. N need not be a power of two.
  nodes
};

/// A range of addresses that is treated alike.
struct address_region {
  std::string name = "region";
  std::uint64_t base = 0;
  std::uint64_t size = 0;
  region_mapping mapping = region_mapping::interleaved;
  /// Module of a region that is whole to one.
  std::uint32_t module = 0;
  /// Whether requests to the region may combine.
  bool combinable = true;
  /// Whether a processing element reaches words in its own module by the module's local port.
  bool local_port = false;
  /// Of a region mapped to `nodes`: bytes of a part, bytes from a part to the next, and bytes of
  /// consecutive words that `address_map::word` finds in one module before it goes on to the next.
  std::uint64_t part = 0;
  std::uint64_t distance = 0;
  std::uint64_t granule = word_bytes;

  bool contains(std::uint64_t address) const {
    const std::uint64_t offset = address - base;
    if (mapping != region_mapping::nodes) return offset < size;
    return offset % distance < part && offset / distance * part < size;
  }
  void bind(parameter_set& parameters);
};

/// Configuration of the address map: by default a tebibyte interleaved over all modules, and one
/// above it in blocks, node-local memory that each element reaches by its module's local port.
struct address_map_config {
  std::vector<address_region> regions;

  address_map_config();
  void bind(parameter_set& parameters);
};

/// Translates byte addresses to memory modules: a power of two of them, from 2 on, unless every
/// region is mapped to `nodes`. Throws `configuration_error` for overlaps, empty
/// regions, addresses beyond `address_limit`, and sizes that the mapping cannot divide.
class address_map {
 public:
  address_map(const address_map_config& config, std::uint32_t modules);

  /// The region of an address, or null.
  const address_region* region_of(std::uint64_t address) const;
  /// The region of a name, or null.
  const address_region* region_named(std::string_view name) const;
  const std::vector<address_region>& regions() const { return regions_; }
  std::uint32_t modules() const { return modules_; }

  /// The module of an address within its region.
  mm_id module_of(const address_region& region, std::uint64_t address) const;
  /// The same where the region is not at hand; some region has the address.
  mm_id module_of(std::uint64_t address) const { return module_of(*region_of(address), address); }

  /// Number of words of the region in each module (in its one module).
  std::uint64_t rows(const address_region& region) const;

  /// The row of an address among the region's words in its module.
  std::uint64_t row_of(const address_region& region, std::uint64_t address) const;

  /// Byte address of word i of the region, which its mapping spreads over the modules; `i` is below
  /// size / 8.
  std::uint64_t word(const address_region& region, std::uint64_t i) const;

  /// Byte address of the word at `row` of a module: the inverse of `module_of` and `row_of`. `row`
  /// is below `rows(region)`.
  std::uint64_t address_in(const address_region& region, mm_id module, std::uint64_t row) const;

 private:
  std::uint64_t fold(std::uint64_t row) const;

  std::vector<address_region> regions_;  // ascending by base
  std::uint32_t modules_;
  unsigned module_bits_;
};

}  // namespace tributary
