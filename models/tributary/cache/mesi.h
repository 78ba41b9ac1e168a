// SPDX-License-Identifier: Apache-2.0
// The states of MESI: what a cache decides by what it has of a line.
#pragma once

#include <cstdint>

#include <tributary/memory/line_port.h>

namespace tributary {

/// What is done below with a line that leaves a cache.
enum class line_departure : std::uint8_t {
  hint,       ///< its home may be told
  write_back  ///< its words go down
};

/// What a cache decides by the state of a line that is not `invalid`, in one place. `cache` itself
/// knows only that an invalid line is not there. Other states, such as MOESI's for a bus, are
/// another struct of such functions, and more values of `line_state`.
struct mesi {
  /// Whether a line in this state serves a load, or a store as well.
  static bool serves(line_state state, bool store) {
    if (!store) return state != line_state::invalid;
    return state == line_state::exclusive || state == line_state::modified;
  }
  /// What is asked for if it does not.
  static line_want wanted(line_state state, bool store) {
    if (!store) return line_want::shared;
    return state == line_state::shared ? line_want::upgrade : line_want::exclusive;
  }

  /// The state of a line that has come.
  static line_state filled(bool exclusive) {
    return exclusive ? line_state::exclusive : line_state::shared;
  }
  /// Of a line whose upgrade was granted.
  static line_state upgraded(line_state) { return line_state::exclusive; }
  /// Of a line that was stored to.
  static line_state stored(line_state) { return line_state::modified; }
  /// Of a line that is there, after an intervention; `invalid` if the cache loses it.
  static line_state after(intervention asked, line_state) {
    return asked == intervention::get ? line_state::shared : line_state::invalid;
  }

  /// Of a line that leaves for another. One that is exclusive is written back unchanged, because
  /// its home takes it for changed.
  static line_departure on_eviction(line_state state) {
    return state == line_state::shared ? line_departure::hint : line_departure::write_back;
  }
};

}  // namespace tributary
