// SPDX-License-Identifier: Apache-2.0
// The bus of a node with all that stands on it: processors with caches, and the network interface.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <tributary/bus/snooping_bus.h>
#include <tributary/bus/uncached_master.h>
#include <tributary/cache/cache.h>
#include <tributary/memory/memory_controller.h>
#include <tributary/nic/access_tags.h>
#include <tributary/nic/memory_bus_interface.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/block.h>
#include <tributary/smp/bus_processor.h>
#include <tributary/smp/handler_accesses.h>
#include <tributary/smp/message_gate.h>
#include <tributary/smp/protocol_role.h>
#include <tributary/smp/protocol_thread.h>
#include <tributary/smp/role_services.h>
#include <tributary/smp/smp_node_config.h>
#include <tributary/smp/tag_board.h>

namespace tributary {

/// Where the words lie by which processors and the network interface tell each other of work. Each
/// has a line of its own in the node's memory, so that it moves between caches by itself.
class shared_flags {
 public:
  shared_flags(std::uint64_t base, line_size line) : base_(base), line_(line) {}

  static std::uint64_t bytes(std::uint32_t processors, line_size line) {
    return (3 + 2 * std::uint64_t{processors}) * line.bytes();
  }

  std::uint64_t role() const { return at(0); }      ///< the lock of the role
  std::uint64_t arrivals() const { return at(1); }  ///< how many messages came
  std::uint64_t requests() const { return at(2); }  ///< how many entries were written
  /// The entry of a processor's request, two words.
  std::uint64_t entry(std::uint32_t processor) const { return at(3 + 2 * processor); }
  /// What tells a processor that its request was answered.
  std::uint64_t answer(std::uint32_t processor) const { return at(4 + 2 * processor); }

 private:
  std::uint64_t at(std::uint32_t number) const {
    return base_ + std::uint64_t{number} * line_.bytes();
  }

  std::uint64_t base_;
  line_size line_;
};

/// Who is told of the programs' accesses.
class program_accesses {
 public:
  virtual void access_done(std::uint32_t processor, word_t value, cycle_t now) = 0;
  /// An access was taken back, as its tag forbids it.
  virtual void forbidden(std::uint32_t processor, cycle_t now) = 0;
  /// A handler has answered, and the access is to be tried again; `node_bus::retried` follows when
  /// it was done or forbidden once more.
  virtual void retry(std::uint32_t processor, cycle_t now) = 0;

 protected:
  ~program_accesses() = default;
};

/// What a node does at level B: the entries of requests, the lock of the role, the poll of flags,
/// the handlers' loads and stores are accesses of the processors through their caches, and messages
/// are written to and read from the network interface word by word (Falsafi and Wood, section 2).
///
/// Who waits for an entry, a message or an answer has the word that tells of it in the cache, and
/// polls there. So waiting needs neither the bus nor events; it ends when the word is written, by a
/// load that misses.
class node_bus final : public role_services,
                       public handler_accesses,
                       private message_taker,
                       private message_reader,
                       private tag_board_client,
                       private bus_processor_client {
 public:
  /// References must outlive it. `flags_at`: an offset of memory, at a line's start.
  node_bus(const smp_node_config& config, agenda& time, memory_controller& memory,
           message_gate& gate, protocol_role& role, protocol_thread& thread,
           std::uint64_t flags_at);

  void set_programs(program_accesses& programs) { programs_ = &programs; }
  /// Accesses of blocks are checked by their tags from here on, and blocks moved by a board. `tags`
  /// must outlive it.
  void add_board(const access_tags& tags, const checked_blocks& blocks);
  void retried(cycle_t now) { thread_.accesses_done({}, now); }

  snooping_bus& bus() { return bus_; }
  const snooping_bus& bus() const { return bus_; }
  /// A master without a cache.
  uncached_master& master(std::uint32_t number) { return *masters_.at(number); }
  bus_processor& processor(std::uint32_t number) { return *processors_.at(number); }
  const shared_flags& flags() const { return flags_; }
  /// The word at an offset of memory as a load would find it, wherever it is.
  word_t word_at(std::uint64_t offset) const;
  /// In the order of their statistics.
  std::vector<block*> blocks();

 private:
  // role_services
  void serve(role_service what, std::uint32_t processor, const message& about, std::uint64_t cycles,
             std::uint64_t tag, cycle_t now) override;
  void submit(std::uint32_t processor, const message& about, processor_steps& steps) const;
  void dispatch(const message& about, processor_steps& steps) const;
  void look_at_lock(std::uint32_t writer, cycle_t now);
  // handler_accesses
  processor_steps sending(const network_message& sent) override;
  processor_steps answering(std::uint8_t tag, word_t value) const override;
  processor_step loading(std::uint64_t offset) const override;
  processor_step storing(std::uint64_t offset, word_t value) const override;
  void begin(const processor_steps& steps, cycle_t now) override;
  void move_block(const processor_steps& steps, cycle_t now) override;
  void retry(std::uint8_t tag, cycle_t now) override;
  // tag_board_client
  void forbidden(std::uint32_t processor, std::uint64_t line, cycle_t now) override;
  void board_done(const std::vector<word_t>& found, cycle_t now) override;
  // message_taker, message_reader
  void arrived(const network_message& message, cycle_t now) override;
  void announced(const network_message& arrived, cycle_t now) override;
  // bus_processor_client
  void steps_done(std::uint32_t processor, std::uint64_t tag, const std::vector<word_t>& found,
                  cycle_t now) override;
  void access_done(std::uint32_t processor, word_t value, cycle_t now) override;

  const smp_node_config& config_;
  agenda& agenda_;
  word_memory& memory_;
  protocol_role& role_;
  protocol_thread& thread_;
  program_accesses* programs_ = nullptr;
  shared_flags flags_;
  std::uint64_t device_;  ///< address of the network interface
  snooping_bus bus_;
  cache interface_flags_;
  memory_bus_interface interface_;
  std::unique_ptr<tag_board> board_;
  std::vector<std::unique_ptr<bus_processor>> processors_;
  std::vector<std::unique_ptr<uncached_master>> masters_;
};

}  // namespace tributary
