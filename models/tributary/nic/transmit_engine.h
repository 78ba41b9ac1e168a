// SPDX-License-Identifier: Apache-2.0
// Moves packets of an interface from staging buffers to the network, one after the other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tributary/network/lane_gate.h>
#include <tributary/network/port.h>
#include <tributary/nic/host_interface_config.h>
#include <tributary/nic/host_packet.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/block.h>
#include <tributary/sim/fifo.h>
#include <tributary/sim/ids.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>
#include <tributary/trace/recorder.h>

namespace tributary {

/// Who is told that the engine can take a packet at once.
class transmit_client {
 public:
  virtual void transmitter_free(cycle_t now) = 0;

 protected:
  ~transmit_client() = default;
};

/// A packet takes `transmit_byte` cycles for each byte of payload. The network takes packets
/// without gaps, so one enters it so late that its last byte leaves together with the engine's. If
/// the network cannot take it then, the engine waits.
class transmit_engine final : public block, private timed_block {
 public:
  /// References must outlive it.
  transmit_engine(const host_interface_config& config, agenda& time, node_id here,
                  network_port& network, lane_gate& gate, host_packet_pool& packets,
                  transmit_client& client);

  /// Behind those that wait. Throws `simulation_error` for a packet to the own node.
  void send(const message& header, const std::vector<word_t>& words, cycle_t now);
  bool free() const { return packets_waiting_.empty(); }
  /// The gate told that a packet entered the network.
  void departed(cycle_t now);

  const counter& sent() const { return sent_; }
  const average& stage() const { return stage_; }

  const char* name() const override { return "transmitter"; }
  bool idle() const override { return free(); }
  void reset_statistics() override;
  void report(statistics_group& into, std::uint64_t cycles) const override;
  void trace(const trace_scope& scope) override;
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  struct leaving {
    std::uint64_t cargo = 0;
    std::uint32_t bytes = 0;
    std::uint32_t destination = 0;
    std::uint8_t lane = 0;

    TRIBUTARY_STATE(cargo, bytes, destination, lane);
  };

  TRIBUTARY_STATE(packets_waiting_, began_, ends_, numbered_, sent_, sent_bytes_, stage_);

  void wake(cycle_t now, std::uint64_t tag) override;
  void begin(cycle_t now);
  void end(cycle_t now);

  std::uint64_t byte_cycles_;
  agenda& agenda_;
  node_id here_;
  network_port& network_;
  lane_gate& gate_;
  host_packet_pool& packets_;
  transmit_client& client_;
  trace_point trace_;

  fifo<leaving> packets_waiting_;  ///< the first one is on its way to the link
  cycle_t began_ = 0;
  cycle_t ends_ = 0;
  std::uint64_t numbered_ = 0;
  counter sent_;
  counter sent_bytes_;
  average stage_;
};

}  // namespace tributary
