// SPDX-License-Identifier: Apache-2.0
#include <tributary/smp/bus_processor.h>

#include <utility>

#include <tributary/sim/error.h>
#include <tributary/sim/state_archive.h>

namespace tributary {
namespace {

using action = processor_step::action;

// Wake-ups; the others go on with the steps.
constexpr std::uint64_t wake_room = 1;

// Tags of accesses.
constexpr std::uint64_t of_program = 0;
constexpr std::uint64_t of_steps = 1;

bool is_of_device(action does) {
  return does == action::read_device || does == action::write_device ||
         does == action::finish_device;
}

access access_of(const processor_step& step) {
  access made;
  made.address = step.at;
  made.tag = of_steps;
  if (step.does == action::prefetch) made.kind = access_kind::prefetch;
  if (step.does == action::claim) made.kind = access_kind::prefetch_exclusive;
  if (step.does == action::store || step.does == action::write_device ||
      step.does == action::finish_device) {
    made.function = {form::constant, step.value, 0};
    made.posted = step.does == action::write_device;
  }
  return made;
}

}  // namespace

bus_processor::bus_processor(const cache_config& caches, agenda& time, snooping_bus& bus,
                             std::uint32_t number, const std::string& name)
    : agenda_(time),
      number_(number),
      name_(name.empty() ? "processor." + std::to_string(number) : name),
      words_(bus.words(number)),
      cache_(caches, time, bus.lines(number)) {
  bus.set_client(number, cache_);
  cache_.set_client(this);
  words_.set_client(this);
  agenda_.enroll(*this);
}

void bus_processor::run(processor_steps steps, std::uint64_t tag, cycle_t now) {
  jobs_.push({std::move(steps), tag});
  if (jobs_.size() == 1) agenda_.wake(*this, now);
}

bool bus_processor::has_job(std::uint64_t tag) const {
  for (std::size_t i = 0; i < jobs_.size(); ++i) {
    if (jobs_[i].tag == tag) return true;
  }
  return false;
}

void bus_processor::wake(cycle_t now, std::uint64_t tag) {
  if (tag == wake_room) {
    room(0, now);
  } else if (!jobs_.empty()) {
    step(now);
  }
}

void bus_processor::step(cycle_t now) {
  const processor_steps& steps = jobs_.front().steps;
  while (next_ < steps.size()) {
    const processor_step& each = steps[next_];
    if (each.does != action::spend) {
      offer_step(now);
      return;
    }
    ++next_;
    if (each.at != 0) {
      agenda_.wake(*this, now + each.at);
      return;
    }
  }
  const std::uint64_t tag = jobs_.front().tag;
  const std::vector<word_t> found = std::exchange(found_, {});
  jobs_.pop();
  next_ = 0;
  // Its next job waits for a later wake-up, as whoever is told may give it others.
  if (!jobs_.empty()) agenda_.wake(*this, now);
  client_->steps_done(number_, tag, found, now);
}

const processor_step& bus_processor::current() const {
  if (jobs_.empty() || next_ >= jobs_.front().steps.size()) {
    throw simulation_error(name_ + ": an access ends that no step has begun");
  }
  return jobs_.front().steps[next_];
}

void bus_processor::offer_step(cycle_t now) {
  const processor_step& each = current();
  processor_port& port = is_of_device(each.does) ? words_ : cache_;
  step_waits_ = !port.can_take(0);
  if (step_waits_) return;
  ++stepped_;
  port.offer(0, access_of(each), now);
}

void bus_processor::begin_access(const access& request, cycle_t now) {
  access_ = request;
  access_.tag = of_program;
  accessing_ = true;
  access_waits_ = !cache_.can_take(0);
  if (!access_waits_) cache_.offer(0, access_, now);
}

void bus_processor::withdraw_access(cycle_t now) {
  accessing_ = false;
  cache_.withdraw(of_program);
  // The cache tells of no room that it has for this.
  if (step_waits_) agenda_.wake(*this, now, wake_room);
}

void bus_processor::completed(const completion& ended, cycle_t now) {
  if (ended.tag == of_program) {
    accessing_ = false;
    client_->access_done(number_, ended.value, now);
    return;
  }
  const action done = current().does;
  if (done == action::load || done == action::read_device) found_.push_back(ended.value);
  ++next_;
  step(now);
}

void bus_processor::room(std::size_t /*element*/, cycle_t now) {
  if (access_waits_) begin_access(access_, now);
  if (step_waits_) offer_step(now);
}

void bus_processor::reset_statistics() {
  stepped_.reset();
  cache_.reset_statistics();
}

void bus_processor::report(statistics_group& into, std::uint64_t cycles) const {
  into.add("protocol_accesses", stepped_, "accesses", "Accesses of the protocol.");
  cache_.report(into.group(cache_.name()), cycles);
}

std::string bus_processor::save() const { return save_state(save_state(*this), cache_.save()); }

void bus_processor::restore(const std::string& state) {
  std::string own;
  std::string caches;
  restore_state(state, own, caches);
  restore_state(own, *this);
  require_state(next_ <= (jobs_.empty() ? 0 : jobs_.front().steps.size()),
                "a processor is behind its last step");
  cache_.restore(caches);
}

}  // namespace tributary
