// SPDX-License-Identifier: Apache-2.0
// Small machines for the tests of sinks and traces.
#pragma once

#include <string>
#include <vector>

#include <tributary/memory/network_event.h>
#include <tributary/sim/observer.h>
#include <ultracomputer/event_sink.h>
#include <ultracomputer/ultracomputer.h>

#include "support/scratch_directory.h"

namespace tributary::testing {

/// Events as they come, for comparison with what a sink wrote.
class event_collector final : public observer<network_event> {
 public:
  void on_event(const network_event& event) override { events.push_back(event); }
  std::vector<network_event> events;
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
                          std::uint64_t cycles, const event_filter_options& options = {}) {
  const scratch_directory here;
  ultracomputer machine(config, seed);
  const auto log =
      open_text_log(here.path("log"), event_filter(options, shape_of(machine)), machine);
  machine.observers().attach(*log);
  machine.step(cycles);
  machine.drain();
  machine.observers().detach(*log);
  log->finish();
  return here.read("log");
}

}  // namespace tributary::testing
