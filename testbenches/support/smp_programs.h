// SPDX-License-Identifier: Apache-2.0
// SMP nodes with a program on each processor that computes, as platforms/smp puts them together.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <tributary/memory/address_map.h>
#include <tributary/processor/drafted_program.h>
#include <tributary/processor/node_elements.h>
#include <tributary/processor/program_workload.h>
#include <tributary/protocols/requests/fetch_block.h>
#include <tributary/protocols/requests/null_request.h>
#include <tributary/sim/state_archive.h>
#include <tributary/sim/statistics.h>
#include <tributary/smp/smp_machine.h>

#include <support/protocol_lists.h>

namespace tributary::testing {

/// The address space whose loads are requests.
inline constexpr std::uint8_t request_space = 1;

/// Null requests as in the specification's section 8: 600 cycles where the role is fixed.
inline protocol_list null_requests(node_id /*node*/) {
  return list_of(std::make_unique<null_request_protocol>(request_costs{}, request_space));
}
/// Blocks are fetched: 1600 cycles, with 60 for submit and for resume.
inline protocol_maker block_fetches(std::uint32_t processors, std::uint64_t blocks) {
  return [=](node_id) {
    return list_of(std::make_unique<fetch_block_protocol>(request_costs{430, 420, 430},
                                                          request_space, processors, blocks));
  };
}

inline std::uint64_t address_of(std::uint32_t node, std::uint32_t space, std::uint64_t offset) {
  return address_layout().address_of(node_id{node}, space, offset);
}
inline std::uint64_t remote(std::uint32_t node, std::uint64_t offset = 0) {
  return address_of(node, request_space, offset);
}
inline const draft_registers node_registers{
    address_of(0, schedule_registers::space, schedule_registers::act),
    address_of(0, schedule_registers::space, schedule_registers::rest),
    schedule_registers::interrupt_line};
inline std::uint64_t rest_register(std::uint32_t node) {
  return address_of(node, schedule_registers::space, schedule_registers::rest);
}

/// A small machine whose processors go on one cycle after an answer, and begin in cycle 1.
inline smp_machine_config small_machine(schedule_kind schedule, std::uint32_t processors) {
  smp_machine_config config;
  config.node.schedule = schedule;
  config.node.processors = processors;
  config.node.memory.bytes = std::uint64_t{1} << 16;
  config.node.protocol_bytes = std::uint64_t{1} << 14;
  return config;
}

class smp_programs {
 public:
  using body = std::function<void(program_context&)>;

  smp_programs(const smp_machine_config& config, const protocol_maker& protocols, const body& run,
               std::uint64_t seed = 1)
      : smp_programs(config, protocols,
                     std::make_unique<drafted_program>(make_program(run), registers_of(config)),
                     seed) {}
  smp_programs(const smp_machine_config& config, const protocol_maker& protocols,
               std::unique_ptr<program> run, std::uint64_t seed)
      : machine(config, protocols, seed),
        map_(config.node.addresses.regions(config.nodes,
                                           config.node.memory.bytes - config.node.protocol_bytes,
                                           config.node.memory.line_bytes),
             config.nodes),
        work(running(config), std::move(run), element(), map_, seed),
        elements_(work) {
    const std::uint32_t computing = config.node.computing();
    for (std::uint32_t i = 0; i < config.elements(); ++i) {
      smp_node& node = machine.node(i / computing);
      elements_.add(i, node.clockwork(), node.port(i % computing));
      elements_.serve_own_interrupts(i, node, i % computing);
    }
  }

  static draft_registers registers_of(const smp_machine_config& config) {
    const address_layout& layout = config.node.addresses;
    return {layout.address_of(node_id{0}, schedule_registers::space, schedule_registers::act),
            layout.address_of(node_id{0}, schedule_registers::space, schedule_registers::rest),
            schedule_registers::interrupt_line};
  }

  bool finished() const { return work.finished() && machine.idle(); }
  /// To the end of all programs and messages; says whether they came to it.
  bool run(cycle_t last = 10'000'000) {
    machine.run_until(last, [this] {
      work.check_progress(machine.now());
      return finished();
    });
    return finished();
  }

  std::string save() const { return save_state(machine.save(), work.save()); }
  void restore(const std::string& state) {
    std::string nodes;
    std::string programs;
    restore_state(state, nodes, programs);
    work.restore(programs);
    machine.restore(nodes);
  }

  statistics_tree statistics() {
    statistics_tree tree;
    machine.report(tree.root());
    work.report(tree.group("workload"));
    return tree;
  }
  /// Of a node's role, as "interrupts".
  std::uint64_t of_role(std::uint32_t node, const std::string& name) {
    return static_cast<std::uint64_t>(
        statistics().find("node." + std::to_string(node) + ".role." + name));
  }

  smp_machine machine;

 private:
  static program_config running(const smp_machine_config& config) {
    program_config chosen;
    chosen.processes = config.node.computing();
    chosen.random_cycles = 0;
    return chosen;
  }
  static processing_element_config element() {
    processing_element_config chosen;
    chosen.turnaround = 1;
    chosen.start_window = 1;
    return chosen;
  }

  address_map map_;

 public:
  program_workload work;

 private:
  node_elements elements_;
};

}  // namespace tributary::testing
