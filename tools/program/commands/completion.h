// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tributary {

/// A command as a shell completes it.
struct completed_command {
  std::string name;
  std::vector<std::string> options;  ///< with their dashes
};

/// A script for bash that completes commands, options, platforms, presets and parameters.
std::string bash_completion(const std::vector<completed_command>& commands);

}  // namespace tributary
