// SPDX-License-Identifier: Apache-2.0
// Broadcast(r): the root writes the message once, and a tree of radix r announces it.
#pragma once

#include <cstdint>

#include <tributary/algorithms/reflective_broadcast.h>
#include <tributary/algorithms/tree_of_nodes.h>

namespace tributary {

/// The root toggles the message flags of r nodes, each of those the flags of r more, and so on.
/// Every node reads the message from the root's buffer.
/// Source: Moorthy et al., CANPC 2000, section 3.1.
class radix_broadcast final : public reflective_broadcast {
 public:
  /// Throws `configuration_error` for a radix below 2.
  radix_broadcast(program_context& context, const bill_board_layout& layout, std::uint32_t radix);

  words broadcast(const words& data) override;
  void release() override;

 private:
  program_context& context_;
  bill_board board_;
  std::uint32_t buffers_;
  tree_of_nodes tree_;
  std::uint32_t buffer_ = 0;
};

/// Throws `configuration_error` for a radix below 2.
void check_reflective_radix(std::uint32_t radix);

/// All nodes but node 0, in the order of their ranks.
bill_board::ranks all_but_root(std::uint32_t nodes);

}  // namespace tributary
