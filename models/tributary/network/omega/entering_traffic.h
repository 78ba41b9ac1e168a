// SPDX-License-Identifier: Apache-2.0
// What enters the queues of a switch that is implemented elsewhere.
#pragma once

#include <utility>

#include <tributary/network/omega/switch_implementation.h>

namespace tributary {

/// Cycle by cycle, what arrives at a switch or, with registers behind its links, what arrived in
/// the cycle before (cycle contract, rule 13).
class entering_traffic {
 public:
  explicit entering_traffic(bool arrival_registers) : registers_(arrival_registers) {}

  /// Of the cycle in which `arriving` arrives; once a cycle.
  switch_traffic after(const switch_traffic& arriving) {
    return registers_ ? std::exchange(registered_, arriving) : arriving;
  }
  void reset() { registered_ = {}; }

 private:
  bool registers_;
  switch_traffic registered_;
};

}  // namespace tributary
