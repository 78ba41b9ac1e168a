// SPDX-License-Identifier: Apache-2.0
// Kinds of events of a reflective-memory ring. An event's identity is the node that stored the word
// and its number there.
#pragma once

#include <tributary/trace/event.h>

namespace tributary::reflective_events {

/// A store has crossed the bus and is in the FIFO.
constexpr event_kind stored_kind() {
  event_kind kind;
  kind.name = "stored";
  kind.has_address = true;
  kind.has_value = true;
  kind.is_step = true;
  kind.changes[0] = {"fifo", true};
  return kind;
}
inline constexpr event_kind stored = stored_kind();

/// It leaves the FIFO for the ring.
constexpr event_kind inserted_kind() {
  event_kind kind;
  kind.name = "inserted";
  kind.order = 1;
  kind.is_step = true;
  kind.changes[0] = {"fifo", false};
  return kind;
}
inline constexpr event_kind inserted = inserted_kind();

/// A store waits for room in the FIFO, and the bus with it.
constexpr event_kind stalled_kind() {
  event_kind kind;
  kind.name = "stalled";
  kind.order = 2;
  kind.lasts = true;
  return kind;
}
inline constexpr event_kind stalled = stalled_kind();

/// A word crosses the link to the next node.
constexpr event_kind crosses_kind() {
  event_kind kind;
  kind.name = "crosses";
  kind.lasts = true;
  kind.has_address = true;
  kind.is_step = true;
  kind.link = "word";
  return kind;
}
inline constexpr event_kind crosses = crosses_kind();

}  // namespace tributary::reflective_events
