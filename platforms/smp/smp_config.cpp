// SPDX-License-Identifier: Apache-2.0
#include "smp_config.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <tributary/network/choice/network_choice.h>
#include <tributary/protocols/block_transfer/block_transfer.h>
#include <tributary/protocols/fetch_op/fetch_op.h>
#include <tributary/protocols/line_states.h>
#include <tributary/protocols/requests/fetch_block.h>
#include <tributary/protocols/requests/null_request.h>
#include <tributary/protocols/stache/stache_memory.h>
#include <tributary/protocols/uncached.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

constexpr std::uint8_t request_space = 1;

uncached_costs word_costs(const request_costs& handlers) {
  uncached_costs costs;
  costs.load = costs.store = handlers.serve;
  costs.forward = handlers.request;
  costs.reply = handlers.reply;
  return costs;
}

fetch_op_costs operation_costs(const request_costs& handlers) {
  fetch_op_costs costs;
  costs.perform = handlers.serve;
  costs.forward = handlers.request;
  costs.reply = handlers.reply;
  return costs;
}

/// Before the protocol that asks it.
struct lines_in_memory {
  uncached_lines lines;
};

/// Block transfers of nodes whose lines are in memory.
class memory_transfers final : private lines_in_memory, public block_transfer_protocol {
 public:
  memory_transfers(const block_transfer_config& config, const block_transfer_costs& costs)
      : block_transfer_protocol(config, costs, {}, lines) {}
};

}  // namespace

void round_trip_costs::bind(parameter_set& parameters) {
  parameters.add("submit", submit, {0, 10000000}, "cycles",
                 "From a processor's request until its entry waits for a handler (section 8).");
  handlers.bind(parameters);
  parameters.add("resume", resume, {1, 10000000}, "cycles",
                 "From the end of the last handler until the program goes on (section 8).");
}

block_transfer_costs smp_transfer_costs::handlers() const {
  block_transfer_costs costs;
  for (std::uint64_t* const handler :
       {&costs.setup, &costs.refusal, &costs.announce, &costs.envelope, &costs.envelope_reply,
        &costs.receive_cleanup, &costs.nak, &costs.acknowledged, &costs.delegate, &costs.delegated,
        &costs.completion, &costs.confirm}) {
    *handler += message;
  }
  for (std::uint64_t* const handler : {&costs.transfer.line, &costs.transfer.unchunked,
                                       &costs.realigned.line, &costs.retry, &costs.receive}) {
    *handler += message + block;
  }
  return costs;
}

void smp_transfer_costs::bind(parameter_set& parameters) {
  parameters.add("submit", submit, {0, 10000000}, "cycles",
                 "From a command until its entry waits for a handler (assumed, as null_request).");
  parameters.add("resume", resume, {1, 10000000}, "cycles",
                 "From the end of its handler until the program goes on (assumed, as "
                 "null_request).");
  parameters.add("message", message, {0, 100000}, "cycles",
                 "Of a handler on MAGIC more, for a message that it sends or takes (assumed, as a "
                 "handler of null_request).");
  parameters.add("block", block, {0, 100000}, "cycles",
                 "More for a line that it sends or takes (assumed: half of what the handlers of "
                 "fetch_block take more than those of null_request).");
}

void bus_costs::bind(parameter_set& parameters) {
  parameters.add_group("null_request", null_request, "Of a message and an empty one back.");
  parameters.add_group("fetch_block", fetch_block, "Of a block of 128 bytes.");
  parameters.add("stache_submit", stache_submit, {0, 10000000}, "cycles",
                 "From a fault of Stache until its entry is written.");
  parameters.add("stache_resume", stache_resume, {1, 10000000}, "cycles",
                 "From reading the answer until the program goes on.");
  parameters.add_group("stache", stache, "Of the handlers of Stache.");
  parameters.add("acquire", acquire, {0, 10000000}, "cycles",
                 "To take the role of the protocol processor, where it is not fixed.");
  parameters.add("activation", activation, {0, 10000000}, "cycles",
                 "Of each handler beyond its own time, where the role is not fixed.");
}

