// SPDX-License-Identifier: Apache-2.0
// Reductions that the controllers of the nodes keep (FLASH 7.2.2).
#pragma once

#include <cstdint>

#include <tributary/controller/address_layout.h>
#include <tributary/memory/line.h>
#include <tributary/processor/program.h>
#include <tributary/protocols/barriers/barrier_state.h>
#include <tributary/protocols/reductions/reduction_commands.h>
#include <tributary/protocols/reductions/reduction_operation.h>
#include <tributary/protocols/reductions/reduction_state.h>

namespace tributary {

/// A reduction of the nodes' controllers, by its number, as programs name it.
struct flash_reduction_place {
  address_layout addresses;
  line_size line;           ///< of the nodes' memories
  std::uint64_t count = 1;  ///< of the reductions that a node keeps
  std::uint64_t number = 0;
};

/// Gives every process what all have given together. One process of each node takes part.
class flash_reduction {
 public:
  /// Tells the own node its part of the trees and the operation, for processes 0 to
  /// `trees.nodes` - 1, which all say the same. A process that has done so may reduce at once,
  /// where the number had no other trees and no other operation before. Throws
  /// `configuration_error` for a number or trees out of range.
  flash_reduction(program_context& context, const flash_reduction_place& place,
                  const barrier_trees& trees, reduction_operation operation);

  /// Gives a word; returns, as soon as all have called it as often, what the operation makes of all
  /// words: a node combines its own with those of its children in the tree of joins, in the order
  /// of their numbers. References that this process has posted are over when it joins. Throws
  /// `simulation_error` if the node does not keep the reduction.
  word_t reduce(word_t value);
  /// The same of doubles. Throws `simulation_error` if the operation is one of integers.
  double reduce_double(double value);

 private:
  std::uint64_t address(std::uint64_t offset) const {
    return reduction_command::address(place_.addresses, context_.node(), offset);
  }

  program_context& context_;
  flash_reduction_place place_;
  reduction_operation operation_;
};

/// What a reduction over these trees gives: its words by process, combined in the same order.
word_t reduced(const barrier_trees& trees, reduction_operation operation, const word_t* words);

}  // namespace tributary
