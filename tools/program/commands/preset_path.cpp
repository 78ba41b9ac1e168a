// SPDX-License-Identifier: Apache-2.0
#include "preset_path.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <tributary/sim/error.h>
#include <tributary/sim/json_document.h>
#include <tributary/sim/names.h>

#include <platforms.h>
#include <run/run_file.h>

namespace tributary {
namespace {

namespace fs = std::filesystem;

fs::path preset_folder(const std::string& platform) {
  std::error_code unknown;
  const fs::path program = fs::read_symlink("/proc/self/exe", unknown);
  return program.parent_path().parent_path() / "share" / "tributary" / platform / "presets";
}

/// Paths of a platform's presets by name.
std::vector<fs::path> preset_paths(const std::string& platform) {
  std::vector<fs::path> paths;
  std::error_code missing;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(preset_folder(platform), missing)) {
    if (entry.path().extension() == ".json") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace

std::string find_run_file(const std::string& name) {
  const fs::path given(name);
  std::error_code unknown;
  if (fs::exists(given, unknown)) return name;
  std::vector<std::string> known;
  for (const std::string& platform : platform_names()) {
    for (const fs::path& path : preset_paths(platform)) {
      if (given == path.stem() || given == path.filename()) return path.string();
      known.push_back(path.stem().string());
    }
  }
  const std::string nearest = nearest_name(given.stem().string(), known);
  throw configuration_error({name, "", "there is no such run file, and no preset of that name", "",
                             nearest.empty() ? "correct the path, or run `tributary list`"
                                             : "did you mean the preset " + nearest + "?"});
}

std::vector<preset> presets_of(const std::string& platform) {
  std::vector<preset> presets;
  for (const fs::path& path : preset_paths(platform)) {
    presets.push_back({path.stem().string(), read_run_file(path.string()).title});
  }
  return presets;
}

}  // namespace tributary
