// SPDX-License-Identifier: Apache-2.0
#include "flash_config.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <tributary/controller/cost_table.h>
#include <tributary/memory/shared_port.h>
#include <tributary/processor/node_programs.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {

void flash_costs::bind(parameter_set& parameters) {
  parameters.add("file", file,
                 "Path of a cost table, a JSON object with every cost of this group; empty: the "
                 "costs below.");
  table.bind(parameters);
}

protocol_costs flash_costs::resolved() const {
  if (file.empty()) return table;
  protocol_costs here = table;
  protocol_costs costs;
  parameter_set loaded = parameter_set::of(costs);
  const parameter_set own = parameter_set::of(here);
  for (const std::string& name : own.names()) {
    if (own.value(name) == loaded.value(name)) continue;
    throw configuration_error({"costs." + name, "",
                               "it is changed, and the cost table " + file + " gives it too", "",
                               "change it in the table, or leave costs.file out"});
  }
  load_cost_table(loaded, file);
  return costs;
}

flash_workload_config::flash_workload_config() {
  choice.own = "transfers";
  choice.asks = true;
  choice.kind = workload_kind::own;
}

void flash_workload_config::bind(parameter_set& parameters) {
  choice.bind(parameters);
  transfer_workload_config::bind(parameters);
  parameters.add_group("requests", requests, "Requests of each processor to other nodes.");
}

flash_processor_config::flash_processor_config() : processing_element_config(uncached_processor()) {
  posted_stores = false;
}

void flash_processor_config::bind(parameter_set& parameters) {
  processing_element_config::bind(parameters);
  parameters.add(
      "posted_stores", posted_stores,
      "Whether stores of traffic, traces and programs end when MAGIC has taken them, with "
      "0, or else when their home has done them, with the word before. Those that ask for "
      "transfers always do.");
  parameters.add(
      "loops_ask_to_write", loops_ask_to_write,
      "Whether an operation that a processor with caches does by load-linked and "
      "store-conditional asks for its line to be written before it reads: one miss, and not two.");
}

flash_config::flash_config() {
  // Two nodes of the micro-benchmarks are one hop apart (FLASH Table 5.1).
  machine.network.topology = topology_kind::point_to_point;
}

address_map_config flash_config::regions() const {
  const magic_node_config& node = machine.node;
  if (!stache.present) {
    return node.addresses.regions(machine.nodes, node.protocol_storage(), node.memory.line_bytes);
  }
  const std::uint64_t pages = node.protocol_storage() / stache.page_bytes;
  return node.addresses.regions(machine.nodes, pages * stache.page_bytes, stache.page_bytes);
}

processing_element_config flash_config::resolved_processor() const {
  processing_element_config chosen = processor;
  const bool copies = workload.asks() && requests.protocol == flash_request::block_transfer;
  if (workload.transfers() || copies) chosen.posted_stores = true;
  return chosen;
}

flash_request_site flash_config::request_site() const {
  return {machine.node, machine.nodes, block_transfer.page_bytes,
          stache.present ? &stache : nullptr};
}

block_transfer_config flash_config::resolved_block_transfer() const {
  block_transfer_config chosen = block_transfer;
  chosen.user_bytes = machine.node.protocol_storage();
  return chosen;
}

workload_config flash_config::resolved_choice() const {
  workload_config chosen = workload.choice;
  const magic_node_config& node = machine.node;
  chosen.program.run.processes = node.processes;
  chosen.program.serves_pairs = node.caches.present;
  if (node.caches.present) {
    chosen.program.nodes =
        copying_nodes{node.addresses, block_transfer.page_bytes, node.memory.line()};
  }
  if (barriers.count != 0) {
    chosen.program.barriers =
        flash_barrier_place{node.addresses, node.memory.line(), barriers.count};
  }
  if (locks.count != 0) {
    chosen.program.locks =
        flash_lock_place{node.addresses, node.memory.line(), locks.count, machine.nodes};
  }
  if (reductions.count != 0) {
    chosen.program.reductions =
        flash_reduction_place{node.addresses, node.memory.line(), reductions.count};
  }
  return chosen;
}

