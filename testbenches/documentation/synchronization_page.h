// SPDX-License-Identifier: Apache-2.0
// What the pages about FLASH's locks and barriers show, from running the handlers.
#pragma once

#include <string>

namespace tributary::documentation {

/// Handlers of locks and of barriers: what they serve, from where, and what they were seen to send.
std::string lock_handler_table();
std::string barrier_handler_table();

/// States of a node's part of a lock or of a barrier, and the steps that were seen to lead from one
/// to another, as a diagram.
std::string lock_state_diagram();
std::string barrier_state_diagram();

/// Messages between nodes, counted on a machine: of a lock by scenario, of a barrier's episode by
/// nodes and radices.
std::string lock_message_table();
std::string barrier_message_table();

}  // namespace tributary::documentation
