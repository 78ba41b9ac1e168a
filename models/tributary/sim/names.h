// SPDX-License-Identifier: Apache-2.0
// Names that users write: what they may be, and what a misspelt one was probably meant to be.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tributary {

/// Whether it is of lower-case letters, digits and underscores, one at least.
bool is_plain_name(std::string_view name);

/// How many letters must be inserted, removed, replaced or swapped with a neighbour to turn `a`
/// into `b` (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The known name that was most likely meant by `wanted`, the first of equals, or an empty string
/// if none is near. A dotted name of which `wanted` is the last part counts as near.
std::string nearest_name(std::string_view wanted, const std::vector<std::string>& known);

/// Advice for a message about `wanted`: "did you mean NAME?" with the nearest known name, or
/// `otherwise` if none is near.
std::string did_you_mean(std::string_view wanted, const std::vector<std::string>& known,
                         const std::string& otherwise);

}  // namespace tributary
