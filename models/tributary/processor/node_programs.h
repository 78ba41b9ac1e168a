// SPDX-License-Identifier: Apache-2.0
// A program on the processors of nodes that are put together by hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <tributary/magic/magic_machine.h>
#include <tributary/memory/address_map.h>
#include <tributary/processor/node_elements.h>
#include <tributary/processor/processing_elements.h>
#include <tributary/processor/program.h>
#include <tributary/processor/program_workload.h>

namespace tributary {

/// A processor without a cache, as FLASH has it: it goes on `turnaround` = 30 cycles after an
/// access (fitted with the costs of the block transfer to the 131 cycles of FLASH Table 5.1),
/// begins in cycle 1, and posts its stores.
processing_element_config uncached_processor();

/// One program on the processors of nodes that are built and stepped elsewhere. Random numbers cost
/// it no time, and it cannot be checkpointed.
class node_programs {
 public:
  /// For a machine of that configuration.
  node_programs(const magic_machine_config& machine, std::unique_ptr<program> own_program,
                const processing_element_config& processor = uncached_processor(),
                std::uint64_t seed = 1);

  node_elements& elements() { return elements_; }
  program_workload& work() { return work_; }
  const program_workload& work() const { return work_; }
  bool finished(std::size_t element) const { return work_.finished(element); }

 private:
  address_map map_;
  program_workload work_;
  node_elements elements_;
};

}  // namespace tributary
