// SPDX-License-Identifier: Apache-2.0
// What every barrier offers to the program that crosses it.
#pragma once

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

}  // namespace tributary
