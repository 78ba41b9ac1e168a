// SPDX-License-Identifier: Apache-2.0
// The intervals of programs as events, for traces.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

#include <tributary/processor/workload.h>
#include <tributary/sim/observer.h>
#include <tributary/trace/catalog.h>
#include <tributary/trace/event.h>
#include <tributary/trace/recorder.h>

namespace tributary {
namespace program_events {

/// The interval, by its name.
inline constexpr event_detail interval{"interval", 0, 16};

constexpr event_kind kind(const char* name, bool begins) {
  event_kind kind;
  kind.name = name;
  kind.order = 20;  // in the program's order, behind all else on an element's track
  kind.title = &interval;
  kind.changes = {stay_change{"program", begins}};
  kind.details = {&interval};
  return kind;
}

inline constexpr event_kind interval_begun = kind("interval_begun", true);
inline constexpr event_kind interval_ended = kind("interval_ended", false);

}  // namespace program_events

/// Reports the intervals of a workload on the tracks of its elements.
class interval_trace final : public observer<program_interval> {
 public:
  using track_of_element = std::function<track_id(std::uint32_t)>;

  /// Both must outlive it. Names are numbered as they come, from here on. `ratio`: how many cycles
  /// of an element are one of the other tracks.
  interval_trace(trace_recorder& recorder, trace_catalog& catalog, track_of_element track,
                 std::uint64_t ratio = 1)
      : recorder_(recorder), catalog_(catalog), track_(std::move(track)), ratio_(ratio) {
    catalog_.set_names(program_events::interval, {});
    for (const event_kind* each :
         {&program_events::interval_begun, &program_events::interval_ended}) {
      if (std::find(catalog_.kinds.begin(), catalog_.kinds.end(), each) == catalog_.kinds.end()) {
        catalog_.kinds.push_back(each);
      }
    }
  }

  void on_event(const program_interval& interval) override {
    trace_event event;
    event.cycle = event.last = (interval.begins() ? interval.first : interval.last) / ratio_;
    event.kind =
        interval.begins() ? &program_events::interval_begun : &program_events::interval_ended;
    event.track = track_(interval.element);
    event.details =
        program_events::interval.put(catalog_.value_of(program_events::interval, interval.name));
    recorder_.add(event);
  }

 private:
  trace_recorder& recorder_;
  trace_catalog& catalog_;
  track_of_element track_;
  std::uint64_t ratio_;
};

}  // namespace tributary
