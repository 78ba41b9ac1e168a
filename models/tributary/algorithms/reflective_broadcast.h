// SPDX-License-Identifier: Apache-2.0
// What every broadcast over reflective memory offers.
#pragma once

#include <tributary/algorithms/bill_board.h>

namespace tributary {

/// One node's end of a broadcast; each node makes one, over a bill board of its own.
class reflective_broadcast {
 public:
  using words = bill_board::words;

  reflective_broadcast() = default;
  reflective_broadcast(const reflective_broadcast&) = delete;
  reflective_broadcast& operator=(const reflective_broadcast&) = delete;
  virtual ~reflective_broadcast() = default;

  /// The root, node 0, gives the words, and others as many of any value; all get the root's.
  virtual words broadcast(const words& data) = 0;
  /// Behind each broadcast: lets go of the buffers.
  virtual void release() = 0;
};

/// Ways of broadcasting that a program can be asked to take.
enum class reflective_broadcast_algorithm : std::uint8_t { radix, single_copy, binomial };

}  // namespace tributary
