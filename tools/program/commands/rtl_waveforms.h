// SPDX-License-Identifier: Apache-2.0
// Waveforms of the switches of a run that are RTL.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tributary/sim/cycle.h>

#include <run/experiment.h>

namespace tributary {

/// Lets the switches of a machine that `text` names, as `network.rtl` does, write waveforms in FST:
/// stage_1_switch_0.fst and so on in `folder`, of the cycles from `first` to `last`. Returns the
/// files. Throws `configuration_error` for switches that are not there or not RTL and for a program
/// without waveforms, `input_error` for files that cannot be written.
std::vector<std::string> write_waveforms(experiment& point, std::uint64_t seed,
                                         const std::string& text, const std::string& folder,
                                         cycle_t first, cycle_t last);

}  // namespace tributary
