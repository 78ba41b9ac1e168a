// SPDX-License-Identifier: Apache-2.0
// Finds nodes that wait for each other for ever.
#pragma once

#include <cstdint>
#include <string>

#include <tributary/sim/cycle.h>

namespace tributary {

class attached_machine;

/// For people: nodes of which each takes no message before the network takes its own, which waits
/// for a place in the next one: a line each, the last one's message for the first. Empty if there
/// is no such cycle now. Where messages cross routers of other nodes, one that waits there for
/// another one's place counts for its destination only.
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
