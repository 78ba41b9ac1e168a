// SPDX-License-Identifier: Apache-2.0
// The decisions of a cache's states as a table, so that the states can be chosen at run time.
#pragma once

#include <array>
#include <cstddef>

#include <tributary/cache/cache_config.h>
#include <tributary/cache/mesi.h>
#include <tributary/memory/line_port.h>

namespace tributary {

/// What `mesi` or another such struct decides, by state, computed once: a decision is a load.
class state_table {
 public:
  /// Of the states that a configuration names.
  explicit state_table(cache_states chosen) {
    if (chosen == cache_states::moesi) {
      fill<moesi>();
    } else {
      fill<mesi>();
    }
  }

  /// How many values of `line_state` the states are, from the first on.
  std::size_t states() const { return states_; }

  // As the functions of `mesi`.
  bool serves(line_state state, bool store) const { return of(state).serves[at(store)]; }
  line_want wanted(line_state state, bool store) const { return of(state).wanted[at(store)]; }
  line_state filled(bool exclusive, bool changed) const {
    return filled_[at(exclusive)][at(changed)];
  }
  line_state upgraded(line_state state) const { return of(state).upgraded; }
  line_state stored(line_state state) const { return of(state).stored; }
  line_state after(intervention asked, line_state before) const {
    return of(before).after[static_cast<std::size_t>(asked)];
  }
  line_departure on_eviction(line_state state) const { return of(state).on_eviction; }

 private:
  struct decisions {
    std::array<bool, 2> serves{};
    std::array<line_want, 2> wanted{};
    line_state upgraded{};
    line_state stored{};
    std::array<line_state, intervention_count> after{};
    line_departure on_eviction{};
  };

  static std::size_t at(bool is) { return is ? 1 : 0; }
  const decisions& of(line_state state) const { return by_state_[static_cast<std::size_t>(state)]; }

  template <class States>
  void fill() {
    states_ = States::states;
    for (std::size_t i = 0; i < states_; ++i) {
      const auto state = static_cast<line_state>(i);
      decisions& all = by_state_[i];
      all.upgraded = States::upgraded(state);
      all.stored = States::stored(state);
      all.on_eviction = States::on_eviction(state);
      for (const bool store : {false, true}) {
        all.serves[at(store)] = States::serves(state, store);
        all.wanted[at(store)] = States::wanted(state, store);
      }
      for (std::size_t j = 0; j < intervention_count; ++j) {
        all.after[j] = States::after(static_cast<intervention>(j), state);
      }
    }
    for (const bool exclusive : {false, true}) {
      for (const bool changed : {false, true}) {
        filled_[at(exclusive)][at(changed)] = States::filled(exclusive, changed);
      }
    }
  }

  std::size_t states_ = 0;
  std::array<decisions, line_state_count> by_state_{};
  std::array<std::array<line_state, 2>, 2> filled_{};
};

}  // namespace tributary
