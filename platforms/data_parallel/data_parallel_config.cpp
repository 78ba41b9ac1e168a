// SPDX-License-Identifier: Apache-2.0
#include "data_parallel_config.h"

#include <fmt/format.h>

#include <tributary/algorithms/language_data_parallel.h>
#include <tributary/algorithms/traditional_data_parallel.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

/// Klaiber 6.5: measured up to 64 nodes.
constexpr std::uint32_t most_nodes = 64;

}  // namespace

/// Every node is next to every other (5.6.1); the latency is ours, about ten times that of memory
/// (5.6).
data_parallel_config::data_parallel_config() {
  network.clock.period = 10000;
  network.topology = topology_kind::point_to_point;
  network.lanes = 2;
  network.base_latency = 49;
  network.hop_latency = 1;
  network.bandwidth = 800;
  network.header_bytes = 4;
  network.payload_bytes = 128;
  processor.turnaround = 1;
  processor.start_window = 1;
  processor.posted_stores = true;
}

void data_parallel_config::bind(parameter_set& parameters) {
  parameters.add_choice("architecture", architecture,
                        {{"messages", communication_architecture::messages},
                         {"remote_memory", communication_architecture::remote_memory}},
                        "How nodes communicate: by messages of an interface, or by loads and "
                        "stores of other nodes' memory (Klaiber 5.1).");
  parameters.add("nodes", nodes, {2, most_nodes}, "", "Nodes of the machine (5.3: 8).");
  parameters.add_group("clock", network.clock, "Clock of the processors and the network.");
  parameters.add_group("network", network, "Routers and links between the nodes.");
  parameters.add_group("messages", messages, "Nodes that pass messages.");
  parameters.add_group("remote_memory", remote_memory, "Nodes with remote memory.");
  parameters.add("arity", arity, {2, 8}, "",
                 "Children of a node in the tree of broadcasts, reductions and barriers (4.2.2: "
                 "2).");
  parameters.add_group("flags", flags, "The run-time on shared addresses.");
  parameters.add_group("processor", processor, "What stands for a processor.");
  parameters.add_group("programs", run, "How programs run.");
  parameters.add_group("program", program, "What the nodes run.");
  parameters.add_group("account", account, "What is counted of communication.");
}

void data_parallel_config::check_network() const {
  network.validate(nodes);
  const message_interface_config& interface = messages.interface;
  if (architecture != communication_architecture::messages) return;
  if (network.payload_bytes < interface.most_packet()) {
    throw configuration_error(
        {"network.payload_bytes", "", fmt::format("{} hold no packet", network.payload_bytes),
         fmt::format("at least messages.interface.packet_bytes + 24 = {}", interface.most_packet()),
         "raise it"});
  }
  if (interface.broadcast && !network.broadcast) {
    throw configuration_error(
        {"messages.interface.broadcast", "", "the network has no hardware broadcast",
         "false, as long as network.broadcast is false", "set network.broadcast, or clear this"});
  }
  if (!interface.has_engines() && network.reorder_window != 0) {
    throw configuration_error({"network.reorder_window", "",
                               "a traditional interface depends on the order of messages",
                               "0 with messages.interface.design = traditional",
                               "choose the language-oriented interface"});
  }
}

void data_parallel_config::check_storage() const {
  const std::uint64_t data = data_parallel_bytes(program, nodes);
  const std::uint64_t words = architecture == communication_architecture::messages
                                  ? data / word_bytes + message_runtime_words(arity)
                                  : flag_data_parallel::words(data, flags);
  if (words * word_bytes <= program_bytes()) return;
  throw configuration_error(
      {architecture == communication_architecture::messages ? "messages.memory_bytes"
                                                            : "remote_memory.memory_bytes",
       "", fmt::format("programs have half of {} bytes", memory_bytes()),
       fmt::format("at least {}, twice what the program and its run-time need",
                   2 * words * word_bytes),
       "raise it"});
}

void data_parallel_config::validate() const {
  check_ranges(*this);
  check_part("messages", [&] { messages.validate(); });
  check_part("flags", [&] { flags.validate(); });
  check_network();
  check_part("program", [&] { check_storage(); });
}

architecture_parts data_parallel_config::parts() const {
  if (architecture == communication_architecture::remote_memory) {
    auto pool = std::make_unique<remote_message_pool>();
    remote_message_pool& messages_under_way = *pool;
    return {std::move(pool), [this, &messages_under_way](const attachment_place& place) {
              return std::make_unique<remote_memory_port>(remote_memory, address_layout(), place,
                                                          messages_under_way);
            }};
  }
  auto pool = std::make_unique<interface_pool>();
  interface_pool& messages_under_way = *pool;
  return {std::move(pool), [this, &messages_under_way](const attachment_place& place) {
            return std::make_unique<message_attachment>(
                messages, place, messages_under_way, address_layout().address_of(place.here, 0, 0));
          }};
}

address_map_config data_parallel_config::regions() const {
  return address_layout().regions(nodes, memory_bytes(), flags.line_bytes);
}

std::unique_ptr<data_parallel> data_parallel_config::message_run_time(
    program_context& context) const {
  message_runtime_place place;
  place.interface = messages.interface;
  place.registers = interface_space;
  place.memory = context.local_address(0);
  place.memory_place = memory_bytes() - program_bytes();
  place.data_bytes = data_parallel_bytes(program, nodes);
  place.arity = arity;
  place.reorders = network.reorder_window != 0;
  place.own_copy = network.broadcast_self;
  if (messages.interface.has_engines()) {
    return std::make_unique<language_data_parallel>(context, place);
  }
  return std::make_unique<traditional_data_parallel>(context, place);
}

std::unique_ptr<data_parallel> data_parallel_config::run_time(program_context& context) const {
  if (architecture == communication_architecture::messages) return message_run_time(context);
  flag_data_parallel_options options = flags;
  options.arity = arity;
  return std::make_unique<flag_data_parallel>(context, data_parallel_bytes(program, nodes),
                                              options);
}

std::unique_ptr<tributary::program> data_parallel_config::programs() const {
  return make_data_parallel_program(program, nodes,
                                    [this](program_context& context) { return run_time(context); });
}

}  // namespace tributary
