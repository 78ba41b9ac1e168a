// SPDX-License-Identifier: Apache-2.0
// A workload of programs, one on each processing element.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <tributary/memory/address_map.h>
#include <tributary/processor/processing_elements.h>
#include <tributary/processor/program.h>
#include <tributary/processor/workload.h>

namespace tributary {

class fiber_stacks;
class parameter_set;
class program_element;
struct program_surroundings;

/// Configuration of how programs run.
struct program_config {
  /// Cycles in which no program may go on before the run ends with a report of what each waits for.
  std::uint64_t patience = 1000000;
  /// Cycles that a random number costs (FG 4.2).
  std::uint32_t random_cycles = 1;
  /// Bytes of stack of each program.
  std::uint64_t stack = 65536;
  /// Bytes of seen words that all programs together keep for checkpoints; beyond it, or at 0, a run
  /// cannot be checkpointed.
  std::uint64_t replay_limit = std::uint64_t{1} << 28;
  /// On each node. No parameter: the machine says how many its processors run.
  std::uint32_t processes = 1;

  void bind(parameter_set& parameters);
};

/// Runs one program on every processing element, each on a fiber of its own, from its random first
/// cycle on (cycle contract, rule 10).
class program_workload final : public workload {
 public:
  /// `map` must outlive the workload.
  program_workload(const program_config& config, std::unique_ptr<program> own_program,
                   const processing_element_config& elements, const address_map& map,
                   std::uint64_t seed);
  ~program_workload() override;

  /// Throws `simulation_error` that names the element when a program throws or overflows its stack,
  /// with the program's exception nested in it, and when no program goes on any more. The machine
  /// cannot be stepped after that.
  void advance(cycle_t now, memory_port& ports) override;
  void deliver(cycle_t now, const std::vector<memory_response>& responses) override;
  /// Counts references, polls and latency of each element from here on too (`report_element`).
  void join(element_clock& clock, memory_port& port) override;
  void start(std::uint32_t element) override;
  void wake(const pe_slot& wakeup, cycle_t now) override;
  void completed(const completion& ended, cycle_t now) override;
  void room(std::size_t element, cycle_t now) override;
  void settled(std::size_t element, cycle_t now) override;
  void disturbed(std::size_t element, cycle_t now) override;
  std::uint32_t processes() const;
  /// Of the processes of a node, the first one that has a handler for the line, else the first one.
  std::uint32_t who_serves(std::uint32_t node, std::uint32_t line) const;
  /// Raises the interrupt of a line, 0 to 30, of an element's program in cycle `when`, which is to
  /// come. Throws `simulation_error` for an element or line that is not there.
  void interrupt(std::uint32_t element, std::uint32_t line, cycle_t when);
  /// Throws `simulation_error` if no program has gone on for too long, as `advance` does.
  void check_progress(cycle_t now);
  /// The last cycle in which it does not, if none goes on until then.
  cycle_t patient_until() const;
  bool finished() const override;
  void stop() override { stopped_ = true; }
  void let_park(spinner_parking* where) override;

  /// Whether the element's program has ended.
  bool finished(std::size_t element) const;

  observer_list<program_interval>* intervals() override;
  bool endless() const { return program_->endless(); }

  void reset_statistics() override;
  void report(statistics_group& group) const override;
  /// What was counted of one element, in a machine whose workload has joined.
  void report_element(std::size_t element, statistics_group& group) const;
  const counter* find_counter(std::string_view path) const override;

  /// Throws `error` if the words that programs have seen were not kept (`replay_limit`).
  std::string save() const override;
  void restore(const std::string& state) override;

  /// What every program that has not ended waits for; a line each for the first 16.
  std::string waiting_report(cycle_t now, const memory_port& ports) const;

 private:
  void wake_element(const pe_slot& wakeup);
  void make_stacks();
  [[noreturn]] void explain_failure(std::size_t element);
  void bound_recording();
  std::string describe(std::size_t element, const memory_port& ports) const;
  /// " (process 1 of node 2)", empty where a node has one process.
  std::string place_of(std::size_t element) const;
  void make_elements();

  // In this order: programs unwind while their surroundings and stacks still stand.
  std::unique_ptr<program> program_;
  std::unique_ptr<program_surroundings> around_;
  std::unique_ptr<fiber_stacks> stacks_;  // made when the first program starts
  std::vector<std::unique_ptr<program_element>> elements_;
  bool stopped_ = false;
};

}  // namespace tributary
