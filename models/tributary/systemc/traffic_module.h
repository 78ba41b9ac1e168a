// SPDX-License-Identifier: Apache-2.0
// Hosts of traffic as a module, for any network with sockets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <tributary/network/message_network.h>
#include <tributary/network/traffic/traffic_kernel.h>
#include <tributary/network/traffic/traffic_run.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/ids.h>
#include <tributary/systemc/event_driven_module.h>
#include <tributary/systemc/message_network_module.h>
#include <tributary/systemc/systemc.h>

namespace tributary {

/// The part of a packet that its network does not know: which it is, and whether it is the last of
/// its message.
struct traffic_packet_extension final : tlm::tlm_extension<traffic_packet_extension> {
  std::uint64_t packet = 0;

  tlm::tlm_extension_base* clone() const override { return new traffic_packet_extension(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    packet = static_cast<const traffic_packet_extension&>(other).packet;
  }
};

/// Hosts that cost nothing, which do what a kernel of traffic says and measure latencies as
/// `traffic_run` does on a network in the same loop. One module for all, since a kernel is about
/// all of them. Sockets are by `lane_of(host, lane)`, and what they mean is told by
/// `network_transfer_extension`; a message that is no packet of this module is refused with a
/// command error, one for another host with an address error.
class traffic_module final : public event_driven_module {
 public:
  /// `network` is that of the network to which the hosts are joined: clock, links, places at hosts
  /// and whether it has messages for everyone. The kernel must outlive the module. What does not
  /// fit is reported as `messages::configuration`. `in_front`: as of `traffic_run`.
  traffic_module(const sc_core::sc_module_name& name, const message_network_config& network,
                 std::uint32_t hosts, traffic_kernel& kernel,
                 const endpoint_in_front& in_front = {});
  ~traffic_module() override;

  sc_core::sc_vector<tlm::tlm_initiator_socket<>> to_network;
  sc_core::sc_vector<tlm::tlm_target_socket<>> from_network;
  std::size_t lane_of(node_id host, std::size_t lane) const;
  /// Binds all lanes of all hosts.
  void join(message_network_module& network);

  /// What was measured. Only the module steps it.
  traffic_run& run() { return *run_; }
  const traffic_run& run() const { return *run_; }
  bool finished() const { return run_->finished(); }
  void reset_statistics();

  const char* kind() const override { return "tributary::traffic_module"; }

 private:
  TRIBUTARY_HAS_PROCESS(traffic_module);
  class far_network;
  class outlet;
  class inlet;

  void end_of_elaboration() override;
  cycle_t next_wakeup() const override { return run_->next_wakeup(); }
  void advance_to(cycle_t last) override { run_->advance_to(last); }
  void resume();

  std::unique_ptr<far_network> network_;
  std::unique_ptr<traffic_run> run_;
  sc_core::sc_event resume_;
};

}  // namespace tributary
