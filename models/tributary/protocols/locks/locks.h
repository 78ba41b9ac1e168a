// SPDX-License-Identifier: Apache-2.0
// Locks in the controllers of the nodes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tributary/controller/fiber_protocol.h>
#include <tributary/memory/line.h>
#include <tributary/protocols/locks/lock_commands.h>
#include <tributary/protocols/locks/lock_costs.h>
#include <tributary/protocols/locks/lock_handlers.h>

namespace tributary {

/// Configuration of the protocol.
struct locks_config {
  /// Locks of the machine, of which each node keeps its part; 0: there is no such protocol.
  std::uint64_t count = 0;
  /// Locks of which a node may be the home.
  std::uint64_t queues = 64;
  /// Cycles after which a token whose processor has not used it goes to who waits; 0: never.
  std::uint64_t timeout = 0;

  void bind(parameter_set& parameters);
};

/// FLASH locks (FLASH 6.1): the token of a lock goes from controller to controller along a queue of
/// those who want it, and a processor locks by setting a bit in a line of its own caches. Its
/// handlers are those of lock_handlers.h.
class locks_protocol : public fiber_protocol {
 public:
  /// For a machine of so many nodes, whose memories have lines of that size.
  locks_protocol(const locks_config& config, const lock_costs& costs, std::uint32_t nodes,
                 line_size line);

  std::string name() const override { return "locks"; }
  std::vector<dispatch_rule> rules() const override;
  std::vector<handler> handlers() override;
  std::vector<message_name> message_names() const override;
  std::vector<noncoherent_page> noncoherent_pages() const override {
    return {{lock_command::space, lock_command::state_page, lock_command::state_page}};
  }
  std::uint64_t storage_bytes() const override;
  void initialize(const protocol_storage& where, word_memory& memory) override;

  /// What a node knows of a lock.
  lock_state state(const word_memory& memory, std::uint64_t number) const {
    return lock_state(memory.read(settings_.places.state(number)));
  }

 private:
  locks::handler_settings settings_;
};

}  // namespace tributary
