// SPDX-License-Identifier: Apache-2.0
// One program on one processing element: its fiber, its references and the words it has seen.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tributary/base/cycle.h>
#include <tributary/base/fiber.h>
#include <tributary/base/observer.h>
#include <tributary/base/random_stream.h>
#include <tributary/base/statistics.h>
#include <tributary/memory/address_map.h>
#include <tributary/nic/network_interface.h>
#include <tributary/processor/processing_elements.h>
#include <tributary/workload/program.h>
#include <tributary/workload/program_workload.h>

namespace tributary {

/// Statistics that a program names itself, in the order in which the names first appeared.
struct named_average {
  std::string name;
  average values;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(name, values);
  }
};

/// Intervals of one name.
struct named_intervals {
  std::string name;
  average cycles;
  histogram distribution{16, 4096};

  template <class Archive>
  void serialize(Archive& archive) {
    archive(name, cycles, distribution);
  }
};

/// What the programs of one workload share.
struct program_surroundings {
  program_surroundings(const program_config& configuration, const processing_element_config& times,
                       const address_map& addresses, std::uint64_t seed_of_run);

  /// Something happened, or will in cycle `when`, that lets a program go on.
  void progress(cycle_t when) { last_progress = when > last_progress ? when : last_progress; }
  /// Index of the mark, sample or interval of that name, made if it is new.
  template <class Named>
  static std::size_t find_or_add(std::vector<Named>& among, std::string_view name) {
    std::size_t at = 0;
    while (at < among.size() && among[at].name != name) ++at;
    if (at == among.size()) {
      among.emplace_back();
      among.back().name = name;
    }
    return at;
  }
  std::size_t find_or_add_mark(std::string_view name);
  const address_region& region(std::string_view name) const;

  program_config config;
  const address_map& map;
  std::uint64_t seed;
  processing_elements elements;
  std::uint32_t turnaround;
  network_interface* ports = nullptr;  // while programs run
  cycle_t now = 0;
  cycle_t last_progress;
  bool recording;
  std::uint64_t recorded_bytes = 0;

  std::uint32_t finished = 0;
  counter references;
  counter polls;
  counter resumptions;
  std::vector<named_average> marks;  // cycles between marks; counts are apart
  std::vector<counter> mark_counts;
  std::vector<named_average> samples;
  std::vector<named_intervals> intervals;
  cycle_t measured_from = 0;
  observer_list<program_interval> interval_observers;
};

/// What a program is doing between two cycles.
enum class program_activity : std::uint8_t {
  not_started,
  waiting,
  spinning,
  delaying,
  fencing,
  finished
};

/// A reference that was issued and whose reply the program has not taken.
struct program_reference {
  std::uint64_t number = 0;
  operation what = operation::load;
  std::uint64_t address = 0;
  cycle_t usable = never;  ///< delivery + turnaround
  word_t value = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(number, what, address, usable, value);
  }
};

/// The state of a program beside its stack.
struct program_state {
  program_activity activity = program_activity::not_started;
  std::uint64_t next_number = 1;  ///< of references
  std::uint64_t events = 0;       ///< waits, spins, delays, fences, looks at the clock: over
  std::vector<program_reference> open;
  std::uint64_t awaited = 0;    ///< number of the reference that is waited for or polls
  cycle_t since = 0;            ///< of the activity
  std::uint64_t polls = 0;      ///< of the current spin
  word_t last_value = 0;        ///< of the current spin
  std::vector<cycle_t> marked;  ///< by mark, the last cycle; 0 for none
  std::uint32_t last_mark = no_mark;
  std::vector<cycle_t> begun;    ///< by name of interval, the cycle; 0 for none that is open
  std::uint64_t unanswered = 0;  ///< references, posted ones included
  cycle_t answers_usable = 0;    ///< turnaround after the last answer

  static constexpr std::uint32_t no_mark = ~std::uint32_t{0};

  template <class Archive>
  void serialize(Archive& archive) {
    archive(activity, next_number, events, open, awaited, since, polls, last_value, marked,
            last_mark, begun, unanswered, answers_usable);
  }
};

/// A program's context, and the fiber that runs it. A fiber cannot be copied, so the element keeps
/// every word that the program has seen; `replay` runs a fresh fiber over them to the same place.
class program_element final : public program_context {
 public:
  program_element(std::uint32_t rank, std::uint32_t size, program_surroundings& around);
  ~program_element();

  /// Wakes the element in the surroundings' current cycle: lets the program run until it suspends,
  /// or polls once more. Throws what `resume` throws.
  void wake(program& what, fiber_stacks& stacks);

  /// Takes the response to one of its references.
  void deliver(const memory_response& response, cycle_t now);

  const program_state& state() const { return state_; }
  const std::vector<std::uint8_t>& recorded() const { return recorded_; }
  void forget_recorded() { std::vector<std::uint8_t>().swap(recorded_); }
  /// Gives the program up without unwinding its stack.
  void abandon();

  /// Brings a fresh element to `state` by answering its program from `recorded`. Throws
  /// `input_error` if the program does not do what it did.
  void replay(const program_state& state, std::vector<std::uint8_t> recorded, program& what,
              fiber_stacks& stacks);

  pending issue(operation what, std::uint64_t address, word_t e, word_t f) override;
  word_t wait(const pending& reference) override;
  void post(operation what, std::uint64_t address, word_t e, word_t f) override;
  void fence() override;
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

  void start(program& what, fiber_stacks& stacks);
  void resume();
  /// Looks at the polled word; says whether it asked for it again.
  bool polls_again();
  void suspend(program_activity activity);
  void offer(std::uint64_t number, operation what, std::uint64_t address, word_t e, word_t f);
  std::size_t find(std::uint64_t number) const;
  word_t take(std::size_t at);

  bool replaying() const { return replay_events_.has_value(); }
  bool answered_from_record() const { return replaying() && state_.events < *replay_events_; }
  word_t next_recorded();
  word_t record(word_t seen);

  program_surroundings& around_;
  program_state state_;
  std::unique_ptr<fiber> fiber_;
  fiber* running_ = nullptr;  // the same, from within
  random_stream draws_;
  std::optional<word_predicate> predicate_;
  std::exception_ptr predicate_failure_;
  std::vector<std::uint8_t> recorded_;
  std::optional<std::uint64_t> replay_events_;
  std::size_t replay_at_ = 0;
};

}  // namespace tributary
