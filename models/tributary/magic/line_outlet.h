// SPDX-License-Identifier: Apache-2.0
// What handlers reach of the processor's caches.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tributary/controller/message.h>
#include <tributary/memory/line_port.h>
#include <tributary/sim/cycle.h>

namespace tributary {

/// What takes replies for the caches.
class line_outlet {
 public:
  /// A message of common_type::line_shared to line_refused, there in `from`, which is not before
  /// the current cycle. Its payload has been handed over.
  virtual void reply(const message& sent, cycle_t from) = 0;

 protected:
  ~line_outlet() = default;
};

/// Interventions whose state was not read, at most (FLASH 2.3.3, footnote 6).
inline constexpr std::size_t most_state_replies = 2;

/// What takes interventions.
class intervention_outlet {
 public:
  /// Asks the caches in cycle `now` for the line that holds `address`. What they have goes into
  /// `data`, if there is one, in sub-block order from that address on. With `wants_state`, which
  /// `data` needs, the state that they had is one of the replies.
  virtual void intervene(intervention asked, std::uint64_t address, payload_handle data,
                         bool wants_state, cycle_t now) = 0;
  /// State replies that were asked for and not read.
  virtual std::size_t unread_states() const = 0;
  /// When the oldest of them is known; there must be one.
  virtual cycle_t state_known() const = 0;
  /// Reads the oldest, which must be known.
  virtual line_state read_state() = 0;

 protected:
  ~intervention_outlet() = default;
};

}  // namespace tributary
