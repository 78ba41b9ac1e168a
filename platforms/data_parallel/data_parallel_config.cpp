// SPDX-License-Identifier: Apache-2.0
#include "data_parallel_config.h"

#include <utility>

#include <fmt/format.h>

#include <tributary/algorithms/handler_data_parallel.h>
#include <tributary/algorithms/language_data_parallel.h>
#include <tributary/algorithms/traditional_data_parallel.h>
#include <tributary/protocols/ideal_caches/home_coherence.h>
#include <tributary/protocols/ideal_caches/ring_coherence.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

/// Klaiber 6.5 measures up to 64; sets of nodes have as many bits.
constexpr std::uint32_t most_nodes = coherent_node::most_nodes;

}  // namespace

/// Every node is next to every other (5.6.1); the latency is ours, about ten times that of memory
/// (5.6).
data_parallel_config::data_parallel_config() {
  network.clock.period = 10000;
  network.topology = topology_kind::point_to_point;
  network.lanes = 3;  // homes have one for what they forward
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
                         {"remote_memory", communication_architecture::remote_memory},
                         {"ring", communication_architecture::ring},
                         {"homes", communication_architecture::homes},
                         {"magic", communication_architecture::magic},
                         {"smp", communication_architecture::smp}},
                        "How nodes communicate: by messages of an interface, by loads and stores "
                        "of other nodes' memory, by coherent caches, on a ring or with homes "
                        "(Klaiber 5.1), or by handlers, of MAGIC or of a processor of the node.");
  parameters.add("nodes", nodes, {2, most_nodes}, "", "Nodes of the machine (5.3: 8).");
  parameters.add_group("clock", network.clock, "Clock of the processors and the network.");
  parameters.add_group("network", network, "Routers and links between the nodes.");
  parameters.add_group("messages", messages, "Nodes that pass messages.");
  parameters.add_group("remote_memory", remote_memory, "Nodes with remote memory.");
  parameters.add_group("caches", caches, "Nodes with coherent caches.");
  parameters.add_group("magic", magic, "Nodes with MAGIC.");
  parameters.add_group("smp", smp, "Nodes of several processors.");
  parameters.add("update_tree", update_tree,
                 "With caches, stores to data and flags of the tree update copies, all others "
                 "invalidate them (5.1).");
  parameters.add(
      "merge_requests", merge_requests,
      "With messages, gets and sends of the virtual processors of a node in one parallel "
      "statement become one message if they go to one node at constant strides "
      "(MSG_blk, 5.2; with packets of 64 KB).");
  parameters.add("arity", arity, {2, 8}, "",
                 "Children of a node in the tree of broadcasts, reductions and barriers (4.2.2: "
                 "2).");
  parameters.add_group("shared_addresses", flags, "The run-time on shared addresses.");
  parameters.add_group("processor", processor, "What stands for a processor.");
  parameters.add_group("programs", run, "How programs run.");
  parameters.add_group("program", program, "What the nodes run.");
  parameters.add_group("account", account, "What is counted of communication.");
  parameters.add_group("round_trips", round_trips, "Round trips for which processors wait.");
}

std::uint64_t data_parallel_config::memory_bytes() const {
  if (architecture == communication_architecture::magic) return magic.node.protocol_storage();
  if (architecture == communication_architecture::smp) return smp.user_bytes();
  if (has_caches()) return caches.memory_bytes;
  return passes_messages() ? messages.memory_bytes : remote_memory.memory_bytes;
}

const char* data_parallel_config::memory_key() const {
  if (architecture == communication_architecture::magic) return "magic.node.memory.bytes";
  if (architecture == communication_architecture::smp) return "smp.node.memory.bytes";
  if (has_caches()) return "caches.memory_bytes";
  return passes_messages() ? "messages.memory_bytes" : "remote_memory.memory_bytes";
}

communication_account_config data_parallel_config::resolved_account() const {
  communication_account_config resolved = account;
  if (!passes_messages()) resolved.header_bytes.tree = resolved.header_bytes.write;
  constexpr std::uint32_t most_in_a_byte = 255;
  if (passes_messages() && messages.interface.packet_bytes > most_in_a_byte) {
    // The size of a packet takes two bytes (Klaiber 5.5.1).
    ++resolved.header_bytes.read;
    ++resolved.header_bytes.write;
    ++resolved.header_bytes.tree;
  }
  resolved.merges_requests = merge_requests;
  if (architecture == communication_architecture::homes) {
    resolved.header_bytes.line += resolved.header_bytes.node;
  }
  return resolved;
}

