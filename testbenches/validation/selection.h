// SPDX-License-Identifier: Apache-2.0
// Which rows a command line asks for.
#pragma once

#include <string>
#include <vector>

#include "plan.h"

namespace tributary::validation {

/// The rows that one of `ids` selects, in their order; all if there are none. Throws `error` that
/// lists what could be named for an id that selects nothing.
std::vector<planned_row> select_rows(std::vector<planned_row> rows,
                                     const std::vector<std::string>& ids);

}  // namespace tributary::validation
