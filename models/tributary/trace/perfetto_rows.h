// SPDX-License-Identifier: Apache-2.0
// Rows of a Perfetto trace: as many next to each other as slices overlap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <tributary/sim/cycle.h>
#include <tributary/trace/catalog.h>
#include <tributary/trace/number_index.h>
#include <tributary/trace/perfetto_writer.h>

namespace tributary {

/// Tracks of one unit of the machine share a process of the viewer. For each kind of slices a track
/// has lanes, which are threads.
class perfetto_rows {
 public:
  /// A lane, by number.
  enum class place : std::uint32_t {};

  perfetto_rows(const trace_catalog& catalog, perfetto_writer& writer)
      : catalog_(catalog), writer_(writer) {}

  /// The first lane that is free from the cycle `from` on, taken up to, not including, `until`.
  /// `kind` has the number `number`, less than 256.
  place take(track_id track, std::string_view kind, std::size_t number, cycle_t from,
             cycle_t until);
  /// It is free from the cycle on.
  void release(place taken, cycle_t from) { at(taken).busy_until = from; }
  track_id track_of(place taken) const { return lanes_[static_cast<std::size_t>(taken)].track; }
  /// The lane to the viewer, which is told its name when it first comes.
  const perfetto_thread& thread_of(place taken) {
    lane& asked = at(taken);
    if (asked.thread.number == 0) introduce(asked);
    return asked.thread;
  }
  /// The graph of a track's value, of which the viewer is told when it first comes.
  const perfetto_graph& graph_of(track_id track);

 private:
  struct lane {
    cycle_t busy_until = 0;
    perfetto_thread thread;
    std::uint32_t next = number_index::none;  // of the same track and kind
    std::uint32_t number = 0;                 // among these
    track_id track{};
    std::string_view kind;
  };

  lane& at(place taken) { return lanes_[static_cast<std::size_t>(taken)]; }
  void introduce(lane& named);
  std::uint32_t process_of(const std::string& unit, track_id track);

  const trace_catalog& catalog_;
  perfetto_writer& writer_;
  number_index index_;  // of first lanes, by track and kind
  std::vector<lane> lanes_;
  std::map<std::string, std::uint32_t> processes_;
  std::uint32_t threads_ = 0;
  std::map<track_id, perfetto_graph> graphs_;
};

}  // namespace tributary
