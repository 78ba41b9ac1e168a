// SPDX-License-Identifier: Apache-2.0
// The states of MESI and of MOESI: what a cache decides by what it has of a line.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tributary/memory/line_port.h>

namespace tributary {

/// What is done below with a line that leaves a cache.
enum class line_departure : std::uint8_t {
  hint,       ///< its home may be told
  write_back  ///< its words go down
};

/// What a cache decides by the state of a line that is not `invalid`, in one place. `cache` itself
/// knows only that an invalid line is not there. Other states are another struct of such functions,
/// as `moesi`, and more values of `line_state`.
struct mesi {
  /// How many values of `line_state` there are, from the first on.
  static constexpr std::size_t states = mesi_state_count;

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

  /// The state of a line that has come; `changed`: memory does not have its words.
  static line_state filled(bool exclusive, bool changed) {
    if (exclusive && changed) return line_state::modified;
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

/// The same for a bus on which the owner of a line supplies it. Memory is not written when a
/// changed line is read by others: who has it owned writes it back. So memory has the words of an
/// exclusive line, which leaves without a write-back.
struct moesi {
  static constexpr std::size_t states = line_state_count;

  static bool serves(line_state state, bool store) { return mesi::serves(state, store); }
  static line_want wanted(line_state state, bool store) {
    return state == line_state::owned ? line_want::upgrade : mesi::wanted(state, store);
  }

  static line_state filled(bool exclusive, bool changed) {
    return mesi::filled(exclusive, changed);
  }
  /// Whoever owned the line has lost it, and memory may not have its words.
  static line_state upgraded(line_state) { return line_state::modified; }
  static line_state stored(line_state) { return line_state::modified; }
  static line_state after(intervention asked, line_state before) {
    const bool stays_owner = before == line_state::modified || before == line_state::owned;
    return asked == intervention::get && stays_owner ? line_state::owned
                                                     : mesi::after(asked, before);
  }

  static line_departure on_eviction(line_state state) {
    return state == line_state::modified || state == line_state::owned ? line_departure::write_back
                                                                       : line_departure::hint;
  }
};

}  // namespace tributary
