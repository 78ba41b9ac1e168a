// SPDX-License-Identifier: Apache-2.0
// A processor's port that several processes share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tributary/memory/port.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/block.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>
#include <tributary/trace/catalog.h>
#include <tributary/trace/event.h>

namespace tributary {

/// The processes of one processor at its port: whichever has something to ask, asks, while others
/// wait for theirs or compute. They share the port, the caches and what is below them. They compute
/// at the same time, as if the processor had a hardware context for each.
///
/// Process p is each element whose number is p modulo the number of processes. An access that may
/// not go yet waits here, one of each process; they go round robin. The port below tells whose
/// access is complete by the element that asked.
///
/// From a load-linked to the next access of its process no other has an access that waits for an
/// answer: the processor does not change to another process in between. Else two that miss in one
/// set of the caches could take each other's lines before every store-conditional, for ever.
/// Who does not ask again within `most_linked_cycles` loses that, and maybe its line. So does who
/// asks by another load-linked while others wait: it polls.
class shared_port final : public block,
                          public processor_port,
                          private memory_client,
                          private timed_block {
 public:
  /// After the answer. A turnaround, after which the store-conditional comes, must be shorter.
  static constexpr cycle_t most_linked_cycles = 1000;

  /// References must outlive it; `time` counts the port's cycles.
  shared_port(std::uint32_t processes, agenda& time, processor_port& below);

  // processor_port
  /// The port below tells it from here on, whichever its client was.
  void set_client(memory_client* client) override;
  void check(std::size_t element, const access& request) const override {
    below_.check(element, request);
  }
  bool can_take(std::size_t element) const override { return !places_[process(element)].holds; }
  void offer(std::size_t element, const access& request, cycle_t now) override;
  std::size_t waiting(std::size_t element) const override { return can_take(element) ? 0 : 1; }
  /// Of the process, below it.
  std::size_t outstanding(std::size_t element) const override {
    return places_[process(element)].open;
  }
  bool serves_pairs() const override { return below_.serves_pairs(); }
  bool performs_operations(std::uint64_t address) const override {
    return below_.performs_operations(address);
  }
  /// Of all processes: the port below does not tell them apart.
  std::uint64_t incomplete_stores(std::size_t element) const override {
    return below_.incomplete_stores(element);
  }

  const char* name() const override { return "shared_port"; }
  bool idle() const override { return holding_ == 0; }
  void reset_statistics() override { held_.reset(); }
  void report(statistics_group& into, std::uint64_t cycles) const override;
  /// A track a process, for what programs tell.
  void trace(const trace_scope& scope) override;
  track_id track(std::size_t element) const { return trace_.track(process(element)); }
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  /// What a process has under way, and its access that waits.
  struct place {
    std::uint32_t open = 0;  ///< accesses without completion
    bool holds = false;
    access request;
    std::uint64_t element = 0;
    cycle_t since = 0;

    TRIBUTARY_STATE(open, holds, request, request.kind, element, since);
  };
  static constexpr std::uint64_t no_process = ~std::uint64_t{0};

  // memory_client
  void completed(const completion& ended, cycle_t now) override;
  void room(std::size_t element, cycle_t now) override;
  void settled(std::size_t element, cycle_t now) override;

  void wake(cycle_t now, std::uint64_t tag) override;

  std::size_t process(std::size_t element) const { return element % places_.size(); }
  /// Whether that process has asked by another load-linked behind the one of its pair.
  bool polls(std::uint64_t number) const {
    const place& own = places_[static_cast<std::size_t>(number)];
    return own.holds && own.request.kind == access_kind::load_linked;
  }
  /// Whether the port below takes it now, and no load-linked stands against it.
  bool may_go(std::size_t element, const access& request) const;
  void hand_over(std::size_t element, const access& request, cycle_t now);
  /// The process whose waiting access is the next to go.
  std::size_t next_process() const;
  /// Hands over what waits and may go.
  void go_on(cycle_t now);

  TRIBUTARY_STATE(places_, holding_, turn_, alone_, alone_until_, held_);

  agenda& agenda_;
  processor_port& below_;
  memory_client* client_ = nullptr;
  std::vector<place> places_;  // by process
  std::uint32_t holding_ = 0;
  std::uint64_t turn_ = 0;            // the process that is looked at first
  std::uint64_t alone_ = no_process;  // the one that has the port for itself
  cycle_t alone_until_ = 0;
  average held_;
  trace_point trace_;
};

}  // namespace tributary
