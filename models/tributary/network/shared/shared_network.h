// SPDX-License-Identifier: Apache-2.0
// One medium that all nodes share, on which one sends at a time: a segment of Ethernet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tributary/network/message_network.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/fifo.h>
#include <tributary/sim/ids.h>
#include <tributary/sim/random_stream.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>

namespace tributary {

/// How nodes agree on who sends.
struct shared_medium_config {
  /// Bytes of time in which a collision is noticed, 64 of Ethernet; 0: there are none, and who has
  /// waited longest sends.
  std::uint32_t slot_bytes = 64;
  std::uint64_t seed = 1;  ///< of what nodes draw

  void bind(parameter_set& parameters);
};

/// A message waits at its node until the medium is free and its receivers keep a place for it. It
/// then occupies the medium for its wire cycles and a gap, and its head is everywhere after
/// `base_latency`. A node offers the message that has waited longest, of one cycle the one of the
/// lowest lane.
///
/// If n nodes offer one when the medium gets free, each tries with probability 1/n in each slot,
/// until one is alone: the model of Metcalfe and Boggs, "Ethernet: distributed packet switching for
/// local computer networks", CACM 1976. Who comes later waits. What hop latency, arbiter and
/// switching say of routers has no meaning.
class shared_network final : public message_network, private timed_block {
 public:
  /// Throws `configuration_error` as `validate`.
  shared_network(const message_network_config& config, const shared_medium_config& medium,
                 std::uint32_t nodes);
  /// Throws `configuration_error` for values out of range, and for what a medium does not have:
  /// buffers in bytes, routers that take time, messages that overtake each other.
  static void validate(const message_network_config& config, const shared_medium_config& medium,
                       std::uint32_t nodes);

  /// All messages come to all nodes in one order.
  bool orders_broadcasts() const override { return true; }
  bool ready(node_id node, std::uint8_t lane, cycle_t now) const override;
  cycle_t free_at(node_id node) const override { return node_free_[index(node)]; }
  cycle_t place_at(node_id node, std::uint8_t lane) const override;
  void send(const network_transfer& transfer, cycle_t now) override;
  void give_back(node_id node, std::uint8_t lane, cycle_t now) override;

  cycle_t next_wakeup() const override { return agenda_.next_wakeup(); }
  void advance_to(cycle_t last) override { agenda_.advance_to(last); }
  cycle_t now() const override { return agenda_.now(); }
  std::size_t under_way() const override { return under_way_; }
  std::vector<network_transfer> waiting() const override;

  void reset_statistics() override;
  void report(statistics_group& group, std::uint64_t cycles) const override;
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  static constexpr cycle_t entering = 1;

  struct offered_message {
    network_transfer transfer;
    cycle_t sent = 0;

    TRIBUTARY_STATE(transfer, sent);
  };
  /// The queue of a node and lane whose oldest message may enter.
  struct offer {
    cycle_t sent = 0;
    std::size_t place = 0;
  };

  TRIBUTARY_STATE(node_free_, waiting_, flying_, medium_free_, reserved_, held_, under_way_,
                  look_at_, draws_, statistics_since_, busy_, collisions_, by_lane_);

  void wake(cycle_t now, std::uint64_t what) override;
  void look_at(cycle_t when);
  /// Lets a message enter if the medium is free.
  void look(cycle_t now);
  /// What each node offers that has anything.
  std::vector<offer> offers(cycle_t now) const;
  /// Which of them enters, and how many slots are lost before.
  std::size_t agreed(const std::vector<offer>& all, std::uint64_t& lost_slots);
  bool has_places(const network_transfer& transfer) const;
  bool receives(const network_transfer& transfer, std::uint32_t node) const;
  void enter(std::size_t place, cycle_t begin, cycle_t now);
  void leave(cycle_t now);
  std::size_t place(node_id node, std::uint8_t lane) const {
    return std::size_t{index(node)} * lanes() + lane;
  }
  void require_fitting_state() const;

  shared_medium_config medium_;
  agenda agenda_;
  random_stream draws_;
  std::vector<cycle_t> node_free_;              ///< a node hands on one message a cycle
  std::vector<fifo<offered_message>> waiting_;  ///< by node and lane
  fifo<offered_message> flying_;                ///< on the medium, in the order of their heads
  cycle_t medium_free_ = 0;
  std::vector<std::uint32_t> reserved_;  ///< by node and lane: places at the node
  std::vector<std::uint32_t> held_;      ///< of those, with a message
  std::size_t under_way_ = 0;
  cycle_t look_at_ = never;  ///< the wake-up that was asked for

  cycle_t statistics_since_ = 0;
  std::uint64_t busy_ = 0;  ///< cycles of the medium with messages
  counter collisions_;      ///< slots that were lost
};

}  // namespace tributary
