// SPDX-License-Identifier: Apache-2.0
// An interface whose firmware is a protocol: registers, doorbells, its own memory, DMA, processors.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <tributary/controller/address_layout.h>
#include <tributary/controller/fiber_executor.h>
#include <tributary/controller/jump_table.h>
#include <tributary/controller/protocol_set.h>
#include <tributary/memory/port.h>
#include <tributary/memory/word_memory.h>
#include <tributary/memory/word_store.h>
#include <tributary/network/lane_gate.h>
#include <tributary/network/port.h>
#include <tributary/nic/dma_engine.h>
#include <tributary/nic/firmware_processor.h>
#include <tributary/nic/host_interface_config.h>
#include <tributary/nic/host_packet.h>
#include <tributary/nic/host_registers.h>
#include <tributary/nic/interface_doorbells.h>
#include <tributary/nic/staging_buffers.h>
#include <tributary/nic/transmit_engine.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/block.h>
#include <tributary/sim/fifo.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>

namespace tributary {

/// The memory of an interface, of which its firmware and its registers are a part.
class interface_memory final : public word_memory {
 public:
  explicit interface_memory(std::uint64_t bytes) : bytes_(bytes) {}

  std::uint64_t bytes() const { return bytes_; }
  /// Throw `simulation_error` for what is no word of it.
  word_t read(std::uint64_t offset) const override;
  void write(std::uint64_t offset, word_t value) override;

  TRIBUTARY_STATE(words_);

 private:
  void check(std::uint64_t offset) const;

