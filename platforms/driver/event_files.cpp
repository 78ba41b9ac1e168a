// SPDX-License-Identifier: Apache-2.0
#include "event_files.h"

#include <utility>

namespace tributary {

event_observation::event_observation(const event_files& files, simulation& observed)
    : trace_(observed.trace()) {
  const trace_filter filter(files.filter, trace_.catalog);
  if (!files.log.empty()) sinks_.push_back(open_event_log(files.log, filter, trace_.catalog));
  if (!files.vcd.empty()) {
    sinks_.push_back(open_vcd(files.vcd, filter, trace_.catalog, trace_.start));
  }
  if (!files.perfetto.empty()) {
    sinks_.push_back(open_perfetto(files.perfetto, filter, trace_.catalog));
  }
  if (!files.record.empty()) recording_ = std::make_unique<trace_writer>(files.record);

  for (const std::unique_ptr<trace_sink>& sink : sinks_) trace_.recorder.observers().attach(*sink);
  if (!sinks_.empty() && trace_.intervals != nullptr) {
    intervals_.emplace(trace_.recorder, trace_.catalog, trace_.track_of_element,
                       trace_.element_ratio);
    trace_.intervals->attach(*intervals_);
  }
  if (recording_ != nullptr) trace_.offers.attach(*recording_);
}

void event_observation::finish(bool partial) {
  if (intervals_) trace_.intervals->detach(*intervals_);
  intervals_.reset();
  for (const std::unique_ptr<trace_sink>& sink : sinks_) trace_.recorder.observers().detach(*sink);
  if (recording_ != nullptr) trace_.offers.detach(*recording_);
  // Detached, as one that cannot be written throws.
  const std::vector<std::unique_ptr<trace_sink>> sinks = std::move(sinks_);
  const std::unique_ptr<trace_writer> recording = std::move(recording_);
  for (const std::unique_ptr<trace_sink>& sink : sinks) sink->finish(partial);
  if (recording != nullptr) recording->finish(partial);
}

}  // namespace tributary
