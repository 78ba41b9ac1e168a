// SPDX-License-Identifier: Apache-2.0
// What a protocol asks about a line before it reads or writes it in memory.
#pragma once

#include <cstdint>

namespace tributary {

class handler_context;

/// State of a line at its home; coherence will add the cached ones (FLASH 6.3, 6.4).
enum class line_state : std::uint8_t {
  uncached,
  pending  ///< something else is being done with it: try again later
};

/// The states of the lines whose home is one node.
class line_states {
 public:
  line_states() = default;
  line_states(const line_states&) = delete;
  line_states& operator=(const line_states&) = delete;
  virtual ~line_states() = default;

  /// Of the line at `address`. What it costs is part of the asking handler's cost.
  virtual line_state state(handler_context& context, std::uint64_t address) = 0;
};

/// A machine without caches.
class uncached_lines final : public line_states {
 public:
  line_state state(handler_context&, std::uint64_t) override { return line_state::uncached; }
};

}  // namespace tributary
