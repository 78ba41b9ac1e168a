// SPDX-License-Identifier: Apache-2.0
// What docs/models/barriers.md shows, from crossing barriers.
#pragma once

#include <string>

namespace tributary::documentation {

/// References of an element in a crossing, by barrier and number of elements.
std::string barrier_reference_table();
/// Mean time of an empty superstep, by barrier and number of elements, with combining and without.
std::string barrier_latency_table();
/// The same of the centralized barrier, by how far apart its two modules are.
std::string barrier_placement_table();

}  // namespace tributary::documentation
