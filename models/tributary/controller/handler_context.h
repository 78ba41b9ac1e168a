// SPDX-License-Identifier: Apache-2.0
// What a handler may do, whatever controller runs it.
#pragma once

#include <cstdint>
#include <optional>

#include <tributary/controller/address_layout.h>
#include <tributary/controller/handler_request.h>
#include <tributary/controller/message.h>
#include <tributary/sim/cycle.h>

namespace tributary {

/// The controller as a handler in C++ sees it. A handler runs to its end without being preempted;
/// it suspends at every operation below but `arrived`, `here`, `addresses` and `spend`, and goes on
/// in the cycle in which the controller has done it. Time passes by `spend`, and where an operation
/// waits.
///
/// An operation that the rules forbid ends the simulation with a `simulation_error` that names
/// rule, handler, node and cycle.
class handler_context {
 public:
  handler_context(const handler_context&) = delete;
  handler_context& operator=(const handler_context&) = delete;

  /// The message that started the handler. Its payload is released when the handler ends, unless it
  /// was sent or retained.
  const message& arrived() const { return arrived_; }
  /// This node.
  node_id here() const { return here_; }
  const address_layout& addresses() const { return addresses_; }
  bool is_local(std::uint64_t address) const { return addresses_.node_of(address) == here_; }

  /// The protocol processor is busy for so many cycles of its normal clock.
  void spend(std::uint64_t cycles) { spent_ += cycles; }
  /// The current cycle.
  cycle_t now();

  // Messages. A handler of a request may send two replies, one of the processor one request, a
  // deferred one a request and a reply, one of a reply nothing, without asking (FLASH 2.3.6, rules
  // D3 to D8). For more it asks `space` first: a send without room is an error, never a wait.

  /// How many messages the handler may send on `over` now.
  std::uint64_t space(message_lane over);
  /// Sends a message; source is this node. Its payload goes with it and is this handler's no longer
  /// unless it was retained once more.
  void send(message what);
  /// Ends the uncached read of the processor that the handler arrived with, or the one with `tag`.
  /// The handler that arrived with a read answers it, or passes it on by `keep_read`.
  void answer(word_t value) { answer(arrived_.tag, value); }
  void answer(std::uint8_t tag, word_t value);
  /// Another handler will answer: returns the tag that it needs.
  std::uint8_t keep_read();

  // Payloads: staging buffers of a line.

  /// A free buffer, or nothing. It must be sent, released or retained before the handler ends.
  std::optional<payload_handle> allocate();
  /// One more holder, who outlives the handler.
  void retain(payload_handle data);
  void release(payload_handle data);
  /// A doubleword of a payload, 0 to 15; waits until it is there.
  word_t word(payload_handle data, std::uint64_t which);
  void set_word(payload_handle data, std::uint64_t which, word_t value);

  // Memory of this node. Addresses of lines are multiples of 128, those of words of 8; spaces are
  // ignored. Data streams through a buffer: nobody waits for a fill or spill to end.

  void fill(payload_handle data, std::uint64_t line);
  /// Doubleword i of the line goes to `first`[offset + i], what is beyond to `second` from its
  /// beginning; the other words stay (FLASH 2.3.4, Figure 2.6). If both are one buffer, what is
  /// beyond is lost. Needs facility::realignment.
  void fill_realigned(payload_handle first, payload_handle second, std::uint64_t offset,
                      std::uint64_t line);
  void spill(payload_handle data, std::uint64_t line);
  /// One doubleword of the buffer to `address`.
  void spill_word(payload_handle data, std::uint64_t which, std::uint64_t address);
  /// Waits until everything that this handler spilt is in memory.
  void settle();
  /// Protocol state, through the protocol processor's data cache.
  word_t load(std::uint64_t address);
  void store(std::uint64_t address, word_t value);

  // Time.

  /// Queues a deferred handler, which gets `with` as its message. `record` is the address of the
  /// deferred_record_bytes of this node's memory that hold the entry, in no queue so far.
  void later(std::uint64_t record, handler_id run, const message& with);
  /// In a deferred handler: it stays queued and runs once more. It, or `done`, must be called once.
  void again() { again(arrived_); }
  /// The same with another message.
  void again(const message& with);
  /// In a deferred handler: its record leaves the queue.
  void done();
  /// Runs a handler in `cycles` cycles or somewhat later.
  void after(std::uint64_t cycles, handler_id run, const message& with);

 protected:
  handler_context(node_id here, const address_layout& addresses)
      : here_(here), addresses_(addresses) {}
  ~handler_context() = default;

  /// Suspends the handler until the controller answers.
  virtual handler_answer ask(const handler_request& what) = 0;

  message arrived_;
  std::uint64_t spent_ = 0;

 private:
  /// Asks with the time that the handler has spent.
  handler_answer asked(handler_request& what);

  node_id here_;
  const address_layout& addresses_;
};

/// Bytes at the start of a record that a queue of deferred handlers uses: next, previous, header,
/// address and handler (FLASH 2.3.5: one format shared by all protocols).
inline constexpr std::uint64_t deferred_record_bytes = 40;

}  // namespace tributary
