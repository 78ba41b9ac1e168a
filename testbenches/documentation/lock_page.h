// SPDX-License-Identifier: Apache-2.0
// What the pages about locks and about the queue show, counted and measured.
#pragma once

#include <string>

namespace tributary::documentation {

/// References of a lock where nobody else wants it.
std::string lock_reference_table();
/// Cycles from one grant to the next where everybody wants it, by design and size.
std::string lock_rate_table();
/// References of the queue's calls where nobody else makes any.
std::string queue_reference_table();
/// Cycles of an enqueue and a dequeue where everybody makes them, by design and size.
std::string queue_rate_table();

}  // namespace tributary::documentation
