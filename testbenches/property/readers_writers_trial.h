// SPDX-License-Identifier: Apache-2.0
// Random readers and writers on a lock, what must never happen between them, and who came when.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <tributary/algorithms/memory_place.h>
#include <tributary/algorithms/readers_writers_lock.h>
#include <tributary/processor/program.h>

#include "support/watched_context.h"

namespace tributary::testing {

/// Makes one element's end of the lock that is tried.
using lock_maker =
    std::function<std::unique_ptr<readers_writers_lock>(program_context&, const memory_place&)>;

/// The word of a centralized lock after `turns` writers have come and gone.
constexpr word_t word_after(word_t turns, unsigned turn_bits) {
  const word_t turn = turns & ((word_t{1} << turn_bits) - 1);
  return turn << (64 - turn_bits) | turn << (64 - 2 * turn_bits);
}

/// One reference to the lock, awaited.
struct lock_reference {
  made_reference made;
  word_t answer = 0;
  cycle_t answered = 0;
};

/// One reader or writer, from asking for the lock to having released it.
struct lock_request {
  std::uint32_t element = 0;
  bool writer = false;
  cycle_t began = 0;
  cycle_t granted = 0;
  cycle_t leaves = 0;    ///< calls release
  cycle_t released = 0;  ///< has released
  std::vector<lock_reference> acquiring;
  std::vector<lock_reference> releasing;

  /// Cycle by which the first reference had been performed.
  cycle_t announced() const { return acquiring.front().answered; }
};

/// What a trial does. Each element asks `rounds` times, as a writer in `writer_percent` of them,
/// and waits a random time up to these before, while and after holding the lock.
struct trial_config {
  std::uint64_t rounds = 6;
  std::uint64_t writer_percent = 30;
  std::uint64_t before = 60;
  std::uint64_t inside = 40;
  /// One reference in eight to the lock is held up by a random time up to this.
  std::uint64_t hesitation = 0;
  memory_place place;
  /// First word of the lock, stored before anybody asks for it, and told when all have finished.
  word_t initial = 0;
  std::function<void(word_t)> at_end;
  lock_maker make;
  bool without_fence = false;
};

/// The trial as a program; `history` must outlive it and is what happened, in order of asking.
///
/// While an element holds the lock, it counts itself in the object and throws `simulation_error`
/// when it meets a writer, or as a writer anybody; and a writer changes words in several modules,
/// which all others must find changed as often as there were writers. Its stores are posted, half
/// of the times only when a fence asks for it or the release is over, as with a write buffer.
class readers_writers_trial final : public program {
 public:
  readers_writers_trial(trial_config config, std::vector<lock_request>& history)
      : config_(std::move(config)), history_(history) {}

  void reset() override;
  void run(program_context& context) override;

 private:
  struct words;

  void prepare(program_context& context, const words& at);
  void hold(program_context& context, const words& at);
  void enter(bool writer);
  void leave(bool writer);

  trial_config config_;
  std::vector<lock_request>& history_;
  std::uint64_t readers_in_ = 0;
  std::uint64_t writers_in_ = 0;
  std::uint64_t writes_ = 0;
};

/// Makes an element's end of a lock at a place of its own.
using simple_lock_maker = std::function<std::unique_ptr<readers_writers_lock>(program_context&)>;
/// Every element reads, and waits inside until all are there.
std::unique_ptr<program> make_meeting_of_readers(simple_lock_maker make);
/// Element 0 writes once while all others read again and again, and throw `simulation_error` when
/// they have done so for long and it has not got in.
std::unique_ptr<program> make_storm_of_readers(simple_lock_maker make);

/// The following look through a history and return the first breach as a sentence, or "".

/// Of two writers, the one whose first reference was over before the other asked comes first.
std::string find_overtaken_writer(const std::vector<lock_request>& history);
/// The same of any two requests that exclude each other.
std::string find_overtaken_request(const std::vector<lock_request>& history);

/// A writer's request, and the cycle from which on readers that come must wait for it.
using waiting_since = std::function<cycle_t(std::size_t writer)>;
/// Cycles from `first` to `last` in which a group of readers is let in, and takes others along.
struct boarding {
  cycle_t first = 0;
  cycle_t last = 0;
};
/// A reader that asks while a writer waits is granted after it, but for readers who come along with
/// a group whose boarding had begun before the writer waited.
std::string find_overtaking_reader(const std::vector<lock_request>& history,
                                   const waiting_since& since,
                                   const std::vector<boarding>& groups = {});

/// The same of the list-based lock that prefers writers, read from the references: a writer waits
/// once it, or the writer at the head of the queue that it has joined, has made itself known.
std::string find_overtaking_reader_of_list(const std::vector<lock_request>& history);

/// A reader waits for at most one writer, and for none if a reader holds the lock all the time
/// until its first reference is over.
std::string find_delayed_reader(const std::vector<lock_request>& history);

/// Looks through a history as the functions above.
using history_judge = std::function<std::string(const std::vector<lock_request>&)>;
/// Runs the trial on ideal memory and on every design. Returns the first failure or what `judge`
/// found on any as a sentence that names machine, elements and seed, or "".
std::string trial_failure(std::uint32_t elements, std::uint64_t seed, const trial_config& config,
                          const history_judge& judge);
/// The same on FLASH nodes with caches, in both consistencies.
std::string trial_failure_on_coherent_nodes(std::uint32_t nodes, std::uint64_t seed,
                                            const trial_config& config, const history_judge& judge);

}  // namespace tributary::testing
