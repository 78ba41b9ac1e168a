// SPDX-License-Identifier: Apache-2.0
#include "file_place.h"

#include <system_error>

namespace tributary {

std::filesystem::path place_of(const std::filesystem::path& path) {
  std::error_code unknown;
  const std::filesystem::path whole = std::filesystem::absolute(path, unknown);
  const std::filesystem::path place = std::filesystem::weakly_canonical(whole, unknown);
  return unknown ? whole.lexically_normal() : place;
}

}  // namespace tributary
