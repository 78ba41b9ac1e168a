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
  /// For all nodes, over a network that `broadcasts`: `destination` has no meaning in what is sent,
  /// and is the receiver in what arrives.
  bool everyone = false;

  TRIBUTARY_STATE(source, destination, lane, bytes, cargo, operation, everyone);
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
  /// Whether it takes messages for `everyone`.
  virtual bool broadcasts() const { return false; }
  /// Whether those of lane 0 come to all nodes in one order.
  virtual bool orders_broadcasts() const { return false; }
  /// How often the cargo of a message for `everyone` comes out where it was put in: once for each
  /// receiver if the nodes share what holds cargo, else once. See `cargo_pool::share`.
  virtual std::uint32_t copies() const { return 1; }
  /// How many messages of its source, destination and lane a message may overtake, and by how many
  /// it may be overtaken; 0: they stay in order.
  virtual std::uint32_t reorder_window() const { return 0; }
  /// Greatest payload of a message, in bytes.
  virtual std::uint32_t payload_bytes() const = 0;
  /// Whether a message of that lane, of any length, may leave in `now`.
  virtual bool ready(std::uint8_t lane, cycle_t now) const = 0;
  /// The first cycle in which the link is free; `never` if that is not known, and `room` will tell.
  virtual cycle_t free_at() const = 0;
  virtual void send(const network_transfer& transfer, cycle_t now) = 0;
  /// Cycles for which a message with so many bytes of payload occupies the link.
  virtual std::uint64_t wire_cycles(std::uint64_t bytes) const = 0;
  /// The oldest message of that lane leaves its place in the input queue.
  virtual void give_back(std::uint8_t lane, cycle_t now) = 0;

 protected:
  ~network_port() = default;
};

}  // namespace tributary
