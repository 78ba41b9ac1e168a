// SPDX-License-Identifier: Apache-2.0
// Where the run files are that come with the program.
#pragma once

#include <string>
#include <vector>

namespace tributary {

/// The run file that a user means: a path, or the name of a preset with or without ".json".
/// Presets are in share/tributary/PLATFORM/presets next to the folder of the program.
/// Throws `configuration_error` with the nearest preset's name if there is neither.
std::string find_run_file(const std::string& name);

/// A preset and what it says of itself.
struct preset {
  std::string name;
  std::string title;
};

/// All presets by platform and name.
std::vector<preset> presets_of(const std::string& platform);

}  // namespace tributary
