// SPDX-License-Identifier: Apache-2.0
// Active messages to processors and to controllers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tributary/controller/fiber_protocol.h>
#include <tributary/protocols/active_messages/active_commands.h>
#include <tributary/protocols/active_messages/active_costs.h>
#include <tributary/protocols/active_messages/active_handlers.h>
#include <tributary/protocols/kernel_calls.h>

namespace tributary {

/// Configuration of the protocol.
struct active_messages_config {
  /// Messages of a node that may be under way; 0: there is no such protocol.
  std::uint32_t window = 0;
  /// Words of a node that functions of its controller change.
  std::uint64_t words = 64;
  /// Cycles from a refusal to the next attempt.
  std::uint64_t retry = 500;

  void bind(parameter_set& parameters);
};

/// Active messages (FLASH 7.1): a message names the code that serves it, a handler of the
/// destination's processor or a function of its controller.
class active_messages_protocol : public fiber_protocol {
 public:
  using function = active_function<handler_context>;

  /// `kernel`, which keeps the records of this node's processor, must outlive it. `functions` are
  /// the controller's, by their numbers; none: `usual_functions`.
  active_messages_protocol(const active_messages_config& config, const active_message_costs& costs,
                           const kernel_calls& kernel, const std::vector<function>& functions = {});

  std::string name() const override { return "active_messages"; }
  std::vector<dispatch_rule> rules() const override;
  std::vector<handler> handlers() override;
  std::vector<message_name> message_names() const override;
  std::uint64_t storage_bytes() const override;
  void initialize(const protocol_storage& where, word_memory& memory) override;

  /// Messages of a node that were not accepted yet.
  std::uint32_t under_way(const word_memory& memory) const {
    return active_messages::slots::of(memory.read(settings_.control)).count();
  }

 private:
  active_messages_config config_;
  std::vector<function> functions_;
  active_messages::handler_settings<handler_context> settings_;
};

}  // namespace tributary
