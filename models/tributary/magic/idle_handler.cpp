// SPDX-License-Identifier: Apache-2.0
#include <tributary/magic/idle_handler.h>

#include <algorithm>
#include <iterator>

#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>
#include <tributary/sim/state_archive.h>

namespace tributary {

void idle_handler_config::bind(parameter_set& parameters) {
  parameters.add("period", period, {1, std::uint64_t{1} << 40U}, "cycles",
                 "handlers for a later time begin at its multiples; not published, proposed: "
                 "100000 (1 ms)");
}

idle_handler::idle_handler(const idle_handler_config& config, agenda& time)
    : config_((check_ranges(config), config)), agenda_(time) {
  agenda_.enroll(*this);
}

void idle_handler::after(cycle_t at, handler_id run, const message& with) {
  if (run == no_handler) throw error("idle handler: no handler was named");
  const cycle_t earliest = std::max(at, agenda_.now());
  if (earliest > never - config_.period) {
    throw simulation_error("idle handler: handler " + std::to_string(static_cast<unsigned>(run)) +
                           " was asked for in cycle " + std::to_string(at) + ", which never comes");
  }
  entry added{at, (earliest + config_.period - 1) / config_.period * config_.period, run, with};
  added.with.origin = message_origin::timed;
  added.with.data = no_payload;
  if (waits(added)) return;
  const auto place =
      std::upper_bound(waiting_.begin(), waiting_.end(), added.due,
                       [](cycle_t due, const entry& each) { return due < each.due; });
  const bool alone = place == waiting_.begin() || std::prev(place)->due != added.due;
  const cycle_t due = added.due;
  waiting_.insert(place, added);
  peak_ = std::max<std::uint64_t>(peak_, waiting_.size());
  if (alone) agenda_.wake(*this, due);
}

bool idle_handler::waits(const entry& asked) const {
  return std::any_of(waiting_.begin(), waiting_.end(), [&](const entry& each) {
    return each.due <= asked.due && each.run == asked.run && each.with == asked.with;
  });
}

void idle_handler::wake(cycle_t now, std::uint64_t /*tag*/) {
  if (front(now) != nullptr) notify_change(now);
}

const message* idle_handler::front(cycle_t now) {
  return waiting_.empty() || waiting_.front().due > now ? nullptr : &waiting_.front().with;
}

message idle_handler::take(cycle_t now) {
  if (front(now) == nullptr) {
    throw error("idle handler: no user is due; ask front() before take()");
  }
  const entry taken = waiting_.front();
  waiting_.pop_front();
  ++invocations_;
  late_.add(now - std::min(now, taken.asked_for));
  return taken.with;
}

void idle_handler::reset_statistics() {
  reset_all(invocations_, late_);
  peak_ = waiting_.size();
}

void idle_handler::report(statistics_group& into, std::uint64_t) const {
  into.add("invocations", invocations_, "handlers", "Handlers that were selected when due.");
  into.add("late", late_, "cycles", "From the time that was asked for to being selected.");
  into.add("peak", peak_, "handlers", "Most handlers that waited at once.");
}

std::string idle_handler::save() const { return save_state(*this); }

void idle_handler::restore(const std::string& state) { restore_state(state, *this); }

}  // namespace tributary
