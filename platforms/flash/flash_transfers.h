// SPDX-License-Identifier: Apache-2.0
// Which block transfers the processors of a FLASH machine ask for.
#pragma once

#include <cstdint>
#include <vector>

#include <tributary/algorithms/bcopy.h>
#include <tributary/memory/line.h>
#include <tributary/sim/ids.h>

#include "line_preparation.h"

namespace tributary {

class parameter_set;

/// What becomes of a source: the copies of `copy_method`, or its lines are only read.
enum class transfer_method : std::uint8_t {
  bcopy,             ///< the processor that asks copies by loads and stores
  prefetched_bcopy,  ///< the same with prefetches
  fbcopy,            ///< MAGIC copies
  read               ///< the processor that asks loads a word of each line, one after the other
};

/// Which nodes copy where.
enum class transfer_pattern : std::uint8_t {
  single,  ///< one node to another
  pairs,   ///< 0 to 1, 2 to 3, ...
  ring,    ///< each node to the next
  random   ///< each node to another one, a new one each time
};

/// Whose processor asks for a transfer.
enum class transfer_initiator : std::uint8_t {
  source,       ///< of the node that has the source
  destination,  ///< of the node that gets it
  third         ///< of the node after the destination, or the one after that
};

/// A transfer with its places, as offsets in the memories of its nodes.
struct planned_transfer {
  node_id initiator{};
  node_id source{};
  node_id destination{};
  std::uint64_t source_offset = 0;
  std::uint64_t destination_offset = 0;
  std::uint64_t flag_offset = 0;  ///< on the initiator's node, where the publication's are too
  std::uint64_t bytes = 0;
  std::vector<line_preparation> preparations;  ///< before it is asked for, one after the other
};

/// The work of the processors. Each asks for its transfers one after the other.
///
/// A node's memory begins with a page of flags. Behind it every node of the machine has two places,
/// for what it has copied from here and for what it has copied to here, so that no two transfers
/// touch the same bytes at once, no matter which node asks for them.
struct transfer_workload_config {
  transfer_method method = transfer_method::fbcopy;
  copy_loop loop;  ///< of a processor's copy
  transfer_pattern pattern = transfer_pattern::single;
  std::uint32_t source = 0;
  std::uint32_t destination = 1;
  transfer_initiator initiator = transfer_initiator::source;
  std::uint64_t bytes = 4096;
  std::uint32_t count = 1;
  std::uint64_t source_offset = 0;
  std::uint64_t destination_offset = 0;
  cached_by source_lines = cached_by::none;
  cached_by destination_lines = cached_by::none;
  std::uint32_t sharers = 1;  ///< of a buffer whose lines are `shared_others`
  std::uint64_t start = 0;
  std::uint64_t pause = 0;
  std::uint64_t poll = 0;
  bool check = true;

  /// Whether processors bring lines into caches before a transfer.
  bool prepares() const {
    return source_lines != cached_by::none || destination_lines != cached_by::none;
  }

  void bind(parameter_set& parameters);
  /// Throws `configuration_error` for transfers that a machine of so many nodes cannot do.
  /// `user_bytes`: of each node's memory, what no protocol has.
  void validate(std::uint32_t nodes, std::uint64_t page_bytes, std::uint64_t user_bytes,
                line_size line) const;

  /// The transfers that each node asks for, by its number and in order; `seed` names the choices.
  std::vector<std::vector<planned_transfer>> plan(std::uint32_t nodes, std::uint64_t page_bytes,
                                                  std::uint64_t user_bytes, std::uint64_t seed,
                                                  line_size line = {}) const;

 private:
  void check_lines(std::uint32_t nodes) const;
  std::vector<line_preparation> preparations(const planned_transfer& transfer, std::uint32_t nodes,
                                             line_size line) const;
};

}  // namespace tributary