void flash_config::bind(parameter_set& parameters) {
  machine.bind(parameters);
  parameters.add_group("processor", processor, "The model of each node's processor.");
  parameters.add_group("block_transfer", block_transfer, "The protocol fbcopy.");
  parameters.add_group("coherence", coherence, "Cache coherence, where processors have caches.");
  parameters.add_group("active_messages", active_messages,
                       "Active messages to processors and controllers.");
  parameters.add_group("barriers", barriers, "Barriers in the controllers.");
  parameters.add_group("locks", locks, "Locks in the controllers.");
  parameters.add_group("reductions", reductions, "Reductions in the controllers.");
  parameters.add_group("fetch_op", fetch_op, "What changes words for processors with caches.");
  parameters.add_group("kernel", kernel, "What the controller keeps for the kernel.");
  parameters.add_group("requests", requests,
                       "Requests between nodes, where the workload has them.");
  parameters.add_group("stache", stache, "Shared memory by software, where nodes have it.");
  parameters.add_group("costs", costs, "Occupancies of handlers.");
  parameters.add_group("workload", workload,
                       "What the processors do: transfers, or what every machine runs.");
}

void flash_config::validate() const {
  check_ranges(*this);
  machine.validate();
  block_transfer.validate();
  check_sharing();
  check_payload();
  check_list_elements();
  check_operations();
  check_synchronization();
  check_processes();
  check_turnaround();
  resolved_kernel().validate();
  costs.resolved();
  if (workload.transfers()) {
    check_method();
    workload.validate(machine.nodes, block_transfer.page_bytes, machine.node.protocol_storage(),
                      machine.node.memory.line());
  } else if (workload.asks()) {
    requests.validate(request_site(), workload.requests);
  } else {
    const address_map map(regions(), machine.nodes);
    make_workload(resolved_choice(), resolved_processor(), 1, map, 0);
  }
}

void flash_config::check_sharing() const {
  stache.validate(machine.node, machine.nodes);
  if (!stache.present || !workload.transfers()) return;
  throw configuration_error({"workload.kind", "",
                             "with stache.present block transfers would write memory behind its "
                             "tags",
                             "another one than transfers with stache.present",
                             "choose program, or leave stache.present out"});
}

// Otherwise the network would end the simulation at the first line of a block transfer.
void flash_config::check_payload() const {
  const std::uint32_t payload = machine.network.payload_bytes;
  const std::uint32_t line = machine.node.memory.line_bytes;
  if (payload >= line) return;
  throw configuration_error({"network.payload_bytes", "",
                             "a line of node.memory.line_bytes = " + std::to_string(line) +
                                 " does not fit into a message of " + std::to_string(payload),
                             std::to_string(line) + " to 65536 bytes",
                             "raise it, or choose shorter lines"});
}

void flash_config::check_method() const {
  if (machine.node.caches.present) return;
  const auto refuse = [](const char* key, const char* problem, const char* allowed) {
    throw configuration_error(
        {key, "", problem, std::string(allowed) + " where node.processor_caches.present is false",
         "choose it, or give the nodes caches"});
  };
  if (workload.method != transfer_method::fbcopy) {
    refuse("workload.method", "processors without caches copy by fbcopy", "fbcopy");
  }
  if (workload.source_lines != cached_by::none) {
    refuse("workload.source_lines", "there are no caches that could have lines", "uncached");
  }
  if (workload.destination_lines != cached_by::none) {
    refuse("workload.destination_lines", "there are no caches that could have lines", "uncached");
  }
}

void flash_config::check_list_elements() const {
  if (!machine.node.caches.present || coherence.elements >= machine.nodes) return;
  throw configuration_error({"coherence.elements", "",
                             std::to_string(coherence.elements) +
                                 " list elements are fewer than one for each of " +
                                 std::to_string(machine.nodes) + " nodes",
                             "nodes to 16777215 elements", "raise it, or take fewer nodes"});
}

void flash_config::check_operations() const {
  fetch_op.validate(machine.node.memory.line());
  if (fetch_op.method == fetch_op_method::coherent && !machine.node.caches.present) {
    throw configuration_error({"fetch_op.method", "", "without caches there is no coherence",
                               "ll_sc or home where node.processor_caches.present is false",
                               "choose home, or give the nodes caches"});
  }
  // A posted store is over before its home has it, and operations do not stay behind it.
  if (machine.network.combines() && processor.posted_stores) {
    throw configuration_error({"processor.posted_stores", "",
                               "operations that combine could pass a posted store",
                               "false where network.omega.combining is not none",
                               "let stores be answered, or choose network.omega.combining = none"});
  }
}

