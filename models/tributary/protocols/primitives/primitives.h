// SPDX-License-Identifier: Apache-2.0
// The primitives of data-parallel languages, by handlers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tributary/controller/fiber_protocol.h>
#include <tributary/protocols/primitives/primitive_costs.h>
#include <tributary/protocols/primitives/primitive_handlers.h>

namespace tributary {

/// Get, send, combining send, broadcast, reduction and barrier (Klaiber 4.2.2) by handlers of the
/// nodes' protocol processors, on nodes without caches: their items are in memory. One processor a
/// node takes part.
class primitives_protocol final : public fiber_protocol {
 public:
  /// `arity`: of the tree, 2 to 8. `places`: messages of the tree that a node may put off.
  primitives_protocol(const primitive_costs& costs, std::uint32_t arity,
                      std::uint32_t places = usual_places);

  static constexpr std::uint32_t usual_places = 512;

  std::string name() const override { return "primitives"; }
  std::vector<dispatch_rule> rules() const override;
  std::vector<handler> handlers() override;
  std::vector<message_name> message_names() const override;
  std::uint64_t storage_bytes() const override;
  void initialize(const protocol_storage& where, word_memory& memory) override;

 private:
  primitives::handler_settings settings_;
};

}  // namespace tributary
