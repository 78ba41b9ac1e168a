// SPDX-License-Identifier: Apache-2.0
#include <tributary/processor/uncached_element.h>

#include <algorithm>

#include <tributary/memory/line.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>
#include <tributary/sim/purpose.h>

namespace tributary {

void uncached_element_config::bind(parameter_set& parameters) {
  parameters.add(
      "turnaround", turnaround, {1, 1000000}, "cycles",
      "From the end of an uncached access to the program's next (fitted with the costs of "
      "the block transfer to the 131 cycles of FLASH Table 5.1).");
  parameters.add("stack_bytes", stack_bytes, {16384, std::uint64_t{1} << 26}, "bytes",
                 "Stack of a program.");
}

void uncached_element_config::validate() const { check_ranges(*this); }

uncached_element::uncached_element(const uncached_element_config& config, agenda& time,
                                   processor_interface& port, const address_layout& addresses,
                                   std::uint32_t rank, std::uint32_t size, std::uint64_t seed,
                                   program& what)
    : program_context(rank, size),
      config_(config),
      agenda_(time),
      port_(port),
      addresses_(addresses),
      draws_(seed, rank, purpose::program),
      program_(what),
      stacks_(1, config.stack_bytes) {
  config_.validate();
  port_.set_listener(this);
  fiber_ = std::make_unique<fiber>(stacks_.stack(0), [this](fiber& self) {
    running_ = &self;
    program_.run(*this);
  });
  agenda_.wake(*this, 1, alarm_, wake_rank::processor);
}

uncached_element::~uncached_element() {
  port_.set_listener(nullptr);
  // While everything that the unwinding program may ask for still stands.
  fiber_.reset();
}

// --- the fiber -----------------------------------------------------------------------------------

void uncached_element::resume() {
  fiber_->resume();
  finished_ = fiber_->finished();
}

void uncached_element::suspend() { running_->suspend(); }

void uncached_element::wake(cycle_t, std::uint64_t what) {
  if (!finished_ && what == alarm_) resume();
}

void uncached_element::completed(std::uint8_t tag, word_t value, cycle_t now) {
  const auto found = std::find_if(open_.begin(), open_.end(), [tag](const reference& each) {
    return each.tag == tag && !each.complete;
  });
  if (found == open_.end()) return;
  found->complete = true;
  found->value = value;
  found->usable = now + config_.turnaround;
  if (found->number == awaited_) {
    agenda_.wake(*this, found->usable, ++alarm_, wake_rank::processor);
  }
  answers_usable_ = found->usable;
  if (found->posted) open_.erase(found);
  if (fencing_ && all_complete()) {
    agenda_.wake(*this, answers_usable_, ++alarm_, wake_rank::processor);
  }
}

void uncached_element::room(cycle_t now) {
  if (!awaits_room_) return;
  awaits_room_ = false;
  agenda_.wake(*this, now, ++alarm_, wake_rank::processor);
}

// --- what a program does -------------------------------------------------------------------------

pending uncached_element::issue(operation what, std::uint64_t address, word_t e, word_t) {
  if (running_->cancelled()) return {};
  if (what != operation::load && what != operation::store) {
    throw simulation_error("the program of node " + std::to_string(rank()) +
                           " asks for a fetch-and-phi, which an uncached access cannot do; use "
                           "loads, stores and protocols");
  }
  while (!port_.can_take()) {
    awaits_room_ = true;
    suspend();
  }
  uncached_access access;
  access.write = what == operation::store;
  access.address = address;
  access.value = e;
  reference made;
  made.number = next_number_;
  ++next_number_;
  made.tag = port_.request(access, agenda_.now());
  open_.push_back(made);
  ++references_;
  return {made.number};
}

word_t uncached_element::wait(const pending& what) {
  if (running_->cancelled()) return 0;
  const auto find = [&] {
    return std::find_if(open_.begin(), open_.end(), [&](const reference& each) {
      return each.number == what.number && !each.posted;
    });
  };
  auto found = find();
  if (found == open_.end()) {
    throw simulation_error("the program of node " + std::to_string(rank()) +
                           " waits for a reference that it has not issued, or twice for one");
  }
  const cycle_t begun = agenda_.now();
  if (!found->complete) {
    awaited_ = what.number;
    suspend();
    awaited_ = 0;
    found = find();
  } else if (found->usable > begun) {
    agenda_.wake(*this, found->usable, ++alarm_, wake_rank::processor);
    suspend();
    found = find();
  }
  latency_.add(agenda_.now() - begun);
  const word_t value = found->value;
  open_.erase(found);
  return value;
}

void uncached_element::post(operation what, std::uint64_t address, word_t e, word_t f) {
  const pending made = issue(what, address, e, f);
  if (running_->cancelled()) return;
  for (reference& each : open_) each.posted = each.posted || each.number == made.number;
}

bool uncached_element::all_complete() const {
  return std::all_of(open_.begin(), open_.end(),
                     [](const reference& each) { return each.complete; });
}

void uncached_element::fence() {
  if (running_->cancelled()) return;
  if (all_complete()) {
    if (answers_usable_ > agenda_.now()) delay(answers_usable_ - agenda_.now());
    return;
  }
  fencing_ = true;
  suspend();
  fencing_ = false;
}

void uncached_element::delay(std::uint64_t cycles) {
  if (cycles == 0 || running_->cancelled()) return;
  agenda_.wake(*this, agenda_.now() + cycles, ++alarm_, wake_rank::processor);
  suspend();
}

std::uint64_t uncached_element::random(std::uint64_t n) { return draws_.below(n); }

word_t uncached_element::spin_until(std::uint64_t address, const word_predicate& predicate) {
  while (true) {
    const word_t value = wait(issue(operation::load, address, 0, 0));
    if (running_->cancelled()) return 0;
    ++polls_;
    if (predicate(value)) return value;
  }
}

std::uint64_t uncached_element::shared_address(std::uint64_t word) const {
  const std::uint64_t line = word / line_words;
  return addresses_.address_of(node_id{static_cast<std::uint32_t>(line % size())}, 0,
                               line / size() * line_bytes + word % line_words * 8);
}

std::uint64_t uncached_element::shared_address(mm_id module, std::uint64_t row) const {
  return addresses_.address_of(node_id{index(module)}, 0, row * 8);
}

std::uint64_t uncached_element::local_address(pe_id owner, std::uint64_t word) const {
  return addresses_.address_of(node_id{index(owner)}, 0, word * 8);
}

// --- statistics ----------------------------------------------------------------------------------

template <class Named>
Named& uncached_element::find_or_add(std::vector<Named>& among, std::string_view name) {
  for (Named& each : among) {
    if (each.name == name) return each;
  }
  check_program_name(name);
  among.emplace_back();
  among.back().name = name;
  return among.back();
}

void uncached_element::mark(std::string_view name) {
  if (running_->cancelled()) return;
  named_mark& named = find_or_add(marks_, name);
  if (named.last != 0) named.values.add(agenda_.now() - named.last);
  named.last = agenda_.now();
}

void uncached_element::begin(std::string_view name) {
  if (running_->cancelled()) return;
  named_interval& named = find_or_add(intervals_, name);
  if (named.begun != 0) refuse_beginning(name);
  named.begun = agenda_.now();
}

void uncached_element::end(std::string_view name) {
  if (running_->cancelled()) return;
  named_interval& named = find_or_add(intervals_, name);
  if (named.begun == 0) refuse_end(name);
  named.values.add(agenda_.now() - named.begun);
  named.begun = 0;
}

void uncached_element::sample(std::string_view name, std::uint64_t value) {
  if (running_->cancelled()) return;
  find_or_add(samples_, name).values.add(value);
}

void uncached_element::reset_statistics() {
  references_.reset();
  polls_.reset();
  latency_.reset();
  for (named_mark& each : marks_) each.values.reset();
  for (named_average& each : samples_) each.values.reset();
  for (named_interval& each : intervals_) each.values.reset();
}

void uncached_element::report(statistics_group& into) const {
  into.add("references", references_, "references", "Uncached loads and stores.");
  into.add("polls", polls_, "references", "Loads of words that the program waits for.");
  into.add("latency", latency_, "cycles", "From waiting for a reference to going on.");
  for (const named_mark& each : marks_) {
    into.group("marks").group(each.name).add("interval", each.values, "cycles",
                                             "Between two marks of that name.");
  }
  for (const named_interval& each : intervals_) {
    into.group("intervals")
        .group(each.name)
        .add("cycles", each.values, "cycles", "From begin to end.");
  }
  for (const named_average& each : samples_) {
    into.group("samples").add(each.name, each.values, "", "What the program sampled.");
  }
}

}  // namespace tributary
