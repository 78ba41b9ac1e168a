// SPDX-License-Identifier: Apache-2.0
// The recording of all events (docs/formats/event-recording.md).
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <tributary/sim/error.h>
#include <tributary/sim/packed_bytes.h>
#include <tributary/sim/packed_file.h>
#include <tributary/trace/held_stays.h>
#include <tributary/trace/recording_block.h>
#include <tributary/trace/recording_format.h>
#include <tributary/trace/recording_tables.h>
#include <tributary/trace/sink.h>

namespace tributary {
namespace {

/// The kinds that have come, by their place in the program. There are some tens at most.
class kind_numbers {
 public:
  struct numbered {
    const event_kind* kind = nullptr;
    std::uint8_t number = 0;
    bool onward = false;
    bool asked = false;  // the catalog may know a number of what it is about
  };

  /// Null for one that has not come.
  const numbered* find(const event_kind* kind) const {
    for (std::size_t at = place_of(kind); kinds_[at].kind != nullptr; at = (at + 1) % room) {
      if (kinds_[at].kind == kind) return &kinds_[at];
    }
    return nullptr;
  }
  const numbered& add(const event_kind* kind) {
    if (count_ == room / 2) throw error("a recording has no room for more kinds of events");
    std::size_t at = place_of(kind);
    while (kinds_[at].kind != nullptr) at = (at + 1) % room;
    kinds_[at] = {kind, static_cast<std::uint8_t>(count_++), recording::goes_onward(*kind),
                  kind->asked != nullptr};
    return kinds_[at];
  }

 private:
  static constexpr std::size_t room = 256;
  static std::size_t place_of(const event_kind* kind) {
    return reinterpret_cast<std::uintptr_t>(kind) / alignof(event_kind) / 4 % room;
  }

  std::array<numbered, room> kinds_{};
  std::size_t count_ = 0;
};

class event_recording final : public trace_sink {
 public:
  event_recording(const std::string& path, const trace_filter_options& options,
                  const trace_catalog& catalog, const trace_start& start)
      : file_(path, recording::format),
        options_(options),
        window_(read_window(options.window)),
        catalog_(catalog),
        has_subjects_(catalog.subject),
        held_(catalog, start),
        block_(catalog.tracks()) {
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
    const kind_numbers::numbered* kind = kinds_.find(event.kind);
    if (kind == nullptr) kind = &introduce(event.kind);
    track_id onward{};
    if (kind->onward) onward = catalog_.onward(event);
    std::optional<std::uint64_t> subject;
    if (kind->asked && has_subjects_) subject = catalog_.subject(event);
    block_.add(event, kind->number, kind->onward ? &onward : nullptr,
               subject ? &*subject : nullptr);
    ++events_;
    if (block_.full()) write_block();
  }

  void finish(bool partial) override {
    if (!begun_) begin();
    write_block();
    byte_writer end;
    end.number(events_);
    end.number(last_);
    end.flag(partial);
    file_.section(recording::section::end, end.bytes());
    file_.commit();
  }

 private:
  /// Writes what the events begin with.
  void begin() {
    begun_ = true;
    byte_writer head;
    head.text(TRIBUTARY_VERSION);
    recording::put(head, catalog_);
    recording::put(head, held_.start(window_.first));
    recording::put(head, options_);
    file_.section(recording::section::begin, head.bytes());
    known_names_ = catalog_.added_names().size();
  }

  const kind_numbers::numbered& introduce(const event_kind* kind) {
    byte_writer about;
    recording::put(about, *kind);
    const kind_numbers::numbered& added = kinds_.add(kind);
    file_.section(recording::section::kind, about.bytes());
    return added;
  }

  void write_block() {
    if (block_.empty()) return;
    for (; known_names_ < catalog_.added_names().size(); ++known_names_) {
      const trace_catalog::added_name& added = catalog_.added_names()[known_names_];
      byte_writer about;
      about.text(added.detail);
      about.text(added.name);
      file_.section(recording::section::name, about.bytes());
    }
    file_.section(recording::section::events, block_.take());
  }

  packed_writer file_;
  trace_filter_options options_;
  cycle_window window_;
  const trace_catalog& catalog_;
  bool has_subjects_;
  held_stays held_;
  recording::block_writer block_;
  kind_numbers kinds_;
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
