// SPDX-License-Identifier: Apache-2.0
// SMP nodes that ask each other, as the library and as a plain queueing loop simulate them.
#pragma once

#include <cstdint>
#include <vector>

#include <smp/smp_config.h>

#include "plain_smp.h"

namespace tributary::benchmarks {

/// Null requests at U = 0.3 on two nodes.
struct smp_case {
  const char* id;  ///< "floating.3"
  plain_smp::options plain;

  /// The same machine of the library.
  smp_config machine() const;
};

/// A dedicated processor, floating roles with and without interrupts, and one processor a node.
std::vector<smp_case> smp_cases();

}  // namespace tributary::benchmarks
