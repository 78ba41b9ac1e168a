// SPDX-License-Identifier: Apache-2.0
// A program on a node's processor, which reaches memory by uncached accesses through MAGIC.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <tributary/controller/address_layout.h>
#include <tributary/magic/processor_interface.h>
#include <tributary/processor/program.h>
#include <tributary/processor/program_element.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/block.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/fiber.h>
#include <tributary/sim/random_stream.h>
#include <tributary/sim/statistics.h>

namespace tributary {

class parameter_set;

/// Configuration of a processor without a cache.
struct uncached_element_config {
  /// Cycles from the completion of an access to the next. With the costs of the block transfer it
  /// gives the 131 cycles of command processing of FLASH Table 5.1; how they divide between
  /// processor and protocol processor is not published.
  std::uint32_t turnaround = 30;
  std::uint64_t stack_bytes = std::uint64_t{64} << 10;

  void bind(parameter_set& parameters);
  void validate() const;
};

/// The processor of one node, running a program. Only loads and stores of words reach MAGIC
/// without a cache; other operations end the simulation with a `simulation_error`. `shared_address`
/// deals lines out to the nodes in turn, `local_address` counts from the beginning of a node's
/// memory; both in address space 0.
///
/// A load ends when its value has come, a store when the processor interface has taken it, so a
/// fence says nothing of stores that MAGIC still has under way.
class uncached_element final : public block,
                               public program_context,
                               private processor_listener,
                               private timed_block {
 public:
  /// References must outlive it. It begins the program in cycle 1.
  uncached_element(const uncached_element_config& config, agenda& time, processor_interface& port,
                   const address_layout& addresses, std::uint32_t rank, std::uint32_t size,
                   std::uint64_t seed, program& what);
  ~uncached_element();

  const char* name() const override { return "processor"; }
  bool finished() const { return finished_; }
  /// Loads and stores that were asked for.
  std::uint64_t references() const { return references_.value(); }

  pending issue(operation what, std::uint64_t address, word_t e, word_t f) override;
  word_t wait(const pending& reference) override;
  void post(operation what, std::uint64_t address, word_t e, word_t f) override;
  void fence() override;
  word_t outside(std::uint64_t period, const std::function<std::optional<word_t>()>& look) override;
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

  void reset_statistics() override;
  void report(statistics_group& into, std::uint64_t cycles) const override;
  /// A fiber cannot be copied: the element keeps what its program has seen, and `restore` answers
  /// the same to a program that begins anew, which must depend on nothing else.
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  struct reference {
    std::uint64_t number = 0;
    std::uint8_t tag = 0;
    bool posted = false;
    bool complete = false;
    word_t value = 0;
    cycle_t usable = 0;

    template <class Archive>
    void serialize(Archive& archive) {
      archive(number, tag, posted, complete, value, usable);
    }
  };
  struct named_samples {
    std::string name;
    average values;

    template <class Archive>
    void serialize(Archive& archive) {
      archive(name, values);
    }
  };
  struct named_passes : named_samples {  // of cycles between
    cycle_t last = 0;

    template <class Archive>
    void serialize(Archive& archive) {
      archive(name, values, last);
    }
  };
  struct named_spans : named_samples {
    cycle_t begun = 0;  // 0 if it is not open

    template <class Archive>
    void serialize(Archive& archive) {
      archive(name, values, begun);
    }
  };

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.draws_, self.open_, self.next_number_, self.awaited_, self.awaits_room_,
                    self.fencing_, self.since_, self.answers_usable_, self.alarm_, self.references_,
                    self.polls_, self.latency_, self.marks_, self.samples_, self.intervals_);
  }

  word_t spin_until(std::uint64_t address, const word_predicate& predicate) override;
  void completed(std::uint8_t tag, word_t value, cycle_t now) override;
  void room(cycle_t now) override;
  void wake(cycle_t now, std::uint64_t what) override;

  bool all_complete() const;
  void begin_program();
  void resume();
  /// Whether the operation that the program asks for is one that it had ended when it was saved.
  bool is_replayed() const { return replaying_ && events_ < replayed_events_; }
  word_t next_seen();
  word_t see(word_t value);
  void suspend();
  template <class Named>
  static Named& find_or_add(std::vector<Named>& among, std::string_view name);

  uncached_element_config config_;
  agenda& agenda_;
  processor_interface& port_;
  address_layout addresses_;
  random_stream draws_;
  program& program_;
  fiber_stacks stacks_;
  std::unique_ptr<fiber> fiber_;
  fiber* running_ = nullptr;
  bool started_ = false;
  bool finished_ = false;

  // What a program that begins anew needs to come to the same place.
  random_stream first_draws_;
  std::uint64_t events_ = 0;  // operations that have ended
  seen_words seen_;           // by them
  bool replaying_ = false;
  std::uint64_t replayed_events_ = 0;
  std::size_t replayed_at_ = 0;

  std::vector<reference> open_;
  std::uint64_t next_number_ = 1;
  std::uint64_t awaited_ = 0;  // number, 0 for none
  bool awaits_room_ = false;
  bool fencing_ = false;
  cycle_t since_ = 0;           // when the program began to wait
  cycle_t answers_usable_ = 0;  // turnaround after the last completion
  std::uint64_t alarm_ = 0;     // the wake-up that is awaited

  counter references_;
  counter polls_;
  average latency_;
  std::vector<named_passes> marks_;
  std::vector<named_samples> samples_;
  std::vector<named_spans> intervals_;
};

}  // namespace tributary
