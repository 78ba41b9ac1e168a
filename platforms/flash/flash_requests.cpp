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
      {{"null_request", flash_request::null_request},
       {"fetch_block", flash_request::fetch_block},
       {"stache", flash_request::stache},
       {"block_transfer", flash_request::block_transfer}},
      "What a request of a processor to another node does: a message there and an empty one back, "
      "a "
      "line fetched, a load of shared memory of a block that its node has not loaded before (with "
      "stache.present), a block transfer there.");
  parameters.add("segment_bytes", segment_bytes,
                 interval<std::uint64_t>{256, std::uint64_t{1} << 30}, "bytes",
                 "At the beginning of each node's memory, from which blocks are fetched.");
  parameters.add_group("null_request", null_request, "Occupancies of null_request.");
  parameters.add_group("fetch_block", fetch_block, "Occupancies of fetch_block.");
}

void flash_requests_config::validate(const flash_request_site& site,
                                     const request_loop_config& loop) const {
  if (loop.computing == 0 && loop.round_trip == 0 && loop.utilisation != 0) {
    throw configuration_error({"workload.requests.computing", "",
                               "0: how long processors compute follows from a round trip that "
                               "nodes with MAGIC do not know",
                               "1 to 1000000000",
                               "set it, or workload.requests.round_trip, or utilisation to 0"});
  }
  if (site.node.caches.present) {
    throw configuration_error({"node.processor_caches.present", "",
                               "with workload.kind = requests processors have no caches", "false",
                               "set it, or choose another workload"});
  }
  switch (protocol) {
    case flash_request::null_request:
      break;
    case flash_request::fetch_block:
      validate_blocks(site.node);
      break;
    case flash_request::stache:
      validate_sharing(site, loop);
      break;
    case flash_request::block_transfer:
      validate_transfers(site, loop);
      break;
  }
}

void flash_requests_config::validate_blocks(const magic_node_config& node) const {
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

void flash_requests_config::validate_sharing(const flash_request_site& site,
                                             const request_loop_config& loop) const {
  if (site.shared == nullptr) {
    throw configuration_error(
        {"stache.present", "", "requests.protocol = stache loads memory that nodes do not share",
         "true where requests.protocol is stache", "set it, or choose another protocol"});
  }
  site.shared->check_new_blocks(loop.requests, site.nodes, site.node.protocol_storage(),
                                site.node.memory.line());
}

void flash_requests_config::validate_transfers(const flash_request_site& site,
                                               const request_loop_config& loop) const {
  if (site.shared != nullptr) {
    throw configuration_error(
        {"stache.present", "", "block transfers would write memory behind its tags",
         "false where requests.protocol is block_transfer", "set it, or choose another protocol"});
  }
  place(site, loop).check_transfers(loop.bytes, site.nodes, 1, site.node.protocol_storage());
}

std::unique_ptr<protocol> flash_requests_config::make_protocol(
    const magic_node_config& node) const {
  switch (protocol) {
    case flash_request::null_request:
      return std::make_unique<null_request_protocol>(null_request, space);
    case flash_request::fetch_block:
      return std::make_unique<fetch_block_protocol>(
          fetch_block, space, node.processor_interface.outstanding, blocks(node));
    case flash_request::stache:
    case flash_request::block_transfer:
      break;
  }
  return nullptr;
}

request_place flash_requests_config::place(const flash_request_site& site,
                                           const request_loop_config& loop) const {
  request_place place;
  place.addresses = site.node.addresses;
  place.space = space;
  place.block_bytes = site.node.memory.line_bytes;
  place.blocks = protocol == flash_request::fetch_block ? blocks(site.node) : 1;
  place.round_trip = loop.round_trip;
  place.page_bytes = site.page_bytes;
  place.line = site.node.memory.line();
  if (protocol == flash_request::stache) {
    place.way = request_way::new_load;
    place.space = 0;
  } else if (protocol == flash_request::block_transfer) {
    place.way = request_way::transfer;
  }
  return place;
}

std::unique_ptr<program> flash_requests_config::make_program(
    const flash_request_site& site, const request_loop_config& loop) const {
  return make_request_loop(loop, place(site, loop));
}

}  // namespace tributary
