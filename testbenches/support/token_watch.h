// SPDX-License-Identifier: Apache-2.0
// What must hold of the tokens of locks, whatever programs do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <tributary/sim/error.h>

#include "synchronization_case.h"
#include "synchronizing_machine.h"

namespace tributary::testing {

/// What has happened, by names: handlers, and what is rare.
using occurrences = std::map<std::string, std::uint64_t>;

/// Looks at the locks of all nodes whenever one of their handlers has ended. Throws `error`.
class token_watch {
 public:
  token_watch(const synchronization_case& drawn, synchronizing_machine& machine)
      : case_(drawn), machine_(machine), locks_(drawn.locks.size()) {}

  void ended(const std::string& handler, handler_context& context) {
    const std::uint32_t node = index(context.here());
    for (std::size_t i = 0; i < locks_.size(); ++i) {
      if (handler != "check" && case_.locks[i].number != number_of(context)) continue;
      note_request(i, handler, node, context.arrived());
      note_tokens(i, handler, node);
    }
  }

  /// A process holds a lock.
  void used(std::size_t lock) { locks_[lock].used = true; }

  /// Of a machine at rest.
  void check_rest() const {
    for (std::size_t i = 0; i < locks_.size(); ++i) {
      if (locks_[i].here == 0) fail(i, "no node has the token at the end");
      if (!locks_[i].accepted.empty()) fail(i, "a request was never granted");
      for (std::uint32_t node = 0; node < case_.nodes(); ++node) {
        const lock_state state = state_of(i, node);
        if (state.awaited() || state.requested() || state.deferring()) {
          fail(i, fmt::format("node {} still waits", node));
        }
        if (!state.cached() && is_in_caches(i, node)) {
          fail(i, fmt::format("node {} does not know that its caches have the state", node));
        }
      }
    }
  }

  [[noreturn]] void fail(std::size_t lock, const std::string& problem) const {
    throw error(fmt::format("{} in cycle {}: {}", text_of(lock), machine_.nodes().now(), problem));
  }

  /// What all nodes know of all locks.
  std::string text() const {
    std::string all;
    for (std::size_t i = 0; i < locks_.size(); ++i) all += text_of(i) + "; ";
    return all;
  }

  /// What all nodes know of a lock.
  std::string text_of(std::size_t lock) const {
    std::string text =
        fmt::format("lock {} (home {}", case_.locks[lock].number, case_.locks[lock].home);
    for (std::uint32_t node = 0; node < case_.nodes(); ++node) {
      text += fmt::format("; node {}:{}", node, text_of(state_of(lock, node)));
      const cache& caches = *machine_.nodes().node(node).caches();
      if (caches.state_of(copy_of(lock, node)) == line_state::invalid) continue;
      text += ", copy:" + text_of(lock_state(caches.word_at(copy_of(lock, node))));
    }
    return text + ")";
  }

  /// How often each handler gave a token.
  occurrences rare;

 private:
  struct lock_history {
    std::uint32_t here = 0;   ///< nodes that have the token, a bit each
    bool made = false;        ///< at its home
    bool home_asked = false;  ///< `requested` there
    bool used = true;  ///< since the token came; the home may give the first one away at once
    std::uint32_t on_way = 0;            ///< tokens that left a node and did not come to another
    std::deque<std::uint32_t> accepted;  ///< nodes whose requests the home took
  };

  static std::string text_of(const lock_state& state) {
    std::string text;
    if (state.token()) text += " token";
    if (state.locked()) text += " locked";
    if (state.seen()) text += " seen";
    if (state.cached()) text += " cached";
    if (state.requested()) text += " requested";
    if (state.awaited()) text += fmt::format(" next {}", index(state.next()));
    return text;
  }
  std::uint64_t number_of(handler_context& context) const {
    const magic_node_config& node = case_.config.machine.node;
    return lock_command::number(node.addresses.offset_of(context.arrived().address),
                                node.memory.line());
  }
  lock_state state_of(std::size_t lock, std::uint32_t node) const {
    return machine_.lock(node, case_.locks[lock].number);
  }
  /// The address of the processor's copy.
  std::uint64_t copy_of(std::size_t lock, std::uint32_t node) const {
    const magic_node_config& config = case_.config.machine.node;
    return lock_command::address(
        config.addresses, node_id{node},
        lock_command::state(case_.locks[lock].number, config.memory.line()));
  }
  bool is_in_caches(std::size_t lock, std::uint32_t node) const {
    const cache& caches = *machine_.nodes().node(node).caches();
    return caches.state_of(copy_of(lock, node)) != line_state::invalid;
  }

  /// The home takes requests in the order of its handlers, whether it passes them on at once.
  void note_request(std::size_t lock, const std::string& handler, std::uint32_t node,
                    const message& arrived) {
    if (node != case_.locks[lock].home) return;
    lock_history& of = locks_[lock];
    const bool asked = state_of(lock, node).requested();
    if (handler == "request_token") of.accepted.push_back(arrived.aux);
    if (handler == "processor_write" && asked && !of.home_asked) of.accepted.push_back(node);
    of.home_asked = asked;
  }

  /// Nodes that have the token, a bit each.
  std::uint32_t holders(std::size_t lock) const {
    std::uint32_t nodes = 0;
    for (std::uint32_t i = 0; i < case_.nodes(); ++i) {
      nodes |= std::uint32_t{state_of(lock, i).token()} << i;
    }
    return nodes;
  }

  void note_tokens(std::size_t lock, const std::string& handler, std::uint32_t node) {
    lock_history& of = locks_[lock];
    const std::uint32_t now = holders(lock);
    const std::uint32_t left = of.here & ~now;
    const std::uint32_t came = now & ~of.here;
    of.here = now;
    if (!of.made) {
      of.made = came != 0;
      return;
    }
    if ((now & (now - 1)) != 0) fail(lock, "two nodes have the token");
    if (left != 0) note_left(lock, handler, node);
    if (came != 0 && of.on_way == 0) fail(lock, fmt::format("node {} makes a token", node));
    if (came != 0) {
      --of.on_way;
      of.used = false;
    }
    if (of.on_way + (now != 0 ? 1 : 0) != 1) fail(lock, "there is not one token");
    if (handler == "grant_token") note_grant(lock, node, (came >> node & 1) != 0);
  }

  /// Only a time-out may take a token away that was not used (FLASH 6.1.4, 6.1.6).
  void note_left(std::size_t lock, const std::string& handler, std::uint32_t node) {
    ++locks_[lock].on_way;
    rare[handler + " gives a token"] += 1;
    if (locks_[lock].used || case_.config.locks.timeout != 0) return;
    fail(lock, fmt::format("node {} gives away what its processor has not used", node));
  }

  void note_grant(std::size_t lock, std::uint32_t node, bool is_new) {
    std::deque<std::uint32_t>& accepted = locks_[lock].accepted;
    if (!is_new) fail(lock, fmt::format("node {} has the token that comes to it", node));
    if (accepted.empty()) fail(lock, fmt::format("node {} gets a token and did not ask", node));
    if (accepted.front() != node) {
      fail(lock, fmt::format("node {} gets the token, not node {}, which asked before it", node,
                             accepted.front()));
    }
    accepted.pop_front();
  }

  const synchronization_case& case_;
  synchronizing_machine& machine_;
  std::vector<lock_history> locks_;
};

}  // namespace tributary::testing
