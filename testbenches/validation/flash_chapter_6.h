// SPDX-License-Identifier: Apache-2.0
// The machine of FLASH chapter 6, whose locks and barriers its controllers keep.
#pragma once

#include <cstdint>

#include <support/synchronizing_machine.h>

namespace tributary::validation {

/// Nodes and the network of FLASH chapter 6. What is not published is fitted: `base_latency` and
/// `hop_latency` to a hop of the chain, in SV22; `uncached_pause` to SV21 and SV14, where FLASH
/// chapter 5 has 29 cycles with another network. An invalidation has the way of a reply, 4 cycles.
/// Processors need `turnaround` cycles of theirs from a word to the next reference.
inline testing::synchronizing_config chapter_6(std::uint32_t nodes, std::uint32_t turnaround = 1) {
  testing::synchronizing_config config(nodes);
  config.machine.network.base_latency = 16;
  config.machine.network.hop_latency = 2;
  config.machine.network.bandwidth = 800;
  config.machine.network.header_bytes = 16;
  config.machine.node.caches.invalidation_cycles = 4;
  config.machine.node.caches.uncached_pause = 24;
  config.processor.turnaround = turnaround;
  return config;
}

/// More cycles than any of the validation's programs takes.
inline constexpr cycle_t patience = 100'000'000;

inline double microseconds(std::uint64_t processor_cycles) {
  constexpr double cycles = 400;
  return static_cast<double>(processor_cycles) / cycles;
}

}  // namespace tributary::validation
