// SPDX-License-Identifier: Apache-2.0
// Lines that a handler itself owns for a while.
#pragma once

#include <cstdint>
#include <optional>

#include <tributary/controller/handler_context.h>
#include <tributary/protocols/line_states.h>
#include <tributary/protocols/pp_ownership_costs.h>

namespace tributary {

/// What became of a line on the fast path.
struct acquired_line {
  bool is_available = false;         ///< the path is open to the line
  payload_handle data = no_payload;  ///< the line; none if it is not, or no buffer is free

  explicit operator bool() const { return data != no_payload; }
  payload_handle operator*() const { return data; }
};

/// Lets a handler read and change a line coherently (FLASH 4.4.2).
///
/// The fast path is for a local line that memory has and no other node shares: `acquire` and
/// `release` in one handler. The robust path is for every line: `ask` enters it in a table and
/// registers a deferred handler, which runs when this node owns the line, and calls `take` and
/// `give_back`.
class pp_ownership {
 public:
  pp_ownership(const pp_ownership_costs& costs, line_states& lines)
      : costs_(costs), lines_(lines) {}

  /// Takes the fast path for the line that begins at an address, if it is open.
  acquired_line acquire(handler_context& context, std::uint64_t line);
  /// Writes the line back and gives the buffer up.
  void release(handler_context& context, std::uint64_t line, payload_handle data);

  /// Whether lines of other nodes can be owned.
  bool reaches_others() const { return lines_.has_homes(); }
  /// Asks for a line, again and again until its home gives it; then the handler `run` is put off
  /// with the line's address. False if all entries of the table are in use, or there is none.
  bool ask(handler_context& context, std::uint64_t line, handler_id run, word_t argument);
  /// In that handler: what was given with it.
  word_t argument(handler_context& context) { return lines_.owned_argument(context); }
  /// In that handler: the line in a buffer, or nothing if none is free.
  std::optional<payload_handle> take(handler_context& context);
  /// In that handler: sends the line home and gives the buffer up.
  void give_back(handler_context& context, payload_handle data);

 private:
  pp_ownership_costs costs_;
  line_states& lines_;
};

}  // namespace tributary
