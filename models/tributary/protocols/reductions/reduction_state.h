// SPDX-License-Identifier: Apache-2.0
// What a node knows of a reduction in addition to the trees.
#pragma once

#include <cstdint>

#include <tributary/memory/operation.h>
#include <tributary/protocols/barriers/barrier_state.h>
#include <tributary/protocols/reductions/reduction_operation.h>
#include <tributary/sim/bit_field.h>
#include <tributary/sim/ids.h>

namespace tributary {

/// One word. Values have places: 0 is the own processor's, 1 to 5 are those of children.
class reduction_state {
 public:
  static constexpr std::uint32_t places = 1 + barrier_state::most_children;

  constexpr reduction_state() = default;
  constexpr explicit reduction_state(word_t word) : word_(word) {}
  constexpr word_t word() const { return word_; }

  /// What node `here` is to be told of an operation over these trees.
  static constexpr reduction_state at(const barrier_trees& trees, node_id here,
                                      reduction_operation operation) {
    reduction_state said;
    said.word_ = operation_number.put(said.word_, static_cast<word_t>(operation));
    const std::uint32_t i = index(here);
    if (i != 0) said.word_ = place_at_parent.put(said.word_, 1 + (i - 1) % trees.join_radix);
    return said;
  }

  constexpr reduction_operation operation() const {
    return static_cast<reduction_operation>(operation_number.in(word_));
  }
  /// Of this node's value among those of its parent.
  constexpr std::uint32_t place() const { return small(place_at_parent); }
  constexpr bool has_arrived(std::uint32_t at) const { return (arrived.in(word_) >> at & 1) != 0; }
  /// Values that are combined already: the places before this one.
  constexpr std::uint32_t combined() const { return small(combined_count); }

  constexpr void set_arrived(std::uint32_t at) {
    word_ = arrived.put(word_, arrived.in(word_) | word_t{1} << at);
  }
  constexpr void set_combined(std::uint32_t count) { word_ = combined_count.put(word_, count); }
  /// Before the next episode.
  constexpr void forget_values() {
    word_ = arrived.put(word_, 0);
    set_combined(0);
  }
  /// What a program says of the operation; children may have joined before it said so.
  constexpr reduction_state with_operation_of(const reduction_state& said) const {
    reduction_state both = said;
    both.word_ = arrived.put(both.word_, arrived.in(word_));
    both.set_combined(combined());
    return both;
  }

 private:
  static constexpr bit_field operation_number{0, 4};
  static constexpr bit_field place_at_parent{4, 3};
  static constexpr bit_field arrived{8, places};
  static constexpr bit_field combined_count{16, 3};

  constexpr std::uint32_t small(bit_field field) const {
    return static_cast<std::uint32_t>(field.in(word_));
  }

  word_t word_ = 0;
};

}  // namespace tributary
