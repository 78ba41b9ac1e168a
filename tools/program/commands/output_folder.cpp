// SPDX-License-Identifier: Apache-2.0
#include "output_folder.h"

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <system_error>

#include <tributary/sim/atomic_file.h>
#include <tributary/sim/error.h>

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
