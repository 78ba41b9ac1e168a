// SPDX-License-Identifier: Apache-2.0
// What the handlers of coherence count.
#pragma once

#include <cstdint>

namespace tributary::coherence {

/// By its number for a handler's operation `count`. A refusal is counted where its cause is found,
/// and a miss at the node that serves it.
enum class statistic : std::uint8_t {
  refused_pending,
  refused_not_shared,
  refused_leaving,
  refused_buffer,
  refused_room,
  refused_record,
  served_local_memory,
  served_remote_memory,
  served_cache_in_two_hops,
  served_cache_in_three_hops,
  served_upgrade,
  sharers,
  reclaimed,
  elements,
  records,
  pending_lines
};

}  // namespace tributary::coherence
