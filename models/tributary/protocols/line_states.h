// SPDX-License-Identifier: Apache-2.0
// What a protocol asks about a line before it reads or writes it in memory.
#pragma once

#include <cstdint>

namespace tributary {

class handler_context;

/// The states of the lines whose home is one node.
class line_states {
 public:
  line_states() = default;
  line_states(const line_states&) = delete;
  line_states& operator=(const line_states&) = delete;
  virtual ~line_states() = default;

  /// Whether memory has the line at `address`, and nobody does anything with it; else one tries
  /// again later (FLASH 6.3, 6.4). What it costs is part of the asking handler's cost.
  virtual bool is_uncached(handler_context& context, std::uint64_t address) = 0;
};

/// A machine without caches.
class uncached_lines final : public line_states {
 public:
  bool is_uncached(handler_context&, std::uint64_t) override { return true; }
};

}  // namespace tributary
