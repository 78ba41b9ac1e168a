// SPDX-License-Identifier: Apache-2.0
// Every parameter of a FLASH machine.
#pragma once

#include <string>
#include <vector>

#include <tributary/algorithms/workload_choice.h>
#include <tributary/magic/magic_machine.h>
#include <tributary/memory/address_map.h>
#include <tributary/processor/processing_elements.h>
#include <tributary/protocols/active_messages/active_messages.h>
#include <tributary/protocols/barriers/barriers.h>
#include <tributary/protocols/block_transfer/block_transfer_config.h>
#include <tributary/protocols/coherence/coherence.h>
#include <tributary/protocols/costs/protocol_costs.h>
#include <tributary/protocols/fetch_op/fetch_op.h>
#include <tributary/protocols/kernel_calls.h>
#include <tributary/protocols/locks/locks.h>
#include <tributary/protocols/reductions/reductions.h>

#include "flash_requests.h"
#include "flash_stache.h"
#include "flash_transfers.h"

namespace tributary {

/// Occupancies of all handlers: one by one, or all from a file.
struct flash_costs {
  /// Path of a cost table; empty: `table`.
  std::string file;
  protocol_costs table;

  void bind(parameter_set& parameters);
  /// The costs of the machine. Throws `input_error` for a file that cannot be read, and
  /// `configuration_error` for one that is no whole cost table, or if costs are also changed one by
  /// one.
  protocol_costs resolved() const;
};

/// The workload: transfers, requests, or what every machine runs.
struct flash_workload_config : transfer_workload_config {
  flash_workload_config();

  workload_config choice;
  request_loop_config requests;
  bool transfers() const { return choice.kind == workload_kind::own; }
  bool asks() const { return choice.kind == workload_kind::requests; }

  void bind(parameter_set& parameters);
};

/// What stands for the processor of a node.
struct flash_processor_config : processing_element_config {
  flash_processor_config();
  void bind(parameter_set& parameters);
};

/// Configuration of the machine; the defaults are those of FLASH chapter 5.
struct flash_config {
  flash_config();

  magic_machine_config machine;
  flash_processor_config processor;
  block_transfer_config block_transfer;
  coherence_config coherence;
  active_messages_config active_messages;
  barriers_config barriers;
  locks_config locks;
  reductions_config reductions;
  fetch_op_config fetch_op;
  kernel_calls_config kernel;
  flash_requests_config requests;
  flash_stache_config stache;
  flash_costs costs;
  flash_workload_config workload;

  /// The nodes' memories, as programs and traffic see them.
  address_map_config regions() const;
  /// The processors: those that ask for transfers post their stores, because commands are writes.
  processing_element_config resolved_processor() const;
  /// What every machine runs, with what programs must know of this one.
  workload_config resolved_choice() const;
  /// Cycles of a processor in one of its node: those of its program are the processor's own where
  /// it has caches, else the node's.
  std::uint64_t processor_ratio() const;
  /// What requests must know of this machine, which must outlive it.
  flash_request_site request_site() const;
  /// The block transfer as the nodes' memories allow it.
  block_transfer_config resolved_block_transfer() const;
  /// What is kept for the kernel, of pages as the block transfer has them.
  kernel_calls_config resolved_kernel() const;

  void bind(parameter_set& parameters);
  /// Refuses combinations that could not work; throws `configuration_error`, `input_error` for a
  /// cost table that cannot be read.
  void validate() const;
  /// Sentences about settings that work but can hardly be meant.
  std::vector<std::string> warnings() const;

 private:
  void check_method() const;
  void check_sharing() const;
  void check_payload() const;
  void check_list_elements() const;
  void check_operations() const;
  void check_synchronization() const;
  void check_processes() const;
  void check_turnaround() const;
};

}  // namespace tributary
