// SPDX-License-Identifier: Apache-2.0
// One program on one processing element: its fiber, its references and the words it has seen.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <tributary/memory/address_map.h>
#include <tributary/memory/port.h>
#include <tributary/nic/network_interface.h>
#include <tributary/processor/processing_elements.h>
#include <tributary/processor/program.h>
#include <tributary/processor/program_workload.h>
#include <tributary/processor/spinner_parking.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/fiber.h>
#include <tributary/sim/observer.h>
#include <tributary/sim/random_stream.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>

namespace tributary {

/// Samples of one name. What a program names itself stands in the order in which the names first
/// appeared.
struct named_average {
  std::string name;
  average values;

  TRIBUTARY_STATE(name, values);
};

/// Marks of one name.
struct named_mark {
  std::string name;
  counter count;
  average between;  ///< cycles from an element passing it to its passing it again

  TRIBUTARY_STATE(name, count, between);
};

/// Intervals of one name.
struct named_intervals {
  std::string name;
  average cycles;
  histogram distribution{16, 4096};

  TRIBUTARY_STATE(name, cycles, distribution);
};

/// What is counted of one element's program, where a machine wants it of each.
struct element_statistics {
  counter references;
  counter polls;
  average latency;    ///< from waiting for a reference to going on
  cycle_t since = 0;  ///< of the awaited reference

  TRIBUTARY_STATE(references, polls, latency, since);
};

/// What the programs of one workload share.
struct program_surroundings {
  program_surroundings(const program_config& configuration, const processing_element_config& times,
                       const address_map& addresses, std::uint64_t seed_of_run);

  /// An element's program was woken in cycle `when`, among polls that were not simulated; it was
  /// the last one if none was woken in a later turn.
  void count_wake(std::uint32_t element, cycle_t when, std::uint64_t cycles_a_turn) {
    const auto turn = [&](cycle_t cycle) { return cycle / cycles_a_turn; };
    if (std::tuple(turn(when), element, when) < std::tuple(turn(now), last_woken, now)) return;
    now = when;
    last_woken = element;
  }
  /// Something happened, or will in cycle `when`, that lets a program go on.
  void progress(cycle_t when) { last_progress = when > last_progress ? when : last_progress; }
  /// Index of the mark, sample or interval of that name, made if it is new.
  template <class Named>
  static std::size_t find_or_add(std::vector<Named>& among, std::string_view name) {
    std::size_t at = 0;
    while (at < among.size() && among[at].name != name) ++at;
    if (at == among.size()) {
      check_program_name(name);
      among.emplace_back();
      among.back().name = name;
    }
    return at;
  }
  const address_region& region(std::string_view name) const;
  /// Throws what the port throws; before the first cycle, what network interfaces throw.
  void check(std::uint32_t element, const access& request) const;

  program_config config;
  const address_map& map;
  std::uint64_t seed;
  processing_elements elements;
  std::uint32_t turnaround;
  bool posted_stores;
  bool loops_ask_to_write;
  memory_port* ports = nullptr;       // while programs run
  spinner_parking* parked = nullptr;  // null: none is parked
  cycle_t now = 0;
  std::uint32_t last_woken = 0;  // the element
  cycle_t last_progress;
  bool recording;
  std::uint64_t recorded_bytes = 0;

  std::uint32_t finished = 0;
  counter references;
  counter polls;
  counter resumptions;
  std::vector<named_mark> marks;
  std::vector<named_average> samples;
  std::vector<named_intervals> intervals;
  cycle_t measured_from = 0;
  std::uint64_t interrupts = 0;                 // to come; none is parked then
  std::vector<element_statistics> of_elements;  // empty: not asked for
  observer_list<program_interval> interval_observers;
};

/// What a program is doing between two cycles.
enum class program_activity : std::uint8_t {
  not_started,
  waiting,
  spinning,
  delaying,
  fencing,
  blocked,  ///< by a port that takes no more
  finished
};
/// How many of them there are.
inline constexpr std::size_t program_activity_count =
    static_cast<std::size_t>(program_activity::finished) + 1;

/// A reference that was issued and whose reply the program has not taken.
struct program_reference {
  std::uint64_t number = 0;
  operation op = operation::load;
  access_kind kind = access_kind::word;
  std::uint64_t address = 0;
  cycle_t usable = never;  ///< delivery + turnaround
  word_t value = 0;

