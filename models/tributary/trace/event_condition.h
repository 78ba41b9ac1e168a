// SPDX-License-Identifier: Apache-2.0
// A condition on events, as the trigger of a logic analyser has.
#pragma once

#include <memory>
#include <string>

#include <tributary/trace/catalog.h>
#include <tributary/trace/event.h>

namespace tributary {

/// Comparisons of an event's fields, which all must hold: "event = delivered and latency > 500".
/// The fields are those of the event log, with the details that the machine's kinds of events have,
/// and `latency`. An event without the field does not fulfil a comparison
/// (docs/formats/event-recording.md).
class event_condition {
 public:
  /// `catalog` must outlive it. Throws `configuration_error` that names `option`, the place in the
  /// condition and what is allowed there.
  event_condition(const std::string& option, const std::string& text, const trace_catalog& catalog);
  ~event_condition();
  event_condition(event_condition&&) noexcept;
  event_condition& operator=(event_condition&&) noexcept;

  /// Whether the event fulfils it. Must be asked of every event, in the order of telling: a latency
  /// is counted from an earlier one.
  bool holds(const trace_event& event);

 private:
  struct implementation;
  std::unique_ptr<implementation> implementation_;
};

}  // namespace tributary
