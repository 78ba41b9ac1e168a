// SPDX-License-Identifier: Apache-2.0
// The events of a bus, for traces.
#pragma once

#include <tributary/trace/event.h>

namespace tributary {

/// Kinds and details. An event's identity is the master and the number of the address phase on the
/// bus; a transaction that was put off has a new number when it comes again.
namespace bus_events {

inline constexpr event_detail transaction{"transaction", 0, 4};  ///< `bus_transaction`
inline constexpr event_detail master{"master", 4, 8};            ///< who asks
inline constexpr event_detail verdict{"verdict", 12, 3};         ///< `watch_verdict`
/// Who drives the data: masters by number, then memory, then devices.
inline constexpr event_detail source{"source", 15, 12};

/// A phase of a transaction.
constexpr event_kind phase(const char* name, const event_detail& last) {
  event_kind kind;
  kind.name = name;
  kind.lasts = true;
  kind.has_address = true;
  kind.is_step = true;
  kind.link = "transaction";
  kind.asked = &transaction;
  kind.details = {&transaction, &master, &last};
  return kind;
}

/// The address was on the bus, and was answered so.
inline constexpr event_kind address_phase = phase("address_phase", verdict);
/// The words were on the bus.
inline constexpr event_kind data_phase = phase("data_phase", source);

}  // namespace bus_events
}  // namespace tributary
