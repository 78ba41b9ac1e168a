// SPDX-License-Identifier: Apache-2.0
// Files that show the events of a run.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tributary/processor/trace_file.h>
#include <tributary/trace/event_thread.h>
#include <tributary/trace/filter.h>
#include <tributary/trace/sink.h>

#include "simulation.h"

namespace tributary {

/// What the user asked for; an empty path is none.
struct event_files {
  std::string log;       ///< text, one line an event
  std::string vcd;       ///< value change dump
  std::string perfetto;  ///< trace for Perfetto and Chrome's viewer
  std::string events;    ///< recording of all events, for the others later
  std::string record;    ///< trace of all requests, for replay
  trace_filter_options filter;
  kept_cycles kept;  ///< that `events` has; all if `before` is 0

  bool shows_events() const {
    return !log.empty() || !vcd.empty() || !perfetto.empty() || !events.empty();
  }
  bool any() const { return shows_events() || !record.empty(); }
};

/// The files while a machine is simulated. Those that show events are written by a thread.
class event_observation {
 public:
  /// Attaches to the machine, which must outlive `finish`. Throws `configuration_error` for a
  /// filter that does not fit it, and `input_error` for files that cannot be written.
  event_observation(const event_files& files, simulation& observed);
  event_observation(const event_observation&) = delete;
  event_observation& operator=(const event_observation&) = delete;

  /// Detaches and ends every file. `partial`: the run was interrupted, which the files then say.
  /// Throws `input_error` for one that cannot be written.
  void finish(bool partial);
  /// Whether every file has all that was asked for before the run has ended, so that `finish` may
  /// come early.
  bool complete() const {
    return kept_ != nullptr && kept_->complete() && sinks_.size() == 1 && recording_ == nullptr;
  }
  /// What became of the trigger of `events`, after `finish`.
  const trigger_outcome& outcome() const { return outcome_; }

 private:
  void open(const event_files& files);

  const simulation& observed_;
  machine_trace trace_;
  std::vector<std::unique_ptr<trace_sink>> sinks_;
  std::unique_ptr<event_thread> thread_;  // tells the sinks
  std::optional<interval_trace> intervals_;
  std::unique_ptr<trace_writer> recording_;
  kept_recording* kept_ = nullptr;  // one of the sinks
  trigger_outcome outcome_;
};

}  // namespace tributary
