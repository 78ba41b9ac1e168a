// SPDX-License-Identifier: Apache-2.0
// The omega network as one module: the whole network in one clocked process.
#pragma once

#include <tributary/network/omega/omega_network.h>
#include <tributary/systemc/core_module.h>
#include <tributary/systemc/packet_link.h>

namespace tributary {

/// An `omega_network` behind links of N lines: elements on one side, memory modules on the other.
class omega_network_module : public core_module<omega_network> {
 public:
  /// Refuses what `omega_network_config::validate` does, as `messages::configuration`.
  omega_network_module(const sc_core::sc_module_name& name, const omega_network_config& config);

  link_port<packet> request_in{"request_in"};    ///< by element
  link_port<reply> reply_out{"reply_out"};       ///< by element
  link_port<packet> request_out{"request_out"};  ///< by memory module
  link_port<reply> reply_in{"reply_in"};         ///< by memory module

  const char* kind() const override { return "tributary::omega_network_module"; }

 private:
  void end_of_elaboration() override;
  void ready() override;
  void depart() override;
  void commit() override;
  void reset() override;

  template <class Observer>
  void commit_observed(Observer& observer);
};

}  // namespace tributary
