// SPDX-License-Identifier: Apache-2.0
// A combining network between TLM-2.0 initiators and targets: what a SoC embeds.
#pragma once

#include <tributary/memory/address_map.h>
#include <tributary/nic/request_trace.h>
#include <tributary/sim/observer.h>
#include <tributary/sim/statistics.h>
#include <tributary/systemc/memory_interface_module.h>
#include <tributary/systemc/network_interface_module.h>
#include <tributary/systemc/omega_network_module.h>

namespace tributary {

/// Configuration of a network with sockets on both sides.
struct combining_network_config {
  omega_network_config network;
  /// Which module holds an address. `local_port` of a region is ignored: all requests that come by
  /// a socket take the network.
  address_map_config addresses;
  /// Requests of sockets have a program order: `issue_policy::automatic` is one_per_word.
  network_interface_config interface;
  alias_config aliases;
  latency_estimate_config estimate;
  memory_interface_config memory_interface;

  void bind(parameter_set& parameters);
};

/// An omega network of combining switches with N sockets for initiators and N for memory modules,
/// any TLM-2.0 base protocol initiators and targets.
///
///     tributary::combining_network_config config;
///     config.network.processing_elements = 4;
///     tributary::combining_network network("network", config);
///     network.clock(clock);
///     cpu.socket.bind(network.target_sockets[0]);
///     network.initiator_sockets[0].bind(memory.socket);
///
/// Loads, stores and fetch-and-phi operations (`fetch_op`, or the aliases of `alias_map`) to one
/// word combine where they meet. Sockets may stay unbound: an unused port, a module that no region
/// names. docs/models/sockets.md has the timing, docs/models/network_interface.md and
/// memory_interface.md the two sides. Several networks may live in one simulation. A configuration
/// that is refused is reported as `messages::configuration`; one in which nothing can combine is
/// said once, at the end of elaboration, as an SC_INFO of `messages::combining`.
class combining_network : public clocked_module {
 public:
  combining_network(const sc_core::sc_module_name& name, const combining_network_config& config);

  using target_socket = network_interface_module::target_socket;
  using initiator_socket = memory_interface_module::initiator_socket;

  sc_core::sc_vector<target_socket> target_sockets;        ///< by processor-side port
  sc_core::sc_vector<initiator_socket> initiator_sockets;  ///< by memory module

  const address_map& addresses() const { return addresses_; }
  const omega_network& network() const { return network_.core(); }
  const network_interface& interfaces() const { return interface_.core(); }

  /// Whether no transaction is under way on either side.
  bool idle() const;

  /// Adds the groups `interface`, `network` and `memory_interface`.
  void report(statistics_group& group) const;
  /// The same as a tree of their own.
  statistics_tree statistics() const;
  void reset_statistics();

  /// Called for every event in the network at the end of its cycle, track by track, in the order
  /// of `comes_before`. Attach between cycles, not from within one.
  observer_list<trace_event>& observers() { return trace_.observers(); }
  /// The tracks of the events, for trace files.
  const trace_catalog& catalog() { return trace_.catalog(); }

  const char* kind() const override { return "tributary::combining_network"; }

 private:
  TRIBUTARY_HAS_PROCESS(combining_network);

  void end_of_elaboration() override;
  void ready() override;
  void depart() override {}
  void commit() override;
  void reset() override;
  void tell();

  void observe(request_event_sink* sink);

  combining_network_config config_;
  address_map addresses_;
  network_interface_module interface_;
  omega_network_module network_;
  memory_interface_module memory_interface_;
  packet_link<packet> requests_in_;
  packet_link<packet> requests_out_;
  packet_link<reply> replies_in_;
  packet_link<reply> replies_out_;
  request_trace trace_;
  bool observed_ = false;
  cycle_t measured_from_ = 0;
  sc_core::sc_event committed_{"committed"};
};

}  // namespace tributary
