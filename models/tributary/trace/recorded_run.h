// SPDX-License-Identifier: Apache-2.0
// Reads a recording of events, so that other files can be made of it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <tributary/sim/cycle.h>
#include <tributary/sim/observer.h>
#include <tributary/trace/catalog.h>
#include <tributary/trace/event.h>
#include <tributary/trace/filter.h>

namespace tributary {

/// A recording (docs/formats/event-recording.md) of a run. What is made of it by the sinks of
/// `sink.h` is what they would have written in the run. Members throw `input_error` for a file that
/// cannot be read, is of another kind or version, or is damaged; it names the file and the byte.
class recorded_run {
 public:
  /// Reads what comes before the events.
  explicit recorded_run(const std::string& path);
  ~recorded_run();
  recorded_run(const recorded_run&) = delete;
  recorded_run& operator=(const recorded_run&) = delete;

  /// Of the library that wrote it.
  const std::string& version() const;
  /// For the sinks. Its `onward` and `subject` are about the event that is told.
  const trace_catalog& catalog() const;
  const trace_start& start() const;
  /// What the user wanted to see when it was written; events outside the window are not in it.
  const trace_filter_options& filter() const;

  /// How a recording ends.
  struct end {
    std::uint64_t events = 0;
    cycle_t last = 0;      ///< cycle of an event; 0 if there is none
    bool partial = false;  ///< the run was interrupted
  };
  /// Tells every event in the order of the run; once. Kinds and their texts live as long as this.
  end tell(const observer_list<trace_event>& observers);

 private:
  struct implementation;
  std::unique_ptr<implementation> implementation_;
};

}  // namespace tributary
