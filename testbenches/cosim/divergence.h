// SPDX-License-Identifier: Apache-2.0
// What to do where RTL and model differ: the same run again, with a waveform.
#pragma once

#include <string>

#include "variant_run.h"

namespace tributary::testing {

/// Runs the case again in the build with waveforms (preset rtl-trace, built now if it is not
/// there), up to its first difference, which is in cycle `cycle`. Returns lines for the one who
/// reads the failure: the file in FST, and the command that makes it again; or what went wrong.
std::string replay_divergence(const switch_variant& variant, const run_case& what,
                              std::uint64_t cycle);

/// The file of that waveform.
std::string divergence_waveform(const switch_variant& variant, const run_case& what);

/// Steps a run `cycles` times; empty, or the first difference with both states and what
/// `replay_divergence` says.
std::string first_divergence(variant_run& run, const switch_variant& variant, const run_case& what,
                             std::uint64_t cycles);

}  // namespace tributary::testing
