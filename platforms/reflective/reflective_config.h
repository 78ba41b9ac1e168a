// SPDX-License-Identifier: Apache-2.0
// A cluster whose nodes share a reflective memory.
#pragma once

#include <cstdint>

#include <tributary/algorithms/reflective_collectives.h>
#include <tributary/memory/address_map.h>
#include <tributary/nic/reflective_ring.h>
#include <tributary/processor/processing_elements.h>
#include <tributary/processor/program_workload.h>
#include <tributary/sim/clock.h>

namespace tributary {

class parameter_set;

/// Configuration of the machine. The defaults are the "RM model network" of Moorthy, Panda and
/// Sadayappan, CANPC 2000, section 4.
struct reflective_config {
  reflective_config();

  clock_domain clock;
  std::uint32_t nodes = 4;
  reflective_ring_config ring;
  program_config run;
  reflective_collectives_config program;

  /// Processors compute in no time and wait for their stores only while the FIFO is full.
  static processing_element_config processor();
  address_map_config regions() const;

  void bind(parameter_set& parameters);
  /// Refuses combinations that could not work; throws `configuration_error`.
  void validate() const;
};

}  // namespace tributary
