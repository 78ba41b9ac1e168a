// SPDX-License-Identifier: Apache-2.0
// What every barrier offers to the program that crosses it, and those of the library by name.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tributary {

class program_context;
struct memory_place;

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

/// Those of every machine with their names in run files.
std::vector<std::pair<std::string, barrier_algorithm>> barrier_algorithms();

/// This element's end of one of these at `place`; every element makes the same one.
std::unique_ptr<barrier> make_barrier(barrier_algorithm algorithm, program_context& context,
                                      const memory_place& place);

}  // namespace tributary
