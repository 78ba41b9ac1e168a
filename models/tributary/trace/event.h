// SPDX-License-Identifier: Apache-2.0
// The one record of what happens in a machine, for observers and trace files.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>

#include <tributary/sim/cycle.h>
#include <tributary/trace/identity.h>

namespace tributary {

/// Where something happens: a unit or port of a machine, named by its `trace_catalog`.
enum class track_id : std::uint32_t {};

/// A number with a name, in some bits of `trace_event::details`. Text shows the number, or the name
/// that the machine's catalog has for it.
struct event_detail {
  const char* name = nullptr;
  unsigned first_bit = 0;
  unsigned bits = 0;

  /// All bits set: text shows none.
  constexpr std::uint64_t absent() const { return (std::uint64_t{1} << bits) - 1; }
  constexpr std::uint64_t in(std::uint64_t details) const {
    return details >> first_bit & absent();
  }
  constexpr std::uint64_t put(std::uint64_t value) const { return (value & absent()) << first_bit; }
};

/// An identity begins or ends to stay somewhere: requests in a queue, an access that is
/// outstanding.
struct stay_change {
  const char* stay = nullptr;
  bool begins = false;
  /// It is not the event's identity that stays, but the one that joined it earlier, if any did.
  bool of_joined = false;
  /// It stays not on the event's track, but where it goes from there (`trace_catalog::onward`).
  bool onward = false;
};

/// A kind of events, declared as a constant by the block that makes them.
struct event_kind {
  const char* name = nullptr;
  /// The order in which a track's kinds are told in one cycle.
  unsigned order = 0;
  /// It has a meaning for the duration from `cycle` to `last`; if not, it happens in `cycle`.
  bool lasts = false;
  bool has_address = false;
  bool has_value = false;
  /// A step on the way of its identity, along which viewers draw arrows.
  bool is_step = false;
  /// Of a step that does not last: the kind, of the same track, that lasts around it.
  const char* within = nullptr;
  /// The identity stays with its parent from here on.
  bool joins = false;
  /// The identity was brought by its parent, and parts from it.
  bool parts = false;
  /// The link of the track that its identity passes over; null for none.
  const char* link = nullptr;
  /// The detail that names it in viewers; null for its identity, or its own name if it lasts.
  const event_detail* title = nullptr;
  /// The detail that tells what its identity is or asks for, which viewers show in front of the
  /// identity; null for none.
  const event_detail* asked = nullptr;
  std::array<stay_change, 3> changes{};
  std::array<const event_detail*, 7> details{};  ///< null behind the last
};

/// Whether events of the kind tell the value that their track has from then on, which viewers draw
/// as a graph: they have a value, and are of nothing that lasts, stays or moves.
constexpr bool tells_level(const event_kind& kind) {
  return kind.has_value && !kind.lasts && !kind.is_step && !kind.joins && !kind.parts &&
         kind.link == nullptr && kind.changes[0].stay == nullptr;
}

/// One event.
struct trace_event {
  cycle_t cycle = 0;
  cycle_t last = 0;  ///< its last cycle; `cycle` unless the kind lasts
  const event_kind* kind = nullptr;
  track_id track{};
  trace_identity identity;
  /// What caused it: the reference or message for which a message was sent, the request that the
  /// identity joined or that brought it.
  trace_identity parent;
  std::uint64_t address = 0;
  std::uint64_t value = 0;
  std::uint64_t details = 0;
};

/// The order in which the events of a track are told in one cycle. What it leaves open is told as
/// it was reported, which must be in one order in all engines.
inline bool comes_before(const trace_event& x, const trace_event& y) {
  const auto key = [](const trace_event& event) {
    return std::tie(event.cycle, event.last, event.identity, event.address, event.value);
  };
  return x.kind->order != y.kind->order ? x.kind->order < y.kind->order : key(x) < key(y);
}

}  // namespace tributary
