// SPDX-License-Identifier: Apache-2.0
// Contexts of programs that pass everything on to another.
#pragma once

#include <cstdint>

#include <tributary/processor/forwarding_context.h>

namespace tributary::testing {

using tributary::forwarding_context;

/// Passes everything on to a context of a larger machine, whose size it hides.
class group_context final : public forwarding_context {
 public:
  /// For elements of rank below `members`.
  group_context(program_context& whole, std::uint32_t members)
      : forwarding_context(whole, members) {}
};

}  // namespace tributary::testing
