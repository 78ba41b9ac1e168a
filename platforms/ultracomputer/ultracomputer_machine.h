// SPDX-License-Identifier: Apache-2.0
// What every engine that simulates the Ultracomputer offers, and what they share.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tributary/memory/address_map.h>
#include <tributary/memory/memory.h>
#include <tributary/memory/request_events.h>
#include <tributary/network/omega/omega_network.h>
#include <tributary/nic/network_interface.h>
#include <tributary/nic/request_trace.h>
#include <tributary/processor/workload.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/observer.h>
#include <tributary/sim/statistics.h>

#include <driver/simulation.h>

#include "ultracomputer_config.h"

namespace tributary {

/// The machine, whatever engine steps its blocks: the same configuration and seed give the same
/// events, statistics and checkpoints.
class ultracomputer_machine : public simulation, private occupancy_source {
 public:
  ~ultracomputer_machine() override;

  const ultracomputer_config& config() const { return config_; }
  const address_map& addresses() const { return addresses_; }

  /// Whether the workload has ended and every request was answered.
  bool finished() const override { return work().finished() && interfaces().idle(); }
  /// Proves that queues, wait buffers and pipelines are empty; throws if nothing is delivered for
  /// `patience` cycles.
  bool drain(const std::function<bool()>& cancelled, std::uint64_t patience);
  bool drain(const std::function<bool()>& cancelled = {}) override {
    return drain(cancelled, 100000);
  }

  /// Events of every cycle, track by track.
  observer_list<trace_event>& observers() { return events().observers(); }
  machine_trace trace() override;

  void reset_statistics() override;
  statistics_tree statistics() const override;
  std::optional<average> latency() const override { return interfaces().latency(); }
  std::uint64_t backlog() const override {
    return interfaces().total_waiting() + interfaces().total_outstanding();
  }
  const occupancy_source* occupancy() const override { return this; }

  /// What it refers to is as a network should be until the next cycle: threads divide it.
  virtual const omega_network& network() const = 0;
  virtual const memory& memories() const = 0;
  virtual const network_interface& interfaces() const = 0;
  virtual const workload& work() const = 0;
  const counter* find_workload_counter(std::string_view path) const override {
    return work().find_counter(path);
  }
  // For observers of offers, and for parts that are restored.
  virtual omega_network& network() = 0;
  virtual memory& memories() = 0;
  virtual network_interface& interfaces() = 0;
  virtual workload& work() = 0;

  /// The whole state as bytes, statistics included, and back into a machine of the same
  /// configuration and seed. `save` throws `error` if the workload cannot be checkpointed, both if
  /// any switch is RTL; `restore` throws `input_error` if the state is another machine's or cut
  /// short, and the machine is then of no further use; a file that holds it has to tell damage by
  /// itself.
  std::string save() const override;
  void restore(const std::string& state) override;

 protected:
  ultracomputer_machine(const ultracomputer_config& config, std::uint64_t seed);

  virtual request_trace& events() = 0;
  /// Goes on from the end of cycle `now`; called before the first cycle only.
  virtual void resume_after(cycle_t now) = 0;

  /// A module has just taken a request from the network.
  void count_transit(const packet& request, cycle_t served) {
    transit_.add(served - interfaces().accepted_cycle(request.id()));
  }
  average& transit() { return transit_; }

 private:
  class parts;

  // The samples come from counters that switches keep anyway, so they cost little, and every
  // engine gives the same.
  std::vector<occupancy_sample> look() const override;
  std::size_t queues(std::size_t stage) const override {
    return network().column(stage).queues().count();
  }
  std::size_t buffers(std::size_t stage) const override {
    return network().column(stage).wait_buffers().count();
  }
  void report_occupancy(std::size_t stage, const occupancy_series& series,
                        statistics_tree& statistics) const override;

  ultracomputer_config config_;
  std::uint64_t seed_;
  address_map addresses_;
  std::unique_ptr<parts> parts_;
  average transit_;
  cycle_t measured_from_ = 0;
};

}  // namespace tributary
