// SPDX-License-Identifier: Apache-2.0
// Every parameter of a machine of SMP nodes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <tributary/algorithms/request_loop.h>
#include <tributary/algorithms/workload_choice.h>
#include <tributary/controller/protocol_set.h>
#include <tributary/memory/address_map.h>
#include <tributary/processor/drafted_program.h>
#include <tributary/processor/processing_elements.h>
#include <tributary/protocols/block_transfer/block_transfer_config.h>
#include <tributary/protocols/requests/request_costs.h>
#include <tributary/protocols/stache/stache.h>
#include <tributary/smp/smp_machine.h>

namespace tributary {

/// What a load of the space of requests does.
enum class request_protocol : std::uint8_t {
  null_request,   ///< a message there and an empty one back
  fetch_block,    ///< fetches a block of 128 bytes
  stache,         ///< shared memory by software; a request loads a block new to its node
  fetch_op,       ///< no requests: words of other nodes, by messages to their home
  block_transfer  ///< copies a buffer there
};

/// What a protocol's round trip is made of, but for the network's latency, in cycles
/// (specification, section 8).
struct round_trip_costs {
  std::uint64_t submit = 105;
  request_costs handlers;
  std::uint64_t resume = 100;

  /// Without the network's.
  std::uint64_t sum() const {
    return submit + handlers.request + handlers.serve + handlers.reply + resume;
  }
  void bind(parameter_set& parameters);
};

/// What computing beyond accesses costs at level bus, in cycles. Not published: chosen so that an
/// unloaded round trip takes what the paper says it does (section 5).
struct bus_costs {
  round_trip_costs null_request{64, {15, 15, 15}, 64};
  round_trip_costs fetch_block{64, {138, 138, 138}, 64};
  std::uint64_t stache_submit = 64;
  std::uint64_t stache_resume = 64;
  stache_costs stache{5, 5, 5, 5, 5, 5, 5, 0};
  /// To take the role of the protocol processor.
  std::uint64_t acquire = 20;
  /// Of each handler where the role is not fixed: whether to stop.
  std::uint64_t activation = 50;

  void bind(parameter_set& parameters);
};

/// Block transfers, not published: as on MAGIC, whose handlers are counted instructions, and in
/// addition what messages cost a processor that has no hardware for them.
struct smp_transfer_costs {
  /// Each command, as a null request's.
  std::uint64_t submit = 105;
  std::uint64_t resume = 100;
  /// A message that a handler sends or takes: a handler of a null request.
  std::uint64_t message = 65;
  /// A block of 128 bytes in addition: half of what fetch_block takes more than null_request.
  std::uint64_t block = 542;

  /// Of the handlers.
  block_transfer_costs handlers() const;
  void bind(parameter_set& parameters);
};

/// The costs of all protocols.
struct smp_costs {
  round_trip_costs null_request;
  round_trip_costs fetch_block{60, {430, 420, 430}, 60};
  /// Of faults; the handlers are Stache's.
  std::uint64_t stache_submit = 150;
  std::uint64_t stache_resume = 145;
  stache_costs stache;
  /// Of an access to a word of another node: as a null request.
  round_trip_costs fetch_op;
  smp_transfer_costs block_transfer;
  bus_costs bus;

  void bind(parameter_set& parameters);
};

/// The workload: requests of the machine's protocol, or what every machine runs.
struct smp_workload_config {
  smp_workload_config();

  workload_config choice;
  request_loop_config requests;
  bool asks() const { return choice.kind == workload_kind::own; }

  void bind(parameter_set& parameters);
};

/// Configuration of the machine; the defaults are those of Falsafi and Wood, sections 2 and 5.
struct smp_config {
  smp_config();

  smp_machine_config machine;
  processing_element_config processor;
  request_protocol protocol = request_protocol::null_request;
  /// Bytes of each processor's segment, of which blocks are fetched.
  std::uint64_t segment_bytes = std::uint64_t{1} << 20;
  stache_config stache;
  block_transfer_config block_transfer;
  smp_costs costs;
  /// What a further processor costs, as a part of what a node with one costs.
  double processor_cost = 0.3;
  smp_workload_config workload;

  /// costup(n) = 1 + processor_cost (n - 1) (section 4, after Wood and Hill).
  double costup() const { return 1 + processor_cost * (machine.node.processors - 1); }

  /// Whether nodes share memory, for programs.
  bool shares() const {
    return protocol == request_protocol::stache || protocol == request_protocol::fetch_op;
  }
  bool has_bus() const { return machine.node.level == node_level::bus; }
  /// What a round trip of the protocol is made of; beyond accesses if the node has a bus.
  round_trip_costs protocol_costs() const;
  /// The shortest round trip of a request, to the nearest other node, cycles.
  /// That of level Q at level bus too, whose costs are chosen for the same round trips.
  std::uint64_t round_trip() const;
  /// The nodes with what their protocol costs.
  smp_machine_config resolved_machine() const;
  protocol_maker protocols() const;
  /// The nodes' memories, as programs and traffic see them.
  address_map_config regions() const;
  /// What every machine runs, with what programs must know of this one.
  workload_config resolved_choice() const;
  /// What the processors run, and how they act while they are interrupted.
  std::unique_ptr<program> programs(const address_map& map) const;
  /// The same of another program.
  std::unique_ptr<program> drafted(std::unique_ptr<program> own) const;
  /// Bytes of the segment that the caches of a processor have before the first cycle; 0 for none.
  std::uint64_t warm_bytes() const {
    const bool touches =
        protocol == request_protocol::null_request || protocol == request_protocol::fetch_block;
    return has_bus() && workload.asks() && touches ? segment_bytes : 0;
  }

  void bind(parameter_set& parameters);
  /// Refuses combinations that could not work; throws `configuration_error`.
  void validate() const;
  /// The same without the workload, for a program that is none of the configuration's.
  void validate_machine() const;
  /// Sentences about settings that work but can hardly be meant.
  std::vector<std::string> warnings() const;

 private:
  round_trip_costs constant_costs() const;
  /// Blocks of a node that can be fetched.
  std::uint64_t blocks() const;
  /// Of each node's memory, what its programs share and what is their own.
  std::uint64_t user_bytes() const {
    return machine.node.memory.bytes - machine.node.protocol_bytes;
  }
  std::uint64_t shared_bytes() const;
  void check_storage() const;
  void check_segments() const;
  void check_requests() const;
  request_place place() const;
  draft_registers registers() const;
};

}  // namespace tributary
