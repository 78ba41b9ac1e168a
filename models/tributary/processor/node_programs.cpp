// SPDX-License-Identifier: Apache-2.0
#include <tributary/processor/node_programs.h>

#include <utility>

namespace tributary {
namespace {

program_config run_by_hand(const magic_machine_config& machine) {
  program_config config;
  config.processes = machine.node.processes;
  config.random_cycles = 0;
  config.replay_limit = 0;
  return config;
}

}  // namespace

processing_element_config uncached_processor() {
  processing_element_config config;
  config.turnaround = 30;
  config.start_window = 1;
  config.posted_stores = true;
  return config;
}

node_programs::node_programs(const magic_machine_config& machine,
                             std::unique_ptr<program> own_program,
                             const processing_element_config& processor, std::uint64_t seed)
    : map_(machine.node.addresses.regions(machine.nodes, machine.node.protocol_storage(),
                                          machine.node.memory.line_bytes),
           machine.nodes),
      work_(run_by_hand(machine), std::move(own_program), processor, map_, seed),
      elements_(work_) {}

}  // namespace tributary
