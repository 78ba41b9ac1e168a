// SPDX-License-Identifier: Apache-2.0
// Requests between nodes with MAGIC: the protocols and the workload of SMP nodes.
#pragma once

#include <cstdint>
#include <memory>

#include <tributary/algorithms/request_loop.h>
#include <tributary/controller/protocol.h>
#include <tributary/magic/magic_node.h>
#include <tributary/processor/program.h>
#include <tributary/protocols/requests/request_costs.h>
#include <tributary/protocols/stache/stache.h>

namespace tributary {

class parameter_set;

/// What a request of a processor to another node does.
enum class flash_request : std::uint8_t {
  null_request,   ///< a message there and an empty one back
  fetch_block,    ///< fetches a line
  stache,         ///< loads a block of shared memory that its node has not loaded before
  block_transfer  ///< copies a buffer there
};

/// What requests must know of the machine.
struct flash_request_site {
  const magic_node_config& node;
  std::uint32_t nodes;
  std::uint32_t page_bytes;     ///< of block transfers
  const stache_config* shared;  ///< null if nodes share no memory
};

/// The protocol of requests, which a machine has if its workload is `requests`.
struct flash_requests_config {
  /// Of the loads that are requests. Nothing else on MAGIC loads from it.
  static constexpr std::uint8_t space = 1;

  flash_request protocol = flash_request::null_request;
  /// Bytes at the beginning of each node's memory of which blocks are fetched.
  std::uint64_t segment_bytes = std::uint64_t{1} << 17;
  /// As uncached accesses cost: passing one on 3, reading memory 11, taking what comes back 2.
  request_costs null_request{3, 3, 2};
  request_costs fetch_block{3, 11, 2};

  void bind(parameter_set& parameters);
  /// Throws `configuration_error` for what nodes like `node` cannot have, and for a `loop` that
  /// does not say how long processors compute: the round trip of these nodes is no sum of
  /// constants.
  void validate(const flash_request_site& site, const request_loop_config& loop) const;

  /// Of one node; null where all machines have it.
  std::unique_ptr<tributary::protocol> make_protocol(const magic_node_config& node) const;
  /// Of all processors.
  std::unique_ptr<program> make_program(const flash_request_site& site,
                                        const request_loop_config& loop) const;

 private:
  request_place place(const flash_request_site& site, const request_loop_config& loop) const;
  void validate_blocks(const magic_node_config& node) const;
  void validate_sharing(const flash_request_site& site, const request_loop_config& loop) const;
  void validate_transfers(const flash_request_site& site, const request_loop_config& loop) const;
  std::uint64_t blocks(const magic_node_config& node) const {
    return segment_bytes / node.memory.line_bytes;
  }
};

}  // namespace tributary
