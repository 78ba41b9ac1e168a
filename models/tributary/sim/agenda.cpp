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
  const entry added{when, next_sequence_++, tag, &block};
  *due_ = 0;
  // It was asked for last, so of equals it is the last.
  if (!later_.empty() && later_.front().when <= when) {
    later_.push_back(added);
    std::push_heap(later_.begin(), later_.end(), later);
    return;
  }
  std::size_t place = waiting_.size();
  waiting_.emplace_back();
  for (; place != 0 && waiting_[place - 1].when <= when; --place) {
    waiting_[place] = waiting_[place - 1];
  }
  waiting_[place] = added;
  if (waiting_.size() > most_sorted) set_aside();
}

/// The later half.
void agenda::set_aside() {
  const auto half = waiting_.begin() + most_sorted / 2;
  for (auto each = waiting_.begin(); each != half; ++each) {
    later_.push_back(*each);
    std::push_heap(later_.begin(), later_.end(), later);
  }
  waiting_.erase(waiting_.begin(), half);
}

void agenda::draw_near() {
  while (!later_.empty() && waiting_.size() < most_sorted / 2) {
    std::pop_heap(later_.begin(), later_.end(), later);
    waiting_.push_back(later_.back());
    later_.pop_back();
  }
  std::reverse(waiting_.begin(), waiting_.end());
}

void agenda::advance_to(cycle_t last) {
  while (!waiting_.empty() && cycle_of(waiting_.back()) <= last) {
    const entry& due = waiting_.back();
    timed_block* const block = due.block;
    const std::uint64_t tag = due.tag;
    now_ = cycle_of(due);
    waiting_.pop_back();
    if (waiting_.empty()) draw_near();
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
  std::vector<entry> all = later_;
  all.insert(all.end(), waiting_.begin(), waiting_.end());
  std::sort(all.begin(), all.end(), [](const entry& a, const entry& b) { return later(b, a); });
  for (const entry& each : all) {
    const auto block = std::find(enrolled_.begin(), enrolled_.end(), each.block);
    if (block == enrolled_.end()) {
      throw error("a block that is to be woken was not enrolled, so it cannot be saved");
    }
    wakeups.push_back({each.when, each.sequence, each.tag,
                       static_cast<std::uint32_t>(block - enrolled_.begin())});
  }
  return save_state(now(), next_sequence_, wakeups);
}

void agenda::restore(const std::string& state) {
  waiting_.clear();
  later_.clear();
  std::vector<saved_wakeup> wakeups;
  restore_state(state, now_, next_sequence_, wakeups);
  for (const saved_wakeup& each : wakeups) {
    require_state(each.block < enrolled_.size() && each.when >> rank_bits > now_ &&
                      each.sequence < next_sequence_,
                  "a wake-up is of no block or cycle");
    const entry next{each.when, each.sequence, each.tag, enrolled_[each.block]};
    require_state(later_.empty() || later(next, later_.back()), "wake-ups are not in their order");
    later_.push_back(next);  // in their order they are a heap
  }
  draw_near();
}

}  // namespace tributary
