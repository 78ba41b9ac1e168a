// SPDX-License-Identifier: Apache-2.0
// A node of a cluster: a host's memory and a host interface behind one processor's port.
#pragma once

#include <cstdint>
#include <string>

#include <tributary/controller/address_layout.h>
#include <tributary/controller/network_attachment.h>
#include <tributary/controller/protocol_set.h>
#include <tributary/memory/node_memory.h>
#include <tributary/memory/windowed_port.h>
#include <tributary/nic/host_interface.h>
#include <tributary/sim/block.h>

namespace tributary {

/// Configuration of a host.
struct host_attachment_config {
  host_interface_config interface;
  node_memory_config memory{1, 4};
  std::uint64_t memory_bytes = std::uint64_t{1} << 22;

  void bind(parameter_set& parameters);
  /// Throws `configuration_error` for combinations that could not work.
  void validate() const;
};

/// Addresses of the processor with this bit are the interface's window; all others are its memory.
inline constexpr std::uint64_t host_window_space = std::uint64_t{1} << 46;

/// The processor sees its own memory, at its node's addresses, and the interface.
class host_attachment final : public network_attachment {
 public:
  host_attachment(const host_attachment_config& config, const address_layout& addresses,
                  const attachment_place& place, host_packet_pool& packets,
                  const protocol_maker& firmware);

  host_interface& interface() { return interface_; }
  const host_interface& interface() const { return interface_; }
  node_memory& memory() { return memory_; }

  processor_port& port() override { return port_; }
  network_endpoint& endpoint() override { return interface_.endpoint(); }
  void set_interrupt_client(interrupt_client* client) override {
    interface_.set_interrupt_client(client);
  }
  track_id track() const override { return trace_.track(0); }
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
  host_interface interface_;
  windowed_port port_;
  block_list blocks_;
  trace_point trace_;
};

}  // namespace tributary
