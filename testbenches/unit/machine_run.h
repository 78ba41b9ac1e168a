// SPDX-License-Identifier: Apache-2.0
// Small machines for the tests of sinks and traces.
#pragma once

#include <string>
#include <vector>

#include <driver/event_files.h>
#include <tributary/sim/observer.h>
#include <tributary/trace/event.h>
#include <ultracomputer/ultracomputer.h>

#include "support/scratch_directory.h"

namespace tributary::testing {

/// Events as they come, for comparison with what a sink wrote.
class event_collector final : public observer<trace_event> {
 public:
  void on_event(const trace_event& event) override { events.push_back(event); }
  std::vector<trace_event> events;
};

/// A machine under traffic in which much combines.
inline ultracomputer_config small_machine(std::uint32_t elements = 16) {
  ultracomputer_config config;
  config.network.processing_elements = elements;
  config.network.switches.wait_buffer_entries = 100;
  config.processor.start_window = 20;
  config.processor.turnaround = 3;
  config.workload.traffic.hot_spot = 0.7;
  config.workload.traffic.operations = {{operation::fetch_add, 3}, {operation::load, 1}};
  return config;
}

/// The event log of a run, header and end mark included.
inline std::string log_of(const ultracomputer_config& config, std::uint64_t seed,
                          std::uint64_t cycles, const trace_filter_options& options = {}) {
  const scratch_directory here;
  ultracomputer machine(config, seed);
  event_files files;
  files.log = here.path("log");
  files.filter = options;
  event_observation log(files, machine);
  machine.step(cycles);
  machine.drain();
  log.finish(false);
  return here.read("log");
}

}  // namespace tributary::testing
