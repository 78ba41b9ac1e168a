// SPDX-License-Identifier: Apache-2.0
// The recording of all events (docs/formats/event-recording.md).
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <tributary/sim/packed_file.h>
#include <tributary/trace/held_stays.h>
#include <tributary/trace/recording_events.h>
#include <tributary/trace/recording_format.h>
#include <tributary/trace/sink.h>

namespace tributary {
namespace {

class event_recording final : public trace_sink {
 public:
  event_recording(const std::string& path, const trace_filter_options& options,
                  const trace_catalog& catalog, const trace_start& start)
      : file_(path, recording::format),
        options_(options),
        window_(read_window(options.window)),
        catalog_(catalog),
        held_(catalog, start),
        encoder_(catalog) {
    if (window_.first == 0) begin();
  }

  void on_event(const trace_event& event) override {
    if (!begun_) {
      if (event.last < window_.first) {
        held_.follow(event);
        return;
      }
      begin();
    }
    last_ = std::max(last_, event.cycle);
    if (event.cycle > window_.last) return;
    encoder_.add(
        event, [this](const std::string& kind) { file_.section(recording::section::kind, kind); });
    ++events_;
    if (encoder_.full()) write_block();
  }

  void finish(bool partial) override {
    if (!begun_) begin();
    write_block();
    file_.section(recording::section::end, recording::end_section(events_, last_, partial));
    file_.commit();
  }

 private:
  /// Writes what the events begin with.
  void begin() {
    begun_ = true;
    file_.section(
        recording::section::begin,
        recording::beginning(TRIBUTARY_VERSION, catalog_, held_.start(window_.first), options_));
    known_names_ = catalog_.added_names().size();
  }

  void write_block() {
    if (encoder_.empty()) return;
    for (; known_names_ < catalog_.added_names().size(); ++known_names_) {
      file_.section(recording::section::name,
                    recording::name_section(catalog_.added_names()[known_names_]));
    }
    file_.section(recording::section::events, encoder_.take());
  }

  packed_writer file_;
  trace_filter_options options_;
  cycle_window window_;
  const trace_catalog& catalog_;
  held_stays held_;
  recording::event_encoder encoder_;
  std::size_t known_names_ = 0;
  std::uint64_t events_ = 0;
  cycle_t last_ = 0;
  bool begun_ = false;
};

}  // namespace

std::unique_ptr<trace_sink> open_recording(const std::string& path,
                                           const trace_filter_options& options,
                                           const trace_catalog& catalog, const trace_start& start) {
  return std::make_unique<event_recording>(path, options, catalog, start);
}

}  // namespace tributary
