// SPDX-License-Identifier: Apache-2.0
// The first few elements of a machine as if there were no others: groups of any size.
#pragma once

#include <cstdint>

#include "forwarding_context.h"

namespace tributary::testing {

/// Passes everything on to a context of a larger machine, whose size it hides.
class group_context final : public forwarding_context {
 public:
  /// For elements of rank below `members`.
  group_context(program_context& whole, std::uint32_t members)
      : forwarding_context(whole, members) {}
};

}  // namespace tributary::testing
