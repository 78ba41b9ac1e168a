// SPDX-License-Identifier: Apache-2.0
#include "file_place.h"

#include <system_error>

namespace tributary {

namespace {

/// What a link leads to, also if there is no such file yet: `weakly_canonical` keeps such a link.
std::filesystem::path end_of_links(std::filesystem::path path) {
  constexpr int most_links = 40;  // as many as Linux follows
  std::error_code none;
  for (int i = 0; i < most_links && std::filesystem::is_symlink(path, none); ++i) {
    const std::filesystem::path next = std::filesystem::read_symlink(path, none);
    if (none) break;
    path = path.parent_path() / next;
  }
  return path;
}

}  // namespace

std::filesystem::path place_of(const std::filesystem::path& path) {
  std::error_code unknown;
  const std::filesystem::path whole = end_of_links(std::filesystem::absolute(path, unknown));
  const std::filesystem::path place = std::filesystem::weakly_canonical(whole, unknown);
  return unknown ? whole.lexically_normal() : place;
}

}  // namespace tributary
