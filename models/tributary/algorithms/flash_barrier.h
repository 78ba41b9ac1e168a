// SPDX-License-Identifier: Apache-2.0
// The barrier that the controllers of the nodes keep (FLASH 6.2).
#pragma once

#include <cstdint>

#include <tributary/algorithms/barrier.h>
#include <tributary/controller/address_layout.h>
#include <tributary/memory/line.h>
#include <tributary/processor/program.h>
#include <tributary/protocols/barriers/barrier_commands.h>
#include <tributary/protocols/barriers/barrier_state.h>

namespace tributary {

/// A barrier of the nodes' controllers, by its number, as programs name it.
struct flash_barrier_place {
  address_layout addresses;
  line_size line;           ///< of the nodes' memories
  std::uint64_t count = 1;  ///< of the barriers that a node keeps
  std::uint64_t number = 0;
};

/// Crossed by the library calls of FLASH 6.2.3, by one process of each node or by several (6.2.4).
class flash_barrier final : public barrier {
 public:
  /// Tells the own node its part of the trees (InitFLASHBarrier), for nodes 0 to
  /// `trees.nodes` - 1 with `trees.processes` each. A process that has done so may cross at once,
  /// where the number had no other trees before. Throws `configuration_error` for a number or trees
  /// out of range.
  flash_barrier(program_context& context, const flash_barrier_place& place,
                const barrier_trees& trees);

  /// Joins and waits (FLASHBarrier). With `trees.two_phase` only the root, process 0, comes back
  /// when all have joined. References that this process has posted are over when it joins. Throws
  /// `simulation_error` if the node does not keep the barrier. So it does if a handler of
  /// interrupts joins by this object a second time before it has come back.
  void cross() override;

  /// By process 0 that is back from `cross`: the others come back (FLASHReleaseBarrier). Throws
  /// `simulation_error` at any other time, by others, and without `trees.two_phase`.
  void release();

 private:
  [[noreturn]] void fail(const char* problem) const;
  std::uint64_t address(std::uint64_t offset) const {
    return barrier_command::address(place_.addresses, context_.node(), offset);
  }

  program_context& context_;
  flash_barrier_place place_;
  bool is_master_;
  /// On the master's node, which has the sense before the master releases.
  bool waits_for_master_;
  bool tells_own_node_;
  bool has_joined_ = false;
  bool may_release_ = false;
};

}  // namespace tributary
