// SPDX-License-Identifier: Apache-2.0
// The omega network composed of single switch modules.
#pragma once

#include <cstddef>
#include <vector>

#include <tributary/network/omega/omega_network.h>
#include <tributary/network/omega/switch_implementation.h>
#include <tributary/systemc/combining_switch_module.h>
#include <tributary/systemc/packet_link.h>
#include <tributary/systemc/systemc.h>

namespace tributary {

/// The same network as `omega_network_module`, of N / 2 `combining_switch_module`s a stage: slower
/// by far, but each switch is a module of its own, to look into or to replace. Those that
/// `omega_network_config::rtl` names are around what `make_switch` makes, the others around cores.
class omega_network_of_switches : public sc_core::sc_module {
 public:
  /// Refuses what `omega_network` does, as `messages::configuration`.
  omega_network_of_switches(const sc_core::sc_module_name& name,
                            const omega_network_config& config);

  sc_core::sc_in<bool> clock{"clock"};
  /// As that of `clocked_module`; it may stay unbound.
  sc_core::sc_port<sc_core::sc_signal_in_if<bool>, 1, sc_core::SC_ZERO_OR_MORE_BOUND> reset_n{
      "reset_n"};
  link_port<packet> request_in{"request_in"};    ///< by element
  link_port<reply> reply_out{"reply_out"};       ///< by element
  link_port<packet> request_out{"request_out"};  ///< by memory module
  link_port<reply> reply_in{"reply_in"};         ///< by memory module

  combining_switch_module& at(std::size_t stage, std::size_t index) {
    return switches_[stage * columns() + index];
  }
  void observe(request_event_sink* sink);
  void reset_statistics();
  /// Adds a group per stage, as `omega_network` does.
  void report(statistics_group& group) const;

  const char* kind() const override { return "tributary::omega_network_of_switches"; }

 private:
  std::size_t columns() const { return config_.processing_elements / 2; }
  combining_switch_module* make_switch(const char* name, const switch_place& place);
  void connect(std::size_t stage, std::size_t index);

  omega_network_config config_;
  std::vector<switch_place> replaced_;
  // Between the stages: link s joins stage s to stage s + 1.
  sc_core::sc_vector<packet_link<packet>> requests_;
  sc_core::sc_vector<packet_link<reply>> replies_;
  sc_core::sc_vector<combining_switch_module> switches_;
};

}  // namespace tributary
