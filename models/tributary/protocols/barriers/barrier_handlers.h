// SPDX-License-Identifier: Apache-2.0
// The handlers of barriers between nodes.
#pragma once

#include <cstdint>

#include <tributary/controller/message.h>
#include <tributary/protocols/barriers/barrier_commands.h>
#include <tributary/protocols/barriers/barrier_state.h>
#include <tributary/protocols/barriers/kept_barrier.h>

namespace tributary::barriers {

/// What nodes tell each other. Both travel on the request lane, because their handlers may have to
/// send more messages. The address names the barrier.
enum class message_type : std::uint8_t { join = 96, release };

/// The handlers of one node (FLASH 6.2.4, Table 6.4). They keep everything in the node's memory;
/// `Node` is what a handler may do. A join that completes the node's count goes to the parent; the
/// root's turns the sense, and tells the children, who do the same. Of an episode every node but
/// the root sends one join and gets one release, and none is ever refused.
template <class Node>
class handlers {
 public:
  handlers(Node& node, const kept_barriers& with) : node_(node), with_(with), kept_(node, with) {}

  // --- from the processor ------------------------------------------------------------------------

  /// Answers with the sense before the processor is counted. The processor waits for another sense,
  /// so it cannot miss a completion that comes before it looks (FLASH 6.2.4).
  void processor_join() {
    node_.spend(with_.costs.processor_join);
    const bool is_join = kept_.is_here() && kept_.offset() == barrier_command::join(kept_.number());
    const barrier_state state = is_join ? kept_.load() : barrier_state();
    node_.answer(state.initialized() ? state.sense() : barrier_command::unknown);
    if (state.initialized()) count_join(state);
  }

  /// The trees of a barrier, or the master's release. Other addresses mean nothing.
  void processor_write() {
    if (!kept_.is_here()) return;
    if (kept_.offset() == barrier_command::trees(kept_.number())) {
      node_.spend(with_.costs.configure);
      const barrier_state said(node_.word(node_.arrived().data, 0));
      const barrier_state before = kept_.load();
      const barrier_state now = before.with_trees_of(said);
      kept_.save(now);
      // The word of the master's releases knows nothing of crossings without a master.
      if (before.initialized() && !before.two_phase() && now.two_phase()) kept_.release_own(now);
    } else if (kept_.offset() == barrier_command::join(kept_.number())) {
      node_.spend(with_.costs.release);
      const barrier_state state = kept_.load();
      if (!state.is_root() || !state.two_phase() || state.told() != 0) return;
      if (node_.word(node_.arrived().data, 0) != 0) kept_.release_own(state);
      tell_children(state);
    }
  }

  void read_status() { kept_.give_status(); }

  // --- from other nodes --------------------------------------------------------------------------

  void child_joined() {
    node_.spend(with_.costs.child_joined);
    count_join(kept_.load());
  }
  void released() {
    node_.spend(with_.costs.released);
    release(kept_.load());
  }

  // --- put off for want of room ------------------------------------------------------------------

  void join_later() {
    send_join(kept_.load());
    node_.done();
  }
  void release_later() {
    if (tell_some_children(kept_.load())) {
      node_.done();
    } else {
      node_.again(node_.arrived());
    }
  }

 private:
  /// The count starts anew when the join goes on, not at the release: with trees of two radices a
  /// child may be released, and join again, before its parent in the join tree is released.
  void count_join(barrier_state state) {
    const std::uint32_t joined = state.joined() + 1;
    const bool all = joined >= state.joins() && state.initialized();
    state.set_joined(all ? 0 : joined);
    kept_.save(state);
    if (!all) return;
    if (state.is_root()) {
      release(state);
      node_.spend(with_.costs.end_at_root);
    } else if (node_.space(message_lane::request) != 0) {
      send_join(state);
    } else {
      node_.later(kept_.record(0), with_.join_later, kept_.to(node_.here(), message_type::join));
    }
  }

  void send_join(const barrier_state& state) {
    node_.spend(with_.costs.send_join);
    node_.send(kept_.to(state.parent(), message_type::join));
  }

  /// The own processor first; at a root of two phases no other.
  void release(barrier_state state) {
    node_.spend(with_.costs.release);
    kept_.turn(state);
    if (!(state.is_root() && state.two_phase())) tell_children(state);
  }

  void tell_children(const barrier_state& state) {
    if (!tell_some_children(state)) {
      node_.later(kept_.record(1), with_.release_later,
                  kept_.to(node_.here(), message_type::release));
    }
  }

  /// The last first, for as many as there is room; whether all have been told.
  bool tell_some_children(barrier_state state) {
    std::uint32_t told = state.told();
    while (told < state.children() && node_.space(message_lane::request) != 0) {
      node_.spend(with_.costs.send_release);
      ++told;
      node_.send(kept_.to(state.child(state.children() - told), message_type::release));
    }
    const bool all = told == state.children();
    state.set_told(all ? 0 : told);
    kept_.save(state);
    return all;
  }

  Node& node_;
  const kept_barriers& with_;
  kept_barrier<Node, barrier_command> kept_;
};

}  // namespace tributary::barriers