round_trip_config data_parallel_config::resolved_round_trips() const {
  round_trip_config resolved = round_trips;
  resolved.asynchronous_writes = !has_caches() || caches.asynchronous_writes;
  resolved.line_bytes = caches.line_bytes;
  resolved.count_cold = account.count_cold;
  return resolved;
}

flag_data_parallel_options data_parallel_config::resolved_flags() const {
  flag_data_parallel_options options = flags;
  options.arity = arity;
  options.reads_locks = has_caches();
  return options;
}

ideal_cache_config data_parallel_config::resolved_caches() const {
  ideal_cache_config resolved = caches;
  if (!update_tree) return resolved;
  const std::uint64_t data = data_parallel_bytes(program, nodes);
  const std::uint64_t local = local_place();
  const flag_data_parallel_options options = resolved_flags();
  resolved.update_from = local + flag_data_parallel::tree_words(data, options) * word_bytes;
  resolved.update_to = local + flag_data_parallel::words(data, options) * word_bytes;
  return resolved;
}

void data_parallel_config::check_network() const {
  network.validate(nodes);
  const bool is_ring = network.topology == topology_kind::ring;
  if (is_ring != (architecture == communication_architecture::ring)) {
    throw configuration_error({"network.topology", "",
                               "caches on a ring and a ring of links go together",
                               "ring if and only if architecture is ring", "change one of them"});
  }
  if (update_tree && !has_caches()) {
    throw configuration_error({"update_tree", "", "only coherent caches update copies",
                               "true with architecture = ring or homes",
                               "choose one of them, or clear this"});
  }
  if (network.reorder_window != 0 && has_caches()) {
    throw configuration_error({"network.reorder_window", "", "coherent caches depend on the order",
                               "0 with caches", "choose another architecture"});
  }
  const message_interface_config& interface = messages.interface;
  if (!passes_messages()) return;
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
  if (interface.channels == 1 && network.topology == topology_kind::omega) {
    throw configuration_error(
        {"messages.interface.channels", "",
         "one channel may stop the machine, and an omega network cannot tell which messages wait",
         "2 with network.topology = omega", "choose two channels, or another topology"});
  }
  if (!interface.has_engines() && network.reorder_window != 0) {
    throw configuration_error({"network.reorder_window", "",
                               "a traditional interface depends on the order of messages",
                               "0 with messages.interface.design = traditional",
                               "choose the language-oriented interface"});
  }
}

/// `address_layout::regions` gives the lower half, in whole lines, to the other region.
std::uint64_t data_parallel_config::local_place() const {
  return addresses().offset_of(regions().regions.at(1).base);
}

/// Who waits for a handler is not known.
void data_parallel_config::check_round_trips() const {
  if (!round_trips.enabled) return;
  const char* const allowed =
      "false, or true with architecture = messages, remote_memory, ring or homes, and "
      "account.enabled";
  if (!account.enabled) {
    throw configuration_error({"round_trips.enabled", "",
                               "round trips are counted with the account, which is off", allowed,
                               "set account.enabled, or clear this"});
  }
  if (has_handlers()) {
    throw configuration_error({"round_trips.enabled", "",
                               "round trips of magic and smp are not counted", allowed,
                               "choose another architecture, or clear this"});
  }
}

/// What the run-times take of an interface.
void data_parallel_config::check_interface() const {
  const message_interface_config& interface = messages.interface;
  const std::uint64_t page = interface.page_bytes;
  if (local_place() % page != 0) {
    throw configuration_error(
        {"messages.memory_bytes", "",
         fmt::format("programs have the half of {} bytes from {} on, in the middle of a page",
                     memory_bytes(), local_place()),
         fmt::format("a multiple of twice messages.interface.page_bytes = {}", page), "round it"});
  }
  if (interface.has_engines() && interface.counters < 16) {
    throw configuration_error(
        {"messages.interface.counters", "",
         fmt::format("the run-time counts on 16, and there are {}", interface.counters),
         "16 with messages.interface.design = language", "raise it"});
  }
}

/// What is merged are items of whole words, so a packet has to hold two words.
void data_parallel_config::check_merging() const {
  if (!merge_requests) return;
  if (!passes_messages()) {
    throw configuration_error({"merge_requests", "", "only message passing has requests to merge",
                               "true with architecture = messages", "choose that, or clear this"});
  }
  constexpr std::uint32_t least = 2 * word_bytes;
  if (messages.interface.packet_bytes < least) {
    throw configuration_error(
        {"merge_requests", "",
         fmt::format("a packet of {} bytes holds no two words", messages.interface.packet_bytes),
         fmt::format("true with messages.interface.packet_bytes of at least {}", least),
         "raise that, or clear this"});
  }
}

