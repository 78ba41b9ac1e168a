// SPDX-License-Identifier: Apache-2.0
#include "output_folder.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <system_error>

#include <tributary/sim/atomic_file.h>
#include <tributary/sim/error.h>

#include <run/file_place.h>

namespace tributary {
namespace {

namespace fs = std::filesystem;

/// Room that even the smallest results need.
constexpr std::uintmax_t least_space = 64 * 1024;

void check_space(const std::string& path) {
  std::error_code unknown;
  const fs::space_info space = fs::space(path, unknown);
  if (!unknown && space.available < least_space) {
    throw file_error(path, "has no room for results", ENOSPC,
                     "free some, or choose another folder");
  }
}

}  // namespace

void check_writable(const std::string& path) {
  // Opens the temporary file beside the name, and discards it.
  const atomic_file probe(path);
}

void check_output_files(const std::vector<std::string>& paths, const std::string& taken) {
  std::vector<fs::path> places;
  if (!taken.empty()) places.push_back(place_of(taken));
  for (const std::string& path : paths) {
    if (path.empty()) continue;
    const bool is_device = path.rfind("/dev/", 0) == 0;
    const fs::path place = place_of(path);
    if (!is_device && std::find(places.begin(), places.end(), place) != places.end()) {
      throw configuration_error(path + " is named by two options; give each a file of its own");
    }
    places.push_back(place);
  }
  for (const std::string& path : paths) {
    if (!path.empty()) check_writable(path);
  }
}

void prepare_output_folder(const std::string& path) {
  std::error_code problem;
  fs::create_directories(path, problem);
  if (problem || !fs::is_directory(path)) {
    throw file_error(path, "cannot be made a folder for results",
                     problem ? problem.value() : ENOTDIR, "choose another with --out");
  }
  check_writable((fs::path(path) / "results.json").string());
  check_space(path);
}

}  // namespace tributary
