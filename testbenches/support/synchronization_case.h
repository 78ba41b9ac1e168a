// SPDX-License-Identifier: Apache-2.0
// Machines whose programs lock, cross barriers and reduce, drawn at random.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "coherent_wanderer.h"
#include "random_choice.h"
#include "synchronizing_machine.h"

namespace tributary::testing {

/// Words that a lock protects, on lines of their own.
inline constexpr std::uint32_t protected_words = 2;
/// Lines of each node that programs load and store only to evict others.
inline constexpr std::uint32_t other_lines = 4;
inline constexpr std::uint64_t protected_offset = 0x2000;
inline constexpr std::uint64_t other_offset = 0x8000;
inline constexpr std::uint64_t ready_offset = 0x1000;
/// Apart enough for every size of lines.
inline constexpr std::uint64_t apart = 512;

/// A lock that programs use.
struct lock_choice {
  std::uint64_t number;
  std::uint32_t home;
  std::uint32_t words_on;  ///< the node of the first protected word
};

/// A reduction that programs use.
struct reduction_choice {
  barrier_trees trees;
  reduction_operation operation;
};

/// A machine and its programs, drawn at random.
struct synchronization_case {
  explicit synchronization_case(std::uint64_t number) : seed(number), config(2) {
    draw_machine();
    random_stream draws(seed, 18U, 6U);
    draw_times(draws);
    draw_locks(draws);
    for (std::uint32_t i = between(draws, 0, 2); i-- > 0;) {
      barriers.push_back(
          {nodes(), between(draws, 1, 5), between(draws, 1, 5), draws.below(4) == 0});
    }
    for (std::uint32_t i = between(draws, 2, 5); i-- > 0;) crosses.push_back(between(draws, 0, 3));
    draw_reductions();
    draw_processes();
  }

  std::uint32_t nodes() const { return config.machine.nodes; }
  std::uint32_t processes() const { return config.machine.node.processes; }
  std::string text() const {
    return fmt::format(
        "case {}, {} nodes, {} processes a node, {} locks, {} barriers, {} "
        "reductions, {}",
        seed, nodes(), processes(), locks.size(), barriers.size(), reductions.size(),
        config.locks.timeout == 0 ? "no time-outs" : "time-outs");
  }
  std::uint64_t address(std::uint32_t node, std::uint64_t offset) const {
    return config.machine.node.addresses.address_of(node_id{node % nodes()}, 0, offset);
  }
  std::uint64_t protected_word(std::size_t lock, std::uint32_t i) const {
    return address(locks[lock].words_on + i,
                   protected_offset + apart * (protected_words * lock + i));
  }
  /// Of all words that programs use.
  std::set<std::uint64_t> addresses() const {
    std::set<std::uint64_t> used;
    for (std::size_t lock = 0; lock < locks.size(); ++lock) {
      for (std::uint32_t i = 0; i < protected_words; ++i) used.insert(protected_word(lock, i));
    }
    for (std::uint32_t node = 0; node < nodes(); ++node) {
      used.insert(address(node, ready_offset));
      for (std::uint32_t i = 0; i < other_lines; ++i) {
        used.insert(address(node, other_offset + apart * i));
      }
    }
    return used;
  }

  std::uint64_t seed;
  synchronizing_config config;
  std::vector<lock_choice> locks;
  std::vector<barrier_trees> barriers;
  std::vector<reduction_choice> reductions;  ///< one of them after each round
  std::vector<std::uint32_t> crosses;        ///< of a barrier at the end of each round
  bool is_crowded = false;                   ///< hardly any room for what is sent
  std::uint32_t messages_late = 0;           ///< at most, between the network and a node

 private:
  /// As for coherence, with more nodes, and sometimes hardly any room for what is sent.
  void draw_machine() {
    const random_case drawn(seed);
    const std::uint32_t space_bits = config.machine.node.addresses.space_bits;
    static_cast<coherent_config&>(config) = drawn.config;
    config.machine.node.addresses.space_bits = space_bits;
    messages_late = drawn.messages_late;
    random_stream draws(seed, 19U, 6U);
    if (draws.below(4) == 0) {
      // Protected words stay, so that a copy may be read that is older than the lock.
      for (cache_level_config& level : config.machine.node.caches.levels.levels) level.bytes *= 32;
    }
    if (draws.below(4) == 0) config.machine.node.buffers.buffers = 4;
    message_network_config& network = config.machine.network;
    const bool power_of_two =
        network.topology == topology_kind::hypercube || network.topology == topology_kind::omega;
    config.machine.nodes = power_of_two ? 1U << between(draws, 1, 3) : between(draws, 2, 8);
    is_crowded = draws.below(2) == 0;
    if (!is_crowded) return;
    config.machine.node.network_interface.out_depth = 3;
    network.bandwidth = one_of(draws, {20U, 20U, 400U});
    // Newcomers come between room and the deferred handler that waits for it.
    config.machine.node.in.software_queue_turn = one_of(draws, {2U, 16U, 64U});
    config.handlers_late = one_of(draws, {0U, 30U, 100U});
    network.router_buffers = 1;
    network.endpoint_buffers = between(draws, 1, 8);
  }
  void draw_reductions() {
    random_stream draws(seed, 21U, 6U);
    for (std::uint32_t i = between(draws, 0, 2); i-- > 0;) {
      const std::uint32_t operation =
          between(draws, 0, static_cast<std::uint32_t>(reduction_operation::double_max));
      reductions.push_back({{nodes(), between(draws, 1, 5), between(draws, 1, 5)},
                            static_cast<reduction_operation>(operation)});
    }
  }
  /// Of a node, as many as join totals hold; a third of the machines have more than one, and none
  /// of these reduces. Processes that poll more lines than their cache has never pause, and a
  /// refused request of another node can come back in step with them, always while a data buffer
  /// is in use (docs/models/coherence.md; case 37930, every 33 and 198 cycles). So their handlers
  /// take some time more or less.
  void draw_processes() {
    random_stream draws(seed, 23U, 6U);
    if (draws.below(3) != 0) return;
    std::uint32_t most = 4;
    for (const barrier_trees& each : barriers) {
      most = std::min(most, barrier_state::most_joins - each.join_radix);
    }
    config.machine.node.processes = between(draws, 2, most);
    const cache_level_config& cached = config.machine.node.caches.levels.last();
    if (cached.bytes / cached.line_bytes < processes()) {
      config.handlers_late = std::max(config.handlers_late, 30U);
    }
    for (barrier_trees& each : barriers) each.processes = processes();
    reductions.clear();
  }
  void draw_times(random_stream& draws) {
    const bool times_out = draws.below(2) == 0;
    config.locks.count = 100;
    config.locks.timeout = times_out ? one_of(draws, {500U, 3000U, 20000U}) : 0;
    config.machine.node.timed.period = one_of(draws, {50U, 500U});
    config.processor.turnaround = one_of(draws, {1U, 30U, 60U, 100U});
  }
  void draw_locks(random_stream& draws) {
    std::uint64_t number = 0;
    const bool one_home = draws.below(2) == 0;
    const std::uint32_t most = is_crowded && one_home ? 10 : 4;
    for (std::uint32_t i = between(draws, 1, most); i-- > 0;) {
      const std::uint32_t home = one_home ? 0 : between(draws, 0, nodes() - 1);
      locks.push_back({number, home, between(draws, 0, nodes() - 1)});
      number += between(draws, 1, 9);
    }
  }
};

}  // namespace tributary::testing
