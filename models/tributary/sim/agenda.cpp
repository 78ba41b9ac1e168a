// SPDX-License-Identifier: Apache-2.0
#include <tributary/sim/agenda.h>

#include <algorithm>
#include <tuple>

#include <tributary/sim/error.h>
#include <tributary/sim/state_archive.h>

namespace tributary {

void agenda::wake(timed_block& block, cycle_t at, std::uint64_t tag, wake_rank rank) {
  if (at < now_) {
    throw simulation_error("a wake-up was asked for in cycle " + std::to_string(at) +
                           ", which has passed in cycle " + std::to_string(now_));
  }
  if (at >> (64U - rank_bits) != 0) {
    throw simulation_error("a wake-up was asked for in cycle " + std::to_string(at) +
                           ", beyond 2^62, where cycles end");
  }
  heap_.push_back(
      entry{at << rank_bits | static_cast<std::uint64_t>(rank), next_sequence_, tag, &block});
  ++next_sequence_;
  std::push_heap(heap_.begin(), heap_.end(), later);
}

void agenda::advance_to(cycle_t last) {
  while (!heap_.empty() && cycle_of(heap_.front()) <= last) {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const entry due = heap_.back();
    heap_.pop_back();
    now_ = cycle_of(due);
    due.block->wake(now_, due.tag);
  }
  now_ = std::max(now_, last);
}

namespace {

/// A wake-up in a checkpoint.
struct saved_wakeup {
  std::uint64_t when = 0;
  std::uint64_t sequence = 0;
  std::uint64_t tag = 0;
  std::uint32_t block = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(when, sequence, tag, block);
  }
};

}  // namespace

std::string agenda::save() const {
  std::vector<saved_wakeup> wakeups;
  for (const entry& each : heap_) {
    const auto block = std::find(enrolled_.begin(), enrolled_.end(), each.block);
    if (block == enrolled_.end()) {
      throw error("a block that is to be woken was not enrolled, so it cannot be saved");
    }
    wakeups.push_back({each.when, each.sequence, each.tag,
                       static_cast<std::uint32_t>(block - enrolled_.begin())});
  }
  // In their order, which does not depend on what was there before, and is a heap.
  std::sort(wakeups.begin(), wakeups.end(), [](const saved_wakeup& a, const saved_wakeup& b) {
    return std::tie(a.when, a.sequence) < std::tie(b.when, b.sequence);
  });
  return save_state(now_, next_sequence_, wakeups);
}

void agenda::restore(const std::string& state) {
  heap_.clear();
  std::vector<saved_wakeup> wakeups;
  restore_state(state, now_, next_sequence_, wakeups);
  for (const saved_wakeup& each : wakeups) {
    require_state(each.block < enrolled_.size() && each.when >> rank_bits > now_ &&
                      each.sequence < next_sequence_,
                  "a wake-up is of no block or cycle");
    const entry next{each.when, each.sequence, each.tag, enrolled_[each.block]};
    require_state(heap_.empty() || later(next, heap_.back()), "wake-ups are not in their order");
    heap_.push_back(next);
  }
}

}  // namespace tributary
