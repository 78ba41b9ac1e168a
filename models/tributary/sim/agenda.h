// SPDX-License-Identifier: Apache-2.0
// Who is to be woken in which cycle: the clockwork of event-driven blocks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tributary/sim/activity.h>
#include <tributary/sim/cycle.h>

namespace tributary {

/// A block that does something in some cycles only.
class timed_block {
 public:
  /// It is `now` cycle; `tag` says which of its wake-ups this is.
  virtual void wake(cycle_t now, std::uint64_t tag) = 0;

  /// What it is, where time is counted by block. Stays as long as the block.
  virtual const char* name() const { return "other blocks"; }

 protected:
  timed_block() = default;
  timed_block(const timed_block&) = default;
  timed_block& operator=(const timed_block&) = default;
  ~timed_block() = default;
};

/// What comes first within one cycle. What other blocks of the machine did in earlier cycles comes
/// before what a node does in this one, so that it never matters which of two nodes ran first.
enum class wake_rank : std::uint8_t {
  credit,     ///< room that a neighbour gave back
  arrival,    ///< something that a neighbour sent
  processor,  ///< something that a processor or a socket asked for, or the node sent itself
  inside      ///< everything else
};

/// Wake-ups of the blocks that share it, in the order of (cycle, rank, asked first).
class agenda {
 public:
  agenda() = default;
  agenda(const agenda&) = delete;
  agenda& operator=(const agenda&) = delete;

  /// Gives `block`, which must outlive the agenda's last use, a number by which checkpoints name
  /// it: blocks that are restored were enrolled in the same order. Others can be woken, not saved.
  void enroll(timed_block& block) { enrolled_.push_back(&block); }

  /// For a driver of many agendas that advances each only where something is due. `over` is how
  /// many of the driver's cycles are over, each as long as `ratio` cycles of this agenda; `due`
  /// becomes 0 whenever a wake-up is asked for. Both must outlive the agenda's last use.
  void follow(const cycle_t& over, std::uint64_t ratio, cycle_t& due) {
    over_ = &over;
    ratio_ = ratio;
    due_ = &due;
  }

  /// From here on it writes there the name of each block that it wakes, and null after each
  /// advance. Null turns this off.
  void show(current_activity* activity) noexcept { activity_ = activity; }

  /// The cycle that is being simulated, or the last one that was.
  cycle_t now() const noexcept { return std::max(now_ + 1, *over_ * ratio_) - 1; }

  /// Wakes `block`, which must live until then, in cycle `at`. In the current cycle only from
  /// within it; throws `simulation_error` if `at` has passed, or is 2^62, where cycles end.
  void wake(timed_block& block, cycle_t at, std::uint64_t tag = 0,
            wake_rank rank = wake_rank::inside);

  /// The cycle of the earliest wake-up, or `never`.
  cycle_t next_wakeup() const noexcept {
    return waiting_.empty() ? never : cycle_of(waiting_.back());
  }

  /// Wakes all that are due up to and including cycle `last`, which becomes `now`.
  void advance_to(cycle_t last);

  /// The cycle and all wake-ups as bytes, between two cycles, and back. `save` throws `error` if a
  /// block waits that was not enrolled; `restore` throws `input_error` for what no agenda saved.
  std::string save() const;
  void restore(const std::string& state);

 private:
  struct entry {
    std::uint64_t when = 0;  ///< cycle and rank, which decide in that order
    std::uint64_t sequence = 0;
    std::uint64_t tag = 0;
    timed_block* block = nullptr;
  };
  static constexpr unsigned rank_bits = 2;
  static bool later(const entry& a, const entry& b) noexcept {
    return a.when != b.when ? a.when > b.when : a.sequence > b.sequence;
  }
  static cycle_t cycle_of(const entry& wakeup) noexcept { return wakeup.when >> rank_bits; }
  [[noreturn]] void refuse(cycle_t at) const;
  void set_aside();
  void draw_near();

  // A node has some tens of wake-ups at most, so that moving a few of them is faster than a heap
  // (./dev bench, G12 and nodes). A large network has hundreds: those beyond `most_sorted` wait in
  // a heap (./dev bench, cluster.hosts).
  static constexpr std::size_t most_sorted = 64;
  std::vector<entry> waiting_;  ///< the earliest last; empty only if `later_` is
  std::vector<entry> later_;    ///< a heap; none comes before those that wait
  std::vector<timed_block*> enrolled_;
  std::uint64_t next_sequence_ = 0;
  cycle_t now_ = 0;
  current_activity* activity_ = nullptr;

  // Without a driver none of its cycles is over, and what is due is not looked at.
  inline static const cycle_t none = 0;
  cycle_t unseen_ = 0;
  const cycle_t* over_ = &none;
  std::uint64_t ratio_ = 1;
  cycle_t* due_ = &unseen_;
};

}  // namespace tributary
