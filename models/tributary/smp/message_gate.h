// SPDX-License-Identifier: Apache-2.0
// Between a node and its network where the way there costs nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tributary/controller/network_message.h>
#include <tributary/network/port.h>
#include <tributary/nic/memory_bus_interface.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/block.h>
#include <tributary/sim/fifo.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>

namespace tributary {

/// Who takes the messages that arrive.
class message_taker {
 public:
  virtual void arrived(const network_message& message, cycle_t now) = 0;

 protected:
  ~message_taker() = default;
};

/// The queues of a node's messages where the network interface costs no time (level Q): a message
/// leaves in the cycle in which it is sent if the network takes it, else as soon as that does; one
/// that has arrived is with the node in the cycle of its last byte. A message to the own node takes
/// a cycle.
class message_gate final : public block,
                           public network_endpoint,
                           public interface_outlet,
                           private timed_block {
 public:
  /// References must outlive it.
  message_gate(agenda& time, node_id here, network_port& network, message_pool& messages);

  void set_taker(message_taker& taker) { taker_ = &taker; }
  /// A message of another node keeps its place in the network until `has_begun`. The taker handles
  /// messages in their order, and what handlers send always has room, so none waits for ever.
  void keep_places() { keeps_places_ = true; }
  /// The handler of a message of another node begins.
  void has_begun(const message& header, cycle_t now);

  // interface_outlet
  std::size_t unsent() const override;
  void send(const network_message& sent, cycle_t now) override;

  // network_endpoint
  void room(std::uint8_t lane, cycle_t at) override;
  void arrive(const network_transfer& transfer, cycle_t head, cycle_t tail) override;

  const char* name() const override { return "network_interface"; }
  bool idle() const override;
  void reset_statistics() override;
  void report(statistics_group& into, std::uint64_t cycles) const override;
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  struct leaving {
    std::uint64_t cargo = 0;
    cycle_t since = 0;

    TRIBUTARY_STATE(cargo, since);
  };
  struct coming {
    std::uint64_t cargo = 0;
    cycle_t at = 0;
    std::uint8_t lane = 0;
    bool own = false;  // from this node, not from the network

    TRIBUTARY_STATE(cargo, at, lane, own);
  };

  TRIBUTARY_STATE(out_, room_at_, in_, own_, messages_sent_, sent_, sent_bytes_, received_,
                  waited_);

  void wake(cycle_t now, std::uint64_t tag) override;
  void depart(std::size_t lane, cycle_t now);
  /// The next cycle in which the network has more room for a lane, as far as it has told; or
  /// `never`.
  cycle_t next_room(std::size_t lane, cycle_t now);
  void take(fifo<coming>& from, cycle_t now);

  agenda& agenda_;
  node_id here_;
  network_port& network_;
  message_pool& messages_;
  message_taker* taker_ = nullptr;
  bool keeps_places_ = false;

  std::array<fifo<leaving>, message_lanes> out_;
  std::array<std::vector<cycle_t>, message_lanes> room_at_;  ///< what the network told
  fifo<coming> in_;                  // from the network, in the order of their heads
  fifo<coming> own_;                 // from this node
  std::uint64_t messages_sent_ = 0;  ///< by which they are named in traces
  counter sent_;
  counter sent_bytes_;
  counter received_;
  average waited_;
};

}  // namespace tributary
