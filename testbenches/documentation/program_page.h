// SPDX-License-Identifier: Apache-2.0
// What docs/models/programs.md shows, from running programs.
#pragma once

#include <string>

namespace tributary::documentation {

/// One element that loads twice, once awaited later, beside the events of its requests.
std::string program_timeline();
/// The statistics of programs, with a mark and a sample.
std::string program_statistics_table();

}  // namespace tributary::documentation
