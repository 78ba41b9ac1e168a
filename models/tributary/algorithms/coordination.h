// SPDX-License-Identifier: Apache-2.0
// One program by which machines are compared: an operation that many processors do at once.
#pragma once

#include <cstdint>
#include <memory>

#include <tributary/algorithms/barrier.h>
#include <tributary/algorithms/mutual_exclusion_lock.h>
#include <tributary/algorithms/readers_writers_lock.h>
#include <tributary/algorithms/synchronization.h>
#include <tributary/memory/address_map.h>
#include <tributary/processor/program.h>

namespace tributary {

class parameter_set;

/// What processors do together.
enum class coordinated_work : std::uint8_t {
  counter,          ///< a fetch-and-add of one word
  counters,         ///< the same of one of several words, drawn
  barrier,          ///< a crossing
  lock,             ///< a critical section of one lock
  readers_writers,  ///< a section of a readers-writers lock
  queue,            ///< an item into a shared queue, and one out of it
  loop              ///< a loop of an iteration for each processor, which they share out
};

/// Configuration of the coordination program.
struct coordination_config {
  coordinated_work work = coordinated_work::counter;
  /// Operations of each element.
  std::uint64_t count = 20;
  /// Cycles from one operation to the next, and within a section or an iteration.
  std::uint64_t pause = 0;
  std::uint64_t held = 0;
  /// Words of the work `counters`.
  std::uint32_t counters = 16;
  barrier_algorithm barrier = barrier_algorithm::centralized;
  lock_algorithm lock = lock_algorithm::mcs_queue;
  readers_writers_algorithm readers_writers = readers_writers_algorithm::centralized;
  /// Of the sections, one in so many is a writer's, drawn; 0: none is.
  std::uint64_t reads_a_write = 10;
  /// Of the trees of the controllers' barrier.
  std::uint32_t radix = 4;

  void bind(parameter_set& parameters);
  barrier_choice chosen_barrier() const { return {barrier, radix, radix}; }
  /// The words of either work.
  std::uint32_t counter_words() const { return work == coordinated_work::counters ? counters : 1; }
};

/// Each element does the work's operation `count` times. An operation is an interval `operation`
/// and ends with a mark of that name. Then the program checks itself: the words that
/// fetches-and-adds returned are each of 0 to n - 1 once, none leaves a barrier before all have
/// come, no writer meets another or a reader, every item of the queue and every iteration of a
/// loop is had by one element. So all machines end with the same words in memory. Throws
/// `simulation_error` where that does not hold.
///
/// Throws `configuration_error` for what the controllers of the machine do not keep.
std::unique_ptr<program> make_coordination_program(const coordination_config& config,
                                                   const address_map& map,
                                                   const kept_synchronization& kept = {});

}  // namespace tributary
