// SPDX-License-Identifier: Apache-2.0
// An interface of words and messages: the traditional one, and with engines the language-oriented
// one (Klaiber 6).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tributary/memory/port.h>
#include <tributary/memory/word_memory.h>
#include <tributary/network/port.h>
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
                                public network_endpoint,
                                private timed_block {
 public:
  /// Bytes of an address that are not the register's offset are left to who sends accesses here.
  /// References must outlive it. Throws `configuration_error` for what the network does not give.
  message_interface(const message_interface_config& config, node_id here, std::uint32_t nodes,
                    agenda& time, network_port& network, interface_pool& messages,
                    word_memory& memory, std::uint64_t memory_bytes);

  const message_interface_config& config() const { return config_; }
  const receive_engine& engine() const { return engine_; }
  void set_interrupt_client(interrupt_client* client) { interrupted_ = client; }

  // processor_port. Every access completes `register_cycles` later, and has its effect then.
  void set_client(memory_client* client) override { client_ = client; }
  void check(std::size_t element, const access& request) const override;
  bool can_take(std::size_t) const override { return true; }
  void offer(std::size_t element, const access& request, cycle_t now) override;
  std::size_t waiting(std::size_t) const override { return 0; }
  std::size_t outstanding(std::size_t) const override { return accesses_.size(); }

  // network_endpoint
  void room(std::uint8_t lane, cycle_t at) override;
  void arrive(const network_transfer& transfer, cycle_t head, cycle_t tail) override;

  /// What its engine waits for if that is a place for an answer, as a sentence's end; else empty.
  std::string waits_to_answer(cycle_t now) const;

  const char* name() const override { return "interface"; }
  bool idle() const override;
  void reset_statistics() override;
  void report(statistics_group& into, std::uint64_t cycles) const override;
  /// A track for what it sends and takes, and one for its engine.
  void trace(const trace_scope& scope) override;
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  struct open_access {
    access request;
    std::uint64_t element = 0;

    TRIBUTARY_STATE(request, request.kind, request.purpose, element);
  };
  struct leaving {
    std::uint64_t cargo = 0;
    cycle_t since = 0;
    bool of_engine = false;

    TRIBUTARY_STATE(cargo, since, of_engine);
  };
  struct coming {
    std::uint64_t cargo = 0;
    cycle_t whole = 0;  ///< its last byte is there

    TRIBUTARY_STATE(cargo, whole);
  };
  /// A message that a processor writes, and what of it is still to come.
  struct draft {
    interface_message message;
    bool begun = false;
    bool has_address = false;
    bool has_counter = false;
    bool has_answer_to = false;

    TRIBUTARY_STATE(message, begun, has_address, has_counter, has_answer_to);
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

  TRIBUTARY_STATE(accesses_, out_, room_at_, in_, draft_, received_, control_read_, body_read_,
                  engine_.state(), stepping_, began_, memory_due_, reading_, interrupt_causes_,
                  enabled_, page_to_fill_, faults_, dma_address_, sending_, storing_, sent_ever_,
                  full_told_, buffered_, sent_, received_count_, dropped_, misses_, waited_,
                  most_buffered_);

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
  bool is_whole() const;
  bool has_control_words() const;
  void check_draft(const interface_message& message, cycle_t now) const;
  void check_receivers(const interface_header& header, cycle_t now) const;
  void compose(cycle_t now);
  void enqueue(interface_message message, bool of_engine, cycle_t now);
  /// Free places of a channel. The engine and software have some each, so that neither takes one
  /// on which the other counts.
  std::size_t free_places(interface_channel channel, bool of_engine) const;
  /// Of the network, that carries a channel.
  std::size_t lane_of(interface_channel channel) const {
    return config_.channels == 1 ? 0 : static_cast<std::size_t>(channel);
  }
  void depart(std::size_t lane, cycle_t now);
  void send_oldest(std::size_t lane, cycle_t now);
  void begin_dma(std::uint32_t bytes, cycle_t now);
  void check_dma(std::uint64_t address, std::uint32_t bytes, cycle_t now) const;
  void give_dma_up(cycle_t now);
  void make_packet(cycle_t now);

  // Receiving.
  const interface_message* oldest(std::size_t channel, cycle_t now) const;
  receive_inputs inputs(cycle_t now);
  void look(cycle_t now);
  void step(cycle_t now);
  void act(const receive_outputs& out, cycle_t now);
  void move_word(const receive_outputs::memory_request& asked, const interface_message& message);
  void store_word(std::uint64_t offset, word_t word, std::uint64_t bytes);
  void answer(const interface_header& header, cycle_t now);
  void store(std::size_t channel, cycle_t now);
  void remove_oldest(std::size_t channel, cycle_t now);
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
  word_memory& memory_;
  std::uint64_t memory_bytes_;
  memory_client* client_ = nullptr;
  interrupt_client* interrupted_ = nullptr;
  trace_point trace_;
  trace_point engine_trace_;

  fifo<open_access> accesses_;
  std::array<fifo<leaving>, interface_channels> out_;
  std::array<cycle_t, interface_channels> room_at_{};
  std::array<fifo<coming>, interface_channels> in_;
  draft draft_;
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
  std::uint64_t sent_ever_ = 0;
  bool full_told_ = false;
  std::uint32_t buffered_ = 0;  // bytes in the receive buffer

  counter sent_;
  counter received_count_;
  counter dropped_;
  counter misses_;
  average waited_;
  std::uint64_t most_buffered_ = 0;
};

}  // namespace tributary
