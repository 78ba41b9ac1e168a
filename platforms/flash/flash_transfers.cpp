// SPDX-License-Identifier: Apache-2.0
#include "flash_transfers.h"

#include <algorithm>
#include <string>

#include <tributary/controller/message.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>
#include <tributary/sim/random_stream.h>

namespace tributary {
namespace {

/// Bytes of each of the 2 x nodes places behind the page of flags, whole pages.
std::uint64_t place_bytes(std::uint32_t nodes, std::uint64_t page_bytes, std::uint64_t user_bytes) {
  const std::uint64_t pages = user_bytes / page_bytes;
  return pages == 0 ? 0 : (pages - 1) / (2 * std::uint64_t{nodes}) * page_bytes;
}

void check_node(const std::string& key, std::uint32_t node, std::uint32_t nodes) {
  if (node < nodes) return;
  throw configuration_error({key, "", "there is no node " + std::to_string(node),
                             "0 to nodes - 1 = " + std::to_string(nodes - 1),
                             "choose another, or a larger machine"});
}

}  // namespace

void transfer_workload_config::bind(parameter_set& parameters) {
  constexpr std::uint64_t long_time = std::uint64_t{1} << 48;
  constexpr std::uint64_t page = 8192;
  parameters.add_choice(
      "method", method,
      {{"bcopy", transfer_method::bcopy},
       {"prefetched_bcopy", transfer_method::prefetched_bcopy},
       {"fbcopy", transfer_method::fbcopy},
       {"read", transfer_method::read}},
      "Who copies: MAGIC (fbcopy), or with caches the processor that asks, with "
      "prefetches or without; then there is no flag, and the transfer ends when its "
      "last store is complete. With read nothing is copied: the processor that asks loads the "
      "first word of each line of the source, one after the other, each from an edge of the "
      "controller's clock on.");
  parameters.add_group("loop", loop, "The loop of a processor's copy.");
  parameters.add_choice("pattern", pattern,
                        {{"single", transfer_pattern::single},
                         {"pairs", transfer_pattern::pairs},
                         {"ring", transfer_pattern::ring},
                         {"random", transfer_pattern::random}},
                        "Who copies where: workload.source to workload.destination; node 0 to 1, 2 "
                        "to 3 and so on; each node to the next; each to another one, drawn for "
                        "each transfer.");
  parameters.add("source", source, {0, 127}, "", "Node of the source where pattern is single.");
  parameters.add("destination", destination, {0, 127}, "",
                 "Node of the destination where pattern is single.");
  parameters.add_choice("initiator", initiator,
                        {{"source", transfer_initiator::source},
                         {"destination", transfer_initiator::destination},
                         {"third", transfer_initiator::third}},
                        "Whose processor asks: the source's (FLASH 5.4), or one that has to "
                        "delegate the transfer to the source's home, of the destination or of a "
                        "node that has neither (FLASH 5.3.2).");
  parameters.add("bytes", bytes, {least_line_bytes, std::uint64_t{1} << 24}, "bytes",
                 "Length of a transfer, whole lines of node.memory.line_bytes (FLASH 5.4: 4096).");
  parameters.add("count", count, {1, 1000000}, "transfers",
                 "Transfers that each processor asks for, one after the other.");
  parameters.add("source_offset", source_offset, {0, page - 8}, "bytes",
                 "Place of the source in its page, a multiple of 8; transfers whose offsets differ "
                 "modulo the line are realigned (FLASH 5.2.4).");
  parameters.add("destination_offset", destination_offset, {0, page - least_line_bytes}, "bytes",
                 "Place of the destination in its page, a multiple of node.memory.line_bytes.");
  parameters.add_choice("source_lines", source_lines, cached_by_names(),
                        "Whose caches have the lines of the source when a transfer begins: none; "
                        "clean those of its node, of the destination's, or of workload.sharers "
                        "further nodes; changed those of its node or of a further one (FLASH Table "
                        "5.2). Their processors load or store a word of each line before.");
  parameters.add_choice("destination_lines", destination_lines, cached_by_names(),
                        "The same of the destination; shared_remote is by the source's node.");
  parameters.add("sharers", sharers, {1, 126}, "nodes",
                 "How many further nodes have the lines where source_lines or destination_lines "
                 "is shared_others.");
  parameters.add("start", start, {0, long_time}, "cycles",
                 "Time from the first cycle to the first request of each processor; later if lines "
                 "are still to be brought into caches.");
  parameters.add(
      "pause", pause, {0, long_time}, "cycles",
      "Time between a transfer that is complete and the request for the next, and between "
      "two lines where method is read.");
  parameters.add("poll", poll, {0, long_time}, "cycles",
                 "Time between two looks of the processor at the flag; 0: it does not look, and "
                 "the flag's incrementing ends the transfer (FLASH 5.4.3 counts to there).");
  parameters.add("check", check,
                 "Whether the destination's bytes are compared with the source's as they were at "
                 "the request, in the cycle of the flag.");
}

void transfer_workload_config::validate(std::uint32_t nodes, std::uint64_t page_bytes,
                                        std::uint64_t user_bytes, line_size line) const {
  if (pattern == transfer_pattern::single) {
    check_node("workload.source", source, nodes);
    check_node("workload.destination", destination, nodes);
    if (source == destination) {
      throw configuration_error({"workload.destination", "",
                                 "it is the source's node, and MAGIC copies between two nodes only",
                                 "another node than workload.source = " + std::to_string(source),
                                 "choose one"});
    }
  }
  if (initiator == transfer_initiator::third && nodes < 3) {
    throw configuration_error({"workload.initiator", "", "there is no third node",
                               "source, "
                               "destination where nodes = 2",
                               "choose one, or a larger machine"});
  }
  check_lines(nodes);
  const auto check_multiple = [](const char* key, std::uint64_t value, std::uint64_t unit) {
    if (value % unit == 0) return;
    throw configuration_error({key, "",
                               std::to_string(value) + " is no multiple of " + std::to_string(unit),
                               "multiples of " + std::to_string(unit), "choose one"});
  };
  check_multiple("workload.bytes", bytes, line.bytes());
  check_multiple("workload.source_offset", source_offset, 8);
  check_multiple("workload.destination_offset", destination_offset, line.bytes());
  const std::uint64_t place = place_bytes(nodes, page_bytes, user_bytes);
  const std::uint64_t offset =
      source_offset > destination_offset ? source_offset : destination_offset;
  const bool few_flags = nodes > page_bytes / 8;
  const std::string least_page = std::to_string(8 * std::uint64_t{nodes});
  if (offset + bytes > place) {
    throw configuration_error(
        {"workload.bytes", "",
         std::to_string(bytes) + " bytes from offset " + std::to_string(offset) +
             " on have no place in a memory with two places for each of " + std::to_string(nodes) +
             " nodes",
         place > offset ? std::to_string(line.bytes()) + " to " + std::to_string(place - offset)
                        : "none",
         "choose a larger node.memory.bytes or shorter transfers" +
             (few_flags ? ", and block_transfer.page_bytes of " + least_page + " or more for flags"
                        : std::string())});
  }
  if (few_flags) {
    throw configuration_error(
        {"block_transfer.page_bytes", "",
         "a page of flags is too small for " + std::to_string(nodes) + " nodes",
         least_page + " or more", "choose a larger page"});
  }
}

void transfer_workload_config::check_lines(std::uint32_t nodes) const {
  if (!prepares()) return;
  const char* const key =
      source_lines != cached_by::none ? "workload.source_lines" : "workload.destination_lines";
  if (pattern != transfer_pattern::single) {
    throw configuration_error(
        {key, "", "lines are brought into caches for one transfer at a time only",
         "uncached where workload.pattern is not single", "choose it, or the pattern single"});
  }
  const auto takes = [&](cached_by holders) {
    return source_lines == holders || destination_lines == holders;
  };
  std::uint32_t further = takes(cached_by::dirty_remote) ? 1 : 0;
  if (takes(cached_by::shared_others)) further = std::max(further, sharers);
  if (further + 2 <= nodes) return;
  throw configuration_error({key, "",
                             "it takes " + std::to_string(further) +
                                 " nodes that have neither buffer, and there are " +
                                 std::to_string(nodes - 2),
                             "machines of " + std::to_string(further + 2) + " nodes or more",
                             "choose other lines, fewer workload.sharers, or a larger machine"});
}

std::vector<std::vector<planned_transfer>> transfer_workload_config::plan(std::uint32_t nodes,
                                                                          std::uint64_t page_bytes,
                                                                          std::uint64_t user_bytes,
                                                                          std::uint64_t seed,
                                                                          line_size line) const {
  const std::uint64_t place = place_bytes(nodes, page_bytes, user_bytes);
  std::vector<std::vector<planned_transfer>> all(nodes);
  for (std::uint32_t from = 0; from < nodes; ++from) {
    if (pattern == transfer_pattern::single && from != source) continue;
    if (pattern == transfer_pattern::pairs && (from % 2 == 1 || from + 1 == nodes)) continue;
    random_stream draws(seed, node_id{from}, purpose::traffic);
    for (std::uint32_t i = 0; i < count; ++i) {
      std::uint32_t to = pattern == transfer_pattern::single ? destination : (from + 1) % nodes;
      if (pattern == transfer_pattern::random) {
        to = (from + 1 + static_cast<std::uint32_t>(draws.below(nodes - 1))) % nodes;
      }
      std::uint32_t asks = from;
      if (initiator == transfer_initiator::destination) asks = to;
      if (initiator == transfer_initiator::third) {
        asks = (to + 1) % nodes;
        if (asks == from) asks = (asks + 1) % nodes;
      }
      planned_transfer transfer;
      transfer.initiator = node_id{asks};
      transfer.source = node_id{from};
      transfer.destination = node_id{to};
      // Of who asks, who has one transfer at a time: others may copy from the same node meanwhile.
      transfer.source_offset = page_bytes + 2 * asks * place + source_offset;
      transfer.destination_offset = page_bytes + (2 * asks + 1) * place + destination_offset;
      transfer.flag_offset = 8 * std::uint64_t{asks};
      transfer.bytes = bytes;
      transfer.preparations = preparations(transfer, nodes, line);
      all[asks].push_back(transfer);
    }
  }
  return all;
}

std::vector<line_preparation> transfer_workload_config::preparations(
    const planned_transfer& transfer, std::uint32_t nodes, line_size line) const {
  if (!prepares()) return {};
  const std::vector<node_id> further = further_nodes(transfer.source, transfer.destination, nodes);
  std::vector<line_preparation> all =
      preparations_of({transfer.source, transfer.destination, transfer.source_offset, bytes},
                      source_lines, further, sharers, line);
  const std::vector<line_preparation> more =
      preparations_of({transfer.destination, transfer.source, transfer.destination_offset, bytes},
                      destination_lines, further, sharers, line);
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace tributary
