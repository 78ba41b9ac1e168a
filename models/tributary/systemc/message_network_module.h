// SPDX-License-Identifier: Apache-2.0
// The network between nodes as a module with TLM-2.0 sockets, a pair a node and lane.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include <tributary/network/message_network.h>
#include <tributary/sim/clock.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/statistics.h>
#include <tributary/systemc/event_driven_module.h>
#include <tributary/systemc/network_transfer_extension.h>
#include <tributary/systemc/payload_pool.h>
#include <tributary/systemc/systemc.h>

namespace tributary {

/// A `message_network` to which any TLM-2.0 modules are nodes; `network_transfer_extension` says
/// what the phases mean.
///
/// From a node: a message is taken at BEGIN_REQ if its link is free and its router has a place, and
/// else as soon as both is so, lanes of one link in turn; END_REQ comes with the place for the next
/// one. To a node: at most `endpoint_buffers` messages of a lane are without BEGIN_RESP; one whose
/// lane waits for END_REQ comes late, as late as that.
/// A message that cannot be carried is completed with an error response: command error without
/// `network_transfer_extension`, address error for a node that does not exist or a source or lane
/// that is not the socket's, burst error for a payload that no buffer holds, command error for a
/// message to everyone if the network has no broadcast. Each receiver of a message to everyone gets
/// a transaction of its own, whose destination is the receiver. b_transport is refused
/// with a command error: messages have no result to wait for.
class message_network_module : public event_driven_module {
 public:
  /// Values out of range are reported as `messages::configuration`.
  message_network_module(const sc_core::sc_module_name& name, const message_network_config& config,
                         std::uint32_t nodes);
  /// Around any network to which no one is attached, as one of a graph; not null.
  message_network_module(const sc_core::sc_module_name& name,
                         std::unique_ptr<message_network> network);
  ~message_network_module() override;

  /// Both by `lane_of(node, lane)`.
  sc_core::sc_vector<tlm::tlm_target_socket<>> from_nodes;
  sc_core::sc_vector<tlm::tlm_initiator_socket<>> to_nodes;
  std::size_t lane_of(node_id node, std::size_t lane) const {
    return std::size_t{index(node)} * core_->lanes() + lane;
  }

  message_network& core() { return *core_; }
  const message_network& core() const { return *core_; }

  /// Whether no message is on its way or waits at a socket.
  bool idle() const {
    return core_->idle() && messages_.outstanding() == 0 && held_.empty() && emptied_.empty();
  }

  /// Both as of the current cycle; not from within a call of the network.
  void reset_statistics();
  void report(statistics_group& group);

  const char* kind() const override { return "tributary::message_network_module"; }

 protected:
  /// What is at the sockets.
  enum class joined_to : std::uint8_t {
    nodes,  ///< with places that the network counts
    /// With places that whoever is there counts: END_REQ gives the only one back. BEGIN_RESP to a
    /// cable comes when the place is empty, in the order in which places become so.
    cables
  };

  /// What `make` throws is reported as `messages::configuration`.
  message_network_module(const sc_core::sc_module_name& name, const clock_domain& clock,
                         const std::function<std::unique_ptr<message_network>()>& make,
                         joined_to sockets);

  /// TLM_OK_RESPONSE, or the response that refuses a message.
  virtual tlm::tlm_response_status check(const tlm::tlm_generic_payload& payload, node_id node,
                                         std::uint8_t lane) const;
  /// A message that came from `node` as the network is told of it.
  virtual network_transfer inside(const network_transfer& transfer, node_id /*node*/) const {
    return transfer;
  }

 private:
  TRIBUTARY_HAS_PROCESS(message_network_module);
  class inlet;
  class delivery;
  class node_end;
  struct travelling {
    tlm::tlm_generic_payload* payload = nullptr;  // null for none
    std::uint32_t copies = 0;                     // that have not arrived
  };

  /// A place behind a cable that is empty from the next cycle on.
  struct emptied_place {
    cycle_t last;  // in which the message has it
    inlet* of;
  };
  static bool is_later(const emptied_place& a, const emptied_place& b) { return a.last > b.last; }

  void end_of_elaboration() override;

  cycle_t next_wakeup() const override;
  void advance_to(cycle_t last) override;
  void start_held(cycle_t now);
  void tell_emptied(cycle_t now);
  void resume();
  /// A message, of which so many copies arrive, and what it carries as one of them arrives.
  std::uint64_t carry(tlm::tlm_generic_payload& payload, std::uint32_t copies);
  tlm::tlm_generic_payload& carried(const network_transfer& transfer);
  tlm::tlm_generic_payload& new_operation(const network_transfer& transfer);
  void room(node_id node, std::uint8_t lane, cycle_t at);
  void arrive(const network_transfer& transfer, cycle_t head);

  std::unique_ptr<message_network> core_;
  joined_to sockets_;
  payload_pool messages_;              // on their way
  std::vector<travelling> carried_;    // by the core's cargo
  std::vector<std::uint64_t> unused_;  // of carried_
  std::vector<std::unique_ptr<inlet>> inlets_;
  std::vector<std::unique_ptr<delivery>> outlets_;
  std::vector<std::unique_ptr<node_end>> nodes_;
  std::deque<inlet*> held_;     // whose message has not been taken, in turn
  std::vector<inlet*> ending_;  // whose message was taken before there was a place for the next
  std::vector<emptied_place> emptied_;  // of cables, a heap whose earliest is first
  sc_core::sc_event resume_;
};

}  // namespace tributary
