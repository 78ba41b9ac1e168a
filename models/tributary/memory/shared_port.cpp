// SPDX-License-Identifier: Apache-2.0
#include <tributary/memory/shared_port.h>

#include <fmt/format.h>

#include <tributary/sim/error.h>
#include <tributary/sim/state_archive.h>

namespace tributary {

shared_port::shared_port(std::uint32_t processes, agenda& time, processor_port& below)
    : agenda_(time), below_(below), places_(processes) {
  agenda_.enroll(*this);
}

void shared_port::set_client(memory_client* client) {
  client_ = client;
  below_.set_client(client == nullptr ? nullptr : this);
}

void shared_port::offer(std::size_t element, const access& request, cycle_t now) {
  if (!can_take(element)) {
    throw simulation_error(
        fmt::format("process {} offers an access at {:#x} in cycle {} while another one waits",
                    process(element), request.address, now));
  }
  below_.check(element, request);
  place& own = places_[process(element)];
  own.request = request;
  own.element = element;
  own.since = never;
  own.holds = true;
  ++holding_;
  go_on(now);
  if (own.holds) own.since = now;
}

bool shared_port::may_go(std::size_t element, const access& request) const {
  const std::size_t own = process(element);
  if (!below_.can_take(element) || (alone_ != no_process && alone_ != own)) return false;
  if (request.kind != access_kind::load_linked) return true;
  for (std::size_t other = 0; other < places_.size(); ++other) {
    if (other != own && places_[other].open != 0) return false;
  }
  return true;
}

std::size_t shared_port::next_process() const {
  if (alone_ != no_process) return static_cast<std::size_t>(alone_);
  auto next = static_cast<std::size_t>(turn_);
  while (!places_[next].holds) next = (next + 1) % places_.size();
  return next;
}

void shared_port::go_on(cycle_t now) {
  if (alone_ != no_process && (now >= alone_until_ || polls(alone_))) alone_ = no_process;
  while (holding_ != 0) {
    place& next = places_[next_process()];
    const auto element = static_cast<std::size_t>(next.element);
    if (!next.holds || !may_go(element, next.request)) break;
    const cycle_t since = next.since;
    next.holds = false;
    --holding_;
    hand_over(element, next.request, now);
    if (since == never) continue;  // it has not waited
    held_.add(now - since);
    if (client_ != nullptr) client_->room(element, now);
  }
  const bool is_awaited = holding_ != 0 && alone_ != no_process;
  if (is_awaited && alone_until_ != never) agenda_.wake(*this, alone_until_);
}

void shared_port::hand_over(std::size_t element, const access& request, cycle_t now) {
  const std::size_t own = process(element);
  turn_ = (own + 1) % places_.size();
  alone_ = request.kind == access_kind::load_linked ? own : no_process;
  alone_until_ = never;
  ++places_[own].open;
  below_.offer(element, request, now);
}

void shared_port::room(std::size_t /*element*/, cycle_t now) { go_on(now); }

void shared_port::completed(const completion& ended, cycle_t now) {
  const std::size_t own = process(index(ended.pe));
  --places_[own].open;
  if (alone_ == own && places_[own].open == 0) alone_until_ = now + most_linked_cycles;
  if (client_ != nullptr) client_->completed(ended, now);
  go_on(now);
}

void shared_port::wake(cycle_t now, std::uint64_t /*tag*/) { go_on(now); }

/// The port tells who asked last, and means all.
void shared_port::settled(std::size_t element, cycle_t now) {
  const std::size_t first = element - process(element);
  for (std::size_t i = 0; i < places_.size() && client_ != nullptr; ++i) {
    client_->settled(first + i, now);
  }
}

void shared_port::report(statistics_group& into, std::uint64_t) const {
  into.add("held", held_, "cycles",
           "Of the processor, for which accesses waited for room or for another process.");
}

void shared_port::trace(const trace_scope& scope) {
  track_group group;
  group.repeated = "process";
  group.count = static_cast<std::uint32_t>(places_.size());
  trace_ = scope.below("processor").add(group);
}

std::string shared_port::save() const { return save_state(*this); }

void shared_port::restore(const std::string& state) {
  const std::size_t processes = places_.size();
  restore_state(state, *this);
  bool fits = places_.size() == processes && turn_ < processes &&
              (alone_ < processes || alone_ == no_process);
  std::uint32_t holding = 0;
  for (std::size_t own = 0; own < places_.size(); ++own) {
    if (!places_[own].holds) continue;
    ++holding;
    fits = fits && process(static_cast<std::size_t>(places_[own].element)) == own;
  }
  require_state(fits && holding_ == holding, "the processor has other processes");
}

}  // namespace tributary
