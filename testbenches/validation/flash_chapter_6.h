// SPDX-License-Identifier: Apache-2.0
// The machine of FLASH chapter 6, whose locks and barriers its controllers keep.
#pragma once

#include <cstdint>

#include <support/synchronizing_machine.h>
#include <tributary/algorithms/exponential_back_off.h>

namespace tributary::validation {

/// Nodes and the network of FLASH chapter 6. What is not published is fitted, once for locks and
/// barriers:
///
/// - `base_latency` and `hop_latency` to SV12 and SV22, of all with a sum of 6 to 8 and a hop of 1
///   to 7 cycles. A sum of 7 leaves the least greatest error of SV12 (10.6 %; 6 and 8 leave 12.4
///   and 11.3 %), and of these 3 and 4 the least squares of both (in tolerances 3.2; 6 and 1: 3.6,
///   4 and 3: 3.5, 2 and 5: 3.3, 1 and 6: 4.0).
/// - What a hop of the chain takes beyond that is in the handlers of its messages.
/// - Processors need `turnaround` cycles of theirs from a word to the next reference: 4 give a lock
///   that is found in the caches its 12 cycles (SV12).
/// - An invalidation has the way of a reply, 4 cycles.
inline testing::synchronizing_config chapter_6(std::uint32_t nodes) {
  testing::synchronizing_config config(nodes);
  config.machine.network.base_latency = 3;
  config.machine.network.hop_latency = 4;
  config.machine.network.bandwidth = 800;
  config.machine.network.header_bytes = 16;
  config.machine.node.caches.invalidation_cycles = 4;
  config.processor.turnaround = 4;
  return config;
}

/// The same for locks and barriers that need nothing of the controllers: the words of operations
/// that are loops are asked for as `ll_sc_lock` asks for its own.
inline testing::synchronizing_config conventional_chapter_6(std::uint32_t nodes) {
  testing::synchronizing_config config = chapter_6(nodes);
  config.processor.loops_ask_to_write = true;
  return config;
}

/// In cycles of the processor; fitted to the whole contention of 16 processors (Table 6.3).
inline constexpr exponential_back_off fitted_back_off{800, 6400};

/// More cycles than any of the validation's programs takes.
inline constexpr cycle_t patience = 100'000'000;

inline double microseconds(std::uint64_t processor_cycles) {
  constexpr double cycles = 400;
  return static_cast<double>(processor_cycles) / cycles;
}

}  // namespace tributary::validation
