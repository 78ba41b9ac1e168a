// SPDX-License-Identifier: Apache-2.0
// A lock of one's own against the library's on five machines: the program of
// docs/tutorials/write-your-own-lock.md.
#include <cmath>
#include <cstdint>
#include <functional>
#include <iomanip>
#include <iostream>
#include <memory>
#include <utility>
#include <vector>

#include <tributary/algorithms/flash_lock.h>
#include <tributary/algorithms/memory_place.h>
#include <tributary/algorithms/synchronization.h>
#include <tributary/processor/program.h>
#include <tributary/protocols/locks/lock_commands.h>
#include <tributary/sim/error.h>

#include <flash/flash_machine.h>
#include <ultracomputer/ultracomputer.h>

namespace {

using namespace tributary;

// [lock]
/// Who asks draws a ticket and waits for a word that only he looks at; who releases opens the word
/// of the next ticket. As many words as elements are enough, as no more can wait. (T. Anderson,
/// IEEE Transactions on Parallel and Distributed Systems 1(1), 1990, has flags where this has
/// counts.)
class array_lock final : public mutual_exclusion_lock {
 public:
  explicit array_lock(program_context& pe) : pe_(pe) {}

  void acquire() override {
    ticket_ = pe_.fetch_add(pe_.shared_address(mm_id{0}, 0), 1);
    const word_t open = openings(ticket_);
    pe_.spin(word_of(ticket_), [open](word_t seen) { return seen == open; });
  }
  void release() override {
    pe_.fence();
    pe_.store(word_of(ticket_ + 1), openings(ticket_ + 1));
  }

 private:
  /// A word of each module, in no line of others: FLASH's have 16 words.
  std::uint64_t word_of(word_t ticket) const {
    return pe_.shared_address(mm_id{static_cast<std::uint32_t>(ticket % pe_.size())}, 16);
  }
  /// How often the word of a ticket was opened when its turn comes. Words begin as 0, which lets
  /// ticket 0 in.
  word_t openings(word_t ticket) const {
    return ticket / pe_.size() + (ticket % pe_.size() == 0 ? 0 : 1);
  }

  program_context& pe_;
  word_t ticket_ = 0;
};
// [end]

// [program]
using lock_maker = std::function<std::unique_ptr<mutual_exclusion_lock>(program_context&)>;

/// Sections in which a word is incremented by a load and a store: two at once would lose one.
class sections_program final : public program {
 public:
  explicit sections_program(lock_maker make) : make_(std::move(make)) {}

  void run(program_context& pe) override {
    const auto lock = make_(pe);
    const std::uint64_t word = pe.shared_address(mm_id{1}, 0);
    for (int i = 0; i < sections; ++i) {
      lock->acquire();
      pe.store(word, pe.load(word) + 1);
      lock->release();
      pe.mark("section");
    }
    pe.fence();
    const word_t ended = pe.fetch_add(pe.shared_address(mm_id{2}, 0), 1) + 1;
    if (ended == pe.size() && pe.load(word) != sections * ended) {
      throw simulation_error("two were in a section at once");
    }
  }

 private:
  static constexpr int sections = 20;

  lock_maker make_;
};
// [end]

// [machines]
/// From one section to the next, whoever's.
double nanoseconds_a_section(simulation& machine, double cycle) {
  while (!machine.finished()) machine.run_until(machine.now() + 1000);
  machine.drain({});
  return cycle / machine.statistics().find("workload.marks.section.rate");
}

constexpr std::uint32_t processors = 16;

/// The Ultracomputer's network with these switches, with 10 ns a cycle.
double measure(const combining_switch_config& switches, const lock_maker& make) {
  ultracomputer_config config;
  config.network.processing_elements = processors;
  config.network.switches = switches;
  ultracomputer machine(config, 1, std::make_unique<sections_program>(make));
  return nanoseconds_a_section(machine, 10);
}

/// FLASH nodes, whose processors have 2.5 ns a cycle.
flash_config nodes(bool controllers_keep_locks) {
  flash_config config;
  config.machine.nodes = processors;
  config.machine.network.topology = topology_kind::hypercube;
  config.machine.node.caches.present = true;
  config.processor.turnaround = 4;
  if (controllers_keep_locks) {
    config.machine.node.addresses.space_bits = lock_command::space_bits;
    config.machine.node.jump_table.candidates = 5;
    config.locks.count = 1;
  }
  return config;
}
double measure(const flash_config& config, const lock_maker& make) {
  flash_machine machine(config, 1, std::make_unique<sections_program>(make));
  return nanoseconds_a_section(machine, 2.5);
}
// [end]

template <class Machine>
void print(const char* name, const Machine& machine, const std::vector<lock_maker>& locks) {
  std::cout << std::left << std::setw(16) << name << std::right;
  for (const lock_maker& each : locks) {
    std::cout << std::setw(8);
    each ? std::cout << std::lround(measure(machine, each)) : std::cout << "-";
  }
  std::cout << "\n";
}

}  // namespace

int main() {
  const lock_maker own = [](program_context& pe) { return std::make_unique<array_lock>(pe); };
  const lock_maker mcs = [](program_context& pe) {
    return make_lock(lock_algorithm::mcs_queue, pe, memory_place{});
  };
  const flash_config handlers = nodes(true);
  const lock_maker flash = [&](program_context& pe) {
    return std::make_unique<flash_lock>(pe, *handlers.resolved_choice().program.locks);
  };
  const combining_switch_config baseline;  // the defaults
  combining_switch_config improved = baseline;
  improved.wait_buffer_entries = 100;
  improved.adaptive_limit = 2;
  combining_switch_config aggressive = improved;
  aggressive.type = queue_type::a;
  aggressive.coupled = true;
  std::cout << "ns a section       array     MCS   FLASH\n";
  print("baseline", baseline, {own, mcs, {}});
  print("improved", improved, {own, mcs, {}});
  print("aggressive", aggressive, {own, mcs, {}});
  print("FLASH, caches", nodes(false), {own, mcs, {}});
  print("FLASH, handlers", handlers, {own, mcs, flash});
}
