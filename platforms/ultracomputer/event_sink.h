// SPDX-License-Identifier: Apache-2.0
// Files that show the events of a run.
#pragma once

#include <memory>
#include <string>

#include <tributary/memory/network_event.h>
#include <tributary/processor/workload.h>
#include <tributary/sim/observer.h>

#include <sinks/event_filter.h>

namespace tributary {

class machine;

/// An observer that writes a file. Attach it to `machine::observers()`, and what `intervals`
/// returns to those of the workload; run, detach, then `finish`. The file appears under its name by
/// `finish`, whole or not at all; it is compressed by gzip if its name ends in ".gz". Members throw
/// `input_error` for a file that cannot be written.
class event_sink : public observer<network_event> {
 public:
  /// What takes the intervals of programs; null if the file shows none.
  virtual observer<program_interval>* intervals() { return nullptr; }

  /// Ends the file. `partial`: the run was interrupted, which the file then says.
  virtual void finish(bool partial = false) = 0;
};

/// What the open functions need to know of a machine.
machine_shape shape_of(const machine& observed);

// Each opens a sink for the machine as it stands, fresh or resumed; docs/formats/event-log.md
// describes the files. Throw `input_error` if the file cannot be written.

/// One line an event.
std::unique_ptr<event_sink> open_text_log(const std::string& path, const event_filter& filter,
                                          const machine& observed);
/// Value change dump: queue lengths, wait buffers and links of every port.
std::unique_ptr<event_sink> open_vcd(const std::string& path, const event_filter& filter,
                                     const machine& observed);
/// Perfetto and Chrome trace: stays in queues and intervals of programs as slices, combining
/// as arrows.
std::unique_ptr<event_sink> open_perfetto(const std::string& path, const event_filter& filter,
                                          const machine& observed);

}  // namespace tributary
