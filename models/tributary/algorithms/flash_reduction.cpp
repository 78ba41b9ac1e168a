// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/flash_reduction.h>

#include <cstring>
#include <string>

#include <fmt/format.h>

#include <tributary/sim/error.h>

namespace tributary {
namespace {

void check_reduction_range(const char* key, std::uint64_t value, std::uint64_t least,
                           std::uint64_t most) {
  if (value >= least && value <= most) return;
  throw configuration_error({std::string("flash_reduction.") + key, "",
                             std::to_string(value) + " is out of range",
                             fmt::format("{} to {}", least, most), "choose one that is not"});
}

void check(const flash_reduction_place& place, const barrier_trees& trees,
           const program_context& context) {
  check_reduction_range("count", place.count, 1, reduction_command::most);
  check_reduction_range("number", place.number, 0, place.count - 1);
  check_reduction_range("join_radix", trees.join_radix, 1, barrier_state::most_children);
  check_reduction_range("release_radix", trees.release_radix, 1, barrier_state::most_children);
  check_reduction_range("processes", trees.processes, 1, 1);
  if (context.processes() != 1) {
    throw configuration_error({"node.processes", "", "reductions know one process a node", "1",
                               "run one process on a node, or reduce without the controllers"});
  }
  check_reduction_range("two_phase", trees.two_phase ? 1 : 0, 0, 0);
  check_reduction_range("nodes", trees.nodes, 1, barrier_state::most_nodes);
  check_reduction_range("rank", context.rank(), 0, trees.nodes - 1);
}

word_t word_of(double value) {
  word_t word = 0;
  std::memcpy(&word, &value, sizeof word);
  return word;
}

double double_of(word_t word) {
  double value = 0;
  std::memcpy(&value, &word, sizeof value);
  return value;
}

word_t reduced_below(const barrier_trees& trees, reduction_operation operation, const word_t* words,
                     std::uint32_t node) {
  word_t result = words[node];
  for (std::uint32_t k = 1; k <= trees.join_radix; ++k) {
    const std::uint32_t child = trees.join_radix * node + k;
    if (child >= trees.nodes) break;
    result = combine(operation, result, reduced_below(trees, operation, words, child));
  }
  return result;
}

}  // namespace

flash_reduction::flash_reduction(program_context& context, const flash_reduction_place& place,
                                 const barrier_trees& trees, reduction_operation operation)
    : context_(context), place_(place), operation_(operation) {
  check(place, trees, context);
  const node_id here = context.node();
  context.store(address(reduction_command::operation(place.number)),
                reduction_state::at(trees, here, operation).word());
  context.store(address(reduction_command::trees(place.number)), trees.at(here).word());
}

word_t flash_reduction::reduce(word_t value) {
  // The controller takes what a processor asks in its order.
  context_.post(operation::store, address(reduction_command::operand(place_.number)), value);
  const word_t before = context_.load(address(reduction_command::join(place_.number)));
  if (before == reduction_command::unknown) {
    throw simulation_error(fmt::format(
        "processor {} joins reduction {} in cycle {}, of which its node was not told; make the "
        "reduction on every node that takes part",
        context_.rank(), place_.number, context_.now()));
  }
  context_.spin(address(reduction_command::status(place_.number, place_.line)),
                [before](word_t sense) { return sense != before; });
  // The line stays as it is until this process joins again.
  return context_.load(address(reduction_command::result(place_.number, place_.line)));
}

double flash_reduction::reduce_double(double value) {
  if (!is_of_doubles(operation_)) {
    throw simulation_error(fmt::format(
        "processor {} gives a double to reduction {} in cycle {}, whose operation is one of "
        "integers; make it with an operation of doubles, or call reduce",
        context_.rank(), place_.number, context_.now()));
  }
  return double_of(reduce(word_of(value)));
}

word_t reduced(const barrier_trees& trees, reduction_operation operation, const word_t* words) {
  return reduced_below(trees, operation, words, 0);
}

}  // namespace tributary
