// SPDX-License-Identifier: Apache-2.0
#include <tributary/trace/recorder.h>

#include <tributary/sim/error.h>

namespace tributary {

void trace_recorder::give_to(event_taker& taker) {
  if (taker_ != nullptr) throw error("a recorder gives its events to one taker; remove the other");
  taker_ = &taker;
}

void trace_recorder::give_to_nobody() {
  event_taker* const taker = taker_;
  taker_ = nullptr;
  told_ = 0;
  if (taker != nullptr && !collected_.ends().empty()) taker->take(collected_);
  collected_.clear();
}

void trace_recorder::reset(std::size_t tracks) {
  collected_.clear();
  told_ = 0;
  order_.reset(tracks);
}

void trace_recorder::tell(cycle_t now) {
  const std::size_t events = collected_.size();
  if (events == told_) return;
  if (!tallies_.empty()) {
    for (std::size_t i = told_; i < events; ++i) tallies_.notify(collected_.data()[i]);
  }
  if (!observers_.empty()) {
    order_.for_each(collected_.data() + told_, events - told_,
                    [this](const trace_event& event) { observers_.notify(event); });
  }
  if (taker_ == nullptr) {
    collected_.clear();
    return;
  }
  collected_.end_cycle(now);
  told_ = events;
  if (events < event_taker::batch_events) return;
  told_ = 0;
  taker_->take(collected_);
}

}  // namespace tributary
