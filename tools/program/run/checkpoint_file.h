// SPDX-License-Identifier: Apache-2.0
// The file of a checkpoint: what was running, and its state.
#pragma once

#include <cstdint>
#include <string>

#include <tributary/sim/cycle.h>

#include "experiment.h"

namespace tributary {

/// Writes a checkpoint whole or not at all. `state` is what run_hooks::checkpoint got.
/// Throws `input_error`.
void write_checkpoint(const std::string& path, const experiment& point, std::uint64_t seed,
                      cycle_t cycle, const std::string& state);

/// What a checkpoint holds of a run.
struct saved_run {
  cycle_t cycle = 0;  ///< the last one simulated
  std::string state;  ///< for run_hooks::resume
};

/// Reads a checkpoint. Throws `input_error` for a file that is no whole checkpoint,
/// `configuration_error` for one of another version, configuration or seed.
saved_run read_checkpoint(const std::string& path, const experiment& point, std::uint64_t seed);

}  // namespace tributary
