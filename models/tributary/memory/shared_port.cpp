// SPDX-License-Identifier: Apache-2.0
#include <tributary/memory/shared_port.h>

#include <fmt/format.h>

#include <tributary/sim/error.h>
#include <tributary/sim/state_archive.h>

namespace tributary {

shared_port::shared_port(std::uint32_t processes, processor_port& below)
    : below_(below), waits_(processes) {}

void shared_port::set_client(memory_client* client) {
  client_ = client;
  below_.set_client(client == nullptr ? nullptr : this);
}

void shared_port::offer(std::size_t element, const access& request, cycle_t now) {
  if (!can_take(element)) {
    throw simulation_error(
        fmt::format("an access at {:#x} of process {} came in cycle {} while another one waits",
                    request.address, process(element), now));
  }
  if (holding_ == 0 && below_.can_take(element)) {
    below_.offer(element, request, now);
    return;
  }
  below_.check(element, request);
  waits_[process(element)] = {true, request, element, now};
  ++holding_;
}

shared_port::place& shared_port::next_that_waits() {
  while (!waits_[turn_].holds) turn_ = (turn_ + 1) % waits_.size();
  place& found = waits_[turn_];
  turn_ = (turn_ + 1) % waits_.size();
  return found;
}

void shared_port::room(std::size_t /*element*/, cycle_t now) {
  while (holding_ != 0 && below_.can_take(static_cast<std::size_t>(turn_))) {
    place& next = next_that_waits();
    const auto element = static_cast<std::size_t>(next.element);
    next.holds = false;
    --holding_;
    held_.add(now - next.since);
    below_.offer(element, next.request, now);
    if (client_ != nullptr) client_->room(element, now);
  }
}

void shared_port::completed(const completion& ended, cycle_t now) {
  if (client_ != nullptr) client_->completed(ended, now);
}

/// The port tells who asked last, and means all.
void shared_port::settled(std::size_t element, cycle_t now) {
  const std::size_t first = element - process(element);
  for (std::size_t i = 0; i < waits_.size() && client_ != nullptr; ++i) {
    client_->settled(first + i, now);
  }
}

std::size_t shared_port::waiting(std::size_t element) const {
  return below_.waiting(element) + (can_take(element) ? 0 : 1);
}

void shared_port::report(statistics_group& into, std::uint64_t) const {
  into.add("held", held_, "cycles",
           "Of the processor, for which accesses waited that found no room, those of other "
           "processes included.");
}

void shared_port::trace(const trace_scope& scope) {
  track_group group;
  group.repeated = "process";
  group.count = static_cast<std::uint32_t>(waits_.size());
  trace_ = scope.below("processor").add(group);
}

std::string shared_port::save() const { return save_state(*this); }

void shared_port::restore(const std::string& state) {
  const std::size_t processes = waits_.size();
  restore_state(state, *this);
  std::uint32_t holding = 0;
  for (const place& each : waits_) holding += each.holds ? 1U : 0U;
  require_state(waits_.size() == processes && turn_ < processes && holding_ == holding,
                "the processor has other processes");
}

}  // namespace tributary
