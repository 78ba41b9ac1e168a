// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tributary {

/// All bytes of a file. Throws `input_error` that names it and ends with `advice`.
std::string read_bytes(const std::string& path, const std::string& advice);

}  // namespace tributary
