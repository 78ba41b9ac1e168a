// SPDX-License-Identifier: Apache-2.0
// Files that show the events of a run (docs/formats/event-log.md).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <tributary/sim/cycle.h>
#include <tributary/sim/observer.h>
#include <tributary/trace/catalog.h>
#include <tributary/trace/event.h>
#include <tributary/trace/filter.h>

namespace tributary {

/// An observer that writes a file: attach it, run, detach it, then `finish`. The file appears under
/// its name by `finish`, whole or not at all; it is compressed by gzip if its name ends in ".gz".
/// Members throw `input_error` for a file that cannot be written.
class trace_sink : public observer<trace_event> {
 public:
  /// Ends the file. `partial`: the run was interrupted, which the file then says.
  virtual void finish(bool partial) = 0;
};

// The catalog must outlive the sinks. All throw `input_error` if the file cannot be written.

/// One line an event.
std::unique_ptr<trace_sink> open_event_log(const std::string& path, const trace_filter& filter,
                                           const trace_catalog& catalog);
/// Trace for Perfetto: stays and what lasts as slices, arrows along messages and between requests
/// that combine. In Perfetto's protobuf form if the name, before ".gz", ends in ".pftrace" or
/// ".perfetto-trace"; else as JSON, which Chrome's viewer reads too.
std::unique_ptr<trace_sink> open_perfetto(const std::string& path, const trace_filter& filter,
                                          const trace_catalog& catalog);
/// Value change dump of the signals of all tracks.
std::unique_ptr<trace_sink> open_vcd(const std::string& path, const trace_filter& filter,
                                     const trace_catalog& catalog, const trace_start& start);

/// A compact recording of all events in the window, from which `recorded_run` makes the other files
/// later; it keeps what else the options ask for, and what the machine held, for these.
std::unique_ptr<trace_sink> open_recording(const std::string& path,
                                           const trace_filter_options& options,
                                           const trace_catalog& catalog, const trace_start& start);

/// Which cycles of a run a recording keeps: the last, or those around a trigger, as a logic
/// analyser does.
struct kept_cycles {
  cycle_t before = 0;   ///< the last cycles that are kept, up to the run's end or to the trigger
  cycle_t after = 0;    ///< cycles that are recorded after the trigger's
  std::string trigger;  ///< an `event_condition`; empty: the run's end is the only trigger
};

/// What became of a trigger.
struct trigger_outcome {
  bool fired = false;
  cycle_t cycle = 0;  ///< of the machine, when it reported the event
  std::string event;  ///< the event that fired it: "delivered of 3.17 on element.3 in cycle 90"
};

/// An observer that records what `kept_cycles` asks for in bounded memory. It must be told of
/// cycles, as by `event_thread::cycles`, before their events. `finish` does nothing if all cycles
/// after the trigger have come: the file has its name since then.
class kept_recording : public trace_sink, public observer<cycle_t> {
 public:
  using trace_sink::on_event;
  using observer<cycle_t>::on_event;
  virtual trigger_outcome outcome() const = 0;
  /// Whether nothing more will be recorded. May be asked in any thread.
  virtual bool complete() const = 0;
};

/// A recording as by `open_recording`, of some cycles. It has whole blocks of events, so more than
/// those; its window, which `trace_filter_options` of the reader has, is the cycles asked for.
/// `options.window` must be empty. Throws `configuration_error` for a wrong condition.
std::unique_ptr<kept_recording> open_kept_recording(const std::string& path,
                                                    const kept_cycles& cycles,
                                                    const trace_filter_options& options,
                                                    const trace_catalog& catalog,
                                                    const trace_start& start);

}  // namespace tributary
