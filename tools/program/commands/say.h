// SPDX-License-Identifier: Apache-2.0
// What the program says in addition to its results.
#pragma once

#include <string_view>

namespace tributary {

/// Writes to stderr what nobody may be there to read: a terminal may have closed, and a run must
/// not fail of it.
void say(std::string_view text) noexcept;

}  // namespace tributary
