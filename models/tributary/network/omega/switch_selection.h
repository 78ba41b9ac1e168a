// SPDX-License-Identifier: Apache-2.0
// Which switches of a network a text names.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <tributary/network/omega/switch_implementation.h>

namespace tributary {

/// The switches that `text` names, in ascending order, each once: "none", "all", "stage 3", "stage
/// 3 switch 5", or a list of these with commas. Throws `configuration_error`, which names `key`,
/// for another text and for places outside `stages` stages of `switches` switches.
std::vector<switch_place> select_switches(const std::string& key, std::string_view text,
                                          std::size_t stages, std::size_t switches);

/// "all 24", "stage 1 (8), stage 2 switch 3", "none": the same places for people, whole stages
/// named as such.
std::string describe_selection(const std::vector<switch_place>& places, std::size_t stages,
                               std::size_t switches);

}  // namespace tributary