  TRIBUTARY_STATE(number, op, kind, address, usable, value);
};

/// References in the order in which they were issued. Mostly there is one, which takes no heap.
class program_references {
 public:
  std::size_t size() const { return size_; }
  program_reference& operator[](std::size_t at) { return at == 0 ? first_ : others_[at - 1]; }
  const program_reference& operator[](std::size_t at) const {
    return at == 0 ? first_ : others_[at - 1];
  }

  void push_back(const program_reference& added) {
    if (size_ == 0) {
      first_ = added;
    } else {
      others_.push_back(added);
    }
    ++size_;
  }
  void erase(std::size_t at) {
    --size_;
    if (size_ == 0) return;
    if (at == 0) {
      first_ = others_.front();
      at = 1;
    }
    others_.erase(others_.begin() + static_cast<std::ptrdiff_t>(at - 1));
  }
  void clear() { *this = program_references(); }

  TRIBUTARY_STATE(size_, first_, others_);

 private:
  std::uint64_t size_ = 0;
  program_reference first_;
  std::vector<program_reference> others_;
};

/// An interrupt that was taken, and after how many events of its program.
struct taken_interrupt {
  std::uint64_t event = 0;
  std::uint32_t line = 0;

  TRIBUTARY_STATE(event, line);
};

/// What a handler stands before: the delay or spin that its interrupt stopped.
struct stopped_activity {
  program_activity activity = program_activity::delaying;
  std::uint64_t awaited = 0;
  cycle_t since = 0;
  std::uint64_t polls = 0;
  word_t last_value = 0;
  std::uint64_t rest = 0;  ///< of a delay

  TRIBUTARY_STATE(activity, awaited, since, polls, last_value, rest);
};

/// Lines of interrupts.
inline constexpr std::uint32_t interrupt_lines = 31;
/// Slots of a wake-up from here on raise the interrupt of the line that is added.
inline constexpr std::uint32_t interrupt_slot = 0x80000000;

/// The state of a program except its stack. What every reference needs comes first, since a large
/// machine has no cache for the rest.
struct program_state {
  program_activity activity = program_activity::not_started;
  bool in_handler = false;
  std::uint32_t alarm = 0;   ///< slot of the wake-ups that are awaited; others were interrupted
  std::uint32_t raised = 0;  ///< a bit for each line
  std::uint32_t masked = 0;  ///< the same
  std::uint32_t last_mark = no_mark;
  std::uint64_t next_number = 1;  ///< of references
  std::uint64_t events = 0;       ///< waits, spins, delays, fences, looks at the clock: over
  std::uint64_t awaited = 0;      ///< number of the reference that is waited for or polls
  cycle_t since = 0;              ///< of the activity
  std::uint64_t unanswered = 0;   ///< references, posted ones included
  std::uint64_t posts = 0;        ///< references whose reply is not waited for, in all
  cycle_t answers_usable = 0;     ///< turnaround after the last answer
  bool fence_ends = false;        ///< the end of the fence is known
  bool awaits_room = false;       ///< for the awaited reference to be offered
  bool handed_over = false;       ///< the awaited reference, with its operands, to be offered
  word_t e = 0;
  word_t f = 0;
  program_references open;
  std::uint64_t polls = 0;   ///< of the current spin
  word_t last_value = 0;     ///< of the current spin
  cycle_t until = 0;         ///< end of the current delay
  stopped_activity stopped;  ///< while a handler runs
  std::vector<taken_interrupt> taken;
  std::vector<cycle_t> marked;  ///< by mark, the last cycle; 0 for none
  std::vector<cycle_t> begun;   ///< by name of interval, the cycle; 0 for none that is open

