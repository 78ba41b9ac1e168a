// SPDX-License-Identifier: Apache-2.0
// What docs/models/coherence.md shows, from running the handlers.
#pragma once

#include <string>

namespace tributary::documentation {

/// Actions of a home that a remote node asks for a line, by request and by who has the line.
std::string home_action_table();

}  // namespace tributary::documentation
