// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/flash_barrier.h>

#include <string>

#include <fmt/format.h>

#include <tributary/sim/error.h>

namespace tributary {

namespace {

void check_range(const char* key, std::uint64_t value, std::uint64_t least, std::uint64_t most) {
  if (value >= least && value <= most) return;
  throw configuration_error({std::string("flash_barrier.") + key, "",
                             std::to_string(value) + " is out of range",
                             fmt::format("{} to {}", least, most), "choose one that is not"});
}

void check(const flash_barrier_place& place, const barrier_trees& trees, std::uint32_t rank) {
  check_range("count", place.count, 1, barrier_command::most);
  check_range("number", place.number, 0, place.count - 1);
  check_range("join_radix", trees.join_radix, 1, barrier_state::most_children);
  check_range("release_radix", trees.release_radix, 1, barrier_state::most_children);
  check_range("processes", trees.processes, 1, barrier_state::most_joins - trees.join_radix);
  check_range("nodes", trees.nodes, 1, barrier_state::most_nodes);
  check_range("rank", rank, 0, trees.nodes - 1);
}

}  // namespace

flash_barrier::flash_barrier(program_context& context, const flash_barrier_place& place,
                             const barrier_trees& trees)
    : context_(context), place_(place), is_master_(trees.two_phase && context.rank() == 0) {
  check(place, trees, context.rank());
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
  may_release_ = is_master_;
}

void flash_barrier::release() {
  if (!may_release_) {
    throw simulation_error(fmt::format(
        "processor {} releases barrier {} in cycle {}; only process 0 does so, once after each "
        "crossing, where the trees have two phases",
        context_.rank(), place_.number, context_.now()));
  }
  may_release_ = false;
  context_.store(address(barrier_command::join(place_.number)), 0);
}

}  // namespace tributary
