// SPDX-License-Identifier: Apache-2.0
// What a run needs of a machine that is being simulated, whichever platform it is of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tributary/processor/program_events.h>
#include <tributary/processor/workload.h>
#include <tributary/sim/activity.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/error.h>
#include <tributary/sim/observer.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>
#include <tributary/trace/catalog.h>
#include <tributary/trace/recorder.h>

namespace tributary {

class mapped_network;

/// What can be written down of a machine.
struct machine_trace {
  trace_catalog& catalog;
  trace_recorder& recorder;
  trace_start start;  ///< what the machine holds now
  observer_list<offered_request>& offers;
  observer_list<program_interval>* intervals;  ///< null if its workload has none
  interval_trace::track_of_element track_of_element;
  std::uint64_t element_ratio = 1;  ///< cycles of an element in one of the tracks
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

  TRIBUTARY_STATE(waiting, held, most_waiting, most_held);
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

/// Whether threads are used always, or only while they are measured to be faster than one.
enum class thread_use : std::uint8_t { always, while_faster };

/// A drain check that failed: requests were lost, or nothing moves. What was measured before
/// stands.
class drain_error : public simulation_error {
 public:
  using simulation_error::simulation_error;
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
  /// Allows up to `most` threads, the caller's included. Events and statistics are the same with
  /// any number. Only some machines use more than one.
  virtual void use_threads(std::size_t /*most*/, thread_use = thread_use::always) {}
  /// From here on it writes there the name of the block that is at work; null turns this off.
  /// Returns whether it can.
  virtual bool show(current_activity*) { return false; }
  /// Whether the workload has ended and everything that it asked for was answered.
  virtual bool finished() const = 0;
  /// Stops the workload, simulates until everything is answered, then proves that nothing is left
  /// in the machine; throws `drain_error` if it cannot, and any other `simulation_error` as
  /// `run_until` does. Returns false if `cancelled` told it to stop before.
  virtual bool drain(const std::function<bool()>& cancelled) = 0;

  virtual void reset_statistics() = 0;
  virtual statistics_tree statistics() const = 0;
  /// The average that a run until it is steady watches; nothing if the machine has none.
  virtual std::optional<average> latency() const { return std::nullopt; }
  /// Requests that were asked for and not answered; 0 if the machine does not count them.
  virtual std::uint64_t backlog() const { return 0; }
  /// The counter at a path of `statistics()` as it stands, as "workload.marks.superstep.count".
  /// Throws `error` that names the nearest. For one that is not the workload's it makes all
  /// statistics each time.
  std::uint64_t count_at(const std::string& path) const;
  /// A counter of the workload by its path within `workload.`, without making the statistics; null
  /// for one that is not there.
  virtual const counter* find_workload_counter(std::string_view) const { return nullptr; }
  /// Null if the machine cannot record it.
  virtual const occupancy_source* occupancy() const { return nullptr; }

  /// Its network, for a drawing of how busy each link was; null if it has none that can tell.
  virtual const mapped_network* mapped() const { return nullptr; }

  /// Observers that are attached to it must be detached before the machine ends.
  virtual machine_trace trace() = 0;

  /// The whole state as bytes, and back into a machine of the same parameters and seed.
  virtual std::string save() const = 0;
  virtual void restore(const std::string& state) = 0;
};

}  // namespace tributary
