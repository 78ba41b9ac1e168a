// SPDX-License-Identifier: Apache-2.0
// What a node knows of a lock whose token goes from controller to controller.
#pragma once

#include <cstdint>

#include <tributary/memory/operation.h>
#include <tributary/sim/bit_field.h>
#include <tributary/sim/ids.h>

namespace tributary {

/// A node's part of a lock in one word (FLASH 6.1.4, Figure 6.7). The controller keeps it, and the
/// processor has a copy in its caches, where it sets `locked` and `seen` by itself.
class lock_state {
 public:
  constexpr lock_state() = default;
  constexpr explicit lock_state(word_t word) : word_(word) {}
  constexpr word_t word() const { return word_; }

  /// This node may lock it, and no other.
  constexpr bool token() const { return is(token_bit); }
  constexpr bool locked() const { return is(locked_bit); }
  /// The processor has locked it since the token came. Before that the token is not taken away.
  constexpr bool seen() const { return is(seen_bit); }
  /// Another node waits, `next`, to which the token goes at the unlock.
  constexpr bool awaited() const { return is(awaited_bit); }
  /// The processor's caches may have the state, and newer `locked` and `seen`.
  constexpr bool cached() const { return is(cached_bit); }
  constexpr bool is_home() const { return is(home_bit); }
  /// The processor has asked for the token, which has not come.
  constexpr bool requested() const { return is(requested_bit); }
  constexpr bool initialized() const { return is(initialized_bit); }
  /// At the home: requests wait in its deferral queue.
  constexpr bool deferring() const { return is(deferring_bit); }
  /// The home that was asked does not keep the lock.
  constexpr bool unknown() const { return is(unknown_bit); }
  /// How often the token came here, and how often it was locked since: a late command or copy is
  /// known by them. Each counts modulo 2^11, so none may be 2,048 arrivals or uses late. The source
  /// has no such counts.
  constexpr std::uint32_t arrivals() const { return small(arrival_count); }
  constexpr std::uint32_t uses() const { return small(use_count); }
  constexpr node_id next() const { return node_id{small(next_node)}; }
  /// Not at the home.
  constexpr node_id home() const { return node_id{small(home_or_tail)}; }
  /// At the home: who asked last.
  constexpr node_id tail() const { return node_id{small(home_or_tail)}; }
  /// At the home: its deferral queue.
  constexpr std::uint32_t queue() const { return small(queue_index); }

  constexpr void set_token(bool value) { set(token_bit, value); }
  /// The token has come, and no process has locked it. The next node stays, if there is one.
  constexpr void install_token() {
    set_token(true);
    set_locked(false);
    set_seen(false);
    set_requested(false);
    set_arrivals(arrivals() + 1);
    set_uses(0);
  }
  /// By a process of a node that has the token.
  constexpr void lock() {
    set_locked(true);
    set_seen(true);
    set_uses(uses() + 1);
  }
  constexpr void set_locked(bool value) { set(locked_bit, value); }
  constexpr void set_seen(bool value) { set(seen_bit, value); }
  constexpr void set_cached(bool value) { set(cached_bit, value); }
  constexpr void set_requested(bool value) { set(requested_bit, value); }
  constexpr void set_deferring(bool value) { set(deferring_bit, value); }
  constexpr void set_unknown(bool value) { set(unknown_bit, value); }
  constexpr void set_arrivals(std::uint32_t times) { word_ = arrival_count.put(word_, times); }
  constexpr void set_uses(std::uint32_t times) { word_ = use_count.put(word_, times); }
  constexpr void set_tail(node_id node) { word_ = home_or_tail.put(word_, index(node)); }
  constexpr void set_next(node_id node) {
    set(awaited_bit, true);
    word_ = next_node.put(word_, index(node));
  }
  constexpr void clear_next() {
    set(awaited_bit, false);
    word_ = next_node.put(word_, 0);
  }
  /// Of a node that is not the home.
  constexpr void initialize(node_id home) {
    set(initialized_bit, true);
    word_ = home_or_tail.put(word_, index(home));
  }
  /// Of the home, which has the token, and may give it away at once.
  constexpr void initialize_home(node_id here, std::uint32_t queue) {
    initialize(here);
    install_token();
    set(home_bit, true);
    set(seen_bit, true);
    word_ = queue_index.put(word_, queue);
  }

 private:
  static constexpr bit_field token_bit{0, 1};
  static constexpr bit_field locked_bit{1, 1};
  static constexpr bit_field seen_bit{2, 1};
  static constexpr bit_field awaited_bit{3, 1};
  static constexpr bit_field cached_bit{4, 1};
  static constexpr bit_field home_bit{5, 1};
  static constexpr bit_field requested_bit{6, 1};
  static constexpr bit_field initialized_bit{7, 1};
  static constexpr bit_field deferring_bit{8, 1};
  static constexpr bit_field next_node{9, 12};
  static constexpr bit_field home_or_tail{21, 12};
  static constexpr bit_field queue_index{33, 8};
  // The source leaves these 23.
  static constexpr bit_field unknown_bit{41, 1};
  static constexpr bit_field arrival_count{42, 11};
  static constexpr bit_field use_count{53, 11};

  constexpr bool is(bit_field field) const { return field.in(word_) != 0; }
  constexpr void set(bit_field field, bool value) { word_ = field.put(word_, value ? 1 : 0); }
  constexpr std::uint32_t small(bit_field field) const {
    return static_cast<std::uint32_t>(field.in(word_));
  }

  word_t word_ = 0;
};

}  // namespace tributary
