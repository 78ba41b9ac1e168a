// SPDX-License-Identifier: Apache-2.0
// The processing elements of a machine as one module, joined to its network by links.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <tributary/memory/address_map.h>
#include <tributary/network/omega/omega_network.h>
#include <tributary/nic/network_interface.h>
#include <tributary/nic/request_trace.h>
#include <tributary/processor/workload.h>
#include <tributary/systemc/core_module.h>
#include <tributary/systemc/packet_link.h>

namespace tributary {

/// A workload and the network interfaces of its elements.
struct element_array {
  network_interface interfaces;
  std::unique_ptr<workload> work;

  bool finished() const { return work->finished() && interfaces.idle(); }
  void reset_statistics();
  void report(statistics_group& group) const { interfaces.report(group); }
};

/// All elements of a machine, behind links with a line for each. (`processing_element_module` is
/// one element behind a TLM-2.0 socket.)
class element_array_module : public core_module<element_array> {
 public:
  using make_workload_function = std::function<std::unique_ptr<workload>()>;

  /// For a network of `shape`, by `map`, which must outlive the module. `make` makes the workload,
  /// and once more at every reset; what it refers to must outlive the module too. Reports
  /// `messages::configuration` for values out of range.
  element_array_module(const sc_core::sc_module_name& name, const network_interface_config& config,
                       const omega_network_config& shape, const address_map& map,
                       const make_workload_function& make);

  link_port<packet> request_out{"request_out"};
  link_port<reply> reply_in{"reply_in"};
  // To the local ports of the elements' own memory modules; they may stay unbound.
  link_port<packet, sc_core::SC_ZERO_OR_MORE_BOUND> local_request_out{"local_request_out"};
  link_port<reply, sc_core::SC_ZERO_OR_MORE_BOUND> local_reply_in{"local_reply_in"};

  /// Notified after the cycle in which the workload has ended and every request was answered.
  const sc_core::sc_event& finished_event() const { return finished_; }

  /// Collects the events of all modules that observe with it; this one begins its cycles.
  request_trace& events() { return trace_; }

  const char* kind() const override { return "tributary::element_array_module"; }

 private:
  void end_of_elaboration() override;
  void ready() override;
  void depart() override;
  void commit() override;
  void reset() override;

  void deliver(std::size_t pe, const reply& response);

  request_trace trace_;
  sc_core::sc_event finished_{"finished"};
  std::vector<std::uint8_t> no_local_port_;
  std::vector<memory_response> responses_;  // of the current cycle
};

}  // namespace tributary
