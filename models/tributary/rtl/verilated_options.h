// SPDX-License-Identifier: Apache-2.0
// What may be chosen for one verilated switch.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace tributary {

/// Of one verilated switch.
struct verilated_options {
  /// In messages, and of the scope of its signals in a waveform, with _ for spaces.
  std::string name = "switch";
  /// Of the random contents of registers before reset; from 1.
  int seed = 1;
  /// A file for the waveform, in FST; empty: none. Only where the models were verilated for it.
  std::string fst;
  /// Cycles that the waveform has, both inclusive, from 1; each reset after the first counts as
  /// one.
  std::uint64_t fst_first = 1;
  std::uint64_t fst_last = std::numeric_limits<std::uint64_t>::max();
};

}  // namespace tributary
