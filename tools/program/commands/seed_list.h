// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tributary {

/// The seeds in "3", "1..5" or "1,4,7..9", without repetition. Throws `configuration_error` that
/// names `option` for other text and for more than 10,000 seeds.
std::vector<std::uint64_t> parse_seeds(const std::string& text, const std::string& option);

}  // namespace tributary
