// SPDX-License-Identifier: Apache-2.0
// A switch of a network as a module, which users replace by one of their own.
#pragma once

#include <cstdint>

#include <tributary/network/message_network.h>
#include <tributary/network/routing/port_routes.h>
#include <tributary/systemc/message_network_module.h>
#include <tributary/systemc/network_parts.h>
#include <tributary/systemc/systemc.h>

namespace tributary {

/// A switch and its part of the routes.
struct switch_config {
  /// Clock, lanes, switching, arbiter, router_latency and router_buffers of the switch, and how
  /// long messages are on its cables. Topology, latencies of cables and places at nodes have no
  /// meaning. Buffers count messages: `router_buffer_bytes` is 0, as are `broadcast` and
  /// `reorder_window`.
  message_network_config links;
  std::uint32_t ports = 2;
  port_routes routes;
};

/// One switch with the behaviour that each has in a `routed_network`, in fact one of a single
/// switch whose nodes are ports. Sockets are by port and lane, a target for what comes and an
/// initiator for what leaves; all of them are bound. Two switches that are bound to each other
/// without a link are a cycle apart.
///
/// Messages keep source and destination, which are nodes of the whole network: the routes say by
/// which port a message goes on. A lane of a port sends its next message after END_REQ, so places
/// behind a cable are the affair of what is there, as `link_module`. Refused are messages that no
/// route has (address error), messages for everyone (command error), and those that no buffer holds
/// (burst error).
class switch_module final : public message_network_module, public switch_part {
 public:
  /// What a configuration has beyond the above is reported as `messages::configuration`.
  switch_module(const sc_core::sc_module_name& name, const switch_config& config);

  tlm::tlm_target_socket<>& from_cable(std::uint32_t port, std::uint8_t lane) override {
    return from_nodes[lane_of(node_id{port}, lane)];
  }
  tlm::tlm_initiator_socket<>& to_cable(std::uint32_t port, std::uint8_t lane) override {
    return to_nodes[lane_of(node_id{port}, lane)];
  }
  bool idle() const override { return message_network_module::idle(); }

  const char* kind() const override { return "tributary::switch_module"; }

 private:
  tlm::tlm_response_status check(const tlm::tlm_generic_payload& payload, node_id port,
                                 std::uint8_t lane) const override;
  network_transfer inside(const network_transfer& transfer, node_id port) const override;

  port_routes routes_;
};

}  // namespace tributary
