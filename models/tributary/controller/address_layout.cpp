// SPDX-License-Identifier: Apache-2.0
#include <tributary/controller/address_layout.h>

#include <string>

#include <tributary/memory/address_map.h>
#include <tributary/sim/parameters.h>

namespace tributary {

address_map_config address_layout::regions(std::uint32_t nodes, std::uint64_t bytes,
                                           std::uint64_t granule) const {
  address_map_config map;
  const std::uint64_t half = bytes / 2 / granule * granule;
  for (address_region& each : map.regions) {
    each.size = half * nodes;
    each.mapping = region_mapping::nodes;
    each.part = half;
    each.distance = std::uint64_t{1} << (address_bits - node_bits);
    each.granule = granule;
    each.local_port = false;
    each.combinable = false;
  }
  map.regions[1].base = half;
  return map;
}

void address_layout::bind(parameter_set& parameters) {
  parameters.add("node_bits", node_bits, {8, 12}, "bits",
                 "width of the node number in an address: 8, 10 or 12 (FLASH Figure 4.1; "
                 "8 names 256 nodes)");
  parameters.add("space_bits", space_bits, {0, 3}, "bits",
                 "width of the address space, which steers dispatch only (FLASH 4.1.1: 2, four "
                 "spaces)");
}

void address_layout::validate(std::uint32_t nodes) const {
  check_ranges(*this);
  if (node_bits != 8 && node_bits != 10 && node_bits != 12) {
    throw configuration_error({"node_bits", "", std::to_string(node_bits) + " is no width",
                               "8, 10 or 12 bits", "choose one of them"});
  }
  const std::uint32_t named = std::uint32_t{1} << node_bits;
  if (nodes > named) {
    throw configuration_error(
        {"node_bits", "",
         std::to_string(node_bits) + " bits cannot name " + std::to_string(nodes) + " nodes",
         "at most " + std::to_string(named) + " nodes", "widen node_bits or build fewer nodes"});
  }
}

}  // namespace tributary