  static constexpr std::uint32_t no_mark = ~std::uint32_t{0};

  TRIBUTARY_STATE(activity, next_number, events, open, awaited, since, polls, last_value, marked,
                  last_mark, begun, unanswered, answers_usable, posts, awaits_room, handed_over, e,
                  f, fence_ends, in_handler, alarm, raised, masked, until, stopped, taken);
};

/// The words that a program has seen, packed: seven bits a byte, the lowest first, as they are
/// mostly small.
class seen_words {
 public:
  /// Returns how many bytes the word takes.
  std::size_t append(word_t word) {
    std::size_t taken = 1;
    for (; word >= 0x80; word >>= 7) {
      push(static_cast<std::uint8_t>(word | 0x80));
      ++taken;
    }
    push(static_cast<std::uint8_t>(word));
    return taken;
  }

  std::vector<std::uint8_t> bytes() const;
  void assign(std::vector<std::uint8_t> bytes);
  void clear() { assign({}); }

  /// The word whose first byte is at `at`, which is behind it then; nothing if there is none.
  std::optional<word_t> read(std::size_t& at) const;

  std::size_t size() const { return stored_.size() + last_size_; }
  std::uint8_t operator[](std::size_t at) const {
    return at < stored_.size() ? stored_[at] : last_[at - stored_.size()];
  }

 private:
  void push(std::uint8_t byte) {
    if (last_size_ == sizeof last_) store();
    last_[last_size_++] = byte;
  }
  void store();

  // The last ones are kept here, so that the heap is touched once for many.
  std::uint8_t last_[15] = {};
  std::uint8_t last_size_ = 0;
  std::vector<std::uint8_t> stored_;
};

/// A program's context, and the fiber that runs it. A fiber cannot be copied, so the element keeps
/// every word that the program has seen; `replay` runs a fresh fiber over them to the same place.
class program_element final : public program_context, private local_spinner {
 public:
  program_element(std::uint32_t rank, std::uint32_t size, program_surroundings& around);
  ~program_element();

  /// Wakes the element in the surroundings' current cycle: lets the program run until it suspends,
  /// or polls once more; or raises an interrupt. Throws what `resume` throws.
  void wake(std::uint32_t slot, program& own_program, fiber_stacks& stacks);

  /// Has the caches fetch what a response or a wake-up needs of the element; in a large machine
  /// they have lost it since.
  void fetch() const;
  /// The same of its program's stack; `fetch` should have come first.
  void fetch_stack() const;

  /// Takes the response to one of its references.
  void deliver(const completion& response, cycle_t now);
  /// The port takes another reference again.
  void room(cycle_t now);
  /// All its stores are complete for every element.
  void settled(cycle_t now);

  const program_state& state() const { return state_; }
  /// Whether its program has a handler for the interrupts of a line.
  bool serves(std::uint32_t line) const { return line < handlers_.size() && handlers_[line]; }
  std::vector<std::uint8_t> recorded() const { return recorded_.bytes(); }
  void forget_recorded() { recorded_.clear(); }
  /// Gives the program up without unwinding its stack.
  void abandon();

  /// Brings a fresh element to `state` by answering its program from `recorded`. Throws
  /// `input_error` if the program does not do what it did.
  void replay(const program_state& state, std::vector<std::uint8_t> recorded, program& own_program,
              fiber_stacks& stacks);

  word_t refer(access_kind kind, std::uint64_t address, word_t value) override;
  word_t perform(operation op, std::uint64_t address, word_t e, word_t f) override;
  pending issue(operation op, std::uint64_t address, word_t e, word_t f) override;
  word_t wait(const pending& reference) override;
  void post(operation op, std::uint64_t address, word_t e, word_t f) override;
  void fence() override;
  word_t outside(std::uint64_t period, const std::function<std::optional<word_t>()>& look) override;
  void interrupts(std::uint32_t line, std::function<void(program_context&)> handler) override;
  void mask(std::uint32_t line) override;
  void unmask(std::uint32_t line) override;
  void delay(std::uint64_t cycles) override;
  std::uint64_t random(std::uint64_t n) override;
  cycle_t now() override;
  std::uint64_t shared_address(std::uint64_t word) const override;
  std::uint64_t shared_address(mm_id module, std::uint64_t row) const override;
  std::uint64_t local_address(pe_id owner, std::uint64_t word) const override;
  void mark(std::string_view name) override;
  void begin(std::string_view name) override;
  void end(std::string_view name) override;
  void sample(std::string_view name, std::uint64_t value) override;

