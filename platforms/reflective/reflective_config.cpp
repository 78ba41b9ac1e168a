// SPDX-License-Identifier: Apache-2.0
#include "reflective_config.h"

#include <tributary/sim/parameters.h>

namespace tributary {

reflective_config::reflective_config() { clock.period = 1000; }

processing_element_config reflective_config::processor() {
  processing_element_config config;
  config.turnaround = 1;
  config.start_window = 1;
  config.posted_stores = true;
  return config;
}

/// The same addresses for all nodes: those of a node begin at 0, and no program needs a region.
address_map_config reflective_config::regions() const {
  const std::uint64_t part = reflected_address(ring.memory_words);
  address_region region;
  region.name = "ring";
  region.mapping = region_mapping::nodes;
  region.size = part * nodes;
  region.part = part;
  region.distance = part;
  address_map_config map;
  map.regions = {region};
  return map;
}

void reflective_config::bind(parameter_set& parameters) {
  using u32 = tributary::interval<std::uint32_t>;
  parameters.add_group("clock", clock, "In whose cycles all times are.");
  parameters.add("nodes", nodes, u32{2, 1024}, "nodes", "On the ring.");
  parameters.add_group("ring", ring, "The interfaces, their memories and the ring.");
  parameters.add_group("program", program, "What the nodes do.");
  parameters.add_group("run", run, "How programs run.");
}

void reflective_config::validate() const {
  check_ranges(*this);
  ring.validate(nodes);
  program.validate(nodes, ring.memory_words);
}

}  // namespace tributary
