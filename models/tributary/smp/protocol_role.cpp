// SPDX-License-Identifier: Apache-2.0
#include <tributary/smp/protocol_role.h>

#include <algorithm>

#include <fmt/format.h>

#include <tributary/sim/error.h>
#include <tributary/sim/state_archive.h>
#include <tributary/smp/smp_events.h>
#include <tributary/trace/catalog.h>

namespace tributary {
namespace {

// Wake-ups, the processor in the bits above.
constexpr std::uint64_t submitted = 0;   // its entry is written, and another processor acts
constexpr std::uint64_t own_ready = 1;   // the same, and it acts itself
constexpr std::uint64_t role_taken = 2;  // it can run handlers
constexpr std::uint64_t handler_begins = 3;
constexpr std::uint64_t reaches = 4;  // the interrupt has been delivered
constexpr std::uint64_t is_back = 5;  // in its program, as of the next cycle
constexpr std::uint64_t programs_stop = 6;
constexpr unsigned kind_bits = 3;

}  // namespace

protocol_role::protocol_role(const smp_node_config& config, agenda& time, node_id here,
                             const jump_table& table, protocol_thread& thread,
                             const random_stream& draws)
    : config_(config),
      agenda_(time),
      here_(here),
      table_(table),
      thread_(thread),
      schedule_(config.schedule, config.readings, config.processors),
      arbiter_(config.processors, config.masked_interrupts),
      all_(config.processors),
      draws_(draws) {
  for (processor_state& each : all_) each.cycles.resize(processor_duties);
  agenda_.enroll(*this);
}

void protocol_role::wake_at(cycle_t at, std::uint64_t kind, std::uint32_t processor) {
  agenda_.wake(*this, at, kind | std::uint64_t{processor} << kind_bits);
}

void protocol_role::serve(role_service what, std::uint64_t cycles, std::uint64_t kind,
                          std::uint32_t processor, cycle_t now) {
  if (services_ == nullptr) {
    wake_at(now + cycles, kind, processor);
    return;
  }
  const message& about =
      what == role_service::dispatch ? queue_.front().header : all_[processor].own.header;
  services_->serve(what, processor, about, cycles, kind | std::uint64_t{processor} << kind_bits,
                   now);
}

void protocol_role::wake(cycle_t now, std::uint64_t tag) {
  const auto processor = static_cast<std::uint32_t>(tag >> kind_bits);
  if (processor >= all_.size()) {
    throw simulation_error(
        fmt::format("node {} in cycle {}: a wake-up for no processor", index(here_), now));
  }
  switch (tag & ((1U << kind_bits) - 1)) {
    case submitted:
      push(all_[processor].own.header, now);
      break;
    case own_ready:
      push(all_[processor].own.header, now);
      run_next(processor, now);
      break;
    case role_taken:
      run_next(processor, now);
      break;
    case handler_begins:
      start_handler(now);
      break;
    case reaches:
      if (schedule_.duty(processor) != processor_duty::interrupted) {
        processors_->go_on(processor, 0, now);  // the programs were stopped
      } else if (on(schedule_event::delivered, processor, now) == schedule_action::take_role) {
        take_role(processor, now);
      } else {
        ++in_vain_;
        wake_at(now + std::max<std::uint64_t>(return_cycles(), 1) - 1, is_back, processor);
      }
      break;
    case programs_stop:
      let_all_rest(now);
      break;
    default:
      come_back(processor, now);
      break;
  }
}

void protocol_role::come_back(std::uint32_t processor, cycle_t now) {
  const bool kept = schedule_.acting() == processor;
  on(schedule_event::resumed, processor, now);
  own_request& own = all_[processor].own;
  if (all_[processor].rests) on(schedule_event::rest, processor, now);
  if (kept) schedule_.release_role();
  if (own.asks_again) {
    ++again_;
    processors_->ask_again(processor, now);
  } else {
    if (own.open) round_trips_.add(now + 1 - own.since);
    own.open = false;
    processors_->go_on(processor, own.value, now);
  }
  look(now);
}

schedule_action protocol_role::on(schedule_event event, std::uint32_t processor, cycle_t now) {
  processor_state& state = all_[processor];
  const processor_duty before = schedule_.duty(processor);
  const schedule_action action = step(event, processor, now);
  if (schedule_.duty(processor) == before) return action;
  state.cycles[static_cast<std::size_t>(before)].add(measured(state, now));
  if (trace_.on() && now > state.duty_since) {
    trace_.add(smp_events::duty_event(before, state.duty_since, now - 1), processor);
  }
  state.duty_since = now;
  return action;
}

schedule_action protocol_role::step(schedule_event event, std::uint32_t processor, cycle_t now) {
  try {
    return schedule_.on(event, processor);
  } catch (const simulation_error& broken) {
    throw simulation_error(
        fmt::format("node {} in cycle {}: {}", index(here_), now, broken.what()));
  }
}

// --- what processors ask for ---------------------------------------------------------------------

void protocol_role::request(std::uint32_t processor, const message& header, cycle_t now) {
  own_request& own = all_[processor].own;
  const cycle_t since = own.asks_again ? own.since : now;
  own = {};
  own.open = true;
  own.header = header;
  own.since = since;
  if (schedule_.duty(processor) == processor_duty::interrupted) ++withdrawn_;
  const schedule_action action = on(schedule_event::request, processor, now);
  const std::uint64_t submit = varied(config_.costs.submit);
  if (action == schedule_action::take_role) {
    ++taken_;
    starting_ = true;
    serve(role_service::take_role_and_submit, config_.costs.acquire + submit, own_ready, processor,
          now);
  } else {
    serve(role_service::submit, submit, submitted, processor, now);
  }
}

void protocol_role::delivered(std::uint32_t processor, cycle_t now) {
  if (schedule_.duty(processor) != processor_duty::interrupted) {
    processors_->go_on(processor, 0, now);  // it was withdrawn
    return;
  }
  // The cycle in which the program noticed is one of the delivery's.
  wake_at(now + std::max<std::uint64_t>(config_.costs.delivery(), 1) - 1, reaches, processor);
}

void protocol_role::rest(std::uint32_t processor, cycle_t now) {
  if (schedule_.duty(processor) == processor_duty::interrupted) ++withdrawn_;
  all_[processor].rests = true;
  on(schedule_event::rest, processor, now);
  look(now);
}

void protocol_role::stop(cycle_t now) { wake_at(now + 1, programs_stop, 0); }

void protocol_role::let_all_rest(cycle_t now) {
  for (std::uint32_t i = 0; i < config_.computing(); ++i) {
    if (all_[i].rests) continue;
    all_[i].rests = true;
    if (schedule_.duty(i) == processor_duty::interrupted) ++withdrawn_;
    // The others have something under way, and rest when they are back.
    if (schedule_.knows(schedule_event::rest, i)) on(schedule_event::rest, i, now);
  }
  look(now);
}

void protocol_role::work(std::uint32_t processor, cycle_t now) {
  all_[processor].rests = false;
  if (!acts(schedule_.duty(processor))) {
    on(schedule_event::work, processor, now);
    processors_->go_on(processor, 0, now);
  } else if (starting_ || thread_.running()) {
    all_[processor].works_next = true;
  } else {
    on(schedule_event::work, processor, now);
    leave(processor, role_service::give_up_role, config_.costs.resume, now);
  }
}

// --- what waits ----------------------------------------------------------------------------------

void protocol_role::arrived(const network_message& message, cycle_t now) {
  push(thread_.take_in(message), now);
}

void protocol_role::push(const message& header, cycle_t now, handler_id run) {
  queue_.push({header, now, run});
  lengths_.add(queue_.size());
  const std::optional<std::uint32_t> acting = schedule_.acting();
  if (!acting) {
    look(now);
  } else if (acts(schedule_.duty(*acting)) && !starting_ && !thread_.running()) {
    run_next(*acting, now);
  }
}

void protocol_role::look(cycle_t now) {
  if (queue_.empty() || schedule_.acting()) return;
  if (const std::optional<std::uint32_t> idle = schedule_.idle_processor()) {
    on(schedule_event::chosen, *idle, now);
    take_role(*idle, now);
    return;
  }
  if (schedule_.drafts()) return;
  const std::optional<std::uint32_t> drafted =
      arbiter_.choose([&](std::uint32_t each) { return schedule_.can_be_drafted(each); });
  if (!drafted) return;  // who comes back looks again
  on(schedule_event::chosen, *drafted, now);
  ++interrupts_;
  ++all_[*drafted].interrupts;
  processors_->interrupt(*drafted, now);
}

// --- who acts ------------------------------------------------------------------------------------

void protocol_role::take_role(std::uint32_t processor, cycle_t now) {
  ++taken_;
  starting_ = true;
  serve(role_service::take_role, config_.costs.acquire, role_taken, processor, now);
}

void protocol_role::run_next(std::uint32_t processor, cycle_t now) {
  starting_ = false;
  if (!queue_.empty()) {
    starting_ = true;
    const bool moved = schedule_.runs_handler(processor);
    if (moved) ++moved_;
    const std::uint64_t overhead =
        is_fixed() ? 0 : config_.costs.activation + (moved ? config_.costs.migration : 0);
    serve(role_service::dispatch, overhead, handler_begins, processor, now);
    return;
  }
  const processor_duty duty = schedule_.duty(processor);
  if (all_[processor].own.is_answered && duty == processor_duty::serving_own) {
    end_request(processor, now);  // it has stayed for the others
  } else if (on(schedule_event::drained, processor, now) == schedule_action::leave) {
    leave(processor, role_service::give_up_role, return_cycles(), now);
  }
}

void protocol_role::start_handler(cycle_t now) {
  starting_ = false;
  const entry first = queue_.front();
  queue_.pop();
  waits_.add(now - first.since);
  ++runs_;
  if (gate_ != nullptr && first.header.origin == message_origin::network) {
    gate_->has_begun(first.header, now);
  }
  thread_.begin(handler_of(first), first.header, now);
}

handler_id protocol_role::handler_of(const entry& waiting) const {
  if (waiting.run != no_handler) return waiting.run;
  const std::optional<jump_table_entry> found = table_.find(waiting.header, true);
  if (!found) {
    throw simulation_error(fmt::format(
        "node {} in cycle {}: no protocol has a handler for a message of type {} at {:#x}",
        index(here_), agenda_.now(), waiting.header.type, waiting.header.address));
  }
  return found->run;
}

void protocol_role::put_off(handler_id run, const message& with, cycle_t now) {
  push(with, now, run);
}

void protocol_role::answered(std::uint8_t tag, word_t value, cycle_t now) {
  take_answer(asked_by(tag, false, now), value);
}

/// The access is done while it is allowed, as the next message may forbid it again.
void protocol_role::line_came(std::uint8_t tag, cycle_t now) {
  own_request& own = asked_by(tag, true, now);
  const std::optional<word_t> found = processors_->try_again(tag);
  take_answer(own, found.value_or(0));
  own.asks_again = !found;
}

void protocol_role::take_answer(own_request& own, word_t value) {
  own.is_answered = true;
  own.value = value;
}

protocol_role::own_request& protocol_role::asked_by(std::uint8_t tag, bool for_block, cycle_t now) {
  const auto fail = [&](const char* problem) {
    throw simulation_error(fmt::format("node {} in cycle {}: an answer came for processor {}, {}",
                                       index(here_), now, tag, problem));
  };
  if (tag >= all_.size() || !all_[tag].own.open || all_[tag].own.is_answered) {
    fail("which has asked for nothing");
  }
  own_request& own = all_[tag].own;
  const auto type = static_cast<common_type>(own.header.type);
  const bool faulted = type == common_type::line_read || type == common_type::line_read_exclusive;
  if (faulted && !for_block) fail("which waits for a block: send it a reply to caches");
  if (!faulted && for_block) fail("which waits for no block: answer it");
  return own;
}

void protocol_role::handler_ended(cycle_t now) {
  const std::uint32_t processor = *schedule_.acting();
  if (trace_.on()) {
    trace_.add(smp_events::handler_event(thread_, now), processor);
  }
  // A store is complete when its handler has ended.
  const message& header = thread_.header();
  if (header.origin == message_origin::processor &&
      header.type == static_cast<std::uint8_t>(common_type::uncached_write)) {
    answered(header.tag, 0, now);
  }
  end_other_requests(processor, now);
  processor_state& state = all_[processor];
  const processor_duty duty = schedule_.duty(processor);
  if (duty == processor_duty::serving_own && state.own.is_answered &&
      (config_.readings.leaves_full_queue || queue_.empty())) {
    end_request(processor, now);
  } else if (duty == processor_duty::serving_drafted && !config_.readings.drains) {
    on(schedule_event::drained, processor, now);
    leave(processor, role_service::give_up_role, return_cycles(), now);
  } else if (state.works_next) {
    state.works_next = false;
    on(schedule_event::work, processor, now);
    leave(processor, role_service::give_up_role, config_.costs.resume, now);
  } else {
    run_next(processor, now);
  }
}

void protocol_role::end_other_requests(std::uint32_t acting, cycle_t now) {
  for (std::uint32_t i = 0; i < all_.size(); ++i) {
    if (i != acting && all_[i].own.is_answered && schedule_.duty(i) == processor_duty::waiting) {
      end_request(i, now);
    }
  }
}

void protocol_role::end_request(std::uint32_t processor, cycle_t now) {
  const bool acted = acts(schedule_.duty(processor));
  on(schedule_event::answered, processor, now);
  leave(processor, acted ? role_service::resume_own : role_service::resume,
        varied(config_.costs.resume), now);
}

void protocol_role::leave(std::uint32_t processor, role_service how, std::uint64_t until_back,
                          cycle_t now) {
  // The program knows of it a cycle later.
  serve(how, std::max<std::uint64_t>(until_back, 1) - 1, is_back, processor, now);
  look(now);
}

// --- reports -------------------------------------------------------------------------------------

std::string protocol_role::open_requests() const {
  std::string text;
  for (std::uint32_t i = 0; i < all_.size(); ++i) {
    const own_request& own = all_[i].own;
    if (!own.open) continue;
    text += fmt::format(
        "\nnode {}, processor {}, {}: asked in cycle {} by a message of type {} at "
        "{:#x}, and {}",
        index(here_), i, name_of(schedule_.duty(i)), own.since, own.header.type, own.header.address,
        own.is_answered ? "was not resumed" : "no handler has answered");
  }
  return text;
}

bool protocol_role::idle() const {
  return queue_.empty() && !starting_ &&
         std::all_of(all_.begin(), all_.end(), [](const auto& each) { return !each.own.open; });
}

void protocol_role::trace(const trace_scope& scope) {
  trace_ = scope.add({"", "processor", config_.processors});
}

std::uint64_t protocol_role::measured(const processor_state& of, cycle_t until) const {
  const cycle_t from = std::max(of.duty_since, measured_from_ + 1);
  return until > from ? until - from : 0;
}

std::uint64_t protocol_role::cycles_at(std::uint32_t processor, processor_duty duty,
                                       cycle_t last) const {
  const processor_state& of = all_[processor];
  const std::uint64_t open = schedule_.duty(processor) == duty ? measured(of, last + 1) : 0;
  return of.cycles[static_cast<std::size_t>(duty)].value() + open;
}

void protocol_role::reset_statistics() {
  measured_from_ = agenda_.now();
  for (processor_state& each : all_) {
    each.interrupts.reset();
    for (counter& cycles : each.cycles) cycles.reset();
  }
  reset_all(interrupts_, withdrawn_, in_vain_, taken_, moved_, runs_, waits_, lengths_,
            round_trips_, again_);
}

void protocol_role::report(statistics_group& into, std::uint64_t cycles) const {
  into.add("interrupts", interrupts_, "interrupts", "Interrupts of processors that computed.");
  into.add("withdrawn", withdrawn_, "interrupts",
           "Of these, those whose processor had stopped computing before they came.");
  into.add("in_vain", in_vain_, "interrupts",
           "Of these, those that found another processor acting.");
  into.add("taken", taken_, "times", "Times that a processor took the role.");
  into.add("moved", moved_, "handlers", "Handlers that another processor ran than the one before.");
  into.add("handlers", runs_, "handlers", "Handlers that were begun.");
  into.add("wait", waits_, "cycles", "From an entry's arrival in the queue to its handler.");
  into.add("length", lengths_, "entries", "Entries in the queue as each found it, with itself.");
  into.add("round_trip", round_trips_, "cycles",
           "From a processor's request until its program goes on.");
  into.add("again", again_, "requests",
           "Requests that had to be repeated, as what came was not enough.");
  const cycle_t end = measured_from_ + cycles;
  for (std::uint32_t i = 0; i < all_.size(); ++i) {
    statistics_group& group = into.group("processor." + std::to_string(i));
    group.add("interrupts", all_[i].interrupts, "interrupts", "Interrupts that it was given.");
    for (std::size_t at = 0; at < processor_duties; ++at) {
      const auto duty = static_cast<processor_duty>(at);
      group.add(name_of(duty), cycles_at(i, duty, end), "cycles",
                "Cycles in which it was at this.");
    }
  }
}

std::string protocol_role::save() const { return save_state(*this); }
void protocol_role::restore(const std::string& state) {
  restore_state(state, *this);
  bool fits = all_.size() == config_.processors && schedule_.fits(config_.processors);
  for (const processor_state& each : all_) fits = fits && each.cycles.size() == processor_duties;
  require_state(fits, "its nodes have other processors");
}

}  // namespace tributary
