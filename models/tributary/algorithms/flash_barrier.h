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
  line_size line;  ///< of the nodes' memories
  std::uint64_t number = 0;
};

/// One process of each node crosses it, by the library calls of FLASH 6.2.3.
class flash_barrier final : public barrier {
 public:
  /// Tells the own node its part of the trees (InitFLASHBarrier). `trees.nodes` is that of the
  /// processes. Whoever has done so may cross at once.
  flash_barrier(program_context& context, const flash_barrier_place& place,
                const barrier_trees& trees);

  /// Joins and waits (FLASHBarrier). With `trees.two_phase` only the root, process 0, comes back
  /// when all have joined. Throws `simulation_error` if the node does not keep the barrier.
  void cross() override;

  /// By process 0: the others come back (FLASHReleaseBarrier). Only with `trees.two_phase`.
  void release();

 private:
  std::uint64_t address(std::uint64_t offset) const {
    return barrier_command::address(place_.addresses, node_id{context_.rank()}, offset);
  }

  program_context& context_;
  flash_barrier_place place_;
};

}  // namespace tributary
