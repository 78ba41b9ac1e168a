// SPDX-License-Identifier: Apache-2.0
// An order for the serial checker where nothing tells when memory performed what.
#pragma once

#include "serial_checker.h"

namespace tributary::testing {

/// Finds `order` from replies and times. A word's writes come in the order of their answers: no two
/// processors have a line to write at once, and to hand it on takes longer than to answer. A load
/// comes behind the last write whose value it found, of those that may come before it. If there is
/// none, it comes where the checker finds it wrong.
void order_by_values(history& seen);

}  // namespace tributary::testing
