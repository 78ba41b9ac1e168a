// SPDX-License-Identifier: Apache-2.0
// Finds nodes that wait for each other for ever.
#pragma once

#include <cstdint>
#include <string>

#include <tributary/sim/cycle.h>

namespace tributary {

class attached_machine;

/// A cycle of nodes that wait for each other, as text for people; empty if there is none now.
///
/// Each node of the cycle takes no message until the network takes one of its own, and a message of
/// its own in the network waits for a place in the next node. The last node waits for the first.
/// The text has a line for each node. A message in the router of a third node counts as one that
/// waits for its destination, whatever holds it back there.
std::string cycle_of_waits(const attached_machine& machine);

/// Ends a simulation in which such a cycle, with the same messages, lasts: programs that poll
/// meanwhile seem to go on.
class message_watchdog {
 public:
  /// `machine` must outlive it. `patience`: cycles between two looks.
  message_watchdog(const attached_machine& machine, std::uint64_t patience)
      : machine_(machine), patience_(patience) {}

  /// The cycle of the next look.
  cycle_t due() const { return due_; }
  /// To be called in that cycle, or behind it. Throws `simulation_error` with the cycle of waits.
  void look();

 private:
  const attached_machine& machine_;
  std::uint64_t patience_;
  cycle_t due_ = 0;
  std::string before_;
};

}  // namespace tributary
