// SPDX-License-Identifier: Apache-2.0
// Judges whether what elements saw of a shared queue is what some serial order of their calls
// gives.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tributary/memory/operation.h>
#include <tributary/sim/cycle.h>

namespace tributary::testing {

/// One call of a bounded first-in-first-out queue, from the cycle in which it was made to the one
/// in which it returned. A call that returned in the cycle in which another was made comes before.
struct queue_call {
  bool enqueues = false;
  bool done = false;  ///< false: it was told that the queue is full, or empty
  word_t item = 0;    ///< all items that are enqueued differ
  cycle_t begin = 0;
  cycle_t end = 0;
};

/// Searches all orders (Wing and Gong, with the states seen kept) for one that respects real time
/// and in which a queue that holds `capacity` answers so; the queue is empty before. Complete, for
/// up to 64 calls, and quick where few overlap. Returns what is wrong as a sentence, or an empty
/// string.
std::string find_no_order(const std::vector<queue_call>& calls, std::uint64_t capacity);

/// Looks for patterns that no order has, in histories of any length: an item out of nowhere, twice,
/// or out of order; "empty" while some item was there at every moment; more items than `capacity`;
/// "full" while there can at no moment have been so many. For a queue without bound it finds
/// something exactly where no order exists (Bouajjani, Emmi, Enea and Hamza, "On reducing
/// linearizability to state reachability", ICALP 2015); what it says of capacity is necessary only.
std::string find_bad_pattern(const std::vector<queue_call>& calls, std::uint64_t capacity);

}  // namespace tributary::testing
