// SPDX-License-Identifier: Apache-2.0
#include "file_bytes.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include <tributary/sim/error.h>

namespace tributary {

std::string read_bytes(const std::string& path, const std::string& advice) {
  std::error_code unknown;
  // A folder can be opened, and fails at the first byte without a reason.
  if (std::filesystem::is_directory(path, unknown)) {
    throw file_error(path, "cannot be read", EISDIR, advice);
  }
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) throw file_error(path, "cannot be read", errno, advice);
  return bytes;
}

}  // namespace tributary
