// SPDX-License-Identifier: Apache-2.0
// What the page about readers-writers locks shows, counted.
#pragma once

#include <string>

namespace tributary::documentation {

/// References of each lock where nobody else wants it.
std::string readers_writers_reference_table();

}  // namespace tributary::documentation
