// SPDX-License-Identifier: Apache-2.0
// Loads and stores of other nodes' memory, a word at a time: distributed shared memory without
// caches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tributary/controller/address_layout.h>
#include <tributary/controller/network_attachment.h>
#include <tributary/memory/node_memory.h>
#include <tributary/memory/port.h>
#include <tributary/network/cargo_pool.h>
#include <tributary/network/lane_gate.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/fifo.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>
#include <tributary/trace/communication_events.h>
#include <tributary/trace/identity.h>
#include <tributary/trace/recorder.h>

namespace tributary {

class parameter_set;

/// Configuration of a node with remote memory.
struct remote_memory_config {
  node_memory_config memory;
  /// Of each node, at offset 0 of its addresses.
  std::uint64_t memory_bytes = std::uint64_t{1} << 22;
  std::uint32_t outstanding = 16;
  std::uint32_t service = 5;
  std::uint32_t replies = 4;
  bool operations = true;

  void bind(parameter_set& parameters);
};

/// A request for a word of another node, or the answer.
struct remote_message {
  communication_message type = communication_message::read;
  std::uint8_t purpose = 0;
  bool writes = false;       ///< of an access that changes the word
  std::uint32_t slot = 0;    ///< of the access at the node that asks
  std::uint64_t offset = 0;  ///< in the memory of the node that is asked
  word_function function;
  word_t value = 0;         ///< of an answer: the word before
  std::uint32_t bytes = 0;  ///< of data
  trace_identity identity;

  TRIBUTARY_STATE(type, purpose, writes, slot, offset, function.kind, function.a, function.b, value,
                  bytes, identity);
};

/// The messages of the nodes of a machine that are on their way.
class remote_message_pool final : public cargo_pool<remote_message> {
 public:
  std::string save() const override;
  void restore(const std::string& state) override;
};

/// A node whose processor reaches its own memory, and that of every other node by messages (Klaiber
/// 2.3, 5.1). Nodes are named by the upper bits of an address.
///
/// A load is a `read`, answered by a `write` with the word. A posted store, or one of bytes, is a
/// `write`, answered by an `acknowledgement` without data, until when it counts as incomplete
/// (`incomplete_stores`): a fence waits for it. A posted one is complete for the processor at once.
/// Any other function is a `read` that carries its operand and is performed there: swaps too, which
/// stores are that are not posted.
///
/// Requests have lane 0, answers lane 1. Answers are always taken; a request waits, in the network,
/// while no answer can be kept. The memory is read and written without the processor, one request
/// at a time. What a processor asks of one node is done there in its order as long as the network
/// keeps the order of a lane; between nodes, and to its own memory, nothing is in order but by
/// `fence`. Programs that hand over data with a flag depend on the first.
class remote_memory_port final : public network_attachment,
                                 private processor_port,
                                 private lane_gate_client,
                                 private memory_client,
                                 private timed_block {
 public:
  static constexpr std::uint8_t request_lane = 0;
  static constexpr std::uint8_t answer_lane = 1;

  /// `messages` must outlive it. Throws `configuration_error` for values out of range, a network of
  /// one lane or of too small messages.
  remote_memory_port(const remote_memory_config& config, const address_layout& addresses,
                     const attachment_place& place, remote_message_pool& messages);

  // network_attachment
  processor_port& port() override { return *this; }
  network_endpoint& endpoint() override { return gate_; }
  track_id track() const override { return trace_.track(0); }
  word_t peek(std::uint64_t offset) const override { return memory_.read(offset); }
  void poke(std::uint64_t offset, word_t value) override { memory_.write(offset, value); }

  const char* name() const override { return "remote_memory_port"; }
  bool idle() const override;
  void reset_statistics() override;
  void report(statistics_group& into, std::uint64_t cycles) const override;
  void trace(const trace_scope& scope) override;
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  /// An access to another node.
  struct slot {
    bool used = false;
    bool stores = false;
    bool posted = false;  // and complete for the processor
    std::uint64_t element = 0;
    std::uint64_t tag = 0;
    cycle_t since = 0;

    TRIBUTARY_STATE(used, stores, posted, element, tag, since);
  };
  struct served_request {
    network_transfer transfer;
    bool under_way = false;

    TRIBUTARY_STATE(transfer, under_way);
  };
  /// What the processor is told of, in a cycle to come.
  struct ending {
    completion told;
    cycle_t at = 0;

    TRIBUTARY_STATE(told.pe, told.tag, told.value, at);
  };

  TRIBUTARY_STATE(slots_, used_, incomplete_, serving_, endings_, messages_sent_, loads_, stores_,
                  operations_, served_, latency_);

  // processor_port
  void set_client(memory_client* client) override;
  void check(std::size_t element, const access& request) const override;
  bool can_take(std::size_t element) const override;
  void offer(std::size_t element, const access& request, cycle_t now) override;
  std::size_t waiting(std::size_t element) const override;
  std::size_t outstanding(std::size_t element) const override;
  std::uint64_t incomplete_stores(std::size_t element) const override;
  // lane_gate_client
  void departed(const network_transfer& message, cycle_t now) override;
  void arrived(const network_transfer& message, cycle_t now) override;
  bool take(const network_transfer& message, cycle_t now) override;
  // memory_client, of the own memory
  void completed(const completion& ended, cycle_t now) override;
  void room(std::size_t element, cycle_t now) override;
  // timed_block
  void wake(cycle_t now, std::uint64_t tag) override;

  bool is_own(std::uint64_t address) const;
  void ask(std::size_t element, const access& request, cycle_t now);
  void send(const remote_message& sent, node_id to, std::uint8_t lane, cycle_t now);
  void serve(cycle_t now);
  void end(const remote_message& answer, cycle_t now);
  void tell(const event_kind& kind, const network_transfer& message, cycle_t now);
  void tell_room(cycle_t now);

  remote_memory_config config_;
  address_layout addresses_;
  agenda& agenda_;
  node_id here_;
  std::uint32_t nodes_;
  remote_message_pool& messages_;
  node_memory memory_;
  lane_gate gate_;
  memory_client* client_ = nullptr;
  trace_point trace_;

  std::vector<slot> slots_;
  std::uint32_t used_ = 0;
  std::uint64_t incomplete_ = 0;  ///< stores without acknowledgement
  served_request serving_;
  fifo<ending> endings_;
  std::uint64_t messages_sent_ = 0;  ///< by which they are named in traces

  counter loads_;
  counter stores_;
  counter operations_;
  counter served_;
  average latency_;
};

}  // namespace tributary
