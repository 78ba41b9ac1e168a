// SPDX-License-Identifier: Apache-2.0
// Machines of one processor a node on which the same data-parallel programs run.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <tributary/algorithms/data_parallel_programs/data_parallel_program.h>
#include <tributary/algorithms/flag_data_parallel.h>
#include <tributary/controller/address_layout.h>
#include <tributary/controller/attached_machine.h>
#include <tributary/memory/address_map.h>
#include <tributary/network/cargo_pool.h>
#include <tributary/network/message_network.h>
#include <tributary/nic/message_attachment.h>
#include <tributary/nic/remote_memory_port.h>
#include <tributary/processor/processing_elements.h>
#include <tributary/processor/program.h>
#include <tributary/processor/program_workload.h>
#include <tributary/protocols/ideal_caches/coherent_node.h>
#include <tributary/trace/communication_account.h>
#include <tributary/trace/round_trip_account.h>

#include "handler_architectures.h"

namespace tributary {

class parameter_set;

/// How nodes communicate (Klaiber 2.3, 5.1).
enum class communication_architecture : std::uint8_t {
  messages,       ///< by the message interface, of either design
  remote_memory,  ///< by loads and stores of other nodes' memory
  ring,           ///< by caches on a ring, without homes
  homes,          ///< by caches, and a home for each line that knows who has it
  magic,          ///< by handlers of MAGIC
  smp             ///< by handlers of a processor of the node
};

/// Messages of an architecture, and what makes a node of it.
struct architecture_parts {
  std::unique_ptr<cargo_store> messages;
  attached_node::attachment_maker make;
};

/// Configuration of the machine. Klaiber gives no times: no time changes what is counted.
struct data_parallel_config {
  data_parallel_config();

  communication_architecture architecture = communication_architecture::messages;
  std::uint32_t nodes = 8;
  message_network_config network;
  message_attachment_config messages;
  remote_memory_config remote_memory;
  ideal_cache_config caches;
  magic_architecture magic;
  smp_architecture smp;
  /// Stores to what nodes share in the tree, data and flags, update copies (`CACHE_32_wu`).
  bool update_tree = false;
  /// Gets and sends of a parallel statement become one message where their strides are constant
  /// (`MSG_blk`).
  bool merge_requests = false;
  /// Of the tree of broadcasts, reductions and barriers.
  std::uint32_t arity = 2;
  flag_data_parallel_options flags;
  processing_element_config processor;
  program_config run;
  data_parallel_program program;
  communication_account_config account;
  round_trip_config round_trips;

  const clock_domain& clock() const { return network.clock; }
  bool passes_messages() const { return architecture == communication_architecture::messages; }
  bool has_caches() const {
    return architecture == communication_architecture::ring ||
           architecture == communication_architecture::homes;
  }
  bool has_handlers() const {
    return architecture == communication_architecture::magic ||
           architecture == communication_architecture::smp;
  }
  std::uint64_t memory_bytes() const;
  /// What is counted: only messages between interfaces have hops of the tree without an address,
  /// and those of homes name the node to which they go.
  communication_account_config resolved_account() const;
  round_trip_config resolved_round_trips() const;
  /// Of an architecture without handlers.
  architecture_parts parts() const;
  address_map_config regions() const;
  /// What the processors run.
  std::unique_ptr<tributary::program> programs() const;
  /// The same of another program: where processors may have to run handlers, they do.
  std::unique_ptr<tributary::program> acting(std::unique_ptr<tributary::program> own) const;
  /// The run-time of a node.
  std::unique_ptr<data_parallel> run_time(program_context& context) const;

  void bind(parameter_set& parameters);
  /// Refuses combinations that could not work; throws `configuration_error`.
  void validate() const;

 private:
  std::unique_ptr<data_parallel> message_run_time(program_context& context) const;
  std::unique_ptr<data_parallel> handler_run_time(program_context& context) const;
  /// Of nodes with handlers, else the usual one.
  address_layout addresses() const;
  line_size handler_line() const;
  flag_data_parallel_options resolved_flags() const;
  ideal_cache_config resolved_caches() const;
  std::uint64_t program_bytes() const { return memory_bytes() / 2; }
  const char* memory_key() const;
  /// Of each node's memory, where the run-time's part begins.
  std::uint64_t local_place() const;
  void check_network() const;
  void check_round_trips() const;
  void check_interface() const;
  void check_merging() const;
  void check_storage() const;
  void check_handlers() const;
  std::uint64_t wanted_words() const;
};

}  // namespace tributary
