// SPDX-License-Identifier: Apache-2.0
// What every barrier offers to the program that crosses it; synchronization.h makes one by name.
#pragma once

#include <cstdint>

namespace tributary {

/// One element's end of a barrier: each element makes one, over the same words, which start as 0.
class barrier {
 public:
  barrier() = default;
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;
  virtual ~barrier() = default;

  /// Returns when all elements have called it as often as this one. It does not wait for what the
  /// program has posted: references that others are to see behind the barrier are awaited before,
  /// or `program_context::fence` stands there.
  virtual void cross() = 0;
};

/// Barriers that a program can be asked to use.
enum class barrier_algorithm : std::uint8_t {
  centralized,
  dissemination,
  tournament,
  mcs_tree,
  flash  ///< of a machine whose controllers keep it
};

}  // namespace tributary
