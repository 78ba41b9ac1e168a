// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/flash_barrier.h>

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include <tributary/sim/error.h>

namespace tributary {

namespace {

void check_barrier_range(const char* key, std::uint64_t value, std::uint64_t least,
                         std::uint64_t most) {
  if (value >= least && value <= most) return;
  throw configuration_error({std::string("flash_barrier.") + key, "",
                             std::to_string(value) + " is out of range",
                             fmt::format("{} to {}", least, most), "choose one that is not"});
}

void check(const flash_barrier_place& place, const barrier_trees& trees,
           const program_context& context) {
  check_barrier_range("count", place.count, 1, barrier_command::most);
  check_barrier_range("number", place.number, 0, place.count - 1);
  check_barrier_range("join_radix", trees.join_radix, 1, barrier_state::most_children);
  check_barrier_range("release_radix", trees.release_radix, 1, barrier_state::most_children);
  const std::uint32_t most = barrier_state::most_joins - trees.join_radix;
  check_barrier_range("processes", trees.processes, context.rank() % context.processes() + 1,
                      std::min(most, context.processes()));
  check_barrier_range("nodes", trees.nodes, 1,
                      std::min(barrier_state::most_nodes, context.nodes()));
  check_barrier_range("rank", context.rank(), 0, trees.nodes * context.processes() - 1);
}

}  // namespace

flash_barrier::flash_barrier(program_context& context, const flash_barrier_place& place,
                             const barrier_trees& trees)
    : context_(context),
      place_(place),
      is_master_(trees.two_phase && context.rank() == 0),
      waits_for_master_(trees.two_phase && !is_master_ && index(context.node()) == 0),
      tells_own_node_(trees.processes > 1) {
  check(place, trees, context);
  context.store(address(barrier_command::trees(place.number)), trees.at(context.node()).word());
}

void flash_barrier::cross() {
  if (has_joined_) {
    fail("is joined again before this process has come back; let no interrupt handler join it");
  }
  has_joined_ = true;
  const word_t before = context_.load(address(barrier_command::join(place_.number)));
  if (before == barrier_command::unknown) {
    fail("was not told to this node; make it on every node that crosses it");
  }
  const std::uint64_t sense = waits_for_master_
                                  ? barrier_command::released(place_.number, place_.line)
                                  : barrier_command::status(place_.number, place_.line);
  context_.spin(address(sense), [before](word_t now) { return now != before; });
  has_joined_ = false;
  may_release_ = is_master_;
}

void flash_barrier::release() {
  if (!may_release_) {
    fail(
        "is released; only process 0 of node 0 does so, once after each crossing, where the trees "
        "have two "
        "phases");
  }
  may_release_ = false;
  context_.store(address(barrier_command::join(place_.number)), tells_own_node_ ? 1 : 0);
}

void flash_barrier::fail(const char* problem) const {
  throw simulation_error(fmt::format("barrier {} {} (processor {}, process {}, cycle {})",
                                     place_.number, problem, index(context_.node()),
                                     context_.rank() % context_.processes(), context_.now()));
}

}  // namespace tributary
