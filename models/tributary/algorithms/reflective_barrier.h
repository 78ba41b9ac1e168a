// SPDX-License-Identifier: Apache-2.0
// Barrier(r) over reflective memory: groups of r meet, then one of each group.
#pragma once

#include <cstdint>

#include <tributary/algorithms/barrier.h>
#include <tributary/processor/program.h>

namespace tributary {

/// Each node of a group stores its own flag and polls those of the others, from the next one on.
/// The first of the group goes on to the next level, the others poll the completion flag, which
/// the first node of all sets at the end. A flag counts levels and crossings modulo 2^32, so that
/// one word a node does for all; the source toggles bits.
/// Source: Moorthy et al., CANPC 2000, section 3.2.
class reflective_barrier final : public barrier {
 public:
  /// Words of the ring: a flag of each node, and the completion flag.
  static constexpr std::uint64_t words(std::uint32_t nodes) { return std::uint64_t{nodes} + 1; }
  static std::uint32_t levels(std::uint32_t nodes, std::uint32_t radix);

  /// Over the words from `first` on. Throws `configuration_error` for a radix below 2.
  reflective_barrier(program_context& context, std::uint64_t first, std::uint32_t radix);

  void cross() override;

 private:
  /// Meets the group whose members are so far apart; whether the node goes on to the next level.
  bool meet(std::uint64_t apart);

  program_context& context_;
  std::uint64_t first_;
  std::uint32_t radix_;
  std::uint32_t levels_;
  std::uint32_t crossing_ = 0;
  std::uint32_t level_ = 0;  // all levels of all crossings so far
};

}  // namespace tributary
