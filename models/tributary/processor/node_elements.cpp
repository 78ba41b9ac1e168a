// SPDX-License-Identifier: Apache-2.0
#include <tributary/processor/node_elements.h>

#include <utility>

#include <tributary/processor/program_workload.h>

namespace tributary {

node_elements::node_elements(workload& work) : work_(work) { work_.join(*this, *this); }

node_elements::~node_elements() {
  for (const std::unique_ptr<place>& each : places_) {
    if (each == nullptr) continue;
    each->port.set_client(nullptr);
    if (each->let_go) each->let_go();
  }
}

void node_elements::add(std::uint32_t element, agenda& time, processor_port& port) {
  if (places_.size() <= element) places_.resize(element + 1);
  places_[element] = std::make_unique<place>(*this, element, time, port);
  time.enroll(*places_[element]);
  port.set_client(&work_);
  work_.start(element);
}

void node_elements::place::wake(cycle_t now, std::uint64_t slot) {
  owner.work_.wake({element, static_cast<std::uint32_t>(slot)}, now);
}

void node_elements::place::interrupted(std::uint32_t line, cycle_t when) {
  owner.wake(element, time.now());
  // Only programs serve interrupts.
  if (auto* const programs = dynamic_cast<program_workload*>(&owner.work_)) {
    const std::uint32_t node = element / programs->processes();
    const std::uint32_t served = is_interrupted_itself ? element : programs->who_serves(node, line);
    programs->interrupt(served, line, when * ratio);
  }
}

void node_elements::wake_at(const pe_slot& wakeup, cycle_t when) {
  place& woken = *places_.at(wakeup.pe);
  woken.time.wake(woken, when, wakeup.slot, wake_rank::processor);
}

// --- parking -------------------------------------------------------------------------------------

void node_elements::let_park(std::uint64_t turnaround, std::uint64_t hit_cycles) {
  turnaround_ = turnaround;
  hit_cycles_ = hit_cycles;
  work_.let_park(this);
}

void node_elements::end_parking() {
  for (const std::unique_ptr<place>& each : places_) {
    if (each != nullptr) wake(each->element, each->time.now());
  }
  work_.let_park(nullptr);
  turnaround_ = 0;
}

bool node_elements::park(std::uint32_t element, local_spinner& owner, const access& load,
                         word_t value, cycle_t now) {
  place& parked = *places_[element];
  if (turnaround_ == 0 || !offers_.empty() || !parked.port.watch(load.address, value)) return false;
  parked.spinner = &owner;
  parked.load = load;
  parked.since = now;
  ++times_parked_;
  return true;
}

void node_elements::wake(std::uint32_t element, cycle_t now) {
  place& woken = *places_[element];
  if (woken.spinner == nullptr) return;
  local_spinner& owner = *std::exchange(woken.spinner, nullptr);
  parked_polls polls;
  polls.period = hit_cycles_ + turnaround_;
  polls.looks = (now - woken.since) / polls.period;
  polls.offered = polls.looks + 1;
  polls.last_offer = woken.since + polls.looks * polls.period;
  const bool answered = now - polls.last_offer >= hit_cycles_;
  polls.delivered = answered ? polls.offered : polls.looks;
  polls.last_delivery = polls.last_offer + hit_cycles_ - (answered ? 0 : polls.period);
  polls.cycles_a_turn = woken.ratio;
  woken.port.end_watch(woken.load, polls.delivered, polls.last_delivery);
  if (!answered) woken.port.offer(element, woken.load, polls.last_offer);
  owner.go_on_polling(polls);
}

void node_elements::wake_all(cycle_t now) {
  for (const std::unique_ptr<place>& each : places_) {
    if (each != nullptr) wake(each->element, now);
  }
}

void node_elements::check(std::size_t element, const access& request) const {
  port(element).check(element, request);
}
bool node_elements::can_take(std::size_t element) const { return port(element).can_take(element); }
void node_elements::offer(std::size_t element, const access& request, cycle_t now) {
  port(element).offer(element, request, now);
  if (!offers_.empty()) {
    offers_.notify({now, pe_id{static_cast<std::uint32_t>(element)}, request});
  }
}
std::size_t node_elements::waiting(std::size_t element) const {
  return port(element).waiting(element);
}
bool node_elements::serves_pairs() const {
  for (const std::unique_ptr<place>& each : places_) {
    if (each != nullptr) return each->port.serves_pairs();
  }
  return false;
}
bool node_elements::performs_operations(std::uint64_t address) const {
  for (const std::unique_ptr<place>& each : places_) {
    if (each != nullptr) return each->port.performs_operations(address);
  }
  return false;
}
std::uint64_t node_elements::incomplete_stores(std::size_t element) const {
  return port(element).incomplete_stores(element);
}
std::size_t node_elements::outstanding(std::size_t element) const {
  return port(element).outstanding(element);
}

}  // namespace tributary
