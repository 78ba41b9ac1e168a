// SPDX-License-Identifier: Apache-2.0
// What reconfigurations cost: messages that were lost, time without deliveries, control messages.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <tributary/network/reconfiguration/control_message.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>

namespace tributary {

/// Why a message was discarded.
enum class discard_cause : std::uint8_t {
  unreachable,  ///< its sender's or its receiver's switch is off, or not yet part of the network
  failed,       ///< it was in a switch that went off, or came to it
  emptied,      ///< it was in a switch that emptied its buffers (static)
  closed,       ///< it came to a switch without a table (static)
  timed_out     ///< it waited too long (ordered)
};

/// How many there are.
inline constexpr std::size_t discard_causes = 5;
/// The name of a cause, for statistics.
const char* name_of(discard_cause cause);

/// Messages that were discarded, by cause.
struct discard_counts {
  std::array<std::uint64_t, discard_causes> by_cause{};

  std::uint64_t of(discard_cause cause) const {
    return by_cause[static_cast<std::size_t>(cause)];
  }
  /// All that a network without hosts that cannot be reached would not have lost.
  std::uint64_t lost() const;
  TRIBUTARY_STATE(by_cause);
};

/// Control messages that left a switch, and what they took of links.
struct control_counts {
  std::array<std::uint64_t, control_kinds> messages{};  ///< by kind
  std::uint64_t flits = 0;

  std::uint64_t of(control_kind kind) const { return messages[static_cast<std::size_t>(kind)]; }
  std::uint64_t all() const;
  TRIBUTARY_STATE(messages, flits);
};

/// One reconfiguration, from the first switch that noticed a change to the last new table. Changes
/// that are noticed before its end belong to it.
struct reconfiguration_record {
  cycle_t changed = 0;       ///< the cycle of the first change
  cycle_t detected = 0;      ///< the cycle in which a neighbour noticed it
  cycle_t finished = never;  ///< the cycle of the last table
  std::uint32_t begun = 0;   ///< reconfigurations that switches began, of which one was finished
  /// Longest time without a delivery that began before its end, and ended behind the change.
  cycle_t stall = 0;

  /// From detection to the last table.
  cycle_t cycles() const { return finished - detected; }
  TRIBUTARY_STATE(changed, detected, finished, begun, stall);
};

/// Deliveries within some cycles.
struct delivery_window {
  std::uint64_t messages = 0;
  std::uint64_t latency = 0;  ///< sum, from sending to the last flit
  std::uint64_t discards = 0;

  TRIBUTARY_STATE(messages, latency, discards);
};

/// All of it.
class reconfiguration_statistics {
 public:
  explicit reconfiguration_statistics(std::uint32_t window_cycles)
      : window_cycles_(window_cycles) {}

  /// Of the whole run.
  const discard_counts& discards() const { return discards_; }
  const control_counts& control() const { return control_; }
  const std::vector<reconfiguration_record>& records() const { return records_; }
  /// The longest time between two deliveries.
  cycle_t longest_gap() const { return longest_gap_; }
  /// By window from `measured_from` on, up to the last in which something happened.
  const std::vector<delivery_window>& series() const { return series_; }
  std::uint32_t window_cycles() const { return window_cycles_; }
  cycle_t measured_from() const { return from_; }

  void count_delivery(cycle_t latency, cycle_t now);
  void count_discard(discard_cause cause, cycle_t now);
  void count_control(control_kind kind, std::uint64_t flits);
  void begin(cycle_t changed, cycle_t detected);
  void begin_again() { ++records_.back().begun; }
  void finish(cycle_t now) { records_.back().finished = now; }

  void reset(cycle_t now);
  void report(statistics_group& group) const;

  TRIBUTARY_STATE(from_, last_delivery_, longest_gap_, discards_, control_, records_, series_);

 private:
  delivery_window& window_of(cycle_t now);

  std::uint32_t window_cycles_;
  cycle_t from_ = 0;
  cycle_t last_delivery_ = never;
  cycle_t longest_gap_ = 0;
  discard_counts discards_;
  control_counts control_;
  std::vector<reconfiguration_record> records_;
  std::vector<delivery_window> series_;
};

}  // namespace tributary
