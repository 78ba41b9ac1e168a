// SPDX-License-Identifier: Apache-2.0
// The handlers of barriers between nodes.
#pragma once

#include <cstdint>

#include <tributary/controller/handler_request.h>
#include <tributary/controller/message.h>
#include <tributary/memory/line.h>
#include <tributary/memory/line_port.h>
#include <tributary/protocols/barriers/barrier_commands.h>
#include <tributary/protocols/barriers/barrier_costs.h>
#include <tributary/protocols/barriers/barrier_state.h>

namespace tributary::barriers {

/// What nodes tell each other. Both travel on the request lane, because their handlers may have to
/// send more messages. The address names the barrier.
enum class message_type : std::uint8_t { join = 96, release };

/// What handlers know in addition to their message and the node's memory.
struct handler_settings {
  barrier_costs costs;
  line_size line;
  std::uint64_t count = 0;    ///< of barriers
  std::uint64_t status = 0;   ///< a line a barrier, whose first word is the sense
  std::uint64_t states = 0;   ///< a word a barrier
  std::uint64_t records = 0;  ///< of deferred handlers: of a join and of a release, a barrier
  handler_id join_later = no_handler;
  handler_id release_later = no_handler;
};

/// The handlers of one node (FLASH 6.2.4, Table 6.4). They keep everything in the node's memory;
/// `Node` is what a handler may do. A join that completes the node's count goes to the parent; the
/// root's turns the sense, and tells the children, who do the same. Of an episode every node but
/// the root sends one join and gets one release, and nobody is ever refused.
template <class Node>
class handlers {
 public:
  handlers(Node& node, const handler_settings& with)
      : node_(node),
        with_(with),
        number_(barrier_command::number(node.addresses().offset_of(node.arrived().address),
                                        with.line)) {}

  // --- from the processor ------------------------------------------------------------------------

  /// Answers with the sense before the processor is counted. The processor waits for another sense,
  /// so it cannot miss a completion that comes before it looks (FLASH 6.2.4).
  void processor_join() {
    node_.spend(with_.costs.processor_join);
    const bool is_join = is_here() && offset() == barrier_command::join(number_);
    const barrier_state state = is_join ? load() : barrier_state();
    node_.answer(state.initialized() ? state.sense() : barrier_command::unknown);
    if (state.initialized()) count_join(state);
  }

  /// The trees of a barrier, or the master's release. Other addresses mean nothing.
  void processor_write() {
    if (!is_here()) return;
    if (offset() == barrier_command::trees(number_)) {
      node_.spend(with_.costs.configure);
      const barrier_state said(node_.word(node_.arrived().data, 0));
      save(load().with_trees_of(said));
    } else if (offset() == barrier_command::join(number_)) {
      node_.spend(with_.costs.release);
      const barrier_state state = load();
      if (state.is_root() && state.two_phase() && state.told() == 0) tell_children(state);
    }
  }

  void read_status() {
    const message& asked = node_.arrived();
    node_.spend(with_.costs.read_status);
    const auto data = node_.allocate();
    message reply =
        message_to(node_.here(), data ? common_type::line_shared : common_type::line_refused,
                   message_lane::reply, asked.address, 0);
    reply.tag = asked.tag;
    if (data) {
      // Behind the last barrier there is nothing to wait for: the line of the first one.
      node_.fill(*data, is_here() ? status() : with_.status);
      reply.data = *data;
      reply.length = with_.line.bytes();
    }
    node_.send(reply);
  }

  // --- from other nodes --------------------------------------------------------------------------

  void child_joined() {
    node_.spend(with_.costs.child_joined);
    count_join(load());
  }
  void released() {
    node_.spend(with_.costs.released);
    release(load());
  }

  // --- put off for want of room ------------------------------------------------------------------

  void join_later() {
    send_join(load());
    node_.done();
  }
  void release_later() {
    if (tell_some_children(load())) {
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
    save(state);
    if (!all) return;
    if (state.is_root()) {
      release(state);
      node_.spend(with_.costs.end_at_root);
    } else if (node_.space(message_lane::request) != 0) {
      send_join(state);
    } else {
      node_.later(record(0), with_.join_later, to(node_.here(), message_type::join));
    }
  }

  void send_join(const barrier_state& state) {
    node_.spend(with_.costs.send_join);
    node_.send(to(state.parent(), message_type::join));
  }

  /// The own processor first; at a root of two phases nobody else.
  void release(barrier_state state) {
    node_.spend(with_.costs.release);
    state.turn_sense();
    save(state);
    node_.store(status(), state.sense());
    node_.intervene(intervention::invalidate, line_of_processor(), no_payload, false);
    if (!(state.is_root() && state.two_phase())) tell_children(state);
  }

  void tell_children(const barrier_state& state) {
    if (!tell_some_children(state)) {
      node_.later(record(1), with_.release_later, to(node_.here(), message_type::release));
    }
  }

  /// The last first, for as many as there is room; whether all have been told.
  bool tell_some_children(barrier_state state) {
    std::uint32_t told = state.told();
    while (told < state.children() && node_.space(message_lane::request) != 0) {
      node_.spend(with_.costs.send_release);
      ++told;
      node_.send(to(state.child(state.children() - told), message_type::release));
    }
    const bool all = told == state.children();
    state.set_told(all ? 0 : told);
    save(state);
    return all;
  }

  message to(node_id node, message_type type) const {
    const std::uint64_t address =
        barrier_command::address(node_.addresses(), node, barrier_command::join(number_));
    return message_to(node, type, message_lane::request, address, 0);
  }

  /// Whether the node keeps the barrier.
  bool is_here() const { return number_ < with_.count; }
  std::uint64_t offset() const { return node_.addresses().offset_of(node_.arrived().address); }
  barrier_state load() { return barrier_state(node_.load(state_place())); }
  void save(const barrier_state& state) { node_.store(state_place(), state.word()); }

  std::uint64_t state_place() const { return with_.states + number_ * word_bytes; }
  std::uint64_t status() const { return with_.status + number_ * with_.line.bytes(); }
  std::uint64_t record(std::uint64_t i) const {
    return with_.records + (2 * number_ + i) * deferred_record_bytes;
  }
  std::uint64_t line_of_processor() const {
    return barrier_command::address(node_.addresses(), node_.here(),
                                    barrier_command::status(number_, with_.line));
  }

  Node& node_;
  const handler_settings& with_;
  std::uint64_t number_;
};

}  // namespace tributary::barriers
