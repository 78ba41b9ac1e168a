// SPDX-License-Identifier: Apache-2.0
// Between a node and its network: queues of messages of any kind that leave and come, by lane.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tributary/network/message_network.h>
#include <tributary/network/port.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/block.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/fifo.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>

namespace tributary {

/// Whose messages a gate holds.
class lane_gate_client {
 public:
  /// A message enters the network, which may take what it carries out of its place.
  virtual void departs(const network_transfer& /*message*/, cycle_t /*now*/) {}
  /// It has entered the network. The client may send.
  virtual void departed(const network_transfer& message, cycle_t now) = 0;
  /// A message has arrived, with its last byte.
  virtual void arrived(const network_transfer& message, cycle_t now) = 0;
  /// The oldest message of its lane, which has arrived; false if it must wait for
  /// `lane_gate::look`, or for `lane_gate::take_oldest`. It may send.
  virtual bool take(const network_transfer& message, cycle_t now) = 0;

 protected:
  lane_gate_client() = default;
  lane_gate_client(const lane_gate_client&) = default;
  lane_gate_client& operator=(const lane_gate_client&) = default;
  ~lane_gate_client() = default;
};

/// A message leaves in the cycle in which it is sent if the network takes it, else as soon as that
/// does. One that comes keeps its place in the network until the client takes it; one lane never
/// waits for another.
class lane_gate final : public block, public network_endpoint, private timed_block {
 public:
  /// References must outlive it. A message that waits leaves once its link is free and has a place.
  lane_gate(agenda& time, network_port& network, lane_gate_client& client);

  /// Of the node, to any other or to everyone.
  void send(const network_transfer& message, cycle_t now);
  /// Messages that have not entered the network.
  std::size_t unsent(std::uint8_t lane) const { return out_.at(lane).size(); }
  /// The client takes messages of the lane again.
  void look(std::uint8_t lane, cycle_t now);
  /// The oldest message of a lane that has arrived and waits for the client; null if there is none.
  const network_transfer* oldest(std::uint8_t lane, cycle_t now) const {
    const fifo<coming>& queue = in_.at(lane);
    return queue.empty() || queue.front().at > now ? nullptr : &queue.front().message;
  }
  /// The client takes that message. Throws `simulation_error` if there is none.
  network_transfer take_oldest(std::uint8_t lane, cycle_t now);

  /// Messages that entered the network, and the cycles that each waited for it.
  const counter& sent() const { return sent_; }
  const average& waited() const { return waited_; }

  // network_endpoint
  void room(std::uint8_t lane, cycle_t at) override;
  void arrive(const network_transfer& transfer, cycle_t head, cycle_t tail) override;

  const char* name() const override { return "gate"; }
  bool idle() const override;
  void reset_statistics() override;
  void report(statistics_group& into, std::uint64_t cycles) const override;
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  struct leaving {
    network_transfer message;
    cycle_t since = 0;

    TRIBUTARY_STATE(message, since);
  };
  struct coming {
    network_transfer message;
    cycle_t at = 0;
    bool seen = false;  // by the client

    TRIBUTARY_STATE(message, at, seen);
  };
  struct wake_up {
    cycle_t at = 0;
    bool for_room = false;

    TRIBUTARY_STATE(at, for_room);
  };
  using lane_number = std::uint8_t;

  TRIBUTARY_STATE(out_, room_at_, asked_, in_, sent_, sent_bytes_, received_, waited_);

  void wake(cycle_t now, std::uint64_t tag) override;
  void depart(lane_number lane, cycle_t now);
  void wake_for(lane_number lane, cycle_t at, wake_rank rank);
  /// `never` if the network has not told of any.
  cycle_t next_room(lane_number lane, cycle_t now);

  agenda& agenda_;
  network_port& network_;
  lane_gate_client& client_;

  std::array<fifo<leaving>, most_network_lanes> out_;
  std::array<std::vector<cycle_t>, most_network_lanes> room_at_;  ///< what the network told
  std::array<std::vector<wake_up>, most_network_lanes> asked_;    ///< of the agenda
  std::array<fifo<coming>, most_network_lanes> in_;  ///< in the order in which they are whole
  counter sent_;
  counter sent_bytes_;
  counter received_;
  average waited_;
};

}  // namespace tributary
