// SPDX-License-Identifier: Apache-2.0
// What docs/models/line_interface.md shows, from running a line interface.
#pragma once

#include <string>

namespace tributary::documentation {

/// What interventions find and caches get while a request is outstanding, by the request, the
/// intervention and the reply.
std::string conversion_table();

}  // namespace tributary::documentation
