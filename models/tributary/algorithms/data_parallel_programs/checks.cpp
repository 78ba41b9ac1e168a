// SPDX-License-Identifier: Apache-2.0
#include <tributary/algorithms/data_parallel_programs/checks.h>

#include <string>

#include <fmt/format.h>

#include <tributary/algorithms/application_process.h>
#include <tributary/algorithms/data_parallel_programs/node_variables.h>
#include <tributary/sim/error.h>

namespace tributary::data_parallel_programs {
namespace {

constexpr std::uint32_t node_bits = 16;
constexpr std::uint32_t item_bits = 32;

std::string told(word_t word) {
  const word_t node = word >> item_bits & ((word_t{1} << node_bits) - 1);
  const word_t phase = word >> (item_bits + node_bits);
  if (node == 0 || phase == 0) return fmt::format("{:#x}, which was never sent", word);
  return fmt::format("item {} of node {} in phase {}", word & 0xffffffffU, node - 1, phase - 1);
}

}  // namespace

word_t stamp(node_id of, std::uint64_t item, std::uint64_t phase) {
  return (phase + 1) << (item_bits + node_bits) | (static_cast<word_t>(of) + 1) << item_bits | item;
}

void expect_stamp(data_parallel& here, std::uint64_t offset, node_id of, std::uint64_t item,
                  std::uint64_t phase) {
  const word_t expected = stamp(of, item, phase);
  const word_t found = here.read(offset);
  if (found == expected) return;
  throw simulation_error(fmt::format(
      "node {}: offset {} of its data has {}, not {}; a message is lost, late or went astray",
      static_cast<std::uint32_t>(here.node()), offset, told(found), told(expected)));
}

void expect_reduced(data_parallel& here, std::uint64_t phase, std::uint32_t bytes) {
  constexpr word_t lower_half = 0xffffffff;
  const word_t mask = bytes == word_bytes ? ~word_t{0} : lower_half;
  const word_t nodes = here.nodes();
  const word_t expected = nodes * (nodes + 1) / 2 + nodes * phase;
  const word_t own = static_cast<word_t>(here.node()) + 1 + phase;
  const word_t found = here.reduce(own, combining_operation::sum, bytes);
  if ((found & mask) == (expected & mask)) return;
  throw simulation_error(fmt::format("node {}: the sum of all nodes in phase {} is {}, not {}",
                                     static_cast<std::uint32_t>(here.node()), phase, found,
                                     expected));
}

void expect_same(const data_parallel& here, const char* what, std::uint64_t number, double found,
                 double expected) {
  if (word_of(found) == word_of(expected)) return;
  throw simulation_error(
      fmt::format("node {}: {} {} is {}, not what one processor computes, {}; data that it is made "
                  "of were lost, or came too late",
                  static_cast<std::uint32_t>(here.node()), what, number, found, expected));
}

}  // namespace tributary::data_parallel_programs
