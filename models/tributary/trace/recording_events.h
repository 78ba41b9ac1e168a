// SPDX-License-Identifier: Apache-2.0
// Events on their way into the sections of a recording.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <tributary/sim/error.h>
#include <tributary/sim/packed_bytes.h>
#include <tributary/trace/catalog.h>
#include <tributary/trace/event.h>
#include <tributary/trace/filter.h>
#include <tributary/trace/recording_block.h>
#include <tributary/trace/recording_format.h>
#include <tributary/trace/recording_tables.h>

namespace tributary::recording {

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
    kinds_[at] = {kind, static_cast<std::uint8_t>(count_++), goes_onward(*kind),
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

/// Numbers the kinds of events and lays the events out in blocks.
class event_encoder {
 public:
  /// `catalog` must outlive it.
  explicit event_encoder(const trace_catalog& catalog)
      : catalog_(catalog), has_subjects_(catalog.subject), block_(catalog.tracks()) {}

  /// Adds an event to a block that is not full. Before it calls `introduce(bytes)` with the section
  /// of its kind if that has not come yet.
  template <class Introduce>
  void add(const trace_event& event, Introduce&& introduce) {
    const kind_numbers::numbered* kind = kinds_.find(event.kind);
    if (kind == nullptr) {
      byte_writer about;
      put(about, *event.kind);
      kind = &kinds_.add(event.kind);
      introduce(about.bytes());
    }
    track_id onward{};
    if (kind->onward) onward = catalog_.onward(event);
    std::optional<std::uint64_t> subject;
    if (kind->asked && has_subjects_) subject = catalog_.subject(event);
    block_.add(event, kind->number, kind->onward ? &onward : nullptr,
               subject ? &*subject : nullptr);
  }

  bool empty() const { return block_.empty(); }
  bool full() const { return block_.full(); }
  /// The bytes of the block; begins another.
  const std::string& take() { return block_.take(); }

 private:
  const trace_catalog& catalog_;
  bool has_subjects_;
  block_writer block_;
  kind_numbers kinds_;
};

/// The section with which a recording begins. `version`: of the library.
inline std::string beginning(const char* version, const trace_catalog& catalog,
                             const trace_start& start, const trace_filter_options& options) {
  byte_writer head;
  head.text(version);
  put(head, catalog);
  put(head, start);
  put(head, options);
  return head.bytes();
}

inline std::string name_section(const trace_catalog::added_name& added) {
  byte_writer about;
  about.text(added.detail);
  about.text(added.name);
  return about.bytes();
}

inline std::string end_section(std::uint64_t events, cycle_t last, bool partial) {
  byte_writer end;
  end.number(events);
  end.number(last);
  end.flag(partial);
  return end.bytes();
}

}  // namespace tributary::recording
