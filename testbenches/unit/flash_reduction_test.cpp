// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <tributary/algorithms/flash_reduction.h>
#include <tributary/sim/error.h>
#include <tributary/sim/random_stream.h>

#include <support/random_choice.h>
#include <support/sizes.h>
#include <support/synchronizing_machine.h>

namespace tributary {
namespace {

using testing::between;
using testing::crowded;
using testing::one_of;
using testing::synchronizing_config;
using testing::synchronizing_machine;
using kind = reduction_operation;

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

// --- operations ----------------------------------------------------------------------------------

void expect_as_of_the_host(word_t a, word_t b) {
  SCOPED_TRACE(std::to_string(a) + " and " + std::to_string(b));
  const double sum = double_of(a) + double_of(b);
  const word_t found = combine(kind::double_sum, a, b);
  if (std::isnan(sum)) {
    EXPECT_TRUE(std::isnan(double_of(found)));
    return;
  }
  EXPECT_EQ(found, word_of(sum));
  if (double_of(a) == double_of(b)) return;  // zeros of two signs: below
  EXPECT_EQ(combine(kind::double_min, a, b), word_of(std::fmin(double_of(a), double_of(b))));
  EXPECT_EQ(combine(kind::double_max, a, b), word_of(std::fmax(double_of(a), double_of(b))));
}

/// Any word, or one whose exponent is near to another's, or with few bits set.
word_t some_double(random_stream& draws, word_t near_to) {
  const word_t any = draws.next_u64();
  switch (draws.below(5)) {
    case 0:
      return any;
    case 1:
      return any & ~(word_t{0x7ff} << 52);  // zero or subnormal
    case 2:
      return any << 40 | (near_to & word_t{0x7ff} << 52);
    default:
      const word_t exponent = (near_to >> 52) + draws.below(120) - 60;
      return (any & ~(word_t{0x7ff} << 52)) | (exponent & 0x7ff) << 52;
  }
}

TEST(flash_reduction, adds_doubles_as_a_floating_point_unit_does) {
  random_stream draws(1, 2U, 3U);
  for (std::uint64_t i = testing::scaled(500'000); i-- > 0;) {
    const word_t a = some_double(draws, draws.next_u64());
    expect_as_of_the_host(a, some_double(draws, a));
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(flash_reduction, adds_doubles_at_the_edges_of_their_range) {
  using limits = std::numeric_limits<double>;
  std::vector<word_t> edges;
  for (const double value :
       {0.0, 1.0, 1.5, limits::min(), limits::denorm_min(), limits::max(), limits::epsilon(),
        limits::epsilon() / 2, 1 - limits::epsilon() / 2, limits::infinity(), std::ldexp(1, 970),
        std::ldexp(1, 969), limits::min() - limits::denorm_min()}) {
    for (const double either : {value, -value}) {
      edges.push_back(word_of(either));
    }
  }
  edges.push_back(word_of(limits::quiet_NaN()));
  for (const word_t a : edges) {
    for (const word_t b : edges) expect_as_of_the_host(a, b);
  }
}

TEST(flash_reduction, says_what_becomes_of_nans_and_of_zeros) {
  constexpr word_t negative = software_double::sign;
  constexpr word_t nan = 0x7ff0000000000123;
  constexpr word_t quiet = nan | software_double::quiet;
  const word_t one = word_of(1);
  for (const kind operation : {kind::double_sum, kind::double_min, kind::double_max}) {
    EXPECT_EQ(combine(operation, one, nan), quiet);
    EXPECT_EQ(combine(operation, nan, one), quiet);
    EXPECT_EQ(combine(operation, nan, nan | 4), quiet) << "the first of two";
  }
  constexpr word_t infinity = software_double::infinity;
  EXPECT_EQ(combine(kind::double_sum, infinity, infinity | negative), software_double::no_number);
  EXPECT_EQ(combine(kind::double_min, 0, negative), negative);
  EXPECT_EQ(combine(kind::double_min, negative, 0), negative);
  EXPECT_EQ(combine(kind::double_max, 0, negative), 0U);
  EXPECT_EQ(combine(kind::double_max, negative, 0), 0U);
}

TEST(flash_reduction, combines_integers_modulo_two_to_the_64) {
  constexpr word_t top = ~word_t{0};
  constexpr word_t least = word_t{1} << 63;
  EXPECT_EQ(combine(kind::sum, top, 3), 2U);
  EXPECT_EQ(combine(kind::min, 1, top), top) << "-1";
  EXPECT_EQ(combine(kind::max, 1, top), 1U);
  EXPECT_EQ(combine(kind::max, least, top), top);
  EXPECT_EQ(combine(kind::min_unsigned, 1, top), 1U);
  EXPECT_EQ(combine(kind::max_unsigned, least, top), top);
  EXPECT_EQ(combine(kind::bit_and, 0b1100, 0b1010), 0b1000U);
  EXPECT_EQ(combine(kind::bit_or, 0b1100, 0b1010), 0b1110U);
  EXPECT_EQ(combine(kind::bit_xor, 0b1100, 0b1010), 0b0110U);
}

// --- machines ------------------------------------------------------------------------------------

constexpr kind all_kinds[] = {kind::sum,          kind::min,          kind::max,
                              kind::min_unsigned, kind::max_unsigned, kind::bit_and,
                              kind::bit_or,       kind::bit_xor,      kind::double_sum,
                              kind::double_min,   kind::double_max};

/// What a process gives in a round; integers so large that sums overflow, doubles so far apart that
/// the order of a sum matters.
word_t given(std::uint32_t process, std::uint64_t round, kind operation) {
  random_stream draws(round, process, 9U);
  if (!is_of_doubles(operation)) return draws.next_u64() >> draws.below(3);
  const auto whole = static_cast<double>(static_cast<std::int64_t>(draws.next_u64()));
  return word_of(std::ldexp(whole, static_cast<int>(draws.below(60))));
}

/// By the instructions of the host, in the order that flash_reduction.h tells.
word_t expected_of(std::uint32_t node, std::uint32_t nodes, std::uint32_t radix,
                   std::uint64_t round, kind operation) {
  word_t result = given(node, round, operation);
  for (std::uint32_t child = radix * node + 1; child <= radix * node + radix && child < nodes;
       ++child) {
    const word_t below = expected_of(child, nodes, radix, round, operation);
    result = operation == kind::double_sum ? word_of(double_of(result) + double_of(below))
                                           : combine(operation, result, below);
  }
  return result;
}

struct plan {
  barrier_trees trees;
  std::uint64_t rounds;
  std::uint64_t skew;
  kind operation;
};

/// Every process of the first `trees.nodes` gets the right word in each round, and none too early,
/// as a word that is not there yet could not be right.
void expect_right(synchronizing_machine& machine, const plan& of, std::uint64_t number = 0) {
  std::uint64_t right = 0;
  machine.run([&](program_context& context) {
    if (context.rank() >= of.trees.nodes) return;
    flash_reduction all(context, machine.reduction_place(number), of.trees, of.operation);
    for (std::uint64_t round = 0; round < of.rounds; ++round) {
      context.delay(context.random(of.skew + 1));
      const word_t found = all.reduce(given(context.rank(), round, of.operation));
      if (found == expected_of(0, of.trees.nodes, of.trees.join_radix, round, of.operation)) {
        ++right;
      }
    }
  });
  EXPECT_EQ(right, of.rounds * of.trees.nodes);
  EXPECT_EQ(machine.runs("reductions.child_joined"), of.rounds * (of.trees.nodes - 1));
  EXPECT_EQ(machine.runs("reductions.released"), of.rounds * (of.trees.nodes - 1));
  EXPECT_EQ(machine.runs("reductions.processor_join"), of.rounds * of.trees.nodes);
  for (std::uint32_t i = 0; i < of.trees.nodes; ++i) {
    EXPECT_EQ(machine.reduction(i, number).combined(), 0U) << "node " << i;
  }
}

/// P - 1 joins and P - 1 releases an episode, as of a barrier.
TEST(flash_reduction, gives_all_what_all_have_given) {
  std::size_t next = 0;
  for (const auto& [nodes, machine_nodes] :
       {std::pair(1U, 2U), std::pair(2U, 2U), std::pair(4U, 4U), std::pair(7U, 8U),
        std::pair(13U, 16U), std::pair(16U, 16U)}) {
    for (std::uint32_t radix = 1; radix <= barrier_state::most_children; ++radix) {
      const kind operation = all_kinds[next++ % std::size(all_kinds)];
      SCOPED_TRACE(std::to_string(nodes) + " nodes, radix " + std::to_string(radix) +
                   ", operation " + std::to_string(static_cast<int>(operation)));
      synchronizing_machine machine(machine_nodes);
      expect_right(machine, {{nodes, radix, radix}, 4, 500, operation});
    }
  }
}

/// A node may be released, and join again, before its parent in the join tree is released.
TEST(flash_reduction, trees_of_two_radices_mix_no_rounds) {
  for (const auto& radices : {std::pair(4U, 2U), std::pair(2U, 4U), std::pair(1U, 5U)}) {
    SCOPED_TRACE(std::to_string(radices.first) + " up, " + std::to_string(radices.second) +
                 " down");
    synchronizing_machine machine(16);
    expect_right(machine, {{16, radices.first, radices.second}, 150, 600, kind::sum}, 2);
  }
}

/// Whoever comes first, the sum of doubles has the same bits.
TEST(flash_reduction, adds_doubles_in_one_order) {
  for (const std::uint64_t skew : {0U, 50U, 2000U}) {
    SCOPED_TRACE("skew " + std::to_string(skew));
    synchronizing_machine machine(16);
    expect_right(machine, {{16, 5, 3}, 25, skew, kind::double_sum}, 1);
  }
}

TEST(flash_reduction, waits_for_room_and_for_data_buffers) {
  synchronizing_config config = crowded(16);
  config.machine.node.buffers.buffers = 4;
  synchronizing_machine machine(config);
  plan of{{16, 1, 5}, 40, 0, kind::double_sum};
  expect_right(machine, of);
  EXPECT_GT(machine.runs("reductions.release_later"), 0U) << "there was room for every release";
}

/// The join of a node that still tells others of another reduction.
TEST(flash_reduction, a_join_waits_for_room) {
  constexpr std::uint32_t nodes = 16;
  constexpr std::uint32_t few = 5;
  constexpr std::uint64_t rounds = 40;
  synchronizing_machine machine(crowded(nodes));
  std::uint64_t right = 0;
  machine.run([&](program_context& context) {
    const std::uint32_t rank = context.rank();
    flash_reduction of_all(context, machine.reduction_place(2), {nodes, 1, 5}, kind::sum);
    std::optional<flash_reduction> of_few;
    if (rank < few) {
      of_few.emplace(context, machine.reduction_place(0), barrier_trees{few, 3, 3}, kind::max);
    }
    for (std::uint64_t round = 0; round < rounds; ++round) {
      if (of_all.reduce(rank + round) == nodes * (nodes - 1) / 2 + nodes * round) ++right;
      if (rank == few - 1) context.delay(2800);  // a child of node 1, which is telling
      if (of_few && of_few->reduce(rank * round) == (few - 1) * round) ++right;
    }
  });
  EXPECT_EQ(right, rounds * (nodes + few));
  EXPECT_GT(machine.runs("reductions.join_later"), 0U) << "there was room for every join";
}

/// What a program on the first of two nodes is told when it does something wrong.
std::string refusal(
    const std::function<void(program_context&, const flash_reduction_place&)>& wrong) {
  synchronizing_machine machine(2);
  std::string told;
  machine.run([&](program_context& context) {
    if (context.rank() != 0) return;
    try {
      wrong(context, machine.reduction_place());
    } catch (const error& found) {
      told = found.what();
    }
  });
  return told;
}

TEST(flash_reduction, refuses_what_it_cannot_keep_by_name) {
  const auto make = [](std::uint64_t number, const barrier_trees& trees) {
    return refusal([=](program_context& context, flash_reduction_place place) {
      place.number = number;
      flash_reduction(context, place, trees, kind::sum);
    });
  };
  const auto named = [](const std::string& key) { return "flash_reduction." + key; };
  barrier_trees master{2, 1, 1};
  master.two_phase = true;
  EXPECT_EQ(make(2, {2, 1, 1}), "");
  EXPECT_NE(make(3, {2, 1, 1}).find(named("number")), std::string::npos);
  EXPECT_NE(make(0, {2, 0, 1}).find(named("join_radix")), std::string::npos);
  EXPECT_NE(make(0, {2, 1, 6}).find(named("release_radix")), std::string::npos);
  EXPECT_NE(make(0, {2, 1, 1, false, 2}).find(named("processes")), std::string::npos);
  EXPECT_NE(make(0, {257, 1, 1}).find(named("nodes")), std::string::npos);
  EXPECT_NE(make(0, master).find(named("two_phase")), std::string::npos);
}

TEST(flash_reduction, tells_who_joins_what_the_node_does_not_keep) {
  const std::string told = refusal([](program_context& context, flash_reduction_place place) {
    place.count = 8;  // more than the node has
    place.number = 5;
    flash_reduction(context, place, {1, 1, 1}, kind::sum).reduce(1);
  });
  EXPECT_NE(told.find("processor 0"), std::string::npos) << told;
  EXPECT_NE(told.find("reduction 5"), std::string::npos) << told;
}

TEST(flash_reduction, takes_doubles_for_operations_of_doubles_only) {
  const auto reduce = [](kind operation) {
    return refusal([=](program_context& context, const flash_reduction_place& place) {
      const double found = flash_reduction(context, place, {1, 1, 1}, operation).reduce_double(2.5);
      if (found != 2.5) throw error("the value of a single process is another one");
    });
  };
  EXPECT_EQ(reduce(kind::double_sum), "");
  EXPECT_NE(reduce(kind::sum).find("reduction 0"), std::string::npos);
}

}  // namespace
}  // namespace tributary
