// SPDX-License-Identifier: Apache-2.0
// A network of single switches and links as modules, any of which users replace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <tributary/network/graph/network_graph.h>
#include <tributary/network/message_network.h>
#include <tributary/network/routing/routing_table.h>
#include <tributary/network/switching/link_event.h>
#include <tributary/sim/ids.h>
#include <tributary/sim/observer.h>
#include <tributary/systemc/cycle_scheduler.h>
#include <tributary/systemc/link_module.h>
#include <tributary/systemc/network_parts.h>
#include <tributary/systemc/switch_module.h>
#include <tributary/systemc/systemc.h>

namespace tributary {

/// Who makes the parts of a network, and how sockets are joined. Those that are empty, and makers
/// that return null, leave it to the network.
struct network_makers {
  /// The switch of that number.
  std::function<std::unique_ptr<switch_part>(const char* name, switch_id, const switch_config&)>
      make_switch{};
  /// One direction of a cable; `link_config` says which.
  std::function<std::unique_ptr<link_part>(const char* name, const link_config&)> make_link{};
  /// Binds an initiator's socket to a target's, or to something between them.
  std::function<void(tlm::tlm_initiator_socket<>&, tlm::tlm_target_socket<>&)> join{};
};

/// The network of a graph and a table, of a `switch_module` for each switch and a `link_module` for
/// each direction of each cable. Messages cross links in the same cycles as in the
/// `routed_network` of the same configuration. It costs several times as much, so one module for
/// the whole network is for those who replace nothing: `message_network_module`.
class switched_network final : public sc_core::sc_module {
 public:
  /// The graph is needed only by the constructor. Configurations that `switch_module` refuses and
  /// tables that `routes_of` refuses are reported as `messages::configuration`.
  switched_network(const sc_core::sc_module_name& name, const message_network_config& config,
                   const network_graph& graph, const routing_table& table,
                   const network_makers& makers = {});

  /// The sockets of a node, which is a host of the graph; see `network_transfer_extension`.
  tlm::tlm_target_socket<>& from_node(node_id node, std::uint8_t lane) {
    return links_[index(node)]->near_end(lane);
  }
  tlm::tlm_initiator_socket<>& to_node(node_id node, std::uint8_t lane) {
    return links_[nodes_ + index(node)]->far_end(lane);
  }

  switch_part& at(switch_id which) { return *switches_[index(which)]; }
  /// By the number that links have in `link_event`.
  link_part& link(std::uint32_t number) { return *links_[number]; }
  std::size_t links() const { return links_.size(); }

  /// Before the simulation begins: the parts that are the library's run by that scheduler.
  void follow(cycle_scheduler& scheduler);
  /// Told of what crosses the links that are the library's. It must outlive the network.
  void observe(observer<link_event>& who);
  bool idle() const;

  const char* kind() const override { return "tributary::switched_network"; }

 private:
  void make_switches(const message_network_config& config, const routing_table& table);
  void make_links(const message_network_config& config, const network_graph& graph);
  void add_link(link_config link);
  void join(tlm::tlm_initiator_socket<>& from, tlm::tlm_target_socket<>& to) const;
  void join_to_itself(switch_part& at, std::uint32_t port) const;
  void join_port(const network_graph& graph, switch_port port, std::uint32_t leaving,
                 std::uint32_t coming);

  network_makers makers_;
  std::uint32_t nodes_;
  std::uint32_t lanes_;
  std::vector<std::unique_ptr<switch_part>> switches_;
  std::vector<std::unique_ptr<link_part>> links_;
};

}  // namespace tributary
