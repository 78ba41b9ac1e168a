// SPDX-License-Identifier: Apache-2.0
#include "preset_files.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <tributary/sim/names.h>

#include <platforms.h>

namespace tributary {
namespace {

namespace fs = std::filesystem;

fs::path preset_folder(const std::string& platform) {
  std::error_code unknown;
  const fs::path program = fs::read_symlink("/proc/self/exe", unknown);
  return program.parent_path().parent_path() / "share" / "tributary" / platform / "presets";
}

std::vector<std::string> all_paths() {
  std::vector<std::string> all;
  for (const std::string& platform : platform_names()) {
    for (std::string& path : preset_paths(platform)) all.push_back(std::move(path));
  }
  return all;
}

}  // namespace

std::vector<std::string> preset_paths(const std::string& platform) {
  std::vector<std::string> paths;
  std::error_code missing;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(preset_folder(platform), missing)) {
    if (entry.path().extension() == ".json") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::optional<std::string> find_preset(const std::string& name) {
  for (const fs::path path : all_paths()) {
    if (name == path.stem() || name == path.filename()) return path.string();
  }
  return std::nullopt;
}

std::string nearest_preset(const std::string& name) {
  std::vector<std::string> known;
  for (const fs::path path : all_paths()) known.push_back(path.stem().string());
  return nearest_name(fs::path(name).stem().string(), known);
}

}  // namespace tributary
