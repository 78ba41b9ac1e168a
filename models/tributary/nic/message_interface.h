// SPDX-License-Identifier: Apache-2.0
// An interface of words and messages: the traditional one, and with engines the language-oriented
// one (Klaiber 6).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tributary/memory/port.h>
#include <tributary/network/lane_gate.h>
#include <tributary/network/port.h>
#include <tributary/nic/engine_memory.h>
#include <tributary/nic/interface_message.h>
#include <tributary/nic/interface_registers.h>
#include <tributary/nic/message_interface_config.h>
#include <tributary/nic/receive_engine.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/block.h>
#include <tributary/sim/fifo.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>
#include <tributary/trace/catalog.h>

namespace tributary {

/// Its registers at a processor's port, its place in the network, and its engines on the node's
/// memory.
///
/// A processor writes a message word by word (interface_registers.h); with its last word the
/// message goes into the send queue of its channel. Messages that arrive wait in the network's
/// buffers until the receive engine takes them, one after the other: those for the processor into
/// the receive buffer, all others into memory.
class message_interface final : public block,
                                public processor_port,
                                private lane_gate_client,
                                private timed_block {
 public:
  /// Bytes of an address that are not the register's offset are left to who sends accesses here.
  /// References must outlive it. Throws `configuration_error` for what the network does not give.
  message_interface(const message_interface_config& config, node_id here, std::uint32_t nodes,
                    agenda& time, network_port& network, interface_pool& messages,
                    engine_memory& memory, std::uint64_t memory_bytes);

  const message_interface_config& config() const { return config_; }
  const receive_engine& engine() const { return engine_; }
  network_endpoint& endpoint() { return gate_; }
  void set_interrupt_client(interrupt_client* client) { interrupted_ = client; }
  /// Causes whose lines are on, a bit an `interrupt_line`: what wires to a processor would show.
  std::uint8_t interrupt_levels() const {
    return static_cast<std::uint8_t>(interrupt_causes_ & enabled_);
  }

  /// What an access to a register does at its end, at once, for who counts the time of it
  /// elsewhere; returns the word that was read. Throws as the end of an access does.
  word_t perform(const access& request, cycle_t now);
  /// A register that can be read without an effect, as it is now; false for all others.
  bool peek_register(std::uint64_t offset, word_t& value) const;
  /// Of a memory that takes time: the word of that user moves in cycle `at`.
  void moved(memory_user user, cycle_t at);

  // processor_port. Every access completes `register_cycles` later, and has its effect then.
  void set_client(memory_client* client) override { client_ = client; }
  void check(std::size_t element, const access& request) const override;
  bool can_take(std::size_t) const override { return true; }
  void offer(std::size_t element, const access& request, cycle_t now) override;
  std::size_t waiting(std::size_t) const override { return 0; }
  std::size_t outstanding(std::size_t) const override { return accesses_.size(); }

  /// What its engine waits for if that is a place for an answer, as a sentence's end; else empty.
  std::string waits_to_answer(cycle_t now) const;

  const char* name() const override { return "interface"; }
  bool idle() const override;
  void reset_statistics() override;
  void report(statistics_group& into, std::uint64_t cycles) const override;
  /// A track for what it sends and takes, one for its engine, and one for each of its counters.
  void trace(const trace_scope& scope) override;
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  struct open_access {
    access request;
    std::uint64_t element = 0;

    TRIBUTARY_STATE(request, request.kind, request.purpose, element);
  };
  /// A message that a processor writes, and what of it is still to come.
  struct draft {
    interface_message message;
    bool begun = false;
    bool has_address = false;
    bool has_counter = false;
    bool has_answer_to = false;
    bool has_strides = false;

    /// The body keeps its heap for the next message.
    void clear() {
      message.header = {};
      message.body.clear();
      begun = has_address = has_counter = has_answer_to = has_strides = false;
    }

    TRIBUTARY_STATE(message, begun, has_address, has_counter, has_answer_to, has_strides);
  };
  /// A body that DMA sends, packet by packet.
  struct dma_sending {
    bool active = false;
    std::uint64_t from = 0;  ///< virtual
    std::uint64_t to = 0;    ///< of the next packet, at its node
    std::uint32_t left = 0;  ///< bytes
    cycle_t due = 0;         ///< when it may fetch the next packet

    TRIBUTARY_STATE(active, from, to, left, due);
  };
  /// One that it stores.
  struct dma_storing {
    bool active = false;
    std::uint64_t to = 0;

    TRIBUTARY_STATE(active, to);
  };

  TRIBUTARY_STATE(accesses_, of_engine_, draft_, received_, control_read_, body_read_,
                  engine_.state(), stepping_, began_, memory_due_, reading_, interrupt_causes_,
                  enabled_, page_to_fill_, faults_, kept_header_, keeps_header_, kept_counter_,
                  dma_address_, sending_, storing_, sent_ever_, full_told_, buffered_,
                  received_count_, dropped_, misses_, most_buffered_);

  // lane_gate_client
  void departs(const network_transfer& message, cycle_t now) override;
  void departed(const network_transfer& message, cycle_t now) override;
  void arrived(const network_transfer& message, cycle_t now) override;
  bool take(const network_transfer& message, cycle_t now) override;
  // timed_block
  void wake(cycle_t now, std::uint64_t tag) override;

  // Registers.
  void finish_access(cycle_t now);
  word_t read_register(std::uint64_t offset, cycle_t now);
  void write_register(std::uint64_t offset, word_t value, cycle_t now);
  void write_translation(std::uint64_t offset, word_t value, cycle_t now);
  word_t status() const;
  word_t oldest_fault() const;
  void tell_access(const access& request, cycle_t now) const;
  [[noreturn]] void fail(cycle_t now, const std::string& problem) const;

  // Sending: message_interface_sending.cpp.
  void write_message(std::uint64_t offset, word_t value, cycle_t now);
  void write_sticky(std::uint64_t offset, word_t value, cycle_t now);
  void begin_like(word_t target, cycle_t now);
  bool is_whole() const;
  bool has_control_words() const;
  void take_strides(word_t value, cycle_t now);
  void check_draft(const interface_message& message, cycle_t now) const;
  void check_receivers(const interface_header& header, cycle_t now) const;
  void compose(cycle_t now);
  /// `message` gets its source and its identity.
  void enqueue(interface_message& message, bool of_engine, cycle_t now);
  /// Free places of a channel. The engine and software have some each, so that neither takes one
  /// on which the other counts.
  std::size_t free_places(interface_channel channel, bool of_engine) const {
    const std::uint32_t taken = unsent_[lane_of(channel)][of_engine ? 1 : 0];
    return config_.send_messages > taken ? config_.send_messages - taken : 0;
  }
  /// Of the network, that carries a channel.
  std::uint8_t lane_of(interface_channel channel) const {
    return config_.channels == 1 ? 0 : static_cast<std::uint8_t>(channel);
  }
  void begin_dma(std::uint32_t bytes, cycle_t now);
  void check_dma(std::uint64_t address, std::uint32_t bytes, cycle_t now) const;
  void give_dma_up(cycle_t now);
  void make_packet(cycle_t now);
  bool fetch(std::uint32_t words, cycle_t now);
  bool find_next_word(cycle_t now);

  // Receiving.
  const interface_message* oldest(std::size_t channel, cycle_t now) const;
  /// Fills what the engine sees, as far as it looks at it in its state.
  void fill_inputs(receive_inputs& in, cycle_t now) const;
  void look(cycle_t now);
  void step(cycle_t now);
  void act(const receive_outputs& out, cycle_t now);
  bool move_word(const receive_outputs::memory_request& asked, const interface_message& message);
  void answer(const interface_header& header, cycle_t now);
  void store(std::size_t channel, cycle_t now);
  /// Out of the network's buffers; its place in the pool.
  std::uint64_t take_oldest(std::size_t channel, cycle_t now);
  void drop(receive_error error, std::size_t channel, cycle_t now);
  void fault(interface_registers::fault_source source, std::uint64_t page,
             communication_purpose purpose, cycle_t now);
  bool fits(const interface_message* message) const;
  word_t read_control_word(cycle_t now);
  word_t read_body_word(cycle_t now);
  void check_free(cycle_t now) const;
  void store_by_dma(std::uint32_t bytes, cycle_t now);
  void finish_store(cycle_t now);
  void take_received(cycle_t now);

  // What observers see of counters: message_interface_counters.cpp.
  /// Values of the counters that a message counts.
  struct counters_seen {
    std::uint16_t local = 0;
    std::uint16_t remote = 0;
  };
  counters_seen counters_of(const interface_message& message) const;
  void tell_counted(const counters_seen& before, const interface_message& message,
                    receive_error error, cycle_t now) const;
  void tell_sent(const interface_message& message, cycle_t now) const;
  void tell_command(std::uint16_t before, const counter_command& command, cycle_t now) const;
  void tell_set(std::uint64_t offset, cycle_t now) const;
  void tell_counter(const trace_point& bank, std::size_t number, trace_event& event) const;
  void trace_counters(const trace_scope& engine);

  void enable(std::uint8_t lines, cycle_t now);
  void interrupt(interrupt_cause cause, interface_registers::interrupt_line line,
                 communication_purpose purpose, cycle_t now);
  void tell(const event_kind& kind, const interface_message& message, cycle_t now) const {
    if (trace_.on()) trace_.add(event_of(kind, message, now, now));
  }
  static trace_event event_of(const event_kind& kind, const interface_message& message,
                              cycle_t first, cycle_t last);

  message_interface_config config_;
  node_id here_;
  std::uint32_t nodes_;
  agenda& agenda_;
  network_port& network_;
  interface_pool& messages_;
  engine_memory& memory_;
  std::uint64_t memory_bytes_;
  memory_client* client_ = nullptr;
  interrupt_client* interrupted_ = nullptr;
  trace_point trace_;
  trace_point engine_trace_;
  trace_point local_trace_;
  trace_point remote_trace_;
  // Changes of counters that were told in a cycle.
  mutable cycle_t counters_told_in_ = 0;
  mutable std::uint64_t counters_told_ = 0;

  lane_gate gate_;
  fifo<open_access> accesses_;
  std::array<fifo<std::uint8_t>, interface_channels> of_engine_;  ///< 1: of those that leave
  /// How many of them are software's, and the engine's.
  std::array<std::array<std::uint32_t, 2>, interface_channels> unsent_{};
  draft draft_;
  interface_message answer_;        ///< that is handed over; its body keeps its heap
  fifo<std::uint64_t> received_;    // the receive buffer: places in the pool
  std::uint32_t control_read_ = 0;  // of the oldest there
  std::uint32_t body_read_ = 0;

  receive_engine engine_;
  cycle_t began_ = 0;            // the engine, with the message that it has
  bool stepping_ = false;        // a wake-up of the engine is asked for
  cycle_t memory_due_ = 0;       // when the word that is moved will be there
  std::vector<word_t> reading_;  // data for an answer
  std::uint8_t interrupt_causes_ = 0;
  std::uint8_t enabled_ = 0;
  std::uint64_t page_to_fill_ = 0;
  std::array<std::uint64_t, interface_registers::fault_sources> faults_{};  // by source: page + 1
  std::uint64_t dma_address_ = 0;
  dma_sending sending_;
  dma_storing storing_;
  word_t kept_header_ = 0;
  bool keeps_header_ = false;
  word_t kept_counter_ = 0;
  // Of DMA at a memory that takes time; without such a memory all are empty between two cycles.
  std::vector<word_t> fetched_;
  std::optional<std::uint64_t> fetching_;  // where the word is that memory was asked for
  std::uint32_t words_stored_ = 0;
  std::uint64_t sent_ever_ = 0;
  bool full_told_ = false;
  std::uint32_t buffered_ = 0;  // bytes in the receive buffer

  counter received_count_;
  counter dropped_;
  counter misses_;
  std::uint64_t most_buffered_ = 0;
};

}  // namespace tributary
