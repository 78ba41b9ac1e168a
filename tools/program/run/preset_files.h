// SPDX-License-Identifier: Apache-2.0
// The run files that come with the program, by name.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tributary {

/// Paths of a platform's presets in order of their names. They are in
/// share/tributary/PLATFORM/presets next to the folder of the program.
std::vector<std::string> preset_paths(const std::string& platform);

/// The path of the preset of that name, with or without ".json", of any platform.
std::optional<std::string> find_preset(const std::string& name);

/// The preset whose name is nearest to that of a file; empty if none is near.
std::string nearest_preset(const std::string& name);

}  // namespace tributary
