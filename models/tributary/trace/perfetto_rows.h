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
  /// A lane, while slices are put there.
  struct place {
    std::uint32_t row = 0;
    std::uint32_t lane = 0;
  };

  perfetto_rows(const trace_catalog& catalog, perfetto_writer& writer)
      : catalog_(catalog), writer_(writer) {}

  /// The first lane that is free from the cycle `from` on, taken up to, not including, `until`.
  /// `kind` has the number `number`, less than 256.
  place take(track_id track, std::string_view kind, std::size_t number, cycle_t from,
             cycle_t until);
  /// It is free from the cycle on.
  void release(const place& taken, cycle_t from) {
    rows_[taken.row].lanes[taken.lane].busy_until = from;
  }
  track_id track_of(const place& taken) const { return rows_[taken.row].track; }
  /// The lane to the viewer, which is told its name when it first comes.
  const perfetto_thread& thread_of(const place& taken) {
    lane& asked = rows_[taken.row].lanes[taken.lane];
    if (asked.thread.number == 0) introduce(rows_[taken.row], taken.lane);
    return asked.thread;
  }

 private:
  struct lane {
    cycle_t busy_until = 0;
    perfetto_thread thread;
  };
  struct row {
    track_id track{};
    std::string_view kind;
    std::vector<lane> lanes;
  };

  row& row_of(track_id track, std::string_view kind, std::size_t number, std::uint32_t& at);
  void introduce(row& named, std::size_t at);
  std::uint32_t process_of(const std::string& unit, track_id track);

  const trace_catalog& catalog_;
  perfetto_writer& writer_;
  number_index index_;  // of rows, by track and kind
  std::vector<row> rows_;
  std::map<std::string, std::uint32_t> processes_;
  std::uint32_t threads_ = 0;
};

}  // namespace tributary
