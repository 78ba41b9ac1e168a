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

  // The operations of operations.def, which says what each does. A handler may send without asking
  // what is promised to it (promised_sends.h). For more it asks `space` first: a send without room
  // is an error, never a wait. Addresses of lines are multiples of the node's line size,
  // those of words of 8; address spaces are ignored.
#define TRIBUTARY_HANDLER_OPERATION(name, promptly, result, parameters, asks, gives, meaning) \
  result name parameters;
#include <tributary/controller/operations.def>

  /// Ends the uncached access that the handler arrived with.
  void answer(word_t value) { answer(arrived_.tag, value); }
  /// With the message of this time.
  void again() { again(arrived_); }

 protected:
  handler_context(node_id here, const address_layout& addresses)
      : here_(here), addresses_(addresses) {}
  ~handler_context() = default;

  /// Suspends the handler until the controller answers.
  virtual handler_answer ask(const handler_request& asked) = 0;

  message arrived_;
  std::uint64_t spent_ = 0;

 private:
  node_id here_;
  const address_layout& addresses_;
};

}  // namespace tributary
