// SPDX-License-Identifier: Apache-2.0
#include <tributary/processor/program_element.h>

#include <algorithm>
#include <utility>

#include <tributary/sim/error.h>

namespace tributary {
namespace {

/// Marks the number of a reference whose reply nobody waits for.
constexpr std::uint64_t posted = std::uint64_t{1} << 63;

[[noreturn]] void differs() {
  throw input_error(
      "checkpoint does not fit: a program does not do what it did before; use the "
      "same version, configuration and seed, and let programs depend on nothing but "
      "their replies");
}

[[noreturn]] void no_word(std::string_view region, std::uint64_t word, std::uint64_t words) {
  throw simulation_error("word " + std::to_string(word) + " is not in region \"" +
                         std::string(region) + "\" (allowed: 0 to " + std::to_string(words - 1) +
                         "); enlarge the region in addresses.regions or use lower words");
}

bool awaits_reply(const program_state& state) {
  return state.activity == program_activity::waiting ||
         state.activity == program_activity::spinning;
}

void check_owner(std::uint32_t owner, std::uint32_t modules) {
  if (owner < modules) return;
  throw simulation_error("memory module " + std::to_string(owner) +
                         " does not exist (allowed: 0 to " + std::to_string(modules - 1) + ")");
}

}  // namespace

program_surroundings::program_surroundings(const program_config& configuration,
                                           const processing_element_config& times,
                                           const address_map& addresses, std::uint64_t seed_of_run)
    : config(configuration),
      map(addresses),
      seed(seed_of_run),
      elements(times, addresses.modules() * configuration.processes, 1, seed_of_run),
      turnaround(times.turnaround),
      posted_stores(times.posted_stores),
      loops_ask_to_write(times.loops_ask_to_write),
      last_progress(times.start_window),
      recording(configuration.replay_limit != 0) {}

const address_region& program_surroundings::region(std::string_view name) const {
  const address_region* const found = map.region_named(name);
  if (found != nullptr) return *found;
  throw simulation_error("a program asks for region \"" + std::string(name) +
                         "\", which the machine does not have; add it to addresses.regions");
}

void program_surroundings::check(std::uint32_t element, const access& request) const {
  if (ports != nullptr) {
    ports->check(element, request);
  } else {
    network_interface::region_of(map, element, request.address);
  }
}

std::vector<std::uint8_t> seen_words::bytes() const {
  std::vector<std::uint8_t> all = stored_;
  all.insert(all.end(), last_, last_ + last_size_);
  return all;
}

void seen_words::assign(std::vector<std::uint8_t> bytes) {
  stored_ = std::move(bytes);
  last_size_ = 0;
}

std::optional<word_t> seen_words::read(std::size_t& at) const {
  word_t word = 0;
  std::uint8_t byte = 0x80;
  for (unsigned shift = 0; (byte & 0x80) != 0; shift += 7) {
    if (at == size() || shift > 63) return std::nullopt;
    byte = (*this)[at++];
    word |= static_cast<word_t>(byte & 0x7f) << shift;
  }
  return word;
}

void seen_words::store() {
  stored_.insert(stored_.end(), last_, last_ + last_size_);
  last_size_ = 0;
}

program_element::program_element(std::uint32_t rank, std::uint32_t size,
                                 program_surroundings& around)
    : program_context(rank, size, around.config.processes),
      around_(around),
      draws_(around.seed, rank, purpose::program) {}

program_element::~program_element() {
  // While everything that the unwinding program may ask for still stands.
  handler_.reset();
  if (fiber_) running_ = &*fiber_;
  fiber_.reset();
}

// ---- what the workload asks for

void program_element::wake(std::uint32_t slot, program& own_program, fiber_stacks& stacks) {
  if (slot != state_.alarm) {
    if (slot < interrupt_slot) return;
    --around_.interrupts;
    state_.raised |= 1U << (slot - interrupt_slot);
    take_interrupts();
    return;
  }
  if (state_.handed_over) {
    hand_over();
    return;
  }
  if (state_.activity == program_activity::not_started) start(own_program, stacks);
  if (state_.activity == program_activity::spinning && polls_again()) return;
  const bool delays = state_.activity == program_activity::delaying;
  if (delays && outside_.look != nullptr && !finds_outside()) return;
  ++around_.resumptions;
  around_.progress(around_.now);
  resume();
}

void program_element::fetch() const {
  constexpr std::size_t line = 64;
  const auto* const end = reinterpret_cast<const char*>(&draws_);
  for (const auto* at = reinterpret_cast<const char*>(this); at < end; at += line) {
    __builtin_prefetch(at, 1);
  }
}

void program_element::fetch_stack() const {
  if (fiber_) fiber_->fetch();
}

void program_element::start(program& own_program, fiber_stacks& stacks) {
  fiber_.emplace(stacks.stack(rank()), [this, &own_program](fiber& own) {
    running_ = &own;
    own_program.run(*this);
  });
}

void program_element::resume() {
  if (state_.in_handler) {
    handler_->resume();
    if (state_.handed_over) hand_over();
    if (handler_->finished()) end_handler();
    return;
  }
  fiber_->resume();
  if (state_.handed_over) hand_over();
  if (fiber_->finished()) {
    fiber_.reset();
    state_.activity = program_activity::finished;
    state_.open.clear();
  } else if (state_.raised != 0) {
    take_interrupts();
  }
}

// ---- interrupts

void program_element::take_interrupts() {
  const bool stops = state_.activity == program_activity::delaying ||
                     state_.activity == program_activity::spinning;
  if (!stops || state_.in_handler || state_.handed_over || outside_.look != nullptr ||
      replaying()) {
    return;
  }
  for (std::uint32_t line = 0; line < handlers_.size(); ++line) {
    const std::uint32_t bit = 1U << line;
    if ((state_.raised & ~state_.masked & bit) == 0 || !serves(line)) continue;
    state_.raised &= ~bit;
    state_.taken.push_back({state_.events, line});
    begin_handler(line);
    return;  // its end looks for more
  }
}

void program_element::begin_handler(std::uint32_t line) {
  state_.stopped = {state_.activity, state_.awaited,    state_.since,
                    state_.polls,    state_.last_value, state_.until - around_.now};
  stopped_predicate_ = predicate_;
  ++state_.alarm;
  state_.in_handler = true;
  if (!handler_stack_) {
    handler_stack_ =
        std::make_unique<fiber_stacks>(1, static_cast<std::size_t>(around_.config.stack));
  }
  handler_.emplace(handler_stack_->stack(0), [this, line](fiber& own) {
    running_ = &own;
    handlers_[line](*this);
  });
  if (!replaying()) around_.progress(around_.now);
  resume();
}

void program_element::end_handler() {
  handler_.reset();
  running_ = &*fiber_;
  state_.in_handler = false;
  const stopped_activity& stopped = state_.stopped;
  state_.activity = stopped.activity;
  state_.awaited = stopped.awaited;
  state_.since = stopped.since;
  state_.polls = stopped.polls;
  state_.last_value = stopped.last_value;
  predicate_ = stopped_predicate_;
  if (replaying()) return;
  if (stopped.activity == program_activity::delaying) {
    state_.until = around_.now + stopped.rest;
    wake_at(state_.until);
    around_.progress(state_.until);
  } else {
    const cycle_t usable = state_.open[find(state_.awaited)].usable;
    if (usable <= around_.now) {
      if (!polls_again()) {
        resume();
        return;
      }
    } else if (usable != never) {
      wake_at(usable);
    }
  }
  if (state_.raised != 0) take_interrupts();
}

bool program_element::replay_interrupts() {
  if (state_.in_handler) return false;
  while (replaying() && replayed_interrupts_ < replayed_->taken.size() &&
         replayed_->taken[replayed_interrupts_].event == state_.events) {
    const std::uint32_t line = replayed_->taken[replayed_interrupts_++].line;
    if (!serves(line)) differs();
    begin_handler(line);
    if (!state_.in_handler) continue;
    fiber_->suspend();  // with the activity of the handler
    return true;
  }
  return false;
}

void program_element::interrupts(std::uint32_t line,
                                 std::function<void(program_context&)> handler) {
  if (line >= interrupt_lines) {
    throw simulation_error("interrupt line " + std::to_string(line) +
                           " does not exist (allowed: 0 to " + std::to_string(interrupt_lines - 1) +
                           ")");
  }
  if (handlers_.size() <= line) handlers_.resize(line + 1);
  handlers_[line] = std::move(handler);
}

void program_element::mask(std::uint32_t line) {
  if (line < interrupt_lines) state_.masked |= 1U << line;
}

void program_element::unmask(std::uint32_t line) {
  if (line < interrupt_lines) state_.masked &= ~(1U << line);
}

bool program_element::polls_again() {
  const std::size_t at = find(state_.awaited);
  program_reference& polled = state_.open[at];
  state_.last_value = polled.value;
  ++state_.polls;
  ++around_.polls;
  if (!around_.of_elements.empty()) {
    ++around_.of_elements[rank()].polls;
    count_wait(around_.of_elements[rank()].since);
  }
  try {
    if (!(*predicate_)(polled.value)) {
      polled.usable = never;
      if (around_.parked != nullptr && around_.interrupts == 0 &&
          around_.parked->park(rank(), *this, access_of(polled, 0, 0), polled.value, around_.now)) {
        return true;
      }
      state_.handed_over = true;
      state_.e = 0;
      state_.f = 0;
      hand_over();
      return true;
    }
  } catch (...) {
    predicate_failure_ = std::current_exception();
  }
  take(at);
  return false;
}

void program_element::go_on_polling(const parked_polls& polls) {
  state_.polls += polls.looks;
  around_.polls.add(polls.looks);
  around_.references.add(polls.offered);
  if (polls.delivered != 0) state_.answers_usable = polls.last_delivery + around_.turnaround;
  if (!around_.of_elements.empty()) {
    element_statistics& own = around_.of_elements[rank()];
    own.references.add(polls.offered);
    own.polls.add(polls.looks);
    if (polls.looks != 0) own.latency.add(polls.period, polls.looks);
    own.since = polls.last_offer;
    around_.count_wake(rank(), polls.last_offer, polls.cycles_a_turn);
  }
  if (polls.outstanding()) {
    state_.unanswered = 1;
    return;
  }
  const cycle_t usable = polls.last_delivery + around_.turnaround;
  state_.open[find(state_.awaited)].usable = usable;
  wake_at(usable);
}

void program_element::room(cycle_t now) {
  if (!state_.awaits_room) return;
  state_.awaits_room = false;
  wake_at(now);
}

void program_element::deliver(const completion& response, cycle_t now) {
  state_.answers_usable = now + around_.turnaround;
  --state_.unanswered;
  if (state_.activity == program_activity::fencing) {
    around_.progress(state_.answers_usable);
    if (is_settled()) end_fence(state_.answers_usable);
  }
  const bool wanted = (response.tag & posted) == 0;
  if (!wanted || state_.activity == program_activity::finished) return;
  program_reference& reference = state_.open[find(response.tag)];
  reference.value = response.value;
  reference.usable = now + around_.turnaround;
  if (!awaits_reply(state_) || response.tag != state_.awaited) return;
  wake_at(reference.usable);
  if (state_.activity == program_activity::waiting) around_.progress(reference.usable);
}

void program_element::settled(cycle_t now) {
  if (state_.activity != program_activity::fencing || state_.unanswered != 0) return;
  end_fence(std::max(now, state_.answers_usable));
}

void program_element::end_fence(cycle_t usable) {
  if (state_.fence_ends) return;
  state_.fence_ends = true;
  around_.progress(usable);
  wake_at(usable);
}

/// Whether no reference is under way, for anybody.
bool program_element::is_settled() const {
  return state_.unanswered == 0 && around_.ports->incomplete_stores(rank()) == 0;
}

void program_element::abandon() {
  if (handler_) handler_->abandon();
  if (fiber_) fiber_->abandon();
}

void program_element::replay(const program_state& state, std::vector<std::uint8_t> recorded,
                             program& own_program, fiber_stacks& stacks) {
  recorded_.assign(std::move(recorded));
  if (state.activity != program_activity::not_started) {
    replayed_ = &state;
    start(own_program, stacks);
    resume();
    replayed_ = nullptr;
    const bool same = state_.activity == state.activity && state_.events == state.events &&
                      state_.next_number == state.next_number && replay_at_ == recorded_.size() &&
                      (!awaits_reply(state) || state_.awaited == state.awaited);
    if (!same) differs();
  }
  state_ = state;
}

// ---- what the program asks for

access_kind program_element::kind_of(operation op, std::uint64_t address) const {
  const bool changes =
      op != operation::load && op != operation::store && op != operation::narrow_store;
  if (!changes || around_.ports == nullptr || !around_.ports->serves_pairs()) {
    return access_kind::word;
  }
  return around_.ports->performs_operations(address) ? access_kind::operation
                                                     : access_kind::load_linked;
}

word_t program_element::loop(operation op, std::uint64_t address, word_t e, word_t f) {
  const word_function change = function_of(op, e, f);
  while (!running_->cancelled()) {
    if (around_.loops_ask_to_write) refer(access_kind::prefetch_exclusive, address, 0);
    const word_t old = refer(access_kind::load_linked, address, 0);
    if (op == operation::compare_and_swap && old != e) return old;
    if (refer(access_kind::store_conditional, address, apply(change, old)) != 0) return old;
  }
  return 0;
}

word_t program_element::refer(access_kind kind, std::uint64_t address, word_t value) {
  if (around_.ports == nullptr || !around_.ports->serves_pairs()) {
    throw simulation_error(std::string("a program asks for ") + name_of(kind) +
                           ", and the processors of this machine have no caches");
  }
  const bool stores = kind == access_kind::store_conditional;
  program_reference asked;
  asked.op = stores ? operation::store : operation::load;
  asked.kind = kind;
  asked.address = address;
  return perform_reference(asked, value, 0);
}

word_t program_element::perform(operation op, std::uint64_t address, word_t e, word_t f) {
  program_reference asked;
  asked.op = op;
  asked.kind = kind_of(op, address);
  if (asked.kind == access_kind::load_linked) return loop(op, address, e, f);
  asked.address = address;
  return perform_reference(asked, e, f);
}

word_t program_element::perform_reference(program_reference asked, word_t e, word_t f) {
  asked.number = state_.next_number++;
  if (replaying() || running_->cancelled()) {
    await_room(asked.number);
    if (!running_->cancelled()) {
      offer(asked, e, f);
      state_.open.push_back(asked);
    }
    return wait_for({asked.number}, true);
  }
  // What offers it cannot throw here. Interfaces that are stepped perform every function.
  if (around_.of_elements.empty()) {
    network_interface::region_of(around_.map, rank(), asked.address);
  } else {
    around_.check(rank(), access_of(asked, e, f));
  }
  const std::size_t at = state_.open.size();
  state_.open.push_back(asked);
  // What offers it needs no lines of the program's stack then.
  state_.handed_over = true;
  state_.e = e;
  state_.f = f;
  state_.awaited = asked.number;
  suspend(program_activity::waiting);
  if (running_->cancelled()) return 0;
  if (!around_.of_elements.empty()) count_wait(around_.of_elements[rank()].since);
  return record(take(at));
}

pending program_element::issue(operation op, std::uint64_t address, word_t e, word_t f) {
  program_reference asked;
  asked.op = op;
  asked.address = address;
  asked.kind = kind_of(op, address);
  if (asked.kind == access_kind::load_linked) {
    // Nothing is under way when the loop has ended.
    asked.value = loop(op, address, e, f);
    asked.usable = 0;
    asked.number = state_.next_number++;
    if (!running_->cancelled()) state_.open.push_back(asked);
    return {asked.number};
  }
  asked.number = state_.next_number++;
  await_room(asked.number);
  if (!running_->cancelled()) {
    offer(asked, e, f);
    state_.open.push_back(asked);
  }
  return {asked.number};
}

void program_element::post(operation op, std::uint64_t address, word_t e, word_t f) {
  program_reference asked;
  asked.kind = kind_of(op, address);
  if (asked.kind == access_kind::load_linked) {
    loop(op, address, e, f);
    return;
  }
  asked.number = posted | state_.posts++;
  asked.op = op;
  asked.address = address;
  await_room(asked.number);
  if (!running_->cancelled()) offer(asked, e, f);
}

word_t program_element::wait(const pending& reference) { return wait_for(reference, false); }

word_t program_element::wait_for(const pending& reference, bool since_offer) {
  const std::size_t at = running_->cancelled() ? 0 : find(reference.number);
  if (answered_from_record()) {
    take(at);
    return next_recorded();
  }
  state_.awaited = reference.number;
  if (!replaying() && !running_->cancelled()) {
    const cycle_t usable = state_.open[at].usable;
    if (usable <= around_.now) {
      count_wait(around_.now);
      return record(take(at));
    }
    if (usable != never) {
      wake_at(usable);
      around_.progress(usable);
    }
  }
  suspend(program_activity::waiting);  // nothing is taken meanwhile
  if (running_->cancelled()) return 0;
  const bool counts_from_offer = since_offer && !around_.of_elements.empty();
  count_wait(counts_from_offer ? around_.of_elements[rank()].since : state_.since);
  return record(take(at));
}

void program_element::fence() {
  if (!answered_from_record()) {
    state_.fence_ends = false;
    const bool live = !replaying() && !running_->cancelled();
    const bool answered = live && is_settled();
    if (answered && state_.answers_usable <= around_.now) {
      ++state_.events;
      return;
    }
    if (answered) end_fence(state_.answers_usable);
    suspend(program_activity::fencing);
  }
  ++state_.events;
}

word_t program_element::spin_until(std::uint64_t address, const word_predicate& predicate) {
  const std::uint64_t number = issue(operation::load, address, 0, 0).number;
  predicate_ = predicate;
  state_.polls = 0;
  state_.last_value = 0;
  state_.awaited = number;
  if (!replay_interrupts()) {
    if (answered_from_record()) {
      predicate_.reset();
      take(find(number));
      return next_recorded();
    }
    suspend(program_activity::spinning);
  }
  predicate_.reset();
  if (running_->cancelled()) return 0;
  if (predicate_failure_) std::rethrow_exception(std::exchange(predicate_failure_, nullptr));
  return record(state_.last_value);
}

word_t program_element::outside(std::uint64_t period,
                                const std::function<std::optional<word_t>()>& look) {
  if (answered_from_record()) return next_recorded();
  if (running_->cancelled()) return 0;
  outside_ = {&look, period, std::nullopt};
  if (replaying() || !finds_outside()) suspend(program_activity::delaying);
  outside_.look = nullptr;
  return running_->cancelled() ? 0 : record(*outside_.found);
}

bool program_element::finds_outside() {
  outside_.found = (*outside_.look)();
  if (outside_.found) return true;
  wake_at(around_.now + outside_.period);
  around_.progress(around_.now + outside_.period);
  return false;
}

void program_element::delay(std::uint64_t cycles) {
  if (cycles == 0) return;
  if (!replay_interrupts() && !answered_from_record()) {
    if (!replaying() && !running_->cancelled()) {
      state_.until = cycles < never - around_.now ? around_.now + cycles : never;
      wake_at(state_.until);
      around_.progress(state_.until);
    }
    suspend(program_activity::delaying);
  }
  ++state_.events;
}

std::uint64_t program_element::random(std::uint64_t n) {
  const std::uint64_t drawn = draws_.below(n);
  delay(around_.config.random_cycles);
  return drawn;
}

cycle_t program_element::now() {
  if (answered_from_record()) return next_recorded();
  if (running_->cancelled()) return 0;
  if (replaying()) differs();
  return record(around_.now);
}

std::uint64_t program_element::shared_address(std::uint64_t word) const {
  const address_region& region = around_.region("shared");
  const std::uint64_t words = region.size / word_bytes;
  if (word >= words) no_word(region.name, word, words);
  return around_.map.word(region, word);
}

std::uint64_t program_element::shared_address(mm_id module, std::uint64_t row) const {
  const address_region& region = around_.region("shared");
  const std::uint64_t rows = around_.map.rows(region);
  if (row >= rows) no_word(region.name, row, rows);
  check_owner(index(module), around_.map.modules());
  return around_.map.address_in(region, module, row);
}

std::uint64_t program_element::local_address(pe_id owner, std::uint64_t word) const {
  const address_region& region = around_.region("local");
  const std::uint64_t words = local_words(around_.map.rows(region), processes());
  if (word >= words) no_word(region.name, word, words);
  const std::uint32_t module = index(owner) / processes();
  check_owner(module, around_.map.modules());
  const std::uint64_t first = index(owner) % processes() * words;
  return around_.map.address_in(region, mm_id{module}, first + word);
}

// Names are looked at while a program is replayed too, since it may go on after an error.

void program_element::mark(std::string_view name) {
  if (running_->cancelled()) return;
  const std::size_t at = program_surroundings::find_or_add(around_.marks, name);
  if (replaying()) return;
  ++around_.marks[at].count;
  if (state_.marked.size() <= at) state_.marked.resize(at + 1);
  if (state_.marked[at] != 0) around_.marks[at].between.add(around_.now - state_.marked[at]);
  state_.marked[at] = around_.now;
  state_.last_mark = static_cast<std::uint32_t>(at);
}

void program_element::begin(std::string_view name) {
  if (running_->cancelled()) return;
  const std::size_t at = program_surroundings::find_or_add(around_.intervals, name);
  if (state_.begun.size() <= at) state_.begun.resize(at + 1);
  if (state_.begun[at] != 0) refuse_beginning(name);
  state_.begun[at] = around_.now;
  if (replaying() || around_.interval_observers.empty()) return;
  around_.interval_observers.notify({rank(), name, around_.now});
}

void program_element::end(std::string_view name) {
  if (running_->cancelled()) return;
  const std::size_t at = program_surroundings::find_or_add(around_.intervals, name);
  if (at >= state_.begun.size() || state_.begun[at] == 0) refuse_end(name);
  const cycle_t first = std::exchange(state_.begun[at], 0);
  if (replaying()) return;
  named_intervals& all = around_.intervals[at];
  all.cycles.add(around_.now - first);
  all.distribution.add(around_.now - first);
  if (around_.interval_observers.empty()) return;
  around_.interval_observers.notify({rank(), name, first, around_.now});
}

void program_element::sample(std::string_view name, std::uint64_t value) {
  if (running_->cancelled()) return;
  const std::size_t at = program_surroundings::find_or_add(around_.samples, name);
  if (replaying()) return;
  around_.samples[at].values.add(value);
}

// ---- the pieces

void program_element::suspend(program_activity activity) {
  state_.activity = activity;
  state_.since = around_.now;
  running_->suspend();
}

void program_element::offer(const program_reference& asked, word_t e, word_t f) {
  const access request = access_of(asked, e, f);
  if (replaying()) {
    around_.check(rank(), request);  // throws where it threw
    return;
  }
  around_.ports->offer(rank(), request, around_.now);
  ++around_.references;
  ++state_.unanswered;
  if (around_.of_elements.empty()) return;
  ++around_.of_elements[rank()].references;
  around_.of_elements[rank()].since = around_.now;
}

access program_element::access_of(const program_reference& asked, word_t e, word_t f) const {
  access request;
  request.address = asked.address;
  request.function = function_of(asked.op, e, f);
  request.kind = asked.kind;
  request.tag = asked.number;
  request.purpose = purpose();
  request.posted =
      asked.op == operation::store && around_.posted_stores && asked.kind == access_kind::word;
  return request;
}

void program_element::hand_over() {
  if (!around_.ports->can_take(rank())) {
    state_.awaits_room = true;
    return;
  }
  state_.handed_over = false;
  // Operands that nobody needs any more are no part of a state.
  const word_t e = std::exchange(state_.e, 0);
  offer(state_.open[find(state_.awaited)], e, std::exchange(state_.f, 0));
}

void program_element::await_room(std::uint64_t number) {
  const bool was_blocked = stops_blocked(number) && !answered_from_record();
  if (running_->cancelled() || (replaying() && !was_blocked)) return;
  if (!replaying() && around_.ports->can_take(rank())) return;
  state_.awaited = number;
  do {
    state_.awaits_room = true;
    suspend(program_activity::blocked);
  } while (!running_->cancelled() && !around_.ports->can_take(rank()));
}

void program_element::count_wait(cycle_t since) {
  if (around_.of_elements.empty()) return;
  around_.of_elements[rank()].latency.add(around_.now - since);
}

std::size_t program_element::find(std::uint64_t number) const {
  for (std::size_t i = 0; i < state_.open.size(); ++i) {
    if (state_.open[i].number == number) return i;
  }
  throw simulation_error("reference " + std::to_string(number) +
                         " is not open: it was waited for before, or belongs to another element");
}

word_t program_element::take(std::size_t at) {
  const word_t value = state_.open[at].value;
  state_.open.erase(at);
  return value;
}

word_t program_element::next_recorded() {
  const std::optional<word_t> word = recorded_.read(replay_at_);
  if (!word) differs();
  ++state_.events;
  return *word;
}

word_t program_element::record(word_t seen) {
  ++state_.events;
  if (!around_.recording) return seen;
  around_.recorded_bytes += recorded_.append(seen);
  return seen;
}

}  // namespace tributary
