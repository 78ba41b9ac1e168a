// SPDX-License-Identifier: Apache-2.0
#include <tributary/processor/uncached_element.h>

#include <algorithm>

#include <tributary/memory/line.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>
#include <tributary/sim/purpose.h>
#include <tributary/sim/state_archive.h>

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
      stacks_(1, config.stack_bytes),
      first_draws_(draws_) {
  config_.validate();
  agenda_.enroll(*this);
  port_.set_listener(this);
  begin_program();
  agenda_.wake(*this, 1, alarm_, wake_rank::processor);
}

uncached_element::~uncached_element() {
  port_.set_listener(nullptr);
  // While everything that the unwinding program may ask for still stands.
  fiber_.reset();
}

// --- the fiber -----------------------------------------------------------------------------------

void uncached_element::begin_program() {
  fiber_.reset();
  fiber_ = std::make_unique<fiber>(stacks_.stack(0), [this](fiber& self) {
    running_ = &self;
    program_.run(*this);
  });
}

void uncached_element::resume() {
  started_ = true;
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

word_t uncached_element::see(word_t value) {
  ++events_;
  seen_.append(value);
  return value;
}

word_t uncached_element::next_seen() {
  ++events_;
  const std::optional<word_t> word = seen_.read(replayed_at_);
  require_state(word.has_value(), "a program does not do what it did before");
  return *word;
}

// --- what a program does -------------------------------------------------------------------------

pending uncached_element::issue(operation what, std::uint64_t address, word_t e, word_t) {
  if (running_->cancelled()) return {};
  if (what != operation::load && what != operation::store) {
    throw simulation_error("the program of node " + std::to_string(rank()) +
                           " asks for a fetch-and-phi, which an uncached access cannot do; use "
                           "loads, stores and protocols");
  }
  if (is_replayed()) {
    ++events_;
    return {next_number_++};
  }
  while (replaying_ || !port_.can_take()) {
    awaits_room_ = true;
    suspend();
    if (running_->cancelled()) return {};
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
  ++events_;
  return {made.number};
}

word_t uncached_element::wait(const pending& what) {
  if (running_->cancelled()) return 0;
  if (is_replayed()) return next_seen();
  const auto find = [&] {
    return std::find_if(open_.begin(), open_.end(), [&](const reference& each) {
      return each.number == what.number && !each.posted;
    });
  };
  auto found = find();
  if (found == open_.end() && !replaying_) {
    throw simulation_error("the program of node " + std::to_string(rank()) +
                           " waits for a reference that it has not issued, or twice for one");
  }
  if (replaying_) {
    suspend();
  } else {
    since_ = agenda_.now();
    if (!found->complete) {
      awaited_ = what.number;
      suspend();
    } else if (found->usable > since_) {
      agenda_.wake(*this, found->usable, ++alarm_, wake_rank::processor);
      suspend();
    }
  }
  if (running_->cancelled()) return 0;
  awaited_ = 0;
  found = find();  // what was open may have moved meanwhile
  latency_.add(agenda_.now() - since_);
  const word_t value = found->value;
  open_.erase(found);
  return see(value);
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
  if (!is_replayed()) {
    const bool live = !replaying_;
    fencing_ = live && !all_complete();
    const bool early = live && answers_usable_ > agenda_.now();
    if (!fencing_ && early) {
      agenda_.wake(*this, answers_usable_, ++alarm_, wake_rank::processor);
    }
    if (replaying_ || fencing_ || early) suspend();
    fencing_ = false;
  }
  ++events_;
}

word_t uncached_element::outside(std::uint64_t period,
                                 const std::function<std::optional<word_t>()>& look) {
  if (running_->cancelled()) return 0;
  if (is_replayed()) return next_seen();
  while (true) {
    if (!replaying_) {
      if (const std::optional<word_t> found = look()) return see(*found);
      agenda_.wake(*this, agenda_.now() + period, ++alarm_, wake_rank::processor);
    }
    suspend();
    if (running_->cancelled()) return 0;
  }
}

void uncached_element::delay(std::uint64_t cycles) {
  if (cycles == 0 || running_->cancelled()) return;
  if (!is_replayed()) {
    if (!replaying_) {
      agenda_.wake(*this, agenda_.now() + cycles, ++alarm_, wake_rank::processor);
    }
    suspend();
  }
  ++events_;
}

cycle_t uncached_element::now() { return is_replayed() ? next_seen() : see(agenda_.now()); }

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
  if (running_->cancelled() || replaying_) return;
  named_passes& named = find_or_add(marks_, name);
  if (named.last != 0) named.values.add(agenda_.now() - named.last);
  named.last = agenda_.now();
}

void uncached_element::begin(std::string_view name) {
  if (running_->cancelled() || replaying_) return;
  named_spans& named = find_or_add(intervals_, name);
  if (named.begun != 0) refuse_beginning(name);
  named.begun = agenda_.now();
}

void uncached_element::end(std::string_view name) {
  if (running_->cancelled() || replaying_) return;
  named_spans& named = find_or_add(intervals_, name);
  if (named.begun == 0) refuse_end(name);
  named.values.add(agenda_.now() - named.begun);
  named.begun = 0;
}

void uncached_element::sample(std::string_view name, std::uint64_t value) {
  if (running_->cancelled() || replaying_) return;
  find_or_add(samples_, name).values.add(value);
}

void uncached_element::reset_statistics() {
  references_.reset();
  polls_.reset();
  latency_.reset();
  for (named_passes& each : marks_) each.values.reset();
  for (named_samples& each : samples_) each.values.reset();
  for (named_spans& each : intervals_) each.values.reset();
}

void uncached_element::report(statistics_group& into, std::uint64_t) const {
  into.add("references", references_, "references", "Uncached loads and stores.");
  into.add("polls", polls_, "references", "Loads of words that the program waits for.");
  into.add("latency", latency_, "cycles", "From waiting for a reference to going on.");
  for (const named_passes& each : marks_) {
    into.group("marks").group(each.name).add("interval", each.values, "cycles",
                                             "Between two marks of that name.");
  }
  for (const named_spans& each : intervals_) {
    into.group("intervals")
        .group(each.name)
        .add("cycles", each.values, "cycles", "From begin to end.");
  }
  for (const named_samples& each : samples_) {
    into.group("samples").add(each.name, each.values, "", "What the program sampled.");
  }
}

// --- checkpoints ---------------------------------------------------------------------------------

std::string uncached_element::save() const {
  return save_state(started_, finished_, events_, seen_.bytes(), save_fields(fields(*this)));
}

void uncached_element::restore(const std::string& state) {
  bool finished = false;
  std::vector<std::uint8_t> seen;
  std::string others;
  begin_program();
  restore_state(state, started_, finished, replayed_events_, seen, others);
  seen_.assign(std::move(seen));
  events_ = 0;
  replayed_at_ = 0;
  next_number_ = 1;
  draws_ = first_draws_;
  finished_ = false;
  if (started_) {
    replaying_ = true;
    try {
      resume();
    } catch (const error& problem) {
      replaying_ = false;
      throw input_error(std::string("checkpoint does not fit this machine: ") + problem.what());
    }
    replaying_ = false;
  }
  const std::uint64_t next_number = next_number_;
  restore_fields(others, fields(*this));
  require_state(finished_ == finished && events_ == replayed_events_ &&
                    replayed_at_ == seen_.size() && next_number_ == next_number,
                "a program does not do what it did before");
}

}  // namespace tributary
