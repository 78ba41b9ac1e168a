// SPDX-License-Identifier: Apache-2.0
// What a recording has in addition to its events: their kinds, the machine's tracks and names, and
// what it held at the beginning.
#pragma once

#include <cstddef>
#include <deque>
#include <set>
#include <string>

#include <tributary/sim/packed_bytes.h>
#include <tributary/trace/catalog.h>
#include <tributary/trace/event.h>
#include <tributary/trace/filter.h>

namespace tributary::recording {

/// A name as it is shown in files and messages: without quotes and control characters, and of a
/// length that is no burden to them.
std::string take_word(byte_reader& from);

/// The kinds of events of a file, by number, with all that they refer to.
class kind_table {
 public:
  /// Adds the next kind.
  void take(byte_reader& from);
  std::size_t size() const { return kinds_.size(); }
  const event_kind& operator[](std::size_t number) const { return kinds_[number]; }

 private:
  const char* take_text(byte_reader& from);
  const char* take_optional_text(byte_reader& from);
  const event_detail* take_optional_detail(byte_reader& from);

  // Their elements stay where they are.
  std::deque<event_kind> kinds_;
  std::deque<event_detail> details_;
  std::set<std::string> texts_;
};

void put(byte_writer& into, const event_kind& kind);

void put(byte_writer& into, const trace_catalog& catalog);
trace_catalog take_catalog(byte_reader& from);

void put(byte_writer& into, const trace_start& start);
/// Of a machine of so many tracks.
trace_start take_start(byte_reader& from, std::size_t tracks);

void put(byte_writer& into, const trace_filter_options& options);
trace_filter_options take_filter(byte_reader& from);

}  // namespace tributary::recording
