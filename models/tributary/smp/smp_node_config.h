// SPDX-License-Identifier: Apache-2.0
// Configuration of a node whose protocol runs on its processors.
#pragma once

#include <cstdint>

#include <tributary/bus/snooping_bus_config.h>
#include <tributary/cache/cache_config.h>
#include <tributary/controller/address_layout.h>
#include <tributary/controller/jump_table.h>
#include <tributary/controller/protocol_set.h>
#include <tributary/controller/schedule.h>
#include <tributary/memory/memory_controller.h>
#include <tributary/nic/memory_bus_interface.h>
#include <tributary/smp/protocol_thread.h>

namespace tributary {

class parameter_set;

/// What the protocol costs a node beyond its handlers, in cycles of its processors (Falsafi and
/// Wood, section 4; specification, sections 5 and 8).
struct schedule_costs {
  /// From a processor's request until its entry waits for a handler: the fault, and writing the
  /// entry. No parameter: it is the protocol's.
  std::uint64_t submit = 105;
  /// From the end of the handler that answers until the program goes on, at least 1. No parameter.
  std::uint64_t resume = 100;
  /// An interrupt's delivery and the return from it, at least 2.
  std::uint64_t interrupt = 200;
  /// How much of that is its delivery, before the handlers: all of it, as interrupted threads are
  /// delayed for a fixed time (section 5).
  std::uint32_t delivery_percent = 100;
  /// Taking the role of the protocol processor. Not where it is fixed.
  std::uint64_t acquire = 100;
  /// Each handler, beyond its own time: lock, test whether to stop. Not where it is fixed.
  std::uint64_t activation = 50;
  /// In addition, if another processor ran the handler before: code and data move between caches.
  std::uint64_t migration = 30;
  service_variation variation;

  std::uint64_t delivery() const { return interrupt * delivery_percent / 100; }

  void bind(parameter_set& parameters);
};

/// How much of a node takes time by itself.
enum class node_level : std::uint8_t {
  constants,  ///< Q: what the protocol costs are constants; neither caches nor a bus
  bus         ///< B: accesses of the processors' caches and of the network interface on a bus
};

/// Configuration of a node.
struct smp_node_config {
  smp_node_config();

  node_level level = node_level::constants;

  std::uint32_t processors = 2;
  schedule_kind schedule = schedule_kind::fixed;
  schedule_readings readings;
  schedule_costs costs;
  /// Processors that are never interrupted, a bit each.
  std::uint64_t masked_interrupts = 0;
  address_layout addresses;
  memory_controller_config memory;
  /// Of the node's memory, at its end: what protocols keep there.
  std::uint64_t protocol_bytes = std::uint64_t{12} << 20;
  /// From a processor's access to the node's memory to its end, where memory costs a constant.
  std::uint64_t memory_cycles = 1;
  jump_table_config jump_table;
  // Of level B.
  snooping_bus_config bus;
  /// Of each processor (section 2: 1 Mbyte, direct-mapped).
  cache_config caches;
  memory_bus_interface_config interface;
  /// Masters of the bus without a cache, which sockets of a module serve. No parameter.
  std::uint32_t bus_masters = 0;

  /// The memory behind the bus.
  memory_controller_config bus_memory() const;
  /// How many of the processors run programs.
  std::uint32_t computing() const {
    return schedule == schedule_kind::fixed ? processors - 1 : processors;
  }
  /// What a node offers its protocols.
  protocol_site site(node_id here, std::uint32_t nodes) const;

  void bind(parameter_set& parameters);
  /// Throws `configuration_error` for a machine of so many nodes.
  void validate(std::uint32_t nodes) const;

 private:
  void validate_bus() const;
};

/// The node's registers, words of an address space that no protocol has, on each node for itself.
namespace schedule_registers {

/// The address space.
inline constexpr std::uint8_t space = 3;
/// A load by the handler of an interrupt: answered when the processor need not act any more.
inline constexpr std::uint64_t act = 0;
/// A store of 1: the processor has nothing to compute from here on; of 0: it has, and the store is
/// complete when it does not act any more.
inline constexpr std::uint64_t rest = 8;
/// The line of the interrupts by which a processor is drafted.
inline constexpr std::uint32_t interrupt_line = 0;

}  // namespace schedule_registers

}  // namespace tributary
