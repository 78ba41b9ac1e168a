// SPDX-License-Identifier: Apache-2.0
// The file of a trace for Perfetto and Chrome's viewer (docs/formats/event-log.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <tributary/sim/cycle.h>
#include <tributary/sim/text_file.h>

namespace tributary {

/// Writes the events of a viewer's trace, as JSON; a cycle is a microsecond. A track is a process
/// to the viewer, and each of its rows a thread. The file appears by `finish`, whole or not at all.
/// Members throw `input_error` for a file that cannot be written.
class perfetto_file {
 public:
  explicit perfetto_file(const std::string& path);

  void name_track(std::uint32_t track, std::string_view name);
  void name_row(std::uint32_t track, std::uint32_t row, std::string_view name);

  /// A slice of `end - begin` cycles. `arguments`: members of an object, as `"address":"0x80"`.
  void add_slice(std::uint32_t track, std::uint32_t row, std::string_view name,
                 std::string_view category, cycle_t begin, cycle_t end, std::string_view arguments);

  /// Where an arrow begins, what it touches and where it ends: at the slices that are there in the
  /// cycle.
  enum class arrow_part : char { begin = 's', middle = 't', end = 'f' };
  void add_arrow(arrow_part part, std::uint64_t arrow, std::string_view name,
                 std::string_view category, std::uint32_t track, std::uint32_t row, cycle_t cycle);

  void finish(bool partial);

 private:
  void begin_event();

  text_writer file_;
  bool first_ = true;
};

}  // namespace tributary
