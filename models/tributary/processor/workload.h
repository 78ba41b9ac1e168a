// SPDX-License-Identifier: Apache-2.0
// What processors do, as the platform sees it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tributary/memory/port.h>
#include <tributary/nic/network_interface.h>
#include <tributary/processor/processing_elements.h>
#include <tributary/sim/active_groups.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/observer.h>

namespace tributary {

class counter;
class spinner_parking;
class statistics_group;

/// An interval of an element's program begins or ends.
struct program_interval {
  std::uint32_t element = 0;
  std::string_view name;  ///< valid while the observer is told
  cycle_t first = 0;
  cycle_t last = never;  ///< never as it begins

  bool begins() const { return last == never; }
};

/// A workload whose elements know nothing of each other, so that threads can advance ranges of them
/// at once, and which takes no notice of responses. In each cycle `begin` comes first, then each
/// element in one range, then `take` for what each range has counted. What elements do must not
/// depend on how they are divided.
class independent_elements {
 public:
  /// What a thread counts of its elements until `take`.
  struct counts {
    std::uint64_t generated = 0;  ///< requests
    std::uint64_t withheld = 0;   ///< requests that found no room
  };

  /// Begins cycle `now`, on one thread.
  virtual void begin(cycle_t now) = 0;
  /// Offers the requests of a range of elements, at a port that takes any number of them. The range
  /// begins with a group (`active_groups`).
  virtual void advance(const port_range& elements, cycle_t now, memory_port& port,
                       counts& counted) = 0;
  /// Adds the counts, on one thread, and clears them.
  virtual void take(counts& counted) = 0;

 protected:
  independent_elements() = default;
  independent_elements(const independent_elements&) = default;
  independent_elements& operator=(const independent_elements&) = default;
  ~independent_elements() = default;
};

/// What all elements of a machine do. A machine that steps its elements together calls `advance`
/// and `deliver` once a cycle each. One whose nodes keep their own time lets the workload `join`
/// first, and then calls `start`, `wake`, `completed` and `room` for each element.
class workload : public memory_client {
 public:
  workload() = default;
  workload(const workload&) = delete;
  workload& operator=(const workload&) = delete;
  virtual ~workload() = default;

  /// Offers the requests of cycle `now`.
  virtual void advance(cycle_t now, memory_port& ports) = 0;

  /// The same elements for several threads; null if they know of each other.
  virtual independent_elements* independent() { return nullptr; }

  /// Takes the responses that were delivered in cycle `now`, local ones last.
  virtual void deliver(cycle_t now, const std::vector<memory_response>& responses) {
    for (const memory_response& each : responses) completed(each, now);
  }

  /// Elements are woken by `clock` and ask at `port` from here on; both must outlive the run.
  virtual void join(element_clock& clock, memory_port& port) = 0;
  /// Has the clock wake the element for the first time.
  virtual void start(std::uint32_t element) = 0;
  /// It is the cycle that the clock was asked for.
  virtual void wake(const pe_slot& wakeup, cycle_t now) = 0;
  void completed(const completion& ended, cycle_t now) override = 0;
  void room(std::size_t, cycle_t) override {}

  /// Whether it will never offer a request again.
  virtual bool finished() const = 0;

  /// Lets it offer no request from here on, so that the machine drains.
  virtual void stop() = 0;

  /// Lets it park elements there; null lets it park none.
  virtual void let_park(spinner_parking*) {}

  virtual void reset_statistics() {}
  virtual void report(statistics_group&) const {}
  /// A counter of `report` by its path within the group, as "marks.superstep.count"; null for one
  /// that is not there or that can be had from the report only. It may move as time goes on.
  virtual const counter* find_counter(std::string_view) const { return nullptr; }

  /// Told of every interval as it begins and as it ends, in the cycle's `advance` and in
  /// ascending order of elements; null if the workload has none.
  virtual observer_list<program_interval>* intervals() { return nullptr; }

  /// Its state as bytes, and back into a workload made from the same configuration.
  virtual std::string save() const = 0;
  virtual void restore(const std::string& state) = 0;
};

}  // namespace tributary
