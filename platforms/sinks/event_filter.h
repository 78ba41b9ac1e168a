// SPDX-License-Identifier: Apache-2.0
// Which events of a run a sink shows.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <tributary/memory/network_event.h>
#include <tributary/sim/cycle.h>

namespace tributary {

/// Size of a machine, as far as sinks need it: k stages of N / 2 switches of two ports.
struct machine_shape {
  std::uint32_t processing_elements = 0;  ///< N
  std::uint32_t stages = 0;               ///< k

  std::uint32_t switches() const { return processing_elements / 2; }
};

/// What the user asked for, as typed; an empty text is everything.
struct event_filter_options {
  std::string window;    ///< cycles, "1000..2000", "1000.." or "..2000", both ends included
  std::string stages;    ///< "0..3,7"; "pe" and "mm" are the two ends of the network
  std::string switches;  ///< "0..3,7", within each stage
  std::string pes;       ///< "0..3,7": processing elements whose requests are shown
  std::string nodes{};   ///< "0..3,7", of a machine of nodes
};

/// Cycles, both ends included.
struct cycle_window {
  cycle_t first = 0;
  cycle_t last = never;

  bool contains(cycle_t cycle) const { return cycle >= first && cycle <= last; }
};

/// The window that was typed; an empty text is every cycle. Throws as `event_filter` does.
cycle_window read_window(const std::string& text);

/// A set of numbers as ranges.
class number_set {
 public:
  /// Every number.
  number_set() = default;
  /// The numbers of the ranges, both ends included; without ranges none.
  explicit number_set(std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges)
      : everything_(false), ranges_(std::move(ranges)) {}

  bool contains(std::uint64_t number) const;

 private:
  bool everything_ = true;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges_;
};

/// The numbers that were typed for the option `name`, from 0 to `largest`; an empty text is every
/// number. Throws as `event_filter` does.
number_set read_numbers(const std::string& name, const std::string& text, std::uint64_t largest);

/// Admits the events that all of its parts admit. Events at the ends of the network happen in no
/// switch: where switches are chosen, they are shown only if the stages name that end. A combining
/// or decombining belongs to both of its requests.
class event_filter {
 public:
  /// Everything.
  event_filter() = default;
  /// Throws `configuration_error` naming the option, its value and the form that it allows.
  event_filter(const event_filter_options& options, const machine_shape& shape);

  cycle_t first_cycle() const { return window_.first; }
  cycle_t last_cycle() const { return window_.last; }
  bool in_window(cycle_t cycle) const { return window_.contains(cycle); }

  /// Whether a switch of a stage from 0 to k - 1 is shown.
  bool admits_switch(std::uint32_t stage, std::uint32_t switch_index) const {
    return stages_.contains(stage) && switches_.contains(switch_index);
  }
  bool admits_processor_side() const { return processor_side_; }
  bool admits_memory_side() const { return memory_side_; }
  bool admits_pe(std::uint32_t pe) const { return pes_.contains(pe); }

  /// Whether the place of an event is shown; `stages` is k.
  bool admits_place(const network_event& event, std::uint32_t stages) const;
  bool admits_requests(const network_event& event) const {
    return admits_pe(event.id.pe) || admits_pe(event.other.pe);
  }
  bool admits(const network_event& event, std::uint32_t stages) const {
    return in_window(event.cycle) && admits_place(event, stages) && admits_requests(event);
  }

 private:
  cycle_window window_;
  number_set stages_;
  number_set switches_;
  number_set pes_;
  bool processor_side_ = true;
  bool memory_side_ = true;
};

}  // namespace tributary
