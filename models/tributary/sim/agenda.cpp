// SPDX-License-Identifier: Apache-2.0
#include <tributary/sim/agenda.h>
#include <tributary/sim/state.h>

#include <algorithm>

#include <tributary/sim/error.h>
#include <tributary/sim/state_archive.h>

namespace tributary {

void agenda::refuse(cycle_t at) const {
  throw simulation_error(at < now() ? "a wake-up was asked for in cycle " + std::to_string(at) +
                                          ", which has passed in cycle " + std::to_string(now())
                                    : "a wake-up was asked for in cycle " + std::to_string(at) +
                                          ", beyond 2^62, where cycles end");
}

void agenda::wake(timed_block& block, cycle_t at, std::uint64_t tag, wake_rank rank) {
  if (at < now() || at >> (64U - rank_bits) != 0) refuse(at);
  const std::uint64_t when = at << rank_bits | static_cast<std::uint64_t>(rank);
  std::size_t place = waiting_.size();
  waiting_.emplace_back();
  // It was asked for last, so of equals it is the last.
  for (; place != 0 && waiting_[place - 1].when <= when; --place) {
    waiting_[place] = waiting_[place - 1];
  }
  waiting_[place] = {when, next_sequence_++, tag, &block};
  *due_ = 0;
}

void agenda::advance_to(cycle_t last) {
  while (!waiting_.empty() && cycle_of(waiting_.back()) <= last) {
    const entry& due = waiting_.back();
    timed_block* const block = due.block;
    const std::uint64_t tag = due.tag;
    now_ = cycle_of(due);
    waiting_.pop_back();
    if (activity_ != nullptr) activity_->set(block->name());
    block->wake(now_, tag);
  }
  set_activity(activity_, nullptr);
  now_ = std::max(now_, last);
}

namespace {

/// A wake-up in a checkpoint.
struct saved_wakeup {
  std::uint64_t when = 0;
  std::uint64_t sequence = 0;
  std::uint64_t tag = 0;
  std::uint32_t block = 0;

  TRIBUTARY_STATE(when, sequence, tag, block);
};

}  // namespace

std::string agenda::save() const {
  std::vector<saved_wakeup> wakeups;
  for (auto each = waiting_.rbegin(); each != waiting_.rend(); ++each) {
    const auto block = std::find(enrolled_.begin(), enrolled_.end(), each->block);
    if (block == enrolled_.end()) {
      throw error("a block that is to be woken was not enrolled, so it cannot be saved");
    }
    wakeups.push_back({each->when, each->sequence, each->tag,
                       static_cast<std::uint32_t>(block - enrolled_.begin())});
  }
  return save_state(now(), next_sequence_, wakeups);
}

void agenda::restore(const std::string& state) {
  waiting_.clear();
  std::vector<saved_wakeup> wakeups;
  restore_state(state, now_, next_sequence_, wakeups);
  for (const saved_wakeup& each : wakeups) {
    require_state(each.block < enrolled_.size() && each.when >> rank_bits > now_ &&
                      each.sequence < next_sequence_,
                  "a wake-up is of no block or cycle");
    const entry next{each.when, each.sequence, each.tag, enrolled_[each.block]};
    require_state(waiting_.empty() || later(next, waiting_.back()),
                  "wake-ups are not in their order");
    waiting_.push_back(next);
  }
  std::reverse(waiting_.begin(), waiting_.end());
}

}  // namespace tributary
