// SPDX-License-Identifier: Apache-2.0
// Where in an address a machine of nodes keeps node, address space and offset.
#pragma once

#include <cstdint>

#include <tributary/sim/ids.h>

namespace tributary {

struct address_map_config;
class parameter_set;

/// 40 bits: | node | address space | offset |. The spaces are aliases of the same memory and steer
/// the dispatch of handlers only (FLASH 4.1.1, Figure 4.1).
struct address_layout {
  static constexpr std::uint32_t address_bits = 40;

  std::uint32_t node_bits = 8;   ///< 8, 10 or 12
  std::uint32_t space_bits = 2;  ///< 0 to 3

  std::uint32_t offset_bits() const { return address_bits - node_bits - space_bits; }
  std::uint64_t bytes_a_node() const { return std::uint64_t{1} << offset_bits(); }

  node_id node_of(std::uint64_t address) const {
    return node_id{static_cast<std::uint32_t>(address >> (address_bits - node_bits))};
  }
  std::uint32_t space_of(std::uint64_t address) const {
    return static_cast<std::uint32_t>(address >> offset_bits()) & ((1U << space_bits) - 1);
  }
  /// The bits of an address that name its space.
  std::uint64_t space_mask() const {
    return ((std::uint64_t{1} << space_bits) - 1) << offset_bits();
  }
  std::uint64_t offset_of(std::uint64_t address) const { return address & (bytes_a_node() - 1); }
  std::uint64_t address_of(node_id node, std::uint32_t space, std::uint64_t offset) const {
    return (((std::uint64_t{index(node)} << space_bits) | space) << offset_bits()) | offset;
  }

  /// The memory of nodes as regions of an address map, in address space 0: "shared" is the first
  /// half of the `bytes` of each node that are programs' own, dealt out `granule` bytes a node in
  /// turn, and "local" the other half.
  address_map_config regions(std::uint32_t nodes, std::uint64_t bytes, std::uint64_t granule) const;

  void bind(parameter_set& parameters);
  /// Throws `configuration_error` for a machine of `nodes` nodes that the field cannot name.
  void validate(std::uint32_t nodes) const;
};

}  // namespace tributary
