// SPDX-License-Identifier: Apache-2.0
// What modules of nodes have in common: their place in the network, and its sockets.
#pragma once

#include <cstdint>
#include <memory>

#include <tributary/network/message_network.h>
#include <tributary/network/port.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/ids.h>
#include <tributary/systemc/event_driven_module.h>
#include <tributary/systemc/message_network_module.h>
#include <tributary/systemc/payload_pool.h>
#include <tributary/systemc/systemc.h>

namespace tributary {

/// Where a node is.
struct network_node_place {
  node_id here{};
  std::uint32_t nodes = 2;  ///< of the machine
  /// Of the network that it is joined to: clock, links and the places at a node.
  message_network_config network;
};

/// Base of modules around a node. The node speaks to `port()` as it would to a network in the same
/// loop, and its endpoint is told what comes.
///
/// `to_network` and `from_network`, one of each a lane: see `network_transfer_extension`. A message
/// without the extension that holds what the node's messages carry is refused with a command error.
class network_node_module : public event_driven_module {
 public:
  ~network_node_module() override;

  sc_core::sc_vector<tlm::tlm_initiator_socket<>> to_network;  ///< by lane
  sc_core::sc_vector<tlm::tlm_target_socket<>> from_network;   ///< by lane

  /// Binds all lanes to the place of this node.
  void join(message_network_module& network);

  const network_node_place& place() const { return place_; }

  const char* kind() const override { return "tributary::network_node_module"; }

 protected:
  /// A place that the machine does not have is reported as `messages::configuration`.
  network_node_module(const sc_core::sc_module_name& name, const network_node_place& place);

  /// What the node stands on.
  network_port& port();
  /// Who is told of messages and room; before the simulation begins.
  void deliver_to(network_endpoint& endpoint) { endpoint_ = &endpoint; }

  bool lanes_idle() const;
  /// Notified when `resume_sockets` has to be called.
  sc_core::sc_event& again() { return resume_; }
  /// Goes on with responses at other sockets than those of the network.
  virtual void resume_sockets() {}

  void end_of_elaboration() override;

 private:
  TRIBUTARY_HAS_PROCESS(network_node_module);
  class outgoing_lane;
  class incoming_lane;
  class link;

  void resume();

  /// What a message carries leaves its place in the node's pool for an extension of `payload`,
  /// which also gets its address.
  virtual void load(tlm::tlm_generic_payload& payload, std::uint64_t cargo) = 0;
  /// Whether a payload has what a message of this node carries.
  virtual bool carries(const tlm::tlm_generic_payload& payload) const = 0;
  /// Its place in the node's pool, where it is put.
  virtual std::uint64_t unload(const tlm::tlm_generic_payload& payload) = 0;

  network_node_place place_;
  payload_pool payloads_;
  std::unique_ptr<link> link_;
  network_endpoint* endpoint_ = nullptr;
  sc_core::sc_event resume_;
};

}  // namespace tributary
