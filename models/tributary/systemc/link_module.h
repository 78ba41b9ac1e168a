// SPDX-License-Identifier: Apache-2.0
// One direction of a cable as a module, which users replace by one of their own.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include <tributary/network/message_network.h>
#include <tributary/network/switching/link_event.h>
#include <tributary/network/switching/link_places.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/ids.h>
#include <tributary/sim/observer.h>
#include <tributary/sim/statistics.h>
#include <tributary/systemc/event_driven_module.h>
#include <tributary/systemc/network_parts.h>
#include <tributary/systemc/payload_pool.h>
#include <tributary/systemc/systemc.h>

namespace tributary {

/// A cable in one direction, and the places of the receiver.
struct link_config {
  /// Clock, lanes, and for how long a message has the link: bandwidth, header, least and greatest
  /// payload, gap. The rest has no meaning.
  message_network_config links;
  /// Cycles from when a message leaves to its first word at the other end, 1 or more.
  std::uint32_t propagation = 1;
  /// Messages of each lane that the receiver has places for, 1 or more.
  std::uint32_t places = 1;
  // For observers, as of `link_event`:
  link_kind kind = link_kind::hop;
  node_id from{};
  node_id to{};
  std::uint32_t number = 0;
};

/// Carries the messages of all lanes, one after the other: `near_ends` and `far_ends` are by lane,
/// and what they mean is told by `network_transfer_extension`.
///
/// A message leaves in the first cycle that is not before its BEGIN_REQ, once the link is free and
/// its lane has a place at the receiver; those that wait go in turn. END_REQ comes with the place
/// for the next one. The receiver's BEGIN_RESP gives a place back and is passed on. Switches and
/// nodes know when their own cables are free, so that nothing waits between lanes.
class link_module final : public event_driven_module, public link_part {
 public:
  /// Values out of range are reported as `messages::configuration`.
  link_module(const sc_core::sc_module_name& name, const link_config& config);
  ~link_module() override;

  sc_core::sc_vector<tlm::tlm_target_socket<>> near_ends;
  sc_core::sc_vector<tlm::tlm_initiator_socket<>> far_ends;

  tlm::tlm_target_socket<>& near_end(std::uint8_t lane) override { return near_ends[lane]; }
  tlm::tlm_initiator_socket<>& far_end(std::uint8_t lane) override { return far_ends[lane]; }
  bool idle() const override { return travelling_.outstanding() == 0 && held_.empty(); }

  /// Told of each message that leaves.
  observer_list<link_event>& observers() { return observers_; }

  void reset_statistics();
  void report(statistics_group& group) const;

  const char* kind() const override { return "tributary::link_module"; }

 private:
  TRIBUTARY_HAS_PROCESS(link_module);
  class inlet;
  class outlet;

  void end_of_elaboration() override;
  cycle_t next_wakeup() const override;
  void advance_to(cycle_t last) override;
  void resume();

  bool may_start(std::uint8_t lane, cycle_t now) const;
  void start(const tlm::tlm_generic_payload& payload, std::uint8_t lane, cycle_t now);
  cycle_t place_at(std::uint8_t lane) const;
  void place_empty(std::uint8_t lane, cycle_t at);

  link_config config_;
  std::uint64_t gap_;
  payload_pool travelling_;
  link_places places_;
  link_places::extent behind_;
  cycle_t free_at_ = 0;
  std::vector<std::unique_ptr<inlet>> inlets_;
  std::vector<std::unique_ptr<outlet>> outlets_;
  std::deque<inlet*> held_;  // whose message has not left, in turn
  sc_core::sc_event resume_;
  observer_list<link_event> observers_;

  cycle_t measured_from_ = 0;
  counter messages_;
  counter bytes_;
  std::uint64_t busy_cycles_ = 0;
};

}  // namespace tributary
