// SPDX-License-Identifier: Apache-2.0
// Reductions in the controllers of the nodes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tributary/controller/fiber_protocol.h>
#include <tributary/protocols/reductions/reduction_commands.h>
#include <tributary/protocols/reductions/reduction_costs.h>
#include <tributary/protocols/reductions/reduction_handlers.h>

namespace tributary {

/// Configuration of the protocol.
struct reductions_config {
  /// Reductions that a node keeps; 0: there is no such protocol.
  std::uint64_t count = 0;

  void bind(parameter_set& parameters);
};

/// Global reductions (FLASH 7.2.2): a processor gives a word and waits at a line of its caches,
/// where it finds what all have given together. Its handlers are those of reduction_handlers.h.
class reductions_protocol : public fiber_protocol {
 public:
  reductions_protocol(const reductions_config& config, const reduction_costs& costs,
                      const barrier_costs& as_barrier);

  std::string name() const override { return "reductions"; }
  std::vector<dispatch_rule> rules() const override;
  std::vector<handler> handlers() override;
  std::vector<message_name> message_names() const override;
  std::vector<noncoherent_page> noncoherent_pages() const override {
    return {
        {reduction_command::space, reduction_command::status_page, reduction_command::page_bytes}};
  }
  std::uint64_t storage_bytes() const override;
  void initialize(const protocol_storage& where, word_memory& memory) override;

  /// What a node knows of the trees of a reduction, and of its values.
  barrier_state state(const word_memory& memory, std::uint64_t number) const {
    return barrier_state(memory.read(settings_.state_of(number)));
  }
  reduction_state values(const word_memory& memory, std::uint64_t number) const {
    return reduction_state(memory.read(settings_.state_of(number) + word_bytes));
  }

 private:
  reductions::kept_reductions settings_;
};

}  // namespace tributary
