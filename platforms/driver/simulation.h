// SPDX-License-Identifier: Apache-2.0
// What a run needs of a machine that is being simulated, whichever platform it is of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <tributary/sim/cycle.h>
#include <tributary/sim/error.h>
#include <tributary/sim/statistics.h>

#include <sinks/event_filter.h>

namespace tributary {

/// Files that show the events of a run; an empty path is none.
struct event_files {
  std::string log;       ///< text, one line an event
  std::string vcd;       ///< value change dump
  std::string perfetto;  ///< trace for Perfetto and Chrome's viewer
  std::string record;    ///< trace of all requests, for replay
  event_filter_options filter;

  bool any() const { return !log.empty() || !vcd.empty() || !perfetto.empty() || !record.empty(); }
};

/// Event files that are being written.
class event_observation {
 public:
  event_observation() = default;
  event_observation(const event_observation&) = delete;
  event_observation& operator=(const event_observation&) = delete;
  virtual ~event_observation() = default;
  /// Ends every file, once. `partial`: the run was interrupted, which the files then say.
  /// Throws `input_error` for one that cannot be written.
  virtual void finish(bool partial) = 0;
};

/// What stands in a group of like places, as a stage of a network: in its queues and in its
/// buffers.
struct occupancy_sample {
  // Entries summed over all places and the cycles since the counters were reset.
  std::uint64_t waiting = 0;
  std::uint64_t held = 0;
  // Entries at this moment in the fullest of them.
  std::uint64_t most_waiting = 0;
  std::uint64_t most_held = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(waiting, held, most_waiting, most_held);
  }
};

/// The samples of a group window by window.
struct occupancy_series {
  time_series waiting;  ///< mean entries in a queue
  time_series held;     ///< mean entries in a buffer
  time_series most_waiting;
  time_series most_held;
};

/// How a machine lets its occupancy be recorded over time.
class occupancy_source {
 public:
  /// Of each group, in an order that stays.
  virtual std::vector<occupancy_sample> look() const = 0;
  /// The number of queues and of buffers in a group.
  virtual std::size_t queues(std::size_t group) const = 0;
  virtual std::size_t buffers(std::size_t group) const = 0;
  /// Adds a group's series to the statistics under the names that they have on this machine.
  virtual void report_occupancy(std::size_t group, const occupancy_series& series,
                                statistics_tree& statistics) const = 0;

 protected:
  ~occupancy_source() = default;
};

/// A machine on its way. The same parameters and seed give the same events and statistics.
class simulation {
 public:
  simulation() = default;
  simulation(const simulation&) = delete;
  simulation& operator=(const simulation&) = delete;
  virtual ~simulation() = default;

  /// The last cycle that was simulated; 0 before the first.
  virtual cycle_t now() const = 0;
  /// Simulates up to cycle `last`, or until `finished`.
  virtual void run_until(cycle_t last) = 0;
  /// Whether the workload has ended and everything that it asked for was answered.
  virtual bool finished() const = 0;
  /// Stops the workload, simulates until everything is answered, then proves that nothing is left
  /// in the machine; throws `simulation_error` if it cannot. Returns false if `cancelled` told it
  /// to stop before.
  virtual bool drain(const std::function<bool()>& cancelled) = 0;

  virtual void reset_statistics() = 0;
  virtual statistics_tree statistics() const = 0;
  /// The average that a run until it is steady watches; null if the machine has none.
  virtual const average* latency() const { return nullptr; }
  /// The counter at a path of `statistics()` as it stands, as "workload.marks.superstep.count".
  /// Throws `error` that names the nearest. Runs ask for it again and again; this one, for any
  /// counter, makes all statistics each time.
  virtual std::uint64_t count_at(const std::string& path) const;
  /// Null if the machine cannot record it.
  virtual const occupancy_source* occupancy() const { return nullptr; }

  /// Begins to write event files; to be finished before the machine ends. Throws `input_error` for
  /// files that cannot be written.
  virtual std::unique_ptr<event_observation> observe(const event_files& files) = 0;

  /// The whole state as bytes, and back into a machine of the same parameters and seed.
  virtual std::string save() const { throw error("this machine has no checkpoints"); }
  virtual void restore(const std::string&) { throw error("this machine has no checkpoints"); }
};

}  // namespace tributary
