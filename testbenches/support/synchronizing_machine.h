// SPDX-License-Identifier: Apache-2.0
// Coherent nodes whose controllers keep barriers, locks and reductions, and programs on their
// processors.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <tributary/algorithms/flash_barrier.h>
#include <tributary/algorithms/flash_lock.h>
#include <tributary/algorithms/flash_reduction.h>
#include <tributary/magic/magic_machine.h>
#include <tributary/memory/address_map.h>
#include <tributary/processor/node_programs.h>
#include <tributary/protocols/barriers/barriers.h>
#include <tributary/protocols/locks/locks.h>
#include <tributary/protocols/reductions/reductions.h>
#include <tributary/sim/error.h>

#include "coherent_machine.h"
#include "handler_statistics.h"

namespace tributary::testing {

/// What a test asks of such a machine.
struct synchronizing_config : coherent_config {
  explicit synchronizing_config(std::uint32_t nodes) : coherent_config(nodes) {
    machine.node.addresses.space_bits = barrier_command::space_bits;
    machine.network.topology = nodes > 2 ? topology_kind::hypercube : topology_kind::point_to_point;
    barriers.count = 3;
    locks.count = 40;
    locks.queues = 40;
    reductions.count = 3;
  }

  barriers_config barriers;
  barrier_costs barrier_times;
  locks_config locks;
  lock_costs lock_times;
  reductions_config reductions;
  reduction_costs reduction_times;
  processing_element_config processor = uncached_processor();
  /// Told of the handlers of barriers and locks.
  handler_watch barrier_handler_ended;
  handler_watch lock_handler_ended;
};

/// The same with several processes a node.
inline synchronizing_config shared(std::uint32_t nodes, std::uint32_t processes) {
  synchronizing_config config(nodes);
  config.machine.node.processes = processes;
  return config;
}

/// The same with slow links and short outgoing queues.
inline synchronizing_config crowded(std::uint32_t nodes) {
  synchronizing_config config(nodes);
  config.machine.node.network_interface.out_depth = 3;
  config.machine.network.bandwidth = 20;
  return config;
}

class synchronizing_machine {
 public:
  explicit synchronizing_machine(std::uint32_t nodes)
      : synchronizing_machine(synchronizing_config(nodes)) {}
  explicit synchronizing_machine(const synchronizing_config& config)
      : config_(config),
        machine_(config_, [this, here = 0U](std::unique_ptr<coherence_protocol> coherence) mutable {
          return protocols_of(node_id{here++}, std::move(coherence));
        }) {}

  /// Runs it on every processor until all have ended and all is at rest. Throws `error` if that
  /// does not happen in so many cycles of the nodes.
  void run(const std::function<void(program_context&)>& body, cycle_t patience = 10'000'000) {
    node_programs programs(nodes().config(), make_program(body), config_.processor);
    programs.elements().add_all(nodes());
    const auto ended = [&] { return programs.work().finished() && nodes().idle(); };
    programs.elements().let_park(config_.processor.turnaround);
    nodes().run_until(nodes().now() + patience, ended);
    programs.elements().end_parking();
    if (!ended()) throw error("a program does not end, or its machine does not come to rest");
  }

  /// Of the memories of its nodes.
  address_map map() {
    const magic_machine_config& of = nodes().config();
    return address_map(
        of.node.addresses.regions(of.nodes, of.node.protocol_storage(), of.node.memory.line_bytes),
        of.nodes);
  }

  /// How often handlers ran, as "locks.grant_token": of all nodes, and of one.
  std::uint64_t runs(const std::string& handler) { return handler_total(nodes(), handler); }

  barrier_state barrier(std::uint32_t node, std::uint64_t number) {
    return protocol_of<barriers_protocol>(node, 1).state(memory(node), number);
  }
  lock_state lock(std::uint32_t node, std::uint64_t number) {
    return protocol_of<locks_protocol>(node, 2).state(memory(node), number);
  }

  reduction_state reduction(std::uint32_t node, std::uint64_t number) {
    return protocol_of<reductions_protocol>(node, 3).values(memory(node), number);
  }

  flash_barrier_place barrier_place(std::uint64_t number = 0) const {
    return {addresses(), config_.machine.node.memory.line(), config_.barriers.count, number};
  }
  flash_reduction_place reduction_place(std::uint64_t number = 0) const {
    return {addresses(), config_.machine.node.memory.line(), config_.reductions.count, number};
  }
  /// Of a lock whose home is node `home`.
  flash_lock_place lock_place(std::uint64_t number, std::uint32_t home) const {
    return {addresses(),
            config_.machine.node.memory.line(),
            config_.locks.count,
            config_.machine.nodes,
            number,
            node_id{home}};
  }

  magic_machine& nodes() { return machine_.machine; }
  coherent_machine& coherent() { return machine_; }

 private:
  coherent_machine::protocol_list protocols_of(node_id here,
                                               std::unique_ptr<coherence_protocol> coherence) {
    coherent_machine::protocol_list all;
    all.push_back(std::move(coherence));
    all.push_back(std::make_unique<late_handlers<barriers_protocol>>(
        config_.delays_of(here, 16U), config_.barrier_handler_ended, config_.barriers,
        config_.barrier_times));
    all.push_back(std::make_unique<late_handlers<locks_protocol>>(
        config_.delays_of(here, 17U), config_.lock_handler_ended, config_.locks, config_.lock_times,
        config_.machine.nodes, config_.machine.node.memory.line()));
    all.push_back(std::make_unique<late_handlers<reductions_protocol>>(
        config_.delays_of(here, 18U), handler_watch(), config_.reductions, config_.reduction_times,
        config_.barrier_times));
    return all;
  }

  const address_layout& addresses() const { return config_.machine.node.addresses; }
  const word_memory& memory(std::uint32_t node) { return nodes().node(node).memory(); }
  template <class Protocol>
  const Protocol& protocol_of(std::uint32_t node, std::size_t place) {
    return static_cast<const Protocol&>(nodes().node(node).protocols().at(place));
  }

  synchronizing_config config_;
  coherent_machine machine_;
};

}  // namespace tributary::testing
