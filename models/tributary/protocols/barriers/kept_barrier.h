// SPDX-License-Identifier: Apache-2.0
// What the controller of a node keeps of a barrier.
#pragma once

#include <cstdint>

#include <tributary/controller/handler_request.h>
#include <tributary/controller/message.h>
#include <tributary/memory/line.h>
#include <tributary/memory/line_port.h>
#include <tributary/protocols/barriers/barrier_costs.h>
#include <tributary/protocols/barriers/barrier_state.h>

namespace tributary::barriers {

/// What handlers know in addition to their message and the node's memory, in which status lines,
/// states and records lie behind each other.
struct kept_barriers {
  barrier_costs costs;
  line_size line;
  std::uint64_t count = 0;                 ///< of barriers
  std::uint64_t state_bytes = word_bytes;  ///< of a barrier: its `barrier_state`, and what follows
  std::uint64_t status = 0;                ///< a line a barrier, whose first word is the sense
  std::uint64_t states = 0;
  std::uint64_t records = 0;  ///< of deferred handlers: of a join and of a release, a barrier
  handler_id join_later = no_handler;
  handler_id release_later = no_handler;

  /// Bytes of memory, whatever the line is.
  std::uint64_t bytes() const {
    return count * (most_line_bytes + state_bytes + 2 * deferred_record_bytes);
  }
  void lie_at(std::uint64_t address, line_size size) {
    line = size;
    status = address;
    states = status + count * line.bytes();
    records = states + count * state_bytes;
  }
  std::uint64_t state_of(std::uint64_t number) const { return states + number * state_bytes; }
};

/// The barrier that a message is about. A reduction is one as well, with values behind its state.
/// `Command` knows the offsets of their address space.
template <class Node, class Command>
class kept_barrier {
 public:
  kept_barrier(Node& node, const kept_barriers& all)
      : node_(node), all_(all), number_(Command::number(offset(), all.line)) {}

  std::uint64_t number() const { return number_; }
  /// Whether the node keeps the barrier.
  bool is_here() const { return number_ < all_.count; }
  /// Of the message, in the address space.
  std::uint64_t offset() const { return node_.addresses().offset_of(node_.arrived().address); }

  barrier_state load() { return barrier_state(node_.load(state())); }
  void save(const barrier_state& state_now) { node_.store(state(), state_now.word()); }
  std::uint64_t state() const { return all_.state_of(number_); }
  std::uint64_t status() const { return all_.status + number_ * all_.line.bytes(); }
  /// Of a join (0) or of a release (1) that is put off.
  std::uint64_t record(std::uint64_t i) const {
    return all_.records + (2 * number_ + i) * deferred_record_bytes;
  }

  /// Gives the status line to the processor's caches.
  void give_status() {
    const message& asked = node_.arrived();
    node_.spend(all_.costs.read_status);
    const auto data = node_.allocate();
    message reply =
        message_to(node_.here(), data ? common_type::line_shared : common_type::line_refused,
                   message_lane::reply, asked.address, 0);
    reply.tag = asked.tag;
    if (data) {
      // Behind the last barrier there is nothing to wait for: the line of the first one.
      node_.fill(*data, is_here() ? status() : all_.status);
      reply.data = *data;
      reply.length = all_.line.bytes();
    }
    node_.send(reply);
  }

  /// Turns the sense, and takes the status line from the caches of the processor, which looks
  /// again.
  void turn(barrier_state& state_now) {
    state_now.turn_sense();
    save(state_now);
    tell_processor(status(), state_now);
  }
  /// Of two phases at the root: its other processes look again and are released.
  void release_own(const barrier_state& state_now) {
    tell_processor(status() + word_bytes, state_now);
  }

  template <class Type>
  message to(node_id node, Type type, std::uint32_t aux = 0) const {
    const std::uint64_t address = Command::address(node_.addresses(), node, Command::join(number_));
    return message_to(node, type, message_lane::request, address, aux);
  }

 private:
  void tell_processor(std::uint64_t word, const barrier_state& state_now) {
    const std::uint64_t line =
        Command::address(node_.addresses(), node_.here(), Command::status(number_, all_.line));
    node_.store(word, state_now.sense());
    node_.intervene(intervention::invalidate, line, no_payload, false);
  }

  Node& node_;
  const kept_barriers& all_;
  std::uint64_t number_;
};

}  // namespace tributary::barriers
