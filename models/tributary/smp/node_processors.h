// SPDX-License-Identifier: Apache-2.0
// The processors of a node as programs see them: memory, requests to handlers, and registers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tributary/controller/address_layout.h>
#include <tributary/controller/jump_table.h>
#include <tributary/memory/port.h>
#include <tributary/memory/word_memory.h>
#include <tributary/nic/access_tags.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/block.h>
#include <tributary/sim/fixed_size.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>
#include <tributary/smp/node_bus.h>
#include <tributary/smp/protocol_role.h>
#include <tributary/smp/protocol_thread.h>
#include <tributary/smp/smp_node_config.h>

namespace tributary {

/// One access of each processor at a time, in its order:
///  - to address space 0: the own node's memory, or what a protocol keeps of others there, as far
///    as its tags allow it; it takes a constant time (level Q), or that of its cache (level B). One
///    that is forbidden is a request, and is done when a handler answers it;
///  - to `schedule_registers::space`: the node's registers;
///  - to all else: a request to the handler that the protocols have for it. It holds the processor
///    until a handler has answered; a store, until its handler has ended.
class node_processors final : public block,
                              private role_processors,
                              private program_accesses,
                              private timed_block {
 public:
  /// References must outlive it.
  node_processors(const smp_node_config& config, agenda& time, node_id here, std::uint32_t nodes,
                  const jump_table& table, word_memory& memory, protocol_thread& thread,
                  protocol_role& role, const std::optional<checked_blocks>& checked);

  /// Accesses to memory go through the processors' caches from here on.
  void put_on_bus(node_bus& bus);

  /// Where a processor asks, from 0 to those that compute.
  processor_port& port(std::uint32_t processor) { return ports_.at(processor); }
  /// Who is told that a processor is interrupted.
  void set_interrupt_client(std::uint32_t processor, interrupt_client* client) {
    ports_.at(processor).interrupted_ = client;
  }

  const char* name() const override { return "processors"; }
  bool idle() const override;
  void reset_statistics() override;
  void report(statistics_group& into, std::uint64_t cycles) const override;
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  /// What an access is for.
  enum class target : std::uint8_t { none, memory, checked, act, rest, work, handler };

  /// The access of a processor.
  struct access_under_way {
    target of = target::none;
    pe_id element{};
    access request;
    word_t value = 0;  ///< that it gets
    // Of one that is checked on a bus.
    bool asked = false;  ///< a handler
    bool done = false;   ///< there

    TRIBUTARY_STATE(of, element, request, value, asked, done);
  };

  class single_port final : public processor_port {
   public:
    single_port(node_processors& node, std::uint32_t number) : node_(node), number_(number) {}

    void set_client(memory_client* client) override { client_ = client; }
    void check(std::size_t, const access& request) const override { node_.classify(request); }
    bool can_take(std::size_t) const override { return node_.is_free(number_); }
    void offer(std::size_t element, const access& request, cycle_t now) override {
      node_.offer(number_, element, request, now);
    }
    std::size_t waiting(std::size_t) const override { return 0; }
    std::size_t outstanding(std::size_t) const override { return node_.is_free(number_) ? 0 : 1; }

   private:
    friend class node_processors;

    node_processors& node_;
    std::uint32_t number_;
    memory_client* client_ = nullptr;
    interrupt_client* interrupted_ = nullptr;
  };

  TRIBUTARY_STATE(fixed_size(accesses_), messages_, offered_, requests_, faults_);

  // role_processors
  void go_on(std::uint32_t processor, word_t value, cycle_t now) override;
  void interrupt(std::uint32_t processor, cycle_t now) override;
  std::optional<word_t> try_again(std::uint32_t processor) override;
  void ask_again(std::uint32_t processor, cycle_t now) override;
  // program_accesses
  void access_done(std::uint32_t processor, word_t value, cycle_t now) override;
  void forbidden(std::uint32_t processor, cycle_t now) override;
  void retry(std::uint32_t processor, cycle_t now) override;

  void wake(cycle_t now, std::uint64_t tag) override;
  /// Throws `simulation_error` for an access that nobody serves.
  target classify(const access& request) const;
  message message_of(const access& request, std::uint32_t processor) const;
  bool is_free(std::uint32_t processor) const { return accesses_[processor].of == target::none; }
  void offer(std::uint32_t processor, std::size_t element, const access& request, cycle_t now);
  word_t perform(const access& request, std::uint64_t offset);
  /// Asks a handler.
  void ask(std::uint32_t processor, message header, cycle_t now);
  void fault(std::uint32_t processor, cycle_t now);
  /// The first request about an access.
  void first_fault(std::uint32_t processor, cycle_t now);
  void begin_on_bus(std::uint32_t processor, std::uint64_t offset, cycle_t now);
  void end_retry(cycle_t now);
  void complete(std::uint32_t processor, word_t value, cycle_t at);
  [[noreturn]] void fail(const access& request, const std::string& problem) const;

  const smp_node_config& config_;
  agenda& agenda_;
  node_id here_;
  std::uint32_t nodes_;
  const jump_table& table_;
  word_memory& memory_;
  protocol_thread& thread_;
  protocol_role& role_;
  node_bus* bus_ = nullptr;
  std::vector<single_port> ports_;          // by processor that computes
  std::vector<access_under_way> accesses_;  // the same
  std::uint64_t messages_ = 0;
  std::optional<checked_blocks> checked_;
  std::optional<access_tags> tags_;
  counter offered_;
  counter requests_;
  counter faults_;
};

}  // namespace tributary
