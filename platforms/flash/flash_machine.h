// SPDX-License-Identifier: Apache-2.0
// FLASH: nodes with MAGIC whose processors ask for block transfers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tributary/magic/coherence_audit.h>
#include <tributary/magic/magic_machine.h>
#include <tributary/magic/magic_nodes.h>
#include <tributary/processor/node_elements.h>
#include <tributary/processor/program.h>
#include <tributary/processor/program_workload.h>
#include <tributary/protocols/block_transfer/command.h>
#include <tributary/protocols/line_states.h>
#include <tributary/sim/observer.h>
#include <tributary/sim/random_stream.h>
#include <tributary/sim/state.h>

#include <driver/engine_kind.h>
#include <driver/simulation.h>

#include "flash_config.h"
#include "transfer_timeline.h"

namespace tributary {

/// The machine, from one cycle in which something happens to the next.
class flash_machine final : public simulation {
 public:
  /// `seed` names every random stream of the run. Throws what `flash_config::validate` does.
  flash_machine(const flash_config& config, std::uint64_t seed,
                engine_kind engine = engine_kind::loop);
  /// A machine whose processors run `own_program`, in place of the workload that the configuration
  /// chooses; how they run it is `config.workload.choice.program.run`.
  flash_machine(const flash_config& config, std::uint64_t seed,
                std::unique_ptr<program> own_program, engine_kind engine = engine_kind::loop);
  ~flash_machine() override;

  const flash_config& config() const { return config_; }
  const address_map& addresses() const { return addresses_; }
  /// The workload, if it is one of programs, else null.
  program_workload* programs() { return programs_; }
  node_elements& elements() { return *elements_; }
  magic_nodes& nodes() { return *machine_; }
  const magic_nodes& nodes() const { return *machine_; }

  cycle_t now() const override { return machine_->now(); }
  const workload& work() const { return *workload_; }
  const counter* find_workload_counter(std::string_view path) const override {
    return work().find_counter(path);
  }
  void run_until(cycle_t last) override;
  bool show(current_activity* activity) override { return machine_->show(activity); }
  bool finished() const override;
  bool drain(const std::function<bool()>& cancelled) override;

  std::string save() const override;
  void restore(const std::string& state) override;

  void reset_statistics() override;
  statistics_tree statistics() const override;

  observer_list<trace_event>& observers() { return machine_->observers(); }
  machine_trace trace() override;

 private:
  /// What the processor of a node is at.
  struct node_transfers {
    std::vector<planned_transfer> transfers;
    std::size_t next = 0;
    bool waits = false;  ///< for the flag
    word_t flag = 0;     ///< its value when the transfer is complete
    cycle_t asked = 0;
    std::vector<word_t> expected;

    TRIBUTARY_STATE(next, waits, flag, asked, expected);
  };

  using make_function = std::function<std::unique_ptr<workload>(const address_map&)>;
  flash_machine(const flash_config& config, std::uint64_t seed, engine_kind engine,
                const make_function& make);

  TRIBUTARY_STATE(transfers_, contents_, prepared_, stopped_, measured_from_, time_, accepted_,
                  reads_, bytes_, wrong_bytes_, refusals_);

  void make_transfers();
  void report_transfers(statistics_group& into) const;
  void report_programs(statistics_tree& tree) const;
  void run_program(program_context& context);
  /// This processor's part in bringing the lines of a transfer into caches; the one that asks for
  /// the transfer waits until all have done theirs. `round`: which of the transfers. False if no
  /// more transfers are to begin.
  bool prepare_lines(program_context& context, std::uint64_t round);
  /// Waits for the end of the transfer before, and until so many preparations are done.
  bool wait_for_turn(program_context& context, std::uint64_t round, std::uint64_t turn);
  void bring_lines(program_context& context, const line_preparation& step, std::uint64_t round);
  /// A transfer that MAGIC makes.
  void ask_controller(program_context& context, node_transfers& task,
                      const planned_transfer& transfer);
  /// One that the processor makes.
  void use_processor(program_context& context, node_transfers& task,
                     const planned_transfer& transfer);
  void read_lines(program_context& context, node_transfers& task, std::uint64_t from);
  /// Gives the source new bytes and returns what it has.
  std::vector<word_t> renew_source(const planned_transfer& transfer);
  /// Begins a transfer in cycle `now`.
  void prepare(node_transfers& task, cycle_t now);
  /// Notices in the current cycle which flags were incremented.
  void look_at_flags();
  /// Ends the task's transfer in cycle `now`.
  void complete(node_transfers& task, cycle_t now);
  /// Throws `simulation_error` if bytes at the destination are not the source's.
  void check_bytes(const node_transfers& task, const planned_transfer& transfer);
  std::uint64_t progress() const;
  /// Where there are caches: throws `simulation_error` for a miss that lasts too long, and at rest
  /// for a directory that does not know who has a line.
  bool may_park();
  /// The same as `machine_->run_until`, with programs parked that spin in their caches.
  void run_parked(cycle_t last, const std::function<bool()>& look);
  /// Throws if no program has gone on for too long.
  void check_programs();
  void check_coherence();
  /// Cycles of all nodes' protocol processors in these handlers of the block transfer.
  std::uint64_t occupied(std::initializer_list<const char*> handlers) const;
  /// Invocations of a handler of the block transfer on all nodes.
  std::uint64_t invocations(const char* name) const;
  void report_lines(statistics_group& into) const;
  void refuse(const planned_transfer& transfer, block_transfer_result result) const;
  /// Throws `simulation_error`: a processor has not read what was last written there.
  [[noreturn]] void refuse_word(std::uint64_t address) const;

  flash_config config_;
  std::uint64_t seed_;
  engine_kind engine_;
  uncached_lines lines_;
  std::unique_ptr<magic_nodes> machine_;
  std::optional<coherence_audit> audit_;   // of a machine with caches
  std::vector<node_transfers> transfers_;  // by node
  std::vector<random_stream> contents_;
  address_map addresses_;
  std::unique_ptr<workload> workload_;
  program_workload* programs_ = nullptr;  // the workload, if it is one of programs
  std::optional<node_elements> elements_;
  std::size_t asking_ = 0;      // the node that asks, where lines are prepared
  std::uint64_t prepared_ = 0;  // preparations that were done, of all transfers
  bool stopped_ = false;
  std::unique_ptr<transfer_timeline> timeline_;  // of a machine with one transfer at a time

  cycle_t measured_from_ = 0;
  average time_;
  average accepted_;  // from the first access to the answer
  average reads_;     // of lines, cycles of the processor
  counter bytes_;
  counter wrong_bytes_;
  counter refusals_;
};

}  // namespace tributary