void smp_costs::bind(parameter_set& parameters) {
  parameters.add_group("null_request", null_request,
                       "A message and an empty one back: 600 cycles with the network (section 5).");
  parameters.add_group("fetch_block", fetch_block,
                       "A block of 128 bytes: 1600 cycles with the network (section 5).");
  parameters.add("stache_submit", stache_submit, {0, 10000000}, "cycles",
                 "From a fault of Stache until its entry waits for a handler (section 8).");
  parameters.add("stache_resume", stache_resume, {1, 10000000}, "cycles",
                 "From the end of the last handler until the program goes on (section 8).");
  parameters.add_group("stache", stache,
                       "Shared memory: 900 cycles for a block of its home (section 6).");
  parameters.add_group("fetch_op", fetch_op,
                       "An access to a word of another node; assumed to cost as null_request.");
  parameters.add_group("block_transfer", block_transfer, "Block transfers, by what MAGIC's cost.");
  parameters.add_group("bus", bus,
                       "At level bus, of computing beyond accesses; the groups beside it are those "
                       "of level constants.");
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

round_trip_costs smp_config::protocol_costs() const {
  if (!has_bus()) return constant_costs();
  switch (protocol) {
    case request_protocol::null_request:
      return costs.bus.null_request;
    case request_protocol::fetch_block:
      return costs.bus.fetch_block;
    case request_protocol::stache:
    case request_protocol::fetch_op:  // which has no bus
    case request_protocol::block_transfer:
      break;
  }
  const stache_costs& handlers = costs.bus.stache;
  return {costs.bus.stache_submit,
          {handlers.fault, handlers.serve, handlers.reply},
          costs.bus.stache_resume};
}

round_trip_costs smp_config::constant_costs() const {
  switch (protocol) {
    case request_protocol::null_request:
      return costs.null_request;
    case request_protocol::fetch_block:
      return costs.fetch_block;
    case request_protocol::fetch_op:
      return costs.fetch_op;
    case request_protocol::block_transfer:
      // Its handlers have other costs.
      return {costs.block_transfer.submit, {0, 0, 0}, costs.block_transfer.resume};
    case request_protocol::stache:
      break;
  }
  return {costs.stache_submit,
          {costs.stache.fault, costs.stache.serve, costs.stache.reply},
          costs.stache_resume};
}

std::uint64_t smp_config::shared_bytes() const {
  return user_bytes() / stache.page_bytes * stache.page_bytes;
}

std::uint64_t smp_config::round_trip() const {
  const bool has_block =
      protocol == request_protocol::fetch_block || protocol == request_protocol::stache;
  const auto one_way = [&](std::uint32_t bytes) {
    // A message is handled once its last word has come; its first cycle on the link is one of
    // these.
    return least_latency(machine.network, machine.nodes, bytes) +
           machine.network.wire_cycles(bytes) - 1;
  };
  return constant_costs().sum() + one_way(0) +
         one_way(has_block ? machine.node.memory.line_bytes : 0);
}

smp_machine_config smp_config::resolved_machine() const {
  smp_machine_config chosen = machine;
  chosen.node.costs.submit = protocol_costs().submit;
  chosen.node.costs.resume = protocol_costs().resume;
  if (has_bus()) {
    chosen.node.costs.acquire = costs.bus.acquire;
    chosen.node.costs.activation = costs.bus.activation;
    chosen.node.costs.migration = 0;  // the caches' misses
  }
  return chosen;
}

std::uint64_t smp_config::blocks() const {
  return machine.node.computing() * (segment_bytes / machine.node.memory.line_bytes);
}

protocol_maker smp_config::protocols() const {
  return [config = *this](node_id) {
    std::vector<std::unique_ptr<tributary::protocol>> made;
    const request_costs handlers = config.protocol_costs().handlers;
    const smp_node_config& node = config.machine.node;
    switch (config.protocol) {
      case request_protocol::null_request:
        made.push_back(std::make_unique<null_request_protocol>(handlers, request_space));
        break;
      case request_protocol::fetch_block:
        made.push_back(std::make_unique<fetch_block_protocol>(handlers, request_space,
                                                              node.processors, config.blocks()));
        break;
      case request_protocol::stache:
        made.push_back(std::make_unique<stache_protocol>(
            config.stache, config.has_bus() ? config.costs.bus.stache : config.costs.stache,
            config.shared_bytes(), node.memory.line(), config.machine.nodes));
        break;
      case request_protocol::fetch_op:
        made.push_back(std::make_unique<uncached_protocol>(word_costs(handlers)));
        made.push_back(std::make_unique<fetch_op_protocol>(operation_costs(handlers)));
        break;
      case request_protocol::block_transfer: {
        block_transfer_config transfers = config.block_transfer;
        transfers.user_bytes = config.user_bytes();
        made.push_back(
            std::make_unique<memory_transfers>(transfers, config.costs.block_transfer.handlers()));
        break;
      }
    }
    return made;
  };
}

address_map_config smp_config::regions() const {
  return machine.node.addresses.regions(machine.nodes, user_bytes(), stache.page_bytes);
}

workload_config smp_config::resolved_choice() const {
  workload_config chosen = workload.choice;
  chosen.program.run.processes = machine.node.computing();
  chosen.program.rest = registers().rest;
  return chosen;
}

std::unique_ptr<program> smp_config::programs(const address_map& map) const {
  if (!workload.asks()) return drafted(make_program(resolved_choice().program, map));
  return drafted(make_request_loop(workload.requests, place()));
}

request_place smp_config::place() const {
  request_place place;
  place.addresses = machine.node.addresses;
  place.space = request_space;
  place.block_bytes = machine.node.memory.line_bytes;
  place.blocks = protocol == request_protocol::fetch_block ? blocks() : 1;
  place.round_trip = round_trip();
  place.segment_bytes = warm_bytes();
  if (has_bus() && protocol == request_protocol::fetch_block) {
    place.replies = blocks() * place.block_bytes;
    place.reply_bytes = place.block_bytes;
    place.line_bytes = machine.node.bus.line_bytes;
  }
  if (protocol == request_protocol::stache) {
    place.way = request_way::new_load;
    place.space = 0;
  } else if (protocol == request_protocol::block_transfer) {
    place.way = request_way::transfer;
    place.page_bytes = block_transfer.page_bytes;
    place.line = machine.node.memory.line();
    place.rest = registers().rest;
  }
  return place;
}

draft_registers smp_config::registers() const {
  const auto address = [this](std::uint64_t offset) {
    return machine.node.addresses.address_of(node_id{0}, schedule_registers::space, offset);
  };
  return {address(schedule_registers::act), address(schedule_registers::rest),
          schedule_registers::interrupt_line};
}

std::unique_ptr<program> smp_config::drafted(std::unique_ptr<program> own) const {
  return std::make_unique<drafted_program>(std::move(own), registers());
}

void smp_config::bind(parameter_set& parameters) {
  machine.bind(parameters);
  parameters.add_group("processor", processor, "What stands for a processor.");
  parameters.add_choice(
      "protocol", protocol,
      {{"null_request", request_protocol::null_request},
       {"fetch_block", request_protocol::fetch_block},
       {"stache", request_protocol::stache},
       {"fetch_op", request_protocol::fetch_op},
       {"block_transfer", request_protocol::block_transfer}},
      "What a request of a processor to another node does (section 5); stache: "
      "programs share memory, by faults on blocks (section 6), and a request "
      "loads a block that its node has not loaded before; fetch_op: programs share it "
      "by messages to each word's home; block_transfer: a request copies a "
      "buffer there.");
  parameters.add("segment_bytes", segment_bytes,
                 tributary::interval<std::uint64_t>{256, std::uint64_t{1} << 30}, "bytes",
                 "Of each processor, from which blocks are fetched: as large as its cache "
                 "(section 5).");
  parameters.add("processor_cost", processor_cost, tributary::interval<double>{0, 1}, "",
                 "What a further processor costs, as a part of what a node with one costs "
                 "(section 4).");
  parameters.add_group("stache", stache, "Shared memory by software.");
  parameters.add_group("block_transfer", block_transfer, "The protocol fbcopy.");
  parameters.add_group("costs", costs, "What round trips are made of (section 8).");
  parameters.add_group("workload", workload, "What the processors do.");
}

void smp_config::validate_machine() const {
  check_ranges(*this);
  resolved_machine().validate();
  if (protocol == request_protocol::stache && machine.node.processors > stache::most_processors) {
    throw configuration_error(
        {"node.processors", "",
         fmt::format("with protocol = stache {} are more than the words of faults can name",
                     machine.node.processors),
         fmt::format("1 to {}", stache::most_processors), "lower it, or choose another protocol"});
  }
  const bool has_constants_only =
      protocol == request_protocol::fetch_op || protocol == request_protocol::block_transfer;
  if (has_constants_only && has_bus()) {
    throw configuration_error(
        {"node.level", "",
         fmt::format("with protocol = {} nodes have no bus",
                     protocol == request_protocol::fetch_op ? "fetch_op" : "block_transfer"),
         "constants", "choose it, or another protocol"});
  }
  if (protocol == request_protocol::block_transfer) block_transfer.validate();
  check_segments();
  check_storage();
}

/// Segments are used where blocks of them are fetched, and where caches have them.
void smp_config::check_segments() const {
  const smp_node_config& node = machine.node;
  const bool fetches = protocol == request_protocol::fetch_block;
  if (!fetches && warm_bytes() == 0) return;
  const std::uint64_t line = node.memory.line_bytes;
  const std::uint64_t places = fetches ? node.processors * line : 0;
  const std::uint64_t most = (user_bytes() - std::min(user_bytes(), places)) / node.computing();
  if (segment_bytes > most) {
    throw configuration_error(
        {"segment_bytes", "",
         fmt::format("{} segments of {} bytes do not fit a node's memory for programs, {} bytes",
                     node.computing(), segment_bytes, user_bytes()),
         fmt::format("at most {}", most / line * line), "lower it, or raise node.memory.bytes"});
  }
  if (has_bus() && segment_bytes % line != 0) {
    throw configuration_error(
        {"segment_bytes", "", fmt::format("{} is not whole blocks", segment_bytes),
         fmt::format("a multiple of node.memory.line_bytes = {}", line),
         fmt::format("round it up to {}", (segment_bytes / line + 1) * line)});
  }
}

/// What protocols keep fits where nodes have room for it. Making them checks the rest of what they
/// are made from.
void smp_config::check_storage() const {
  const smp_node_config& node = machine.node;
  std::uint64_t wanted = 0;
  for (const auto& each : protocols()(node_id{0})) wanted += each->storage_bytes();
  const std::uint64_t start = node.memory.bytes - node.protocol_bytes;
  wanted += node.memory.line().next_start(start) - start;
  if (wanted <= node.protocol_bytes) return;
  std::string advice = "raise it";
  if (protocol == request_protocol::fetch_block) {
    advice += fmt::format(", or lower segment_bytes = {}", segment_bytes);
  } else if (protocol == request_protocol::stache) {
    advice += fmt::format(", or lower stache.frames = {} or node.memory.bytes = {}", stache.frames,
                          node.memory.bytes);
  }
  throw configuration_error(
      {"node.protocol_bytes", "",
       fmt::format("{} hold less than the {} that the protocol keeps", node.protocol_bytes, wanted),
       fmt::format("at least {}", wanted), advice});
}

void smp_config::validate() const {
  validate_machine();
  if (workload.asks()) check_requests();
  if (!workload.asks() && (workload.choice.kind != workload_kind::program || !shares())) {
    throw configuration_error({"workload.kind", "",
                               "it needs memory that nodes share, and programs",
                               "requests; program with protocol = stache or fetch_op",
                               "choose requests, or program with protocol = stache"});
  }
}

void smp_config::check_requests() const {
  const request_loop_config& asked = workload.requests;
  switch (protocol) {
    case request_protocol::null_request:
    case request_protocol::fetch_block:
      break;
    case request_protocol::stache:
      stache.check_new_blocks(asked.requests, machine.nodes, shared_bytes(),
                              machine.node.memory.line());
      break;
    case request_protocol::fetch_op:
      throw configuration_error({"workload.kind", "",
                                 "with protocol = fetch_op there are no requests to measure",
                                 "program with protocol = fetch_op; requests with another protocol",
                                 "choose program, or another protocol"});
    case request_protocol::block_transfer:
      if (asked.computing == 0 && asked.round_trip == 0 && asked.utilisation != 0) {
        throw configuration_error({"workload.requests.computing", "",
                                   "0: how long processors compute follows from a round trip, and "
                                   "that of a block transfer is no sum of constants",
                                   "1 to 1000000000",
                                   "set it, or workload.requests.round_trip, or utilisation to 0"});
      }
      place().check_transfers(asked.bytes, machine.nodes, machine.node.computing(), user_bytes());
      break;
  }
}

std::vector<std::string> smp_config::warnings() const {
  std::vector<std::string> found;
  const smp_node_config& node = machine.node;
  if (node.masked_interrupts != 0 && node.schedule == schedule_kind::fixed) {
    found.emplace_back(
        "node.masked_interrupts means nothing where node.schedule is fixed, which interrupts no "
        "processor");
  }
  const schedule_costs standard;
  if (has_bus() &&
      (node.costs.acquire != standard.acquire || node.costs.activation != standard.activation ||
       node.costs.migration != standard.migration)) {
    found.emplace_back(
        "node.costs.acquire, activation and migration mean nothing where node.level is bus; see "
        "costs.bus");
  }
  const message_network_config& network = machine.network;
  if (network.omega.combining != combining_design::none &&
      (!network.combines() || protocol != request_protocol::fetch_op)) {
    found.emplace_back(
        "network.omega.combining means nothing where network.topology is not omega, or protocol is "
        "not fetch_op");
  }
  return found;
}

}  // namespace tributary
