// SPDX-License-Identifier: Apache-2.0
// Every parameter of a FLASH machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tributary/magic/magic_machine.h>
#include <tributary/processor/processing_elements.h>
#include <tributary/protocols/block_transfer/block_transfer_config.h>
#include <tributary/protocols/protocol_costs.h>

#include "flash_transfers.h"

namespace tributary {

/// Occupancies of all handlers: one by one, or all from a file.
struct flash_costs {
  /// Path of a cost table; empty: `table`.
  std::string file;
  protocol_costs table;

  void bind(parameter_set& parameters);
  /// The costs of the machine. Throws `input_error` for a file that cannot be read, and
  /// `configuration_error` for one that is no whole cost table or stands beside costs that were
  /// changed one by one.
  protocol_costs resolved() const;
};

/// Configuration of the machine; the defaults are those of FLASH chapter 5.
struct flash_config {
  flash_config();

  magic_machine_config machine;
  processing_element_config processor;
  block_transfer_config block_transfer;
  flash_costs costs;
  transfer_workload_config workload;

  /// The block transfer as the nodes' memories allow it.
  block_transfer_config resolved_block_transfer() const;

  void bind(parameter_set& parameters);
  /// Refuses combinations that could not work; throws `configuration_error`, `input_error` for a
  /// cost table that cannot be read.
  void validate() const;
  /// Sentences about settings that work but can hardly be meant.
  std::vector<std::string> warnings() const;
};

}  // namespace tributary
