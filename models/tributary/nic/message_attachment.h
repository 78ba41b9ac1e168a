// SPDX-License-Identifier: Apache-2.0
// A node that passes messages: memory and a message interface behind one processor's port.
#pragma once

#include <cstdint>
#include <string>

#include <tributary/controller/address_layout.h>
#include <tributary/controller/network_attachment.h>
#include <tributary/memory/node_memory.h>
#include <tributary/memory/windowed_port.h>
#include <tributary/nic/engine_memory.h>
#include <tributary/nic/message_interface.h>
#include <tributary/sim/block.h>

namespace tributary {

/// Configuration of what is attached to the network of a machine that passes messages.
struct message_attachment_config {
  message_interface_config interface;
  node_memory_config memory;
  std::uint64_t memory_bytes = std::uint64_t{1} << 22;

  void bind(parameter_set& parameters);
  /// Throws `configuration_error` for combinations that could not work.
  void validate() const;
};

/// Addresses of the processor with this bit are registers of the interface; all others are its
/// memory.
inline constexpr std::uint64_t interface_space = std::uint64_t{1} << 46;

/// The processor sees its own memory, at its node's addresses, and the interface; other nodes it
/// reaches by messages.
class message_attachment final : public network_attachment {
 public:
  message_attachment(const message_attachment_config& config, const address_layout& addresses,
                     const attachment_place& place, interface_pool& messages);

  message_interface& interface() { return interface_; }
  node_memory& memory() { return memory_; }

  processor_port& port() override { return port_; }
  network_endpoint& endpoint() override { return interface_.endpoint(); }
  void set_interrupt_client(interrupt_client* client) override {
    interface_.set_interrupt_client(client);
  }
  track_id track() const override { return trace_.track(0); }
  std::string waits_to_send(cycle_t now) const override { return interface_.waits_to_answer(now); }
  word_t peek(std::uint64_t offset) const override { return memory_.read(offset); }
  void poke(std::uint64_t offset, word_t value) override { memory_.write(offset, value); }

  const char* name() const override { return "attachment"; }
  bool idle() const override { return blocks_.idle(); }
  void reset_statistics() override { blocks_.reset_statistics(); }
  void report(statistics_group& into, std::uint64_t cycles) const override {
    blocks_.report(into, cycles);
  }
  /// A track "processor" for what programs tell, and those of the blocks.
  void trace(const trace_scope& scope) override;
  std::string save() const override { return blocks_.save(); }
  void restore(const std::string& state) override { blocks_.restore(state); }

 private:
  node_memory memory_;
  immediate_memory engine_memory_;
  message_interface interface_;
  windowed_port port_;
  block_list blocks_;
  trace_point trace_;
};

}  // namespace tributary