  std::uint64_t bytes_;
  word_store words_;
};

/// Its registers at a processor's port, its place in the network, and the host's memory by DMA.
///
/// What the host posts at a doorbell becomes an uncached write for the firmware, once it has found
/// it. Packets that come wait in the network's buffers until the firmware and a staging buffer are
/// free. A handler that is put off, or begun by a post, runs while the transmitter is free.
class host_interface final : public block,
                             public processor_port,
                             private lane_gate_client,
                             private firmware_surroundings,
                             private transmit_client,
                             private timed_block {
 public:
  /// References must outlive it. `host`: the memory that DMA reaches, of so many bytes.
  /// Throws `configuration_error` for what cannot be.
  host_interface(const host_interface_config& config, const address_layout& addresses, node_id here,
                 std::uint32_t nodes, agenda& time, network_port& network,
                 host_packet_pool& packets, word_memory& host, std::uint64_t host_bytes,
                 std::vector<std::unique_ptr<protocol>> firmware);

  const host_interface_config& config() const { return config_; }
  network_endpoint& endpoint() { return gate_; }
  void set_interrupt_client(interrupt_client* client) { interrupted_ = client; }
  const protocol_set& protocols() const { return protocols_; }
  interface_memory& memory() { return memory_; }
  const interface_memory& memory() const { return memory_; }
  /// The processor that runs what is posted, and the one that runs what comes; one if there is one.
  const firmware_processor& sender() const { return *processors_.front(); }
  const firmware_processor& receiver() const { return *processors_.back(); }
  const transmit_engine& transmitter() const { return transmitter_; }
  const dma_engine& dma() const { return dma_; }
  const staging_buffers& staging() const { return staging_; }
  /// Cycles from a post until the firmware had found it.
  const average& noticed() const { return noticed_; }
  std::uint64_t refused_posts() const { return refused_posts_.value(); }

  // processor_port. Addresses are used below the window's size.
  void set_client(memory_client* client) override { client_ = client; }
  void check(std::size_t element, const access& request) const override;
  bool can_take(std::size_t) const override { return accesses_.empty(); }
  void offer(std::size_t element, const access& request, cycle_t now) override;
  std::size_t waiting(std::size_t) const override { return 0; }
  std::size_t outstanding(std::size_t) const override { return accesses_.size(); }

  const char* name() const override { return "host_interface"; }
  bool idle() const override;
  void reset_statistics() override;
  void report(statistics_group& into, std::uint64_t cycles) const override;
  /// A track for each processor of its firmware, the transmitter and DMA.
  void trace(const trace_scope& scope) override;
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  struct open_access {
    access request;
    std::uint64_t element = 0;

    TRIBUTARY_STATE(request, request.kind, request.purpose, element);
  };
  struct deferred {
    handler_id run = no_handler;
    message with;

    TRIBUTARY_STATE(run, with);
  };

  TRIBUTARY_STATE(accesses_, stalled_, doorbells_, deferred_, memory_, staging_, enabled_, finding_,
                  found_at_, idle_from_, receives_next_, next_lane_, refused_told_, pio_writes_,
                  pio_reads_, posts_, refused_posts_, noticed_, received_, stalled_posts_);

  // lane_gate_client
  void departed(const network_transfer& message, cycle_t now) override;
  void arrived(const network_transfer&, cycle_t now) override { look(now); }
  bool take(const network_transfer&, cycle_t) override { return false; }
  // firmware_surroundings
  std::uint64_t send_space() const override { return transmitter_.free() ? 1 : 0; }
  void transmit(const message& header, const std::vector<word_t>& words, cycle_t now) override {
    transmitter_.send(header, words, now);
  }
  cycle_t store_to_host(std::uint64_t offset, const std::vector<word_t>& words,
                        cycle_t now) override {
    return dma_.store(offset, words, now);
  }
  cycle_t load_from_host(std::uint64_t bytes, cycle_t now) override {
    return dma_.load(bytes, now);
  }
  word_t host_word(std::uint64_t offset) const override { return host_.read(offset); }
  std::uint64_t host_bytes() const override { return host_bytes_; }
  void put_off(handler_id run, const message& with, cycle_t now) override;
  void interrupt_host(std::uint64_t line, cycle_t now) override;
  void handler_ended(cycle_t now) override;
  // transmit_client
  void transmitter_free(cycle_t now) override;
  // timed_block
  void wake(cycle_t now, std::uint64_t tag) override;

  // Registers (host_interface_registers.cpp).
  void finish_access(cycle_t now);
  word_t perform(const access& request, cycle_t now, bool& stalls);
  word_t read_registers(std::uint64_t offset, cycle_t now) const;
  void write_register(std::uint64_t offset, std::uint32_t value, cycle_t now, bool& stalls);
  void write_page(std::uint64_t offset, const access& request, cycle_t now, bool& stalls);
  void post(std::uint32_t queue, std::uint64_t place, std::uint64_t value, cycle_t now,
            bool& stalls);
  std::uint64_t cycles_of(const access& request) const;

  // Work of the firmware.
  void look(cycle_t now);
  bool look_for_posts(cycle_t now);
  bool look_for_packets(cycle_t now);
  void begin_post(cycle_t now);
  void begin_packet(std::uint8_t lane, cycle_t now);
  void begin(firmware_processor& on, const message& with, cycle_t now);
  firmware_processor& sending() { return *processors_.front(); }
  firmware_processor& receiving() { return *processors_.back(); }
  bool shares_processor() const { return processors_.size() == 1; }
  [[noreturn]] void fail(cycle_t now, const std::string& problem) const;

  host_interface_config config_;
  address_layout addresses_;
  node_id here_;
  agenda& agenda_;
  network_port& network_;
  host_packet_pool& packets_;
  word_memory& host_;
  std::uint64_t host_bytes_;
  memory_client* client_ = nullptr;
  interrupt_client* interrupted_ = nullptr;

  protocol_set protocols_;
  jump_table table_;
  interface_memory memory_;
  staging_buffers staging_;
  lane_gate gate_;
  transmit_engine transmitter_;
  dma_engine dma_;
  std::vector<std::unique_ptr<fiber_executor>> executors_;
  std::vector<std::unique_ptr<firmware_processor>> processors_;
  block_list blocks_;

  fifo<open_access> accesses_;
  bool stalled_ = false;  ///< the oldest access is a post to a full doorbell
  interface_doorbells doorbells_;
  fifo<deferred> deferred_;
  bool enabled_ = true;
  bool finding_ = false;  ///< the firmware looks for a post that is there
  doorbell_finding found_;
  cycle_t found_at_ = 0;
  cycle_t idle_from_ = 0;       ///< since when the firmware looks at doorbells
  bool receives_next_ = false;  ///< of one processor, which loop has its turn
  std::uint8_t next_lane_ = 0;
  bool refused_told_ = false;
  counter pio_writes_;
  counter pio_reads_;
  counter posts_;
  counter refused_posts_;
  counter stalled_posts_;
  counter received_;
  average noticed_;
};

}  // namespace tributary
