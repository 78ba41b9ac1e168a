// SPDX-License-Identifier: Apache-2.0
#include "event_sink.h"

#include <memory>
#include <vector>

#include <tributary/processor/trace_file.h>

#include <driver/simulation.h>
#include <ultracomputer/machine.h>

namespace tributary {
namespace {

/// Sinks that are attached to a machine.
class machine_observation final : public event_observation {
 public:
  machine_observation(const event_files& files, machine& observed) : machine_(observed) {
    const event_filter filter(files.filter, shape_of(observed));
    if (!files.log.empty()) sinks_.push_back(open_text_log(files.log, filter, observed));
    if (!files.vcd.empty()) sinks_.push_back(open_vcd(files.vcd, filter, observed));
    if (!files.perfetto.empty()) sinks_.push_back(open_perfetto(files.perfetto, filter, observed));
    if (!files.record.empty()) recording_ = std::make_unique<trace_writer>(files.record);
    for (const std::unique_ptr<event_sink>& sink : sinks_) attach(*sink);
    if (recording_ != nullptr) observed.interfaces().offers().attach(*recording_);
  }

  void finish(bool partial) override {
    for (const std::unique_ptr<event_sink>& sink : sinks_) {
      detach(*sink);
      sink->finish(partial);
    }
    sinks_.clear();
    if (recording_ == nullptr) return;
    machine_.interfaces().offers().detach(*recording_);
    recording_->finish(partial);
    recording_.reset();
  }

 private:
  void attach(event_sink& sink) {
    machine_.observers().attach(sink);
    if (takes_intervals(sink)) machine_.work().intervals()->attach(*sink.intervals());
  }
  void detach(event_sink& sink) {
    machine_.observers().detach(sink);
    if (takes_intervals(sink)) machine_.work().intervals()->detach(*sink.intervals());
  }
  bool takes_intervals(event_sink& sink) const {
    return sink.intervals() != nullptr && machine_.work().intervals() != nullptr;
  }

  machine& machine_;
  std::vector<std::unique_ptr<event_sink>> sinks_;
  std::unique_ptr<trace_writer> recording_;
};

}  // namespace

machine_shape shape_of(const machine& observed) {
  return {observed.config().network.processing_elements, observed.network().stages()};
}

std::unique_ptr<event_observation> machine::observe(const event_files& files) {
  return std::make_unique<machine_observation>(files, *this);
}

}  // namespace tributary
