// SPDX-License-Identifier: Apache-2.0
// For people: nodes that wait for each other for ever.
#pragma once

#include <string>

namespace tributary {

class attached_machine;

/// Nodes of which each takes no message before the network takes its own, which waits for a place
/// in the next one: a line each, the last one's message for the first. Empty if there is no such
/// cycle. Where messages cross routers of other nodes, one that waits there for another's place
/// counts for its destination only.
std::string cycle_of_waits(const attached_machine& machine);

}  // namespace tributary
