// SPDX-License-Identifier: Apache-2.0
#include "flash_requests.h"

#include <fmt/format.h>

#include <tributary/memory/operation.h>
#include <tributary/protocols/requests/fetch_block.h>
#include <tributary/protocols/requests/null_request.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {

void flash_requests_config::bind(parameter_set& parameters) {
  parameters.add_choice(
      "protocol", protocol,
      {{"null_request", flash_request::null_request}, {"fetch_block", flash_request::fetch_block}},
      "What a request of a processor to another node does.");
  parameters.add("segment_bytes", segment_bytes,
                 interval<std::uint64_t>{256, std::uint64_t{1} << 30}, "bytes",
                 "At the beginning of each node's memory, from which blocks are fetched.");
  parameters.add_group("null_request", null_request, "Occupancies of null_request.");
  parameters.add_group("fetch_block", fetch_block, "Occupancies of fetch_block.");
}

void flash_requests_config::validate(const magic_node_config& node,
                                     const request_loop_config& loop) const {
  if (loop.computing == 0 && loop.round_trip == 0 && loop.utilisation != 0) {
    throw configuration_error({"workload.requests.computing", "",
                               "0: how long processors compute follows from a round trip that "
                               "nodes with MAGIC do not know",
                               "1 to 1000000000",
                               "set it, or workload.requests.round_trip, or utilisation to 0"});
  }
  if (node.caches.present) {
    throw configuration_error({"node.processor_caches.present", "",
                               "with workload.kind = requests processors have no caches", "false",
                               "set it, or choose another workload"});
  }
  if (protocol != flash_request::fetch_block) return;
  const std::uint64_t places =
      std::uint64_t{node.processor_interface.outstanding} * node.memory.line_bytes;
  const std::uint64_t table = (blocks(node) + node.processor_interface.outstanding) * word_bytes;
  if (table > node.protocol_bytes) {
    throw configuration_error(
        {"node.protocol_bytes", "",
         fmt::format("{} hold less than the {} that fetch_block keeps of its blocks",
                     node.protocol_bytes, table),
         fmt::format("more than {}", table),
         fmt::format("raise it, or lower requests.segment_bytes = {}", segment_bytes)});
  }
  if (segment_bytes + places <= node.protocol_storage()) return;
  throw configuration_error({"requests.segment_bytes", "",
                             fmt::format("{} do not fit a node's memory for programs, {} bytes",
                                         segment_bytes, node.protocol_storage()),
                             fmt::format("at most {}", node.protocol_storage() - places),
                             "lower it, or raise node.memory.bytes"});
}

std::unique_ptr<protocol> flash_requests_config::make_protocol(
    const magic_node_config& node) const {
  if (protocol == flash_request::null_request) {
    return std::make_unique<null_request_protocol>(null_request, space);
  }
  return std::make_unique<fetch_block_protocol>(fetch_block, space,
                                                node.processor_interface.outstanding, blocks(node));
}

std::unique_ptr<program> flash_requests_config::make_program(
    const magic_node_config& node, const request_loop_config& loop) const {
  request_place place;
  place.addresses = node.addresses;
  place.space = space;
  place.block_bytes = node.memory.line_bytes;
  place.blocks = protocol == flash_request::fetch_block ? blocks(node) : 1;
  place.round_trip = loop.round_trip;
  return make_request_loop(loop, place);
}

}  // namespace tributary
