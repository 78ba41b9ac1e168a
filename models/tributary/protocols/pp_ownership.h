// SPDX-License-Identifier: Apache-2.0
// Lines that a handler itself owns for a while.
#pragma once

#include <cstdint>
#include <optional>

#include <tributary/controller/handler_context.h>
#include <tributary/protocols/line_states.h>

namespace tributary {

class parameter_set;

/// Occupancy of the ownership of a line that is local and available (FLASH 4.4.2).
struct pp_ownership_costs {
  std::uint64_t acquire = 68;
  std::uint64_t release = 48;
  void bind(parameter_set& parameters);
};

/// Lets a handler read and change a line coherently (FLASH 4.4.2). Only the fast path is here, for
/// a local line that nobody has; the robust path, which asks the line's home as the I/O unit would
/// and keeps a table of active entries, comes with coherence.
class pp_ownership {
 public:
  pp_ownership(const pp_ownership_costs& costs, line_states& lines)
      : costs_(costs), lines_(lines) {}

  /// The line that begins at an address in a buffer, or nothing if it is remote, pending, or no
  /// buffer is free.
  std::optional<payload_handle> acquire(handler_context& context, std::uint64_t line);
  /// Writes the line back and gives the buffer up.
  void release(handler_context& context, std::uint64_t line, payload_handle data);

 private:
  pp_ownership_costs costs_;
  line_states& lines_;
};

}  // namespace tributary
