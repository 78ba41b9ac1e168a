// SPDX-License-Identifier: Apache-2.0
#include "event_files.h"

#include <exception>
#include <utility>

namespace tributary {

event_observation::event_observation(const event_files& files, simulation& observed)
    : observed_(observed), trace_(observed.trace()) {
  // First, as it begins the names of intervals anew, which the sinks then know.
  if (files.shows_events() && trace_.intervals != nullptr) {
    intervals_.emplace(trace_.recorder, trace_.catalog, trace_.track_of_element,
                       trace_.element_ratio);
  }
  if (files.shows_events()) open(files);
  if (!files.record.empty()) recording_ = std::make_unique<trace_writer>(files.record);

  if (thread_ != nullptr) trace_.recorder.give_to(*thread_);
  if (intervals_) trace_.intervals->attach(*intervals_);
  if (recording_ != nullptr) trace_.offers.attach(*recording_);
}

void event_observation::open(const event_files& files) {
  const trace_filter filter(files.filter, trace_.catalog);
  thread_ = std::make_unique<event_thread>(trace_.catalog);
  const trace_catalog& catalog = thread_->catalog();
  if (!files.log.empty()) sinks_.push_back(open_event_log(files.log, filter, catalog));
  if (!files.vcd.empty()) sinks_.push_back(open_vcd(files.vcd, filter, catalog, trace_.start));
  if (!files.perfetto.empty()) sinks_.push_back(open_perfetto(files.perfetto, filter, catalog));
  if (!files.events.empty() && files.kept.before != 0) {
    auto kept = open_kept_recording(files.events, files.kept, files.filter, catalog, trace_.start);
    kept_ = kept.get();
    thread_->cycles().attach(*kept);
    sinks_.push_back(std::move(kept));
  } else if (!files.events.empty()) {
    sinks_.push_back(open_recording(files.events, files.filter, catalog, trace_.start));
  }
  for (const std::unique_ptr<trace_sink>& sink : sinks_) thread_->observers().attach(*sink);
}

void event_observation::finish(bool partial) {
  if (intervals_) trace_.intervals->detach(*intervals_);
  intervals_.reset();
  if (recording_ != nullptr) trace_.offers.detach(*recording_);
  kept_recording* const kept = std::exchange(kept_, nullptr);
  // Detached, as one that cannot be written throws.
  const std::vector<std::unique_ptr<trace_sink>> sinks = std::move(sinks_);
  const std::unique_ptr<event_thread> thread = std::move(thread_);
  const std::unique_ptr<trace_writer> recording = std::move(recording_);
  if (thread != nullptr) {
    trace_.recorder.give_to_nobody();
    thread->finish();
  }
  std::exception_ptr problem;
  // Each, whatever becomes of the others.
  const auto end = [&problem](const auto& ends) {
    try {
      ends();
    } catch (...) {
      if (problem == nullptr) problem = std::current_exception();
    }
  };
  if (kept != nullptr) {
    outcome_ = kept->outcome();
    // Behind a trigger cycles without events count too.
    if (outcome_.fired) end([&] { kept->on_event(observed_.now()); });
  }
  for (const std::unique_ptr<trace_sink>& sink : sinks) end([&] { sink->finish(partial); });
  if (recording != nullptr) end([&] { recording->finish(partial); });
  if (problem != nullptr) std::rethrow_exception(problem);
}

}  // namespace tributary
