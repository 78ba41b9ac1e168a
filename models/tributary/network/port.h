// SPDX-License-Identifier: Apache-2.0
// Where a network and what is at its nodes meet: any interface speaks to any network.
#pragma once

#include <cstdint>

#include <tributary/sim/cycle.h>
#include <tributary/sim/ids.h>
#include <tributary/sim/state.h>

namespace tributary {

/// A message as the network sees it.
struct network_transfer {
  node_id source{};
  node_id destination{};
  std::uint8_t lane = 0;
  std::uint32_t bytes = 0;  ///< of payload
  std::uint64_t cargo = 0;  ///< what it means is the nodes' affair

  TRIBUTARY_STATE(source, destination, lane, bytes, cargo);
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
