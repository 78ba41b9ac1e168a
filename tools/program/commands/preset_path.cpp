// SPDX-License-Identifier: Apache-2.0
#include "preset_path.h"

#include <filesystem>
#include <optional>
#include <system_error>

#include <tributary/sim/error.h>

#include <run/preset_files.h>
#include <run/run_file.h>

namespace tributary {

std::string find_run_file(const std::string& name) {
  std::error_code unknown;
  if (std::filesystem::exists(name, unknown)) return name;
  if (const std::optional<std::string> preset = find_preset(name)) return *preset;
  const std::string nearest = nearest_preset(name);
  throw configuration_error({name, "", "there is no such run file, and no preset of that name", "",
                             nearest.empty() ? "correct the path, or run `tributary list`"
                                             : "did you mean the preset " + nearest + "?"});
}

std::vector<preset> presets_of(const std::string& platform) {
  std::vector<preset> presets;
  for (const std::string& path : preset_paths(platform)) {
    presets.push_back({std::filesystem::path(path).stem().string(), read_run_file(path).title});
  }
  return presets;
}

}  // namespace tributary
