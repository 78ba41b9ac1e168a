// SPDX-License-Identifier: Apache-2.0
// The controller's side of the network: queues of four lanes each way.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include <tributary/controller/network_message.h>
#include <tributary/magic/data_buffers.h>
#include <tributary/magic/direct_source.h>
#include <tributary/magic/dispatch.h>
#include <tributary/magic/inbox.h>
#include <tributary/magic/outbox.h>
#include <tributary/network/port.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/block.h>
#include <tributary/sim/fifo.h>
#include <tributary/sim/observer.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>
#include <tributary/trace/recorder.h>

namespace tributary {

class parameter_set;

/// Configuration of the network interface.
struct magic_network_interface_config {
  /// Of each lane. The depth of the input queues is the network's, which sends nothing that has no
  /// place (`message_network_config::endpoint_buffers`).
  std::uint32_t out_depth = 8;
  std::uint32_t own_depth = 4;
  std::uint32_t outbound = 4;
  std::uint32_t inbound = 8;
  bool reply_first = false;

  void bind(parameter_set& parameters);
};

/// The network interface of one node (FLASH 2.2.1, 2.3.1, 2.3.6).
///
/// Out: a message takes a place of its lane's queue when it is pushed, and gives it back in the
/// cycle after its head left. The lanes share the link. A head leaves once it has crossed the
/// interface, the network takes its lane, and the words of its payload are, or will be, in their
/// buffer early enough for a stream that never stalls; a head that waits for words leaves the link
/// to other lanes. The buffer is released when the last word has left. A message to its own node
/// does not see the network: it takes a path of its own, at a word a cycle, to places of its own in
/// the input queue.
///
/// In: a message that arrives enters its lane's queue; as soon as a buffer can be had, its payload
/// streams into it, oldest message first. The inbox sees it `inbound` cycles after its head came.
class magic_network_interface final : public block,
                                      public message_outlet,
                                      public outgoing_space,
                                      public network_endpoint,
                                      public buffer_listener,
                                      public selector_cause,
                                      private timed_block {
 public:
  /// References must outlive it; it becomes a listener of `buffers`. The caller attaches it to the
  /// network. Throws `configuration_error` for values out of range, and for a network on which
  /// messages overtake each other.
  magic_network_interface(const magic_network_interface_config& config, agenda& when, node_id here,
                          network_port& network, message_pool& messages, data_buffers& buffers);
  magic_network_interface(const magic_network_interface&) = delete;
  magic_network_interface& operator=(const magic_network_interface&) = delete;

  const magic_network_interface_config& config() const { return config_; }

  /// Takes a message, whose header is in the interface in `from`. Throws `simulation_error` if its
  /// lane has no space (rule D1), or a payload without buffer or with words that nothing fills.
  void push(const message& header, cycle_t from) override;
  /// Messages of that lane that may be pushed now.
  std::uint32_t space(message_lane over) const override;

  /// The queue of messages that arrived on a lane.
  inbox_source& input(message_lane over) { return inputs_[lane_index(over)]; }

  // network_endpoint
  void room(std::uint8_t over, cycle_t at) override;
  void arrive(const network_transfer& transfer, cycle_t head, cycle_t tail) override;

  // buffer_listener
  void buffer_freed(cycle_t now) override;

  /// Messages in the outgoing and in the input queue of a lane.
  std::size_t outgoing(message_lane over) const { return out_[lane_index(over)].queue.size(); }
  std::size_t incoming(message_lane over) const { return in_[lane_index(over)].queue.size(); }
  const char* name() const override { return "network_interface"; }
  /// Whether no message is in it.
  bool idle() const override;
  void reset_statistics() override;
  void report(statistics_group& group, std::uint64_t cycles) const override;
  void trace(const trace_scope& scope) override;
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  class lane_input final : public inbox_source {
   public:
    const message* front(cycle_t now) override { return owner_->front(lane_, now); }
    message take(cycle_t now) override { return owner_->take(lane_, now); }

   private:
    friend class magic_network_interface;
    magic_network_interface* owner_ = nullptr;
    std::size_t lane_ = 0;
  };

  struct leaving {
    message header;
    cycle_t pushed = 0;
    cycle_t from = 0;  // may leave

    TRIBUTARY_STATE(header, pushed, from);
  };
  struct out_lane {
    fifo<leaving> queue;
    std::uint32_t used = 0;  // places, with those whose head leaves in this cycle

    counter messages;
    counter payload_bytes;
    counter full;
    average length;
    histogram lengths;
    average wait;

    TRIBUTARY_STATE(queue, used, messages, payload_bytes, full, length, lengths, wait);
  };

  /// When a message passes the link to this node.
  struct link_passage {
    std::uint64_t cargo = 0;
    cycle_t head = 0;
    cycle_t tail = 0;
    std::size_t lane = 0;
    bool own = false;  // from this node, not from the network

    TRIBUTARY_STATE(cargo, head, tail, lane, own);
  };
  struct arrived_message {
    message header;
    link_passage passage;
    cycle_t visible = 0;
    bool waits_for_buffer = false;

    TRIBUTARY_STATE(header, passage, visible, waits_for_buffer);
  };
  struct in_lane {
    std::deque<arrived_message> queue;
    std::size_t settled = 0;     // messages before it wait for no buffer
    std::uint32_t from_own = 0;  // with those on their way

    counter messages;
    counter payload_bytes;
    average length;
    average wait;
    average buffer_wait;

    TRIBUTARY_STATE(queue, settled, from_own, messages, payload_bytes, length, wait, buffer_wait);
  };

  TRIBUTARY_STATE(out_, in_, arrivals_, own_arrivals_, turn_, own_turn_, own_free_, evaluation_);

  static std::size_t lane_index(message_lane over) { return static_cast<std::size_t>(over); }

  void wake(cycle_t now, std::uint64_t wakeup) override;
  void evaluate_at(cycle_t at);
  void evaluate(cycle_t now);
  bool leads(std::size_t lane, bool own) const;
  cycle_t earliest(std::size_t lane, bool own, cycle_t now) const;
  /// The doubleword of a payload that travels first: of a line the one that its address names, as
  /// data buffers have lines in sub-block order (FLASH footnote 8).
  std::size_t first_word(const message& header) const;
  void depart(std::size_t lane, bool own, cycle_t now);
  /// Puts a message where its cargo is, unless all of it is an operation that may combine.
  std::uint64_t carry(const message& header, bool own, network_operation& operation);
  void enter(const link_passage& passage, cycle_t now);
  bool give_buffers(cycle_t now);
  /// Whether a message waits for a buffer, which is the `first_waiting` then.
  bool waits(std::size_t lane);
  arrived_message& first_waiting(std::size_t lane) { return in_[lane].queue[in_[lane].settled]; }
  bool give_buffer(std::size_t lane, buffer_claim claim, cycle_t now);
  const message* front(std::size_t lane, cycle_t now);
  message take(std::size_t lane, cycle_t now);
  [[noreturn]] void fail(const std::string& problem) const;

  magic_network_interface_config config_;
  agenda& agenda_;
  node_id here_;
  network_port& network_;
  message_pool& messages_;
  data_buffers& buffers_;
  trace_point trace_;

  std::array<lane_input, message_lanes> inputs_;
  std::array<out_lane, message_lanes> out_;
  std::array<in_lane, message_lanes> in_;
  fifo<link_passage> arrivals_;      // from the network, heads ascending
  fifo<link_passage> own_arrivals_;  // from this node
  std::size_t turn_ = 0;             // lane that has the link first
  std::size_t own_turn_ = 0;
  cycle_t own_free_ = 0;        // first cycle in which the own path is free
  cycle_t evaluation_ = never;  // the earliest that is on the agenda
};

}  // namespace tributary
