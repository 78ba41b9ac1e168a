// SPDX-License-Identifier: Apache-2.0
#include "smp_config.h"

#include <fmt/format.h>

#include <tributary/processor/drafted_program.h>
#include <tributary/protocols/requests/fetch_block.h>
#include <tributary/protocols/requests/null_request.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

constexpr std::uint8_t request_space = 1;

}  // namespace

void round_trip_costs::bind(parameter_set& parameters) {
  parameters.add("submit", submit, {0, 10000000}, "cycles",
                 "From a processor's request until its entry waits for a handler (section 8).");
  handlers.bind(parameters);
  parameters.add("resume", resume, {1, 10000000}, "cycles",
                 "From the end of the last handler until the program goes on (section 8).");
}

void smp_costs::bind(parameter_set& parameters) {
  parameters.add_group("null_request", null_request,
                       "A message and an empty one back: 600 cycles with the network (section 5).");
  parameters.add_group("fetch_block", fetch_block,
                       "A block of 128 bytes: 1600 cycles with the network (section 5).");
}

smp_workload_config::smp_workload_config() {
  choice.own = "requests";
  choice.kind = workload_kind::own;
  choice.program.run.random_cycles = 0;
}

void smp_workload_config::bind(parameter_set& parameters) {
  choice.bind(parameters);
  parameters.add_group("requests", requests,
                       "Processors that compute and ask by turns (section 5).");
}

smp_config::smp_config() {
  processor.turnaround = 1;
  processor.start_window = 1;
}

const round_trip_costs& smp_config::protocol_costs() const {
  return protocol == request_protocol::null_request ? costs.null_request : costs.fetch_block;
}

std::uint64_t smp_config::round_trip() const {
  const message_network_config& network = machine.network;
  return protocol_costs().round_trip(network.base_latency + network.hop_latency);
}

smp_machine_config smp_config::resolved_machine() const {
  smp_machine_config chosen = machine;
  chosen.node.costs.submit = protocol_costs().submit;
  chosen.node.costs.resume = protocol_costs().resume;
  return chosen;
}

std::uint64_t smp_config::blocks() const {
  return machine.node.computing() * (segment_bytes / machine.node.memory.line_bytes);
}

protocol_maker smp_config::protocols() const {
  return [kind = protocol, costs = protocol_costs().handlers, processors = machine.node.processors,
          blocks = blocks()](node_id) {
    std::vector<std::unique_ptr<tributary::protocol>> made;
    if (kind == request_protocol::null_request) {
      made.push_back(std::make_unique<null_request_protocol>(costs, request_space));
    } else {
      made.push_back(
          std::make_unique<fetch_block_protocol>(costs, request_space, processors, blocks));
    }
    return made;
  };
}

address_map_config smp_config::regions() const {
  return machine.node.addresses.regions(machine.nodes,
                                        machine.node.memory.bytes - machine.node.protocol_bytes,
                                        machine.node.memory.line_bytes);
}

workload_config smp_config::resolved_choice() const {
  workload_config chosen = workload.choice;
  chosen.program.run.processes = machine.node.computing();
  return chosen;
}

std::unique_ptr<program> smp_config::own_program() const {
  request_place place;
  place.addresses = machine.node.addresses;
  place.space = request_space;
  place.block_bytes = machine.node.memory.line_bytes;
  place.blocks = protocol == request_protocol::null_request ? 1 : blocks();
  place.round_trip = round_trip();
  const address_layout& layout = machine.node.addresses;
  const draft_registers registers{
      layout.address_of(node_id{0}, schedule_registers::space, schedule_registers::act),
      layout.address_of(node_id{0}, schedule_registers::space, schedule_registers::rest),
      schedule_registers::interrupt_line};
  return std::make_unique<drafted_program>(make_request_loop(workload.requests, place), registers);
}

void smp_config::bind(parameter_set& parameters) {
  machine.bind(parameters);
  parameters.add_group("processor", processor, "What stands for a processor.");
  parameters.add_choice("protocol", protocol,
                        {{"null_request", request_protocol::null_request},
                         {"fetch_block", request_protocol::fetch_block}},
                        "What a request of a processor to another node does (section 5).");
  parameters.add("segment_bytes", segment_bytes,
                 tributary::interval<std::uint64_t>{256, std::uint64_t{1} << 30}, "bytes",
                 "Of each processor, from which blocks are fetched: as large as its cache "
                 "(section 5).");
  parameters.add("processor_cost", processor_cost, tributary::interval<double>{0, 1}, "",
                 "What a further processor costs, as a part of what a node with one costs "
                 "(section 4).");
  parameters.add_group("costs", costs, "What round trips are made of (section 8).");
  parameters.add_group("workload", workload, "What the processors do.");
}

void smp_config::validate() const {
  check_ranges(*this);
  resolved_machine().validate();
  const std::uint64_t programs = machine.node.memory.bytes - machine.node.protocol_bytes;
  if (blocks() * machine.node.memory.line_bytes > programs) {
    throw configuration_error(
        {"segment_bytes", "",
         fmt::format("{} segments of {} bytes do not fit a node's memory for programs, {} bytes",
                     machine.node.computing(), segment_bytes, programs),
         fmt::format("at most {}", programs / machine.node.computing()),
         "lower it, or raise node.memory.bytes"});
  }
  if (workload.asks()) return;
  throw configuration_error({"workload.kind", "",
                             "a machine of SMP nodes runs nothing but requests so far", "requests",
                             "choose requests"});
}

std::vector<std::string> smp_config::warnings() const { return {}; }

}  // namespace tributary
