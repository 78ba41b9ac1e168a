// SPDX-License-Identifier: Apache-2.0
// What writer and reader of an event recording agree on (docs/formats/event-recording.md).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <tributary/sim/packed_file.h>
#include <tributary/trace/event.h>

namespace tributary::recording {

/// Tags of sections.
enum section : std::uint32_t { begin = 1, kind = 2, name = 3, events = 4, end = 5 };

/// Most bytes of a section. The beginning is the only one that grows with the machine; at most 10
/// numbers an event, of 10 bytes, follow the columns of a block.
constexpr std::uint32_t most_bytes(std::uint32_t tag) {
  if (tag == section::begin) return std::uint32_t{1} << 27;
  return std::uint32_t{1} << (tag == section::events ? 21 : 16);
}

inline constexpr packed_format format{"TBEVENTS", 1, "an event recording", &most_bytes};

/// Most tracks of a machine: the largest has less than half as many.
inline constexpr std::size_t most_tracks = std::size_t{1} << 25;
/// Most kinds of events: their numbers are bytes.
inline constexpr std::size_t most_kinds = 256;

/// Which of an event's numbers follow, as they are not those that the columns predict.
enum follows : std::uint8_t {
  address = 1,
  value = 2,
  details = 4,
  parent = 8,
  cycle = 16,
  last = 32,
  subject = 64,
  track = 128
};

/// Kind and following numbers of an event. A block lists its shapes, and an event has the number of
/// its own. `no_shape` is none: a block ends when it has so many.
struct shape {
  std::uint8_t kind = 0;
  std::uint8_t follow = 0;
};
inline constexpr std::uint8_t no_shape = 255;

/// Events of a block: as many as two bytes can refer back over.
inline constexpr std::size_t block_events = 16384;

/// Bytes of a track's number in a machine of so many.
constexpr std::size_t track_bytes(std::size_t tracks) {
  return tracks <= std::size_t{1} << 8 ? 1 : tracks <= std::size_t{1} << 16 ? 2 : 4;
}

/// Whether events of the kind say where their identity goes.
inline bool goes_onward(const event_kind& kind) {
  return std::any_of(kind.changes.begin(), kind.changes.end(),
                     [](const stay_change& each) { return each.stay != nullptr && each.onward; });
}

/// A signed difference as a number that is small if the difference is.
constexpr std::uint64_t folded(std::uint64_t difference) {
  return difference << 1 ^ (difference >> 63 != 0 ? ~std::uint64_t{0} : 0);
}
constexpr std::uint64_t unfolded(std::uint64_t number) {
  return number >> 1 ^ ((number & 1) != 0 ? ~std::uint64_t{0} : 0);
}

}  // namespace tributary::recording
