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

std::vector<std::string> completing_shells();

/// A script for one of `completing_shells` that completes commands, options, platforms, presets and
/// parameters.
std::string completion_of(const std::string& shell_name,
                          const std::vector<completed_command>& commands);

}  // namespace tributary