 private:
  word_t spin_until(std::uint64_t address, const word_predicate& predicate) override;
  void go_on_polling(const parked_polls& polls) override;

  void start(program& own_program, fiber_stacks& stacks);
  void resume();
  /// Looks at the polled word; says whether it asked for it again.
  bool polls_again();
  void suspend(program_activity activity);
  /// Asks what the program waits for outside of memory, and again later if it is not there.
  bool finds_outside();
  /// As what the operation is asked for: `load_linked` where a processor with caches does it by a
  /// loop of that and a store-conditional, as `loop` does.
  access_kind kind_of(operation op, std::uint64_t address) const;
  word_t loop(operation op, std::uint64_t address, word_t e, word_t f);
  word_t perform_reference(program_reference asked, word_t e, word_t f);
  bool is_settled() const;
  void end_fence(cycle_t usable);
  void offer(const program_reference& asked, word_t e, word_t f);
  /// Offers the awaited reference, or waits for room with it.
  void hand_over();
  /// Suspends the program while the port takes no more.
  void await_room(std::uint64_t number);
  /// Whether `number` was blocked where the replayed program shall stop.
  bool stops_blocked(std::uint64_t number) const {
    return replaying() && replayed_->activity == program_activity::blocked &&
           replayed_->awaited == number;
  }
  void count_wait(cycle_t since);
  /// `since_offer`: of `perform`, which a full port may have held up before its reference was
  /// offered; it waits from then on.
  word_t wait_for(const pending& reference, bool since_offer);
  /// Wakes the element by the slot that it awaits.
  void wake_at(cycle_t when) { around_.elements.wake_at({rank(), state_.alarm}, when); }
  /// Serves interrupts while the program delays or spins.
  void take_interrupts();
  void begin_handler(std::uint32_t line);
  void end_handler();
  /// Serves the interrupts that the replayed operation was stopped by. Returns true if one was
  /// being served when the program was saved: the operation is over then, by a later wake-up.
  bool replay_interrupts();
  access access_of(const program_reference& asked, word_t e, word_t f) const;
  std::size_t find(std::uint64_t number) const;
  word_t take(std::size_t at);

  bool replaying() const { return replayed_ != nullptr; }
  bool answered_from_record() const {
    return replaying() && state_.events < replayed_->events && !running_->cancelled();
  }
  word_t next_recorded();
  word_t record(word_t seen);

  // In the order of `program_state`: what every reference needs, then the rest.
  program_surroundings& around_;
  fiber* running_ = nullptr;                 // `fiber_`, from within
  const program_state* replayed_ = nullptr;  // what a replay leads to
  program_state state_;
  seen_words recorded_;
  std::optional<fiber> fiber_;
  random_stream draws_;
  struct question {
    const std::function<std::optional<word_t>()>* look = nullptr;  // on the program's stack
    std::uint64_t period = 0;
    std::optional<word_t> found;
  };
  question outside_;
  std::optional<word_predicate> predicate_;
  std::exception_ptr predicate_failure_;
  std::size_t replay_at_ = 0;
  // Of interrupts, which `fetch` leaves alone.
  std::vector<std::function<void(program_context&)>> handlers_;  // by line
  std::unique_ptr<fiber_stacks> handler_stack_;
  std::optional<fiber> handler_;
  std::optional<word_predicate> stopped_predicate_;
  std::size_t replayed_interrupts_ = 0;
};

}  // namespace tributary
