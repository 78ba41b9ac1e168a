// SPDX-License-Identifier: Apache-2.0
#include <tributary/processor/program_workload.h>

#include <array>
#include <exception>
#include <utility>

#include <fmt/format.h>

#include <tributary/processor/program_element.h>
#include <tributary/sim/error.h>
#include <tributary/sim/fiber.h>
#include <tributary/sim/parameters.h>
#include <tributary/sim/state_archive.h>
#include <tributary/sim/statistics.h>

namespace tributary {
namespace {

constexpr std::size_t elements_in_full = 16;
/// How many elements ahead of the one that goes on the caches fetch a stack, and an element.
constexpr std::size_t ahead = 2;
constexpr std::size_t far_ahead = 4;

bool waits_for_none(program_activity activity) {
  return activity == program_activity::delaying || activity == program_activity::fencing;
}

}  // namespace

void program_config::bind(parameter_set& parameters) {
  using u64 = interval<std::uint64_t>;
  parameters.add("patience", patience, u64{1, std::uint64_t{1} << 62}, "cycles",
                 "Cycles in which no program may go on before the run ends with a report of what "
                 "each waits for; delays are no standstill.");
  parameters.add("random_cycles", random_cycles, interval<std::uint32_t>{0, 1000000}, "cycles",
                 "Cycles that a random number costs a program.");
  parameters.add("stack", stack, u64{16384, std::uint64_t{1} << 26}, "bytes",
                 "Stack of each program.");
  parameters.add("replay_limit", replay_limit, u64{0, std::uint64_t{1} << 40}, "bytes",
                 "Words seen that all programs together keep for checkpoints; beyond it, or at 0, "
                 "a run cannot be checkpointed.");
}

program_workload::program_workload(const program_config& config,
                                   std::unique_ptr<program> own_program,
                                   const processing_element_config& elements,
                                   const address_map& map, std::uint64_t seed)
    : program_(std::move(own_program)),
      around_(std::make_unique<program_surroundings>(config, elements, map, seed)) {
  make_elements();
}

program_workload::~program_workload() = default;

void program_workload::make_elements() {
  elements_.clear();
  program_->reset();
  for (const std::string& each : program_->marks())
    program_surroundings::find_or_add(around_->marks, each);
  const std::uint32_t count = around_->map.modules() * processes();
  for (std::uint32_t rank = 0; rank < count; ++rank) {
    elements_.push_back(std::make_unique<program_element>(rank, count, *around_));
  }
}

void program_workload::make_stacks() {
  if (stacks_) return;
  stacks_ = std::make_unique<fiber_stacks>(elements_.size(),
                                           static_cast<std::size_t>(around_->config.stack));
}

void program_workload::advance(cycle_t now, memory_port& ports) {
  if (stopped_) return;
  around_->now = now;
  around_->ports = &ports;
  make_stacks();
  const bool patient =
      now <= around_->last_progress || now - around_->last_progress <= around_->config.patience;
  // Whatever parked elements have seen belongs into the report.
  if (!patient && around_->parked != nullptr) around_->parked->wake_all(now - 1);
  around_->elements.wake_in_order(now, [&](const std::vector<pe_slot>& due, std::size_t i) {
    if (i + far_ahead < due.size()) elements_[due[i + far_ahead].pe]->fetch();
    if (i + ahead < due.size()) elements_[due[i + ahead].pe]->fetch_stack();
    wake_element(due[i]);
  });
  bound_recording();
  check_progress(now);
}

cycle_t program_workload::patient_until() const {
  return around_->last_progress + around_->config.patience;
}

void program_workload::check_progress(cycle_t now) {
  if (now > patient_until() && !finished()) {
    throw simulation_error(fmt::format("no program has gone on since cycle {}\n{}",
                                       around_->last_progress,
                                       waiting_report(now, *around_->ports)));
  }
}

void program_workload::join(element_clock& clock, memory_port& port) {
  around_->elements.follow(clock);
  around_->ports = &port;
  around_->of_elements.resize(elements_.size());
}

void program_workload::start(std::uint32_t element) { around_->elements.start(element); }

void program_workload::wake(const pe_slot& wakeup, cycle_t now) {
  if (stopped_) return;
  around_->now = now;
  around_->last_woken = wakeup.pe;
  make_stacks();
  wake_element(wakeup);
  bound_recording();
}

void program_workload::completed(const completion& ended, cycle_t now) {
  elements_[index(ended.pe)]->deliver(ended, now);
}

void program_workload::room(std::size_t element, cycle_t now) { elements_[element]->room(now); }

void program_workload::settled(std::size_t element, cycle_t now) {
  elements_[element]->settled(now);
}

void program_workload::disturbed(std::size_t element, cycle_t now) {
  // The polls of this cycle are still to come.
  around_->parked->wake(static_cast<std::uint32_t>(element), now - 1);
}

bool program_workload::finished(std::size_t element) const {
  return elements_[element]->state().activity == program_activity::finished;
}

std::uint32_t program_workload::processes() const { return around_->config.processes; }

std::uint32_t program_workload::who_serves(std::uint32_t node, std::uint32_t line) const {
  const std::uint32_t first = node * processes();
  for (std::uint32_t i = 0; i < processes(); ++i) {
    if (!finished(first + i) && elements_[first + i]->serves(line)) return first + i;
  }
  return first;
}

void program_workload::interrupt(std::uint32_t element, std::uint32_t line, cycle_t when) {
  if (element >= elements_.size() || line >= interrupt_lines) {
    throw simulation_error(
        fmt::format("there is no interrupt line {} of element {} (allowed: 0 to "
                    "{} of 0 to {})",
                    line, element, interrupt_lines - 1, elements_.size() - 1));
  }
  ++around_->interrupts;
  around_->elements.wake_at({element, interrupt_slot + line}, when);
}

void program_workload::wake_element(const pe_slot& wakeup) {
  const std::size_t element = wakeup.pe;
  program_element& woken = *elements_[element];
  if (woken.state().activity == program_activity::finished) {
    if (wakeup.slot >= interrupt_slot) --around_->interrupts;
    return;
  }
  try {
    woken.wake(wakeup.slot, *program_, *stacks_);
  } catch (const fiber_overflow&) {
    if (stacks_->pooled()) {
      for (const auto& each : elements_) each->abandon();
    }
    explain_failure(element);
  } catch (const std::exception&) {
    explain_failure(element);
  }
  if (woken.state().activity == program_activity::finished) ++around_->finished;
}

void program_workload::explain_failure(std::size_t element) {
  std::string reason;
  try {
    throw;
  } catch (const std::exception& problem) {
    reason = problem.what();
  }
  std::throw_with_nested(
      simulation_error(fmt::format("the program on processing element {}{} failed in cycle {}: {}",
                                   element, place_of(element), around_->now, reason)));
}

std::string program_workload::place_of(std::size_t element) const {
  if (processes() == 1) return "";
  return fmt::format(" (process {} of node {})", element % processes(), element / processes());
}

void program_workload::bound_recording() {
  if (around_->recorded_bytes <= around_->config.replay_limit) return;
  around_->recording = false;
  around_->recorded_bytes = 0;
  for (const auto& each : elements_) each->forget_recorded();
}

void program_workload::deliver(cycle_t now, const std::vector<memory_response>& responses) {
  for (std::size_t i = 0; i < responses.size(); ++i) {
    if (i + far_ahead < responses.size()) elements_[index(responses[i + far_ahead].pe)]->fetch();
    elements_[index(responses[i].pe)]->deliver(responses[i], now);
  }
}

bool program_workload::finished() const {
  return stopped_ || around_->finished == elements_.size();
}

void program_workload::let_park(spinner_parking* where) { around_->parked = where; }

observer_list<program_interval>* program_workload::intervals() {
  return &around_->interval_observers;
}

void program_workload::reset_statistics() {
  around_->references.reset();
  around_->polls.reset();
  around_->resumptions.reset();
  for (named_mark& each : around_->marks) {
    each.count.reset();
    each.between.reset();
  }
  for (named_average& each : around_->samples) each.values.reset();
  for (named_intervals& each : around_->intervals) {
    each.cycles.reset();
    each.distribution.reset();
  }
  for (element_statistics& each : around_->of_elements) {
    each.references.reset();
    each.polls.reset();
    each.latency.reset();
  }
  around_->measured_from = around_->now;
}

void program_workload::report_element(std::size_t element, statistics_group& group) const {
  const element_statistics& each = around_->of_elements.at(element);
  group.add("references", each.references, "references", "References of the element's program.");
  group.add("polls", each.polls, "references", "Loads of words that the program waits for.");
  group.add("latency", each.latency, "cycles", "From waiting for a reference to going on.");
}

void program_workload::report(statistics_group& group) const {
  group.add("finished", around_->finished, "programs", "Programs that have ended.");
  group.add("references", around_->references, "requests",
            "References of programs, polls included.");
  group.add("polls", around_->polls, "requests", "Looks at the words that programs spun on.");
  group.add("resumptions", around_->resumptions, "times", "How often a program went on.");
  const double cycles = static_cast<double>(around_->now - around_->measured_from);
  for (const named_mark& each : around_->marks) {
    statistics_group& mark = group.group("marks").group(each.name);
    const double count = static_cast<double>(each.count.value());
    mark.add("count", each.count, "marks", "How often programs passed the mark.");
    mark.add("rate", cycles == 0 ? 0.0 : count / cycles, "1/cycle",
             "Passes in a cycle, over the measured cycles in which programs could run.");
    mark.add("interval", each.between, "cycles",
             "From an element passing the mark to its passing it again.");
  }
  for (const named_intervals& each : around_->intervals) {
    statistics_group& interval = group.group("intervals").group(each.name);
    interval.add("cycles", each.cycles, "cycles", "From begin to end of the interval.");
    interval.add("distribution", each.distribution, "cycles", "How often it took how long.");
  }
  for (const named_average& each : around_->samples) {
    group.group("samples").add(each.name, each.values, "", "What programs sampled by this name.");
  }
}

const counter* program_workload::find_counter(std::string_view path) const {
  if (path == "references") return &around_->references;
  if (path == "polls") return &around_->polls;
  if (path == "resumptions") return &around_->resumptions;
  for (const named_mark& each : around_->marks) {
    if (path == "marks." + each.name + ".count") return &each.count;
  }
  return nullptr;
}

// ---- checkpoints

std::string program_workload::save() const {
  if (!around_->recording) {
    throw error(
        fmt::format("the programs of this run cannot be checkpointed: they have seen more "
                    "words than workload.program.replay_limit = {} bytes keeps; raise it",
                    around_->config.replay_limit));
  }
  std::vector<program_state> states;
  std::vector<std::vector<std::uint8_t>> recorded;
  for (const auto& each : elements_) {
    states.push_back(each->state());
    recorded.push_back(each->recorded());
  }
  const program_surroundings& a = *around_;
  processing_elements elements = a.elements;
  elements.forget_order();
  return save_state(elements, a.now, a.last_progress, a.recorded_bytes, a.finished, a.references,
                    a.polls, a.resumptions, a.marks, a.samples, a.intervals, a.measured_from,
                    a.of_elements, a.interrupts, stopped_, states, recorded);
}

void program_workload::restore(const std::string& state) {
  std::vector<program_state> states;
  std::vector<std::vector<std::uint8_t>> recorded;
  program_surroundings& a = *around_;
  restore_state(state, a.elements, a.now, a.last_progress, a.recorded_bytes, a.finished,
                a.references, a.polls, a.resumptions, a.marks, a.samples, a.intervals,
                a.measured_from, a.of_elements, a.interrupts, stopped_, states, recorded);
  if (states.size() != elements_.size() || recorded.size() != elements_.size()) {
    throw input_error("checkpoint does not fit: it has programs on another number of elements");
  }
  a.recording = true;
  make_elements();
  make_stacks();
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    elements_[i]->replay(states[i], std::move(recorded[i]), *program_, *stacks_);
  }
}

