// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace tributary {

/// What a path names, however it is written: whole, without links and dots. Without dots only where
/// the system cannot tell, as for a pipe.
std::filesystem::path place_of(const std::filesystem::path& path);

}  // namespace tributary