void flash_config::check_synchronization() const {
  struct kept_protocol {
    const char* key;
    bool present;
    bool needs_caches;
  };
  const std::vector<kept_protocol> kept = {
      {"barriers.count", barriers.count != 0, true},
      {"locks.count", locks.count != 0, true},
      {"reductions.count", reductions.count != 0, true},
      {"active_messages.window", active_messages.window != 0, false}};
  // Uncached writes go to memory, shadows, commands, the kernel, and to each of these.
  std::uint32_t candidates = 4;
  for (const kept_protocol& each : kept) {
    if (!each.present) continue;
    ++candidates;
    const auto refuse = [key = each.key](const char* refused, const char* problem,
                                         const std::string& allowed, const std::string& advice) {
      throw configuration_error({refused, "", problem,
                                 fmt::format("{} where {} is not 0", allowed, key),
                                 fmt::format("{}, or set {} to 0", advice, key)});
    };
    if (each.needs_caches && !machine.node.caches.present) {
      refuse("node.processor_caches.present",
             "processors wait at barriers, locks and reductions in their caches", "true",
             "give the nodes caches");
    }
    if (machine.node.addresses.space_bits != barrier_command::space_bits) {
      refuse("node.addresses.space_bits",
             "the address space of what controllers keep for processors has no number",
             std::to_string(barrier_command::space_bits), "raise it");
    }
    if (machine.node.jump_table.candidates < candidates) {
      refuse("node.jump_table.candidates",
             "barriers, locks, reductions and active messages each need one more rule for "
             "uncached writes",
             fmt::format("{} or more", candidates), "raise it (FLASH has 4)");
    }
  }
}

void flash_config::check_processes() const {
  if (machine.node.processes == 1 || workload.choice.kind == workload_kind::program) return;
  throw configuration_error({"node.processes", "", "only programs have several processes on a node",
                             "1 where workload.kind is not program",
                             "choose it, or set workload.kind to program"});
}

void flash_config::check_turnaround() const {
  const cycle_t most = shared_port::most_linked_cycles - 1;
  if (machine.node.processes == 1 || processor.turnaround <= most) return;
  throw configuration_error(
      {"processor.turnaround", "",
       fmt::format("{} cycles, and node.processes is {}: others would come between a load-linked "
                   "and its store-conditional",
                   processor.turnaround, machine.node.processes),
       fmt::format("1 to {} where node.processes is above 1", most),
       "choose fewer cycles, or one process a node"});
}

kernel_calls_config flash_config::resolved_kernel() const {
  kernel_calls_config chosen = kernel;
  chosen.software_tlb.page_bytes = block_transfer.page_bytes;
  chosen.in_use.page_bytes = block_transfer.page_bytes;
  return chosen;
}

std::uint64_t flash_config::processor_ratio() const {
  return machine.node.caches.present ? machine.node.caches.clock_ratio : 1;
}

std::vector<std::string> flash_config::warnings() const {
  std::vector<std::string> found;
  const bool single = workload.pattern == transfer_pattern::single;
  if (!single && (workload.source != 0 || workload.destination != 1)) {
    found.emplace_back(
        "workload.source and workload.destination mean nothing where workload.pattern is not "
        "single");
  }
  const message_network_config& network = machine.network;
  if (network.columns != 0 && network.topology != topology_kind::mesh) {
    found.emplace_back("network.columns means nothing where network.topology is not mesh");
  }
  if (fetch_op.uncached_bytes != 0 && fetch_op.method != fetch_op_method::home) {
    found.emplace_back("fetch_op.uncached_bytes means nothing where fetch_op.method is not home");
  }
  if (network.omega.combining != combining_design::none && !network.combines()) {
    found.emplace_back("network.omega.combining means nothing where network.topology is not omega");
  }
  const message_network_config usual;
  if (network.topology == topology_kind::omega &&
      (network.base_latency != usual.base_latency || network.hop_latency != usual.hop_latency ||
       network.nodes_per_router != usual.nodes_per_router || network.routing != usual.routing ||
       network.switching != usual.switching)) {
    found.emplace_back(
        "network.base_latency, hop_latency, nodes_per_router, routing and switching mean nothing "
        "where network.topology is omega");
  }
  const bool has_usual_turnaround = processor.turnaround == flash_processor_config().turnaround;
  if (stache.present && has_usual_turnaround && processor.turnaround > 1) {
    found.push_back(
        fmt::format("processor.turnaround = {} is that of uncached accesses, and with "
                    "stache.present lies behind each access to shared memory; SMP nodes have 1",
                    processor.turnaround));
  }
  if (!stache.present && machine.node.memory_cycles != magic_node_config().memory_cycles) {
    found.emplace_back("node.memory_cycles means nothing where stache.present is false");
  }
  const data_buffers_config& buffers = machine.node.buffers;
  if (block_transfer.chunk > buffers.buffers - buffers.reply_reserve - buffers.arrival_reserve) {
    found.push_back(
        "block_transfer.chunk = " + std::to_string(block_transfer.chunk) +
        " is never reached with node.data_buffers.buffers = " + std::to_string(buffers.buffers));
  }
  return found;
}

}  // namespace tributary
