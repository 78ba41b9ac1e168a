// SPDX-License-Identifier: Apache-2.0
// What all handlers cost, as one table.
#pragma once

#include <tributary/protocols/active_messages/active_costs.h>
#include <tributary/protocols/barriers/barrier_costs.h>
#include <tributary/protocols/block_transfer/block_transfer_config.h>
#include <tributary/protocols/coherence/coherence_costs.h>
#include <tributary/protocols/fetch_op/fetch_op_costs.h>
#include <tributary/protocols/kernel_calls.h>
#include <tributary/protocols/locks/lock_costs.h>
#include <tributary/protocols/pages_in_use.h>
#include <tributary/protocols/pp_ownership.h>
#include <tributary/protocols/reductions/reduction_costs.h>
#include <tributary/protocols/software_tlb.h>
#include <tributary/protocols/uncached.h>

namespace tributary {

class parameter_set;

/// Occupancies in cycles of the protocol processor's normal clock.
struct protocol_costs {
  active_message_costs active_messages;
  barrier_costs barriers;
  block_transfer_costs block_transfer;
  coherence_costs coherence;
  fetch_op_costs fetch_op;
  kernel_call_costs kernel_calls;
  lock_costs locks;
  pages_in_use_costs pages_in_use;
  pp_ownership_costs pp_ownership;
  reduction_costs reductions;
  software_tlb_costs software_tlb;
  uncached_costs uncached;

  void bind(parameter_set& parameters);
};

}  // namespace tributary
