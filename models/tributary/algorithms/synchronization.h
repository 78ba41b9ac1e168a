// SPDX-License-Identifier: Apache-2.0
// Barriers and locks by name, on whatever machine.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tributary/algorithms/barrier.h>
#include <tributary/algorithms/exponential_back_off.h>
#include <tributary/algorithms/flash_barrier.h>
#include <tributary/algorithms/flash_lock.h>
#include <tributary/algorithms/mcs_queue_lock.h>
#include <tributary/algorithms/memory_place.h>
#include <tributary/algorithms/mutual_exclusion_lock.h>
#include <tributary/processor/program.h>

namespace tributary {

/// What the machine of a program has for it: the first lock and the first barrier that its
/// controllers keep, where there are any, its processes, and caches.
struct kept_synchronization {
  std::optional<flash_lock_place> locks;
  std::optional<flash_barrier_place> barriers;
  std::uint32_t processes = 1;  ///< of the program, on each node
  bool serves_pairs = false;    ///< load-linked and store-conditional
  /// Of a machine that wants to know of processors that wait at a barrier: the address of the
  /// register to which they store 1 before and 0 behind it.
  std::optional<std::uint64_t> rest = {};
};

/// The barriers of every machine with their names in run files, and behind them `more`.
std::vector<std::pair<std::string, barrier_algorithm>> barrier_algorithms(
    std::initializer_list<barrier_algorithm> more = {});

/// A barrier, with the radices of the trees of the barrier `flash`.
struct barrier_choice {
  barrier_choice(barrier_algorithm which, std::uint32_t join = 4, std::uint32_t release = 4)
      : algorithm(which), join_radix(join), release_radix(release) {}

  barrier_algorithm algorithm;
  std::uint32_t join_radix;
  std::uint32_t release_radix;
};

/// Throws `configuration_error` about the barrier `flash`: about `key`.barrier if the machine's
/// controllers keep none, about node.processes if more join on a node than its state counts.
void check_barrier(const std::string& key, const barrier_choice& chosen,
                   const kept_synchronization& kept);

/// This element's end of a barrier, whose words lie at `place`; every element makes the same one.
std::unique_ptr<barrier> make_barrier(const barrier_choice& chosen, program_context& context,
                                      const memory_place& place,
                                      const kept_synchronization& kept = {});

/// The same of a barrier that was made otherwise: where the machine wants to know, the processor
/// rests while it waits there.
std::unique_ptr<barrier> resting_at(std::unique_ptr<barrier> made, program_context& context,
                                    const kept_synchronization& kept);

/// The locks of every machine with their names in run files, and behind them `more`.
std::vector<std::pair<std::string, lock_algorithm>> lock_algorithms(
    std::initializer_list<lock_algorithm> more = {});

/// A lock, with what only some locks know.
struct lock_choice {
  lock_choice(lock_algorithm which) : algorithm(which) {}

  lock_algorithm algorithm;
  exponential_back_off back_off;  ///< of `test_and_set` and `ll_sc`
  mcs_queue_lock::clearing clearing = mcs_queue_lock::clearing::in_release;  ///< of `mcs_queue`
  flash_lock::manner manner = flash_lock::manner::normal;                    ///< of `flash`
};

/// Words that a lock takes: at its place, and of each element.
struct lock_words {
  std::uint32_t central = 0;
  std::uint32_t own = 0;
};
/// Those of a lock for so many elements; a lock of controllers takes none.
lock_words words_of(lock_algorithm algorithm, std::uint32_t elements);

/// Throws `configuration_error` about `key`.lock if the machine's controllers keep fewer locks than
/// `count` and it is the lock `flash`, or if it is `ll_sc` and the processors have no caches.
void check_lock(const std::string& key, lock_algorithm algorithm, const kept_synchronization& kept,
                std::uint32_t count);

/// This element's end of a lock, whose words lie at `place`; every element makes the same one. The
/// lock `flash` has that number, and its home is the node of `place.module`.
std::unique_ptr<mutual_exclusion_lock> make_lock(const lock_choice& chosen,
                                                 program_context& context,
                                                 const memory_place& place,
                                                 const kept_synchronization& kept = {},
                                                 std::uint32_t number = 0);

}  // namespace tributary