address_layout data_parallel_config::addresses() const {
  if (!has_handlers()) return {};
  return architecture == communication_architecture::magic ? magic.node.addresses
                                                           : smp.node.addresses;
}

line_size data_parallel_config::handler_line() const {
  return architecture == communication_architecture::magic ? magic.node.memory.line()
                                                           : smp.node.memory.line();
}

/// Of a node's memory, for the program and its run-time.
std::uint64_t data_parallel_config::wanted_words() const {
  std::uint64_t data = 0;
  check_part("program", [&] { data = data_parallel_bytes(program, nodes); });
  if (has_handlers()) return data / word_bytes;
  return passes_messages() ? data / word_bytes + message_runtime_words(arity)
                           : flag_data_parallel::words(data, resolved_flags());
}

void data_parallel_config::check_storage() const {
  const std::uint64_t words = wanted_words();
  if (words * word_bytes <= program_bytes()) return;
  throw configuration_error(
      {memory_key(), "", fmt::format("programs have half of {} bytes", memory_bytes()),
       fmt::format("at least {}, twice what the program and its run-time need",
                   2 * words * word_bytes),
       "raise it"});
}

void data_parallel_config::check_handlers() const {
  if (architecture == communication_architecture::magic) {
    check_part("magic", [&] { magic.validate(nodes, network); });
  } else if (architecture == communication_architecture::smp) {
    check_part("smp", [&] { smp.validate(nodes, network); });
  }
}

void data_parallel_config::validate() const {
  check_ranges(*this);
  check_part("messages", [&] { messages.validate(); });
  check_part("shared_addresses", [&] { flags.validate(); });
  if (has_caches()) check_part("caches", [&] { caches.validate(address_layout()); });
  check_network();
  if (passes_messages()) check_interface();
  check_handlers();
  check_round_trips();
  check_merging();
  check_storage();
}

namespace {

/// The messages of a kind of node, and what makes one of them.
template <class Attachment, class Pool, class Config>
architecture_parts parts_of(const Config& config) {
  auto pool = std::make_unique<Pool>();
  Pool& under_way = *pool;
  return {std::move(pool), [config, &under_way](const attachment_place& place) {
            return std::make_unique<Attachment>(config, address_layout(), place, under_way);
          }};
}

}  // namespace

architecture_parts data_parallel_config::parts() const {
  switch (architecture) {
    case communication_architecture::remote_memory:
      return parts_of<remote_memory_port, remote_message_pool>(remote_memory);
    case communication_architecture::ring:
      return parts_of<ring_coherence, coherence_message_pool>(resolved_caches());
    case communication_architecture::homes:
      return parts_of<home_coherence, coherence_message_pool>(resolved_caches());
    default:
      break;
  }
  return parts_of<message_attachment, interface_pool>(messages);
}

address_map_config data_parallel_config::regions() const {
  return addresses().regions(nodes, memory_bytes(),
                             has_handlers() ? handler_line().bytes() : flags.line_bytes);
}

std::unique_ptr<data_parallel> data_parallel_config::message_run_time(
    program_context& context) const {
  message_runtime_place place;
  place.interface = messages.interface;
  place.registers = interface_space;
  place.memory = context.local_address(0);
  place.memory_place = local_place();
  place.data_bytes = data_parallel_bytes(program, nodes);
  place.arity = arity;
  place.reorders = network.reorder_window != 0;
  place.own_copy = network.broadcast_self;
  place.merges_requests = merge_requests;
  if (messages.interface.has_engines()) {
    return std::make_unique<language_data_parallel>(context, place);
  }
  return std::make_unique<traditional_data_parallel>(context, place);
}

std::unique_ptr<data_parallel> data_parallel_config::handler_run_time(
    program_context& context) const {
  handler_runtime_place place;
  place.addresses = addresses();
  place.line = handler_line();
  place.memory_place = local_place();
  place.data_bytes = data_parallel_bytes(program, nodes);
  return std::make_unique<handler_data_parallel>(context, place);
}

std::unique_ptr<data_parallel> data_parallel_config::run_time(program_context& context) const {
  if (has_handlers()) return handler_run_time(context);
  if (passes_messages()) return message_run_time(context);
  return std::make_unique<flag_data_parallel>(context, data_parallel_bytes(program, nodes),
                                              resolved_flags());
}

std::unique_ptr<tributary::program> data_parallel_config::programs() const {
  return acting(make_data_parallel_program(
      program, nodes, [this](program_context& context) { return run_time(context); }));
}

std::unique_ptr<tributary::program> data_parallel_config::acting(
    std::unique_ptr<tributary::program> own) const {
  if (architecture != communication_architecture::smp) return own;
  return std::make_unique<drafted_program>(std::move(own), smp.registers());
}

}  // namespace tributary
