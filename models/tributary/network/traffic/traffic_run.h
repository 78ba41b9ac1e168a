// SPDX-License-Identifier: Apache-2.0
// A network, hosts of traffic at its nodes, and what they measure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <tributary/network/message_network.h>
#include <tributary/network/traffic/traffic_host.h>
#include <tributary/network/traffic/traffic_kernel.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/error.h>
#include <tributary/sim/ids.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>

namespace tributary {

/// Of latencies, in cycles.
class latency_spread {
 public:
  void add(cycle_t latency);

  std::uint64_t count() const { return all_.count(); }
  cycle_t min() const { return all_.min(); }  ///< 0 if empty
  cycle_t max() const { return all_.max(); }  ///< 0 if empty
  double mean() const { return all_.mean(); }
  /// Of what was added, not an estimate of more; 0 if empty.
  double standard_deviation() const;
  /// The same without the deviation.
  const average& all() const { return all_; }

  TRIBUTARY_STATE(all_, running_mean_, squares_);

 private:
  average all_;
  // About the running mean (Welford), so that nothing is lost where all are long.
  double running_mean_ = 0;
  double squares_ = 0;
};

/// Nothing moves, and messages are not where they should be.
class stuck_traffic : public simulation_error {
 public:
  using simulation_error::simulation_error;
};

/// What stands between a network and a host: given the host's side of its links, returns the side
/// that the network sees, which must outlive the run.
using endpoint_in_front = std::function<network_endpoint&(node_id, network_endpoint&)>;

/// Runs a kernel on a network, from one cycle in which something happens to the next. Latencies are
/// from when a host asked for a message to the last byte of a packet, and of the message, at its
/// receiver; of a message for everyone, of each copy.
class traffic_run final : private traffic_hosts, private traffic_receiver, private timed_block {
 public:
  /// The network is not used by anyone else. References must outlive it. Throws
  /// `configuration_error` for a kernel that does not fit. Hosts are at the network themselves if
  /// nothing is `in_front` of them.
  traffic_run(message_network& network, traffic_kernel& kernel,
              const endpoint_in_front& in_front = {});

  /// Until the kernel has finished and the network is idle. Throws `stuck_traffic` if nothing moves
  /// before.
  void run();
  /// Up to and including that cycle, or until it has finished. Throws as `run`.
  void run_until(cycle_t last);
  cycle_t now() const { return now_; }
  /// One cycle, whatever is to come: for who steps hosts and network apart. No cycle in which
  /// something happens is left out.
  void advance_to(cycle_t cycle);
  /// The next cycle in which something happens, or `never`.
  cycle_t next_wakeup() const;
  /// Throws `stuck_traffic`.
  [[noreturn]] void fail_stuck() const;
  /// Whether the kernel has finished or was stopped, and no message is under way.
  bool finished() const;
  /// The kernel is not asked again: what is under way comes to its receivers.
  void stop() { stopped_ = true; }
  /// The network discarded a packet: for `on_discard` of a network that does. Not of messages for
  /// everyone.
  void lost(const network_transfer& packet) { messages_.lose(traffic_host::message_of(packet)); }
  /// Messages that did not come whole for that reason.
  std::size_t lost_messages() const { return messages_.lost(); }

  const latency_spread& packets() const { return packets_; }
  const latency_spread& messages() const { return whole_; }
  /// Payload that arrived, in bytes.
  std::uint64_t received_bytes() const { return received_bytes_; }
  /// Cycles from the first of the traffic, or since the statistics were reset, to the last message
  /// that was whole.
  cycle_t completion() const {
    return last_byte_ > measured_from_ ? last_byte_ - measured_from_ : 0;
  }
  std::size_t under_way() const { return messages_.under_way(); }

  /// Forgets what was measured; the network's statistics, too.
  void reset_statistics();
  /// Network and kernel included, as bytes, and back into a run of the same configuration.
  /// `restore` throws as `block::restore`.
  std::string save() const;
  void restore(const std::string& state);

 private:
  // traffic_hosts
  std::uint32_t count() const override { return network_.nodes(); }
  std::uint32_t copies() const override { return network_.copies(); }
  traffic_host& host(node_id which) override { return *hosts_[index(which)]; }
  void call(node_id host, cycle_t at) override;
  // traffic_receiver
  void packet_arrived(const traffic_message& message, node_id at, cycle_t now) override;
  void message_arrived(const traffic_message& message, node_id at, cycle_t now) override;
  // timed_block
  void wake(cycle_t now, std::uint64_t host) override;

  message_network& network_;
  traffic_kernel& kernel_;
  agenda agenda_;
  traffic_messages messages_;
  std::vector<std::unique_ptr<node_port>> ports_;
  std::vector<std::unique_ptr<traffic_host>> hosts_;
  cycle_t now_ = 0;
  bool stopped_ = false;
  cycle_t measured_from_ = first_traffic_cycle;
  cycle_t last_byte_ = 0;  ///< the first cycle after the last message that was whole
  latency_spread packets_;
  latency_spread whole_;
  std::uint64_t received_bytes_ = 0;
};

}  // namespace tributary
