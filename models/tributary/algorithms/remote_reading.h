// SPDX-License-Identifier: Apache-2.0
// When a process reads what it needs of others.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tributary {

/// When a process of an application reads rows of others that it computes with.
enum class remote_reading : std::uint8_t {
  as_needed,  ///< while it computes, line by line
  copied      ///< all of them before it computes
};

/// With their names in run files.
inline std::vector<std::pair<std::string, remote_reading>> remote_readings() {
  return {{"as_needed", remote_reading::as_needed}, {"copied", remote_reading::copied}};
}

}  // namespace tributary
