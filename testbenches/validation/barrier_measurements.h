// SPDX-License-Identifier: Apache-2.0
// What FLASH Tables 6.5 to 6.7 measure of a barrier, whoever keeps it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include <support/synchronizing_machine.h>
#include <tributary/algorithms/barrier.h>
#include <tributary/processor/program.h>
#include <tributary/sim/cycle.h>

namespace tributary::validation {

/// In which order processors come to an episode.
enum class arrival : std::uint8_t { together, root_last };

/// A barrier under test.
struct measured_barrier {
  std::function<std::unique_ptr<barrier>(program_context&, const testing::synchronizing_machine&)>
      make;
  /// Crossings before the one that is measured, so that caches have what they have in the middle of
  /// a program.
  std::uint64_t before = 1;
  // In cycles of the processor:
  cycle_t joins = 0;    ///< more than all joins take
  cycle_t episode = 0;  ///< more than an episode takes
};

/// What an episode takes, in microseconds (FLASH 6.2.1).
struct episode_latencies {
  double fall_through = 0;  ///< from the last arrival to the first return
  double release = 0;       ///< from the first return to the last
};

/// The last episode of the barrier, each after all is at rest. `ended` is called when all is at
/// rest again. Throws `error` if an episode takes longer than it may.
episode_latencies measured_episode(
    const testing::synchronizing_config& config, const measured_barrier& of, arrival pattern,
    const std::function<void(testing::synchronizing_machine&)>& ended = {});

}  // namespace tributary::validation
