// SPDX-License-Identifier: Apache-2.0
// A node of several processors whose protocol runs on them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <tributary/controller/fiber_executor.h>
#include <tributary/controller/jump_table.h>
#include <tributary/controller/network_message.h>
#include <tributary/controller/node_loop.h>
#include <tributary/controller/protocol_set.h>
#include <tributary/memory/memory_controller.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/block.h>
#include <tributary/smp/message_gate.h>
#include <tributary/smp/node_bus.h>
#include <tributary/smp/node_processors.h>
#include <tributary/smp/protocol_role.h>
#include <tributary/smp/protocol_thread.h>
#include <tributary/smp/smp_node_config.h>

namespace tributary {

/// One node in time, in cycles of its processors (Falsafi and Wood, section 2). At level Q what the
/// protocol costs beyond its handlers are constants, and there are neither caches nor a bus; at
/// level B they are accesses of the processors on a `node_bus`.
class smp_node final : public stepped_node {
 public:
  /// References must outlive the node; `seed` names its random streams. Throws
  /// `configuration_error` for values that cannot work, for protocols that do not fit together, and
  /// for a network on which messages overtake each other.
  smp_node(const smp_node_config& config, node_id here, std::uint32_t nodes, std::uint64_t seed,
           network_port& network, message_pool& messages,
           std::vector<std::unique_ptr<protocol>> protocols);
  smp_node(const smp_node&) = delete;
  smp_node& operator=(const smp_node&) = delete;

  node_id here() const { return here_; }
  const smp_node_config& config() const { return config_; }
  /// Where a processor that computes asks, and who is told that it is interrupted.
  processor_port& port(std::uint32_t processor) { return processors_.port(processor); }
  void set_interrupt_client(std::uint32_t processor, interrupt_client* client) {
    processors_.set_interrupt_client(processor, client);
  }
  /// Before the first cycle, at level B: a processor has so many bytes of memory in its caches, as
  /// far as they hold them.
  void warm(std::uint32_t processor, std::uint64_t from, std::uint64_t bytes);
  /// The programs do not go on from the next cycle on.
  void stop_programs(cycle_t now) { role_.stop(now); }
  agenda& clockwork() { return agenda_; }
  memory_controller& memory() { return memory_; }
  const memory_controller& memory() const { return memory_; }
  const protocol_role& role() const { return role_; }
  const protocol_thread& processing() const { return thread_; }
  /// The word at an offset of memory, or what a cache has in its place.
  word_t word_at(std::uint64_t offset) const {
    return bus_ == nullptr ? memory_.read(offset) : bus_->word_at(offset);
  }
  /// The bus and what stands on it; null at level Q.
  node_bus* on_bus() { return bus_.get(); }
  const node_bus* on_bus() const { return bus_.get(); }
  const protocol_set& protocols() const { return protocols_; }
  /// Of a processor, in traces.
  track_id track(std::uint32_t processor) const { return role_.track(processor); }

  // stepped_node
  cycle_t next_wakeup() const override { return agenda_.next_wakeup(); }
  void advance_to(cycle_t last) override { agenda_.advance_to(last); }
  void follow(const cycle_t& over, cycle_t& due) override { agenda_.follow(over, 1, due); }
  void show(current_activity* activity) override { agenda_.show(activity); }
  network_endpoint& endpoint() override { return gate_; }

  /// "node.0", by its number.
  const char* name() const override { return name_.c_str(); }
  bool idle() const override { return blocks_.idle(); }
  void reset_statistics() override { blocks_.reset_statistics(); }
  void report(statistics_group& into, std::uint64_t cycles) const override {
    blocks_.report(into, cycles);
  }
  void trace(const trace_scope& scope) override;
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  void put_on_bus();

  smp_node_config config_;
  node_id here_;
  std::string name_;
  agenda agenda_;
  protocol_set protocols_;
  memory_controller memory_;
  message_gate gate_;
  jump_table table_;
  fiber_executor executor_;
  protocol_thread thread_;
  protocol_role role_;
  std::unique_ptr<node_bus> bus_;
  node_processors processors_;
  block_list blocks_;
};

}  // namespace tributary
