// SPDX-License-Identifier: Apache-2.0
// A processor's port that several processes share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tributary/memory/port.h>
#include <tributary/sim/block.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>
#include <tributary/trace/catalog.h>
#include <tributary/trace/event.h>

namespace tributary {

/// The processes of one processor at its port: whichever has something to ask, asks, while others
/// wait for theirs or compute. So they share the port, the caches and what is below them; computing
/// takes none of the others' time, as if the processor had a hardware context for each.
///
/// Process p is each element whose number is p modulo the number of processes. An access that finds
/// no room waits here, one of each process; when there is room, they go round robin. The port below
/// tells whose access is complete by the element that asked.
class shared_port final : public block, public processor_port, private memory_client {
 public:
  /// References must outlive it.
  shared_port(std::uint32_t processes, processor_port& below);

  // processor_port
  /// The port below tells it from here on, whichever its client was.
  void set_client(memory_client* client) override;
  void check(std::size_t element, const access& request) const override {
    below_.check(element, request);
  }
  bool can_take(std::size_t element) const override { return !waits_[process(element)].holds; }
  void offer(std::size_t element, const access& request, cycle_t now) override;
  std::size_t waiting(std::size_t element) const override;
  std::size_t outstanding(std::size_t element) const override {
    return below_.outstanding(element);
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
  /// The access of a process that waits for room.
  struct place {
    bool holds = false;
    access request;
    std::uint64_t element = 0;
    cycle_t since = 0;

    TRIBUTARY_STATE(holds, request, request.kind, element, since);
  };

  // memory_client
  void completed(const completion& ended, cycle_t now) override;
  void room(std::size_t element, cycle_t now) override;
  void settled(std::size_t element, cycle_t now) override;

  std::size_t process(std::size_t element) const { return element % waits_.size(); }
  /// The next in turn that waits.
  place& next_that_waits();

  TRIBUTARY_STATE(waits_, holding_, turn_, held_);

  processor_port& below_;
  memory_client* client_ = nullptr;
  std::vector<place> waits_;  // by process
  std::uint32_t holding_ = 0;
  std::uint64_t turn_ = 0;  // the process that is looked at first
  average held_;
  trace_point trace_;
};

}  // namespace tributary
