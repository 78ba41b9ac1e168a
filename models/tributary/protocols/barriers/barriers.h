// SPDX-License-Identifier: Apache-2.0
// Barriers in the controllers of the nodes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tributary/controller/fiber_protocol.h>
#include <tributary/protocols/barriers/barrier_commands.h>
#include <tributary/protocols/barriers/barrier_costs.h>
#include <tributary/protocols/barriers/barrier_handlers.h>

namespace tributary {

/// Configuration of the protocol.
struct barriers_config {
  /// Barriers that a node keeps; 0: there is no such protocol.
  std::uint64_t count = 0;

  void bind(parameter_set& parameters);
};

/// FLASH barriers (FLASH 6.2): a processor joins by one uncached read and waits at a line of its
/// caches. Joins go up a tree of controllers and releases down another; no processor takes part in
/// between. Its handlers are those of barrier_handlers.h.
class barriers_protocol : public fiber_protocol {
 public:
  barriers_protocol(const barriers_config& config, const barrier_costs& costs);

  std::string name() const override { return "barriers"; }
  std::vector<dispatch_rule> rules() const override;
  std::vector<handler> handlers() override;
  std::vector<message_name> message_names() const override;
  std::vector<noncoherent_page> noncoherent_pages() const override {
    return {{barrier_command::space, barrier_command::status_page, barrier_command::page_bytes}};
  }
  std::uint64_t storage_bytes() const override;
  void initialize(const protocol_storage& where, word_memory& memory) override;

  /// What a node knows of a barrier.
  barrier_state state(const word_memory& memory, std::uint64_t number) const {
    return barrier_state(memory.read(settings_.state_of(number)));
  }

 private:
  barriers::kept_barriers settings_;
};

}  // namespace tributary
