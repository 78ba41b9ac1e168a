// SPDX-License-Identifier: Apache-2.0
// What to do where RTL and model differ: the same run again, with a waveform.
#pragma once

#include <string>

#include "variant_run.h"

namespace tributary::testing {

/// The command that runs the case again, up to its first difference, which is in cycle `cycle`, and
/// leaves a waveform: of a program in the build with waveforms (preset rtl-trace), which may have
/// to be built first.
std::string replay_command(const switch_variant& variant, const run_case& what,
                           std::uint64_t cycle);

/// The file of that waveform.
std::string divergence_waveform(const switch_variant& variant, const run_case& what);

/// Steps a run `cycles` times; empty, or the first difference with both states and the commands
/// that build the replay and run it.
std::string first_divergence(variant_run& run, const switch_variant& variant, const run_case& what,
                             std::uint64_t cycles);

}  // namespace tributary::testing