// ---- the report about a standstill

std::string program_workload::waiting_report(cycle_t now, const memory_port& ports) const {
  std::string text = fmt::format("In cycle {}, of {} programs {} have ended.", now,
                                 elements_.size(), around_->finished);
  std::array<std::size_t, program_activity_count> others{};
  std::size_t told = 0;
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    const program_activity activity = elements_[i]->state().activity;
    if (activity == program_activity::finished) continue;
    if (told < elements_in_full) {
      ++told;
      text += "\n" + describe(i, ports);
    } else {
      ++others[static_cast<std::size_t>(activity)];
    }
  }
  const auto also = [&](program_activity activity, const char* verb) {
    const std::size_t count = others[static_cast<std::size_t>(activity)];
    if (count != 0) text += fmt::format("\n  and {} more {}", count, verb);
  };
  also(program_activity::spinning, "spin");
  also(program_activity::waiting, "wait for a reply");
  also(program_activity::fencing, "wait at a fence");
  also(program_activity::delaying, "delay");
  also(program_activity::blocked, "wait for room");
  also(program_activity::not_started, "have not started");
  return text;
}

std::string program_workload::describe(std::size_t element, const memory_port& ports) const {
  const program_state& state = elements_[element]->state();
  std::string text = fmt::format("  element {}{} ", element, place_of(element));
  if (state.activity == program_activity::not_started) return text + "has not started";
  if (state.activity == program_activity::delaying) {
    text += fmt::format("delays since cycle {}", state.since);
  }
  if (state.activity == program_activity::fencing) {
    text += fmt::format("waits at a fence for {} replies since cycle {}", state.unanswered,
                        state.since);
  }
  if (state.activity == program_activity::blocked) {
    text += fmt::format("waits for room at its port since cycle {}", state.since);
  }
  for (std::size_t i = 0; i < state.open.size(); ++i) {
    const program_reference& open = state.open[i];
    if (open.number != state.awaited || waits_for_none(state.activity)) continue;
    const address_region* const region = around_->map.region_of(open.address);
    const bool spins = state.activity == program_activity::spinning;
    const std::string place =
        region == nullptr ? "in no region"
                          : fmt::format("region \"{}\", module {}", region->name,
                                        index(around_->map.module_of(*region, open.address)));
    text += fmt::format("{} {} of address {} ({}) since cycle {}",
                        spins ? "spins on a" : "waits for the reply to", name_of(open.op),
                        open.address, place, state.since);
    if (spins) text += fmt::format(", {} polls, last value {}", state.polls, state.last_value);
  }
  text += fmt::format("; {} of its requests in the network, {} before it",
                      ports.outstanding(element), ports.waiting(element));
  if (state.last_mark != program_state::no_mark) {
    text += fmt::format("; after its mark \"{}\" of cycle {}", around_->marks[state.last_mark].name,
                        state.marked[state.last_mark]);
  }
  return text;
}

}  // namespace tributary
