// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/flash_barrier.h>

#include <fmt/format.h>

#include <tributary/sim/error.h>

namespace tributary {

flash_barrier::flash_barrier(program_context& context, const flash_barrier_place& place,
                             const barrier_trees& trees)
    : context_(context), place_(place) {
  const barrier_state mine = trees.at(node_id{context.rank()});
  context.store(address(barrier_command::trees(place.number)), mine.word());
}

void flash_barrier::cross() {
  const word_t before = context_.load(address(barrier_command::join(place_.number)));
  if (before == barrier_command::unknown) {
    throw simulation_error(fmt::format(
        "processor {} joins barrier {} in cycle {}, of which its node was not told; make the "
        "barrier on every node that crosses it",
        context_.rank(), place_.number, context_.now()));
  }
  context_.spin(address(barrier_command::status(place_.number, place_.line)),
                [before](word_t sense) { return sense != before; });
}

void flash_barrier::release() { context_.store(address(barrier_command::join(place_.number)), 0); }

}  // namespace tributary
