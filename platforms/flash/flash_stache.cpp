// SPDX-License-Identifier: Apache-2.0
#include "flash_stache.h"

#include <fmt/format.h>

#include <tributary/controller/cost_table.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

/// What the handlers cost, each from the line of coherence (`coherence_costs`) of the same step.
void bind_costs(stache_costs& costs, parameter_set& parameters) {
  cost_binder add(parameters);
  add("fault", costs.fault, "Asking a block's home (assumed, as costs.coherence.ask_home).");
  add("serve", costs.serve, "Serving that, at the home (assumed, as costs.coherence.read).");
  add("reply", costs.reply, "Taking the block (assumed, as costs.coherence.reply).");
  add("invalidate", costs.invalidate, "Losing a copy (assumed, as costs.coherence.invalidate).");
  add("invalidated", costs.invalidated,
      "Taking the acknowledgement, at the home (as costs.coherence.acknowledged; FLASH 5.4.3: "
      "22).");
  add("recall", costs.recall,
      "Giving a block back to its home (assumed, as costs.coherence.retrieve).");
  add("returned", costs.returned, "Taking it there (assumed, as costs.coherence.write_back).");
  add("page", costs.page, "Giving a frame to a page, in addition (not published).");
  add("later", costs.later,
      "Sending a message that waited for room (assumed, as "
      "costs.block_transfer.transfer.stalled).");
}

/// Binds them as a group.
struct cost_group {
  stache_costs& costs;
  void bind(parameter_set& parameters) { bind_costs(costs, parameters); }
};

}  // namespace

flash_stache_config::flash_stache_config() { costs = {3, 11, 2, 8, 22, 12, 8, 0, 20}; }

void flash_stache_config::bind(parameter_set& parameters) {
  parameters.add("present", present,
                 "Whether nodes share memory by Stache; then processors have no caches.");
  stache_config::bind(parameters);
  cost_group group{costs};
  parameters.add_group("costs", group, "Occupancies of the handlers of Stache.");
}

void flash_stache_config::validate(const magic_node_config& node, std::uint32_t nodes) const {
  if (!present) return;
  if (node.caches.present) {
    throw configuration_error(
        {"node.processor_caches.present", "",
         "with stache.present MAGIC checks each access by its tag, and caches "
         "would hide accesses",
         "false with stache.present", "set it, or leave stache.present out"});
  }
  const std::uint64_t wanted = make_protocol(node, nodes)->storage_bytes();
  if (wanted < node.protocol_bytes) return;
  throw configuration_error(
      {"node.protocol_bytes", "",
       fmt::format("{} hold less than the {} that Stache keeps", node.protocol_bytes, wanted),
       fmt::format("more than {}", wanted),
       fmt::format("raise it, or lower stache.frames = {} or node.memory.bytes = {}", frames,
                   node.memory.bytes)});
}

std::unique_ptr<tributary::protocol> flash_stache_config::make_protocol(
    const magic_node_config& node, std::uint32_t nodes) const {
  return std::make_unique<stache_protocol>(*this, costs, node.protocol_storage(),
                                           node.memory.line(), nodes, node.processes);
}

}  // namespace tributary
