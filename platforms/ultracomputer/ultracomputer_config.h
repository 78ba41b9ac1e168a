// SPDX-License-Identifier: Apache-2.0
// Every parameter of the Ultracomputer.
#pragma once

#include <string>
#include <vector>

#include <tributary/algorithms/workload_choice.h>
#include <tributary/memory/address_map.h>
#include <tributary/memory/memory.h>
#include <tributary/network/omega/omega_network.h>
#include <tributary/nic/network_interface.h>
#include <tributary/processor/processing_elements.h>
#include <tributary/sim/clock.h>

namespace tributary {

/// Configuration of the machine; the defaults are the baseline of FG 3 at 1024 elements.
struct ultracomputer_config {
  omega_network_config network;
  memory_config memory;
  address_map_config addresses;
  network_interface_config interface;
  processing_element_config processor;
  workload_config workload;
  /// One of all parts. No figure in cycles depends on it, and FG gives none.
  clock_domain clock{1000};

  void bind(parameter_set& parameters);
  /// Refuses combinations that could not work; throws `configuration_error`.
  void validate() const;
  /// Sentences about settings that work but can hardly be meant, as a queue in which nothing can
  /// ever combine.
  std::vector<std::string> warnings() const;

  /// The policy of the interfaces, resolved: `automatic` is what the workload usually has.
  network_interface_config resolved_interface() const;
  /// The same machine with a program for its workload.
  ultracomputer_config with_programs() const;
};

}  // namespace tributary
