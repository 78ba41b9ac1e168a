// SPDX-License-Identifier: Apache-2.0
// Which rows a command line asks for.
#pragma once

#include <string>
#include <vector>

#include "plan.h"

namespace tributary::validation {

/// The rows that one of `ids` selects, all if there are none, and that none of `without` selects;
/// in their order. Throws `error` that lists what could be named for an id that selects nothing.
std::vector<planned_row> select_rows(std::vector<planned_row> rows,
                                     const std::vector<std::string>& ids,
                                     const std::vector<std::string>& without = {});

}  // namespace tributary::validation
