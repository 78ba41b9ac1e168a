// SPDX-License-Identifier: Apache-2.0
#include <tributary/protocols/costs/protocol_costs.h>

#include <tributary/sim/parameters.h>

namespace tributary {

void protocol_costs::bind(parameter_set& parameters) {
  parameters.add_group("active_messages", active_messages, "Handlers of active messages.");
  parameters.add_group("barriers", barriers, "Handlers of barriers.");
  parameters.add_group("block_transfer", block_transfer, "Handlers of the block transfer.");
  parameters.add_group("coherence", coherence, "Handlers of cache coherence.");
  parameters.add_group("fetch_op", fetch_op, "Fetch-and-phi operations of the processor.");
  parameters.add_group("kernel_calls", kernel_calls, "Commands and calls of the kernel.");
  parameters.add_group("locks", locks, "Handlers of locks.");
  parameters.add_group("pages_in_use", pages_in_use, "Lists of physical addresses in use.");
  parameters.add_group("pp_ownership", pp_ownership, "Lines that a handler owns for a while.");
  parameters.add_group("reductions", reductions,
                       "What handlers of reductions take more than those of barriers.");
  parameters.add_group("software_tlb", software_tlb, "Translations kept by handlers.");
  parameters.add_group("uncached", uncached, "Uncached loads and stores of the processor.");
}

}  // namespace tributary
