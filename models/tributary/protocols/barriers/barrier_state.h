// SPDX-License-Identifier: Apache-2.0
// What a node knows of a barrier, and the trees along which nodes join and are released.
#pragma once

#include <cstdint>

#include <tributary/memory/operation.h>
#include <tributary/sim/bit_field.h>
#include <tributary/sim/ids.h>

namespace tributary {

/// A node's part of a barrier in one word (FLASH 6.2.4, Figure 6.27). Names of nodes have 8 bits,
/// so a barrier has 256 nodes at most.
class barrier_state {
 public:
  static constexpr std::uint32_t most_nodes = 256;
  static constexpr std::uint32_t most_children = 5;
  /// Children and processes of the own node that join together at most.
  static constexpr std::uint32_t most_joins = 7;

  constexpr barrier_state() = default;
  constexpr explicit barrier_state(word_t word) : word_(word) {}
  constexpr word_t word() const { return word_; }

  constexpr bool is_root() const { return root.in(word_) != 0; }
  /// It changes with each completion.
  constexpr word_t sense() const { return sense_bit.in(word_); }
  /// The root does not release its children, but a program does (master-slave).
  constexpr bool two_phase() const { return two_phase_bit.in(word_) != 0; }
  constexpr bool initialized() const { return initialized_bit.in(word_) != 0; }
  constexpr std::uint32_t joined() const { return small(join_count); }
  constexpr std::uint32_t joins() const { return small(join_total); }
  /// Children that have been told, while a release waits for room.
  constexpr std::uint32_t told() const { return small(release_count); }
  constexpr std::uint32_t children() const { return small(release_total); }
  constexpr node_id parent() const { return node_id{small(join_parent)}; }
  constexpr node_id child(std::uint32_t i) const { return node_id{small(release_child(i))}; }

  constexpr void set_root(bool value) { word_ = root.put(word_, value ? 1 : 0); }
  constexpr void turn_sense() { word_ ^= word_t{1} << sense_bit.shift; }
  constexpr void set_two_phase(bool value) { word_ = two_phase_bit.put(word_, value ? 1 : 0); }
  constexpr void set_initialized() { word_ = initialized_bit.put(word_, 1); }
  constexpr void set_joined(std::uint32_t count) { word_ = join_count.put(word_, count); }
  constexpr void set_joins(std::uint32_t total) { word_ = join_total.put(word_, total); }
  constexpr void set_told(std::uint32_t count) { word_ = release_count.put(word_, count); }
  constexpr void set_parent(node_id node) { word_ = join_parent.put(word_, index(node)); }
  constexpr void add_child(node_id node) {
    word_ = release_child(children()).put(word_, index(node));
    word_ = release_total.put(word_, children() + 1);
  }

  /// What a program says of the trees, and what happened here before it said so: children may have
  /// joined already, and those of the episode before may still be told.
  constexpr barrier_state with_trees_of(const barrier_state& said) const {
    barrier_state both = said;
    both.word_ = sense_bit.put(both.word_, sense());
    both.set_joined(joined());
    both.set_told(told());
    both.set_initialized();
    return both;
  }

 private:
  static constexpr bit_field root{0, 1};
  static constexpr bit_field sense_bit{1, 1};
  static constexpr bit_field two_phase_bit{2, 1};
  static constexpr bit_field initialized_bit{3, 1};
  static constexpr bit_field join_count{4, 3};
  static constexpr bit_field join_total{7, 3};
  static constexpr bit_field release_count{10, 3};
  static constexpr bit_field release_total{13, 3};
  static constexpr bit_field join_parent{16, 8};
  static constexpr bit_field release_child(std::uint32_t i) { return {24 + 8 * i, 8}; }

  constexpr std::uint32_t small(bit_field field) const {
    return static_cast<std::uint32_t>(field.in(word_));
  }

  word_t word_ = 0;
};

/// The trees of a barrier between nodes 0 to `nodes` - 1, numbered as in a heap: node 0 is the
/// root, and the children of i are r i + 1 to r i + r (FLASH Figures 6.25, 6.26).
struct barrier_trees {
  std::uint32_t nodes = 1;
  std::uint32_t join_radix = 4;     ///< 1 to 5
  std::uint32_t release_radix = 4;  ///< 1 to 5
  bool two_phase = false;
  /// Processes of each node that join; with the children 7 at most.
  std::uint32_t processes = 1;

  /// What node `here` is to be told.
  constexpr barrier_state at(node_id here) const {
    const std::uint32_t i = index(here);
    barrier_state said;
    said.set_root(i == 0);
    said.set_two_phase(two_phase);
    said.set_joins(processes + children_of(i, join_radix));
    if (i != 0) said.set_parent(node_id{(i - 1) / join_radix});
    const std::uint32_t released = children_of(i, release_radix);
    for (std::uint32_t k = 1; k <= released; ++k) said.add_child(node_id{release_radix * i + k});
    return said;
  }

 private:
  constexpr std::uint32_t children_of(std::uint32_t i, std::uint32_t radix) const {
    const std::uint32_t first = radix * i + 1;
    if (first >= nodes) return 0;
    return nodes - first < radix ? nodes - first : radix;
  }
};

}  // namespace tributary
