// SPDX-License-Identifier: Apache-2.0
#include <tributary/sim/agenda.h>

#include <algorithm>
#include <string>

#include <tributary/sim/error.h>

namespace tributary {

void agenda::wake(timed_block& who, cycle_t at, std::uint64_t what, wake_rank rank) {
  if (at < now_) {
    throw simulation_error("a wake-up was asked for in cycle " + std::to_string(at) +
                           ", which has passed in cycle " + std::to_string(now_));
  }
  if (at >> (64U - rank_bits) != 0) {
    throw simulation_error("a wake-up was asked for in cycle " + std::to_string(at) +
                           ", beyond 2^62, where cycles end");
  }
  heap_.push_back(
      entry{at << rank_bits | static_cast<std::uint64_t>(rank), next_sequence_, what, &who});
  ++next_sequence_;
  std::push_heap(heap_.begin(), heap_.end(), later);
}

void agenda::advance_to(cycle_t last) {
  while (!heap_.empty() && cycle_of(heap_.front()) <= last) {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const entry due = heap_.back();
    heap_.pop_back();
    now_ = cycle_of(due);
    due.who->wake(now_, due.what);
  }
  now_ = std::max(now_, last);
}

void agenda::clear() noexcept {
  heap_.clear();
  next_sequence_ = 0;
  now_ = 0;
}

}  // namespace tributary
