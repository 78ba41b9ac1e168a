// SPDX-License-Identifier: Apache-2.0
// Where a network and what is at its nodes meet: any interface speaks to any network.
#pragma once

#include <cstdint>

#include <tributary/memory/operation.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/ids.h>
#include <tributary/sim/state.h>
#include <tributary/trace/identity.h>

namespace tributary {

/// Whether a message is a fetch-and-phi, or the answer to one.
enum class operation_part : std::uint8_t { none, request, answer };

/// What a network of combining switches knows of a message, of two of which it makes one. It is all
/// that there is in the message.
struct network_operation {
  operation_part is = operation_part::none;
  std::uint8_t tag = 0;       ///< of the access at the node that asks
  std::uint64_t address = 0;  ///< of the word
  word_function function;     ///< of a request
  word_t before = 0;          ///< of an answer: the word
  trace_identity identity;

  TRIBUTARY_STATE(is, tag, address, function.kind, function.a, function.b, before, identity);
};

/// A message as the network sees it.
struct network_transfer {
  node_id source{};
  node_id destination{};
  std::uint8_t lane = 0;
  std::uint32_t bytes = 0;  ///< of payload
  std::uint64_t cargo = 0;  ///< what it means is the nodes' affair
  /// Of a network that `combines`; such a message has no cargo.
  network_operation operation{};

  TRIBUTARY_STATE(source, destination, lane, bytes, cargo, operation);
};

/// A node's side of its two links to the network. Both calls come in a cycle before the one of
/// which they tell.
class network_endpoint {
 public:
  /// From `at` on the network has one more place for a message of that lane.
  virtual void room(std::uint8_t lane, cycle_t at) = 0;

  /// The first word of payload is there in `head`; the link is busy with the message before
  /// `tail`. It has a place in the node until `give_back`.
  virtual void arrive(const network_transfer& transfer, cycle_t head, cycle_t tail) = 0;

 protected:
  network_endpoint() = default;
  network_endpoint(const network_endpoint&) = default;
  network_endpoint& operator=(const network_endpoint&) = default;
  ~network_endpoint() = default;
};

/// The place of one node in a network, as its interface sees it.
class network_port {
 public:
  /// How many lanes the network has.
  virtual std::uint32_t lanes() const = 0;
  /// Whether it makes one message of two operations.
  virtual bool combines() const { return false; }
  /// Whether a message of that lane may leave in `now`.
  virtual bool ready(std::uint8_t lane, cycle_t now) const = 0;
  /// The first cycle in which the link is free.
  virtual cycle_t free_at() const = 0;
  virtual void send(const network_transfer& transfer, cycle_t now) = 0;
  /// Cycles for which a message with so many bytes of payload occupies the link.
  virtual std::uint64_t wire_cycles(std::uint64_t bytes) const = 0;
  /// A place of the input queue is free again.
  virtual void give_back(std::uint8_t lane, cycle_t now) = 0;

 protected:
  ~network_port() = default;
};

}  // namespace tributary
