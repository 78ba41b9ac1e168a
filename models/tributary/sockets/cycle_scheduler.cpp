// SPDX-License-Identifier: Apache-2.0
#include <tributary/sockets/cycle_scheduler.h>

#include <algorithm>

#include <tributary/sockets/event_driven_module.h>

namespace tributary {

cycle_scheduler::cycle_scheduler(const sc_core::sc_module_name& name,
                                 const sc_core::sc_time& clock_period)
    : sc_module(name), period_(event_driven_module::checked_period(*this, clock_period)) {
  SC_METHOD(process);
  sensitive << event_;
  dont_initialize();
}

void cycle_scheduler::wake(event_driven_module& who, cycle_t at) {
  heap_.push_back({at, next_sequence_, &who});
  ++next_sequence_;
  std::push_heap(heap_.begin(), heap_.end(), later);
  if (!running_ && heap_.front().who == &who && heap_.front().at == at) notify();
}

void cycle_scheduler::process() {
  const cycle_t now = sc_core::sc_time_stamp().value() / period_.value();
  // A report that is thrown leaves nothing behind.
  struct while_running {
    explicit while_running(bool& which) : running(which) { running = true; }
    while_running(const while_running&) = delete;
    while_running& operator=(const while_running&) = delete;
    ~while_running() { running = false; }
    bool& running;
  };
  {
    const while_running guard(running_);
    while (!heap_.empty() && heap_.front().at <= now) {
      std::pop_heap(heap_.begin(), heap_.end(), later);
      const entry due = heap_.back();
      heap_.pop_back();
      if (due.who->due_ != due.at) continue;  // it asked for an earlier cycle since
      due.who->due_ = never;
      due.who->process();
    }
  }
  notify();
}

void cycle_scheduler::notify() {
  if (heap_.empty()) return;
  const std::uint64_t at = heap_.front().at * period_.value();
  const std::uint64_t now = sc_core::sc_time_stamp().value();
  event_.notify(sc_core::sc_time::from_value(at > now ? at - now : 0));
}

}  // namespace tributary
