// SPDX-License-Identifier: Apache-2.0
// Programs on the data-parallel run-time: what they move, that they notice what goes wrong, and
// what they refuse.
#include <gtest/gtest.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <support/data_parallel_double.h>
#include <support/failure.h>
#include <support/ideal_machine.h>
#include <tributary/algorithms/data_parallel_programs/data_parallel_program.h>
#include <tributary/processor/program.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary::testing {
namespace {

using call = data_parallel_fault::call;

/// The default program of that name, with some of its parameters.
data_parallel_program named(const std::string& name,
                            const std::vector<std::string>& assignments = {}) {
  data_parallel_program choice;
  parameter_set set = parameter_set::of(choice);
  set.set("name", name);
  for (const std::string& each : assignments) set.set_assignment(name + "." + each);
  return choice;
}

/// Runs what `make` makes of a run-time's maker on so many nodes.
void run(std::uint32_t nodes, std::unique_ptr<program> what) {
  ideal_config machine;
  machine.elements = nodes;
  machine.programs.replay_limit = 0;
  ideal_machine(machine, 1, std::move(what)).run();
}

data_parallel_counts counts_of(const data_parallel_program& choice, std::uint32_t nodes) {
  data_parallel_world world(nodes, data_parallel_bytes(choice, nodes));
  run(nodes, make_data_parallel_program(choice, nodes, world.maker()));
  return world.counts();
}

std::string failure_with(const data_parallel_program& choice, std::uint32_t nodes,
                         const data_parallel_fault& fault) {
  data_parallel_world world(nodes, data_parallel_bytes(choice, nodes), fault);
  return failure<std::exception>(
      [&] { run(nodes, make_data_parallel_program(choice, nodes, world.maker())); });
}

/// Gets, their bytes, sends, their bytes, combining sends, broadcasts, their bytes, reductions,
/// barriers.
std::string text(const data_parallel_counts& counts) {
  std::string made;
  for (const std::uint64_t each :
       {counts.gets, counts.get_bytes, counts.sends, counts.send_bytes, counts.combining_sends,
        counts.broadcasts, counts.broadcast_bytes, counts.reduces, counts.barriers}) {
    made += std::to_string(each) + ' ';
  }
  return made;
}

struct counted_program {
  const char* name;
  std::uint32_t nodes;
  data_parallel_counts expected;
  std::vector<std::string> assignments = {};

  friend std::ostream& operator<<(std::ostream& out, const counted_program& what) {
    return out << what.name << " on " << what.nodes << " nodes";
  }
};

class data_parallel_programs_count : public ::testing::TestWithParam<counted_program> {};

TEST_P(data_parallel_programs_count, as_their_closed_forms_say) {
  const counted_program& what = GetParam();
  EXPECT_EQ(text(counts_of(named(what.name, what.assignments), what.nodes)), text(what.expected));
}

/// Of a halo: 2 x `side` x (cuts between rows of blocks + cuts between columns) gets an iteration.
data_parallel_counts halo_counts(std::uint64_t cuts, std::uint64_t barriers) {
  const std::uint64_t gets = 18 * 2 * 128 * cuts;
  return {gets, 8 * gets, 0, 0, 0, 0, 0, 18, barriers};
}
constexpr data_parallel_counts columns_counts{0, 0, 0, 0, 0, 128, std::uint64_t{128} * 1024, 0, 0};

INSTANTIATE_TEST_SUITE_P(
    all, data_parallel_programs_count,
    ::testing::Values(counted_program{"jacobi", 8, halo_counts(4, 19)},
                      counted_program{"jacobi", 16, halo_counts(8, 19)},
                      counted_program{"halo2d", 8, halo_counts(4, 19)},
                      counted_program{"halo2d", 8, halo_counts(4, 1), {"grids=2"}},
                      counted_program{"halo2d", 64, halo_counts(14, 19), {"block_rows=8"}},
                      counted_program{"matrix", 8, columns_counts},
                      counted_program{"matrix", 64, columns_counts},
                      counted_program{"colcast", 8, columns_counts},
                      counted_program{"colcast", 16, columns_counts}));

TEST(data_parallel_programs, get_as_often_as_published) {
  EXPECT_EQ(halo_counts(4, 0).gets, 18432U);
}

struct faulty_program {
  const char* name;
  call which;
  std::uint64_t number;
  std::vector<std::string> assignments = {};

  friend std::ostream& operator<<(std::ostream& out, const faulty_program& what) {
    return out << what.name << ", call " << static_cast<int>(what.which) << ' ' << what.number;
  }
};

class data_parallel_programs_notice : public ::testing::TestWithParam<faulty_program> {};

TEST_P(data_parallel_programs_notice, a_call_that_is_lost_or_astray) {
  const faulty_program& what = GetParam();
  const data_parallel_program choice = named(what.name, what.assignments);
  EXPECT_NE(failure_with(choice, 8, {what.which, what.number, false}), "");
  EXPECT_NE(failure_with(choice, 8, {what.which, what.number, true}), "");
}

INSTANTIATE_TEST_SUITE_P(all, data_parallel_programs_notice,
                         ::testing::Values(faulty_program{"jacobi", call::get, 0},
                                           faulty_program{"jacobi", call::get, 18431},
                                           faulty_program{"jacobi", call::barrier, 0},
                                           faulty_program{"jacobi", call::barrier, 10},
                                           faulty_program{"halo2d", call::get, 0},
                                           faulty_program{"halo2d", call::get, 18431},
                                           faulty_program{"halo2d", call::get, 5000, {"grids=2"}},
                                           faulty_program{"halo2d", call::barrier, 4},
                                           faulty_program{"matrix", call::broadcast, 0},
                                           faulty_program{"matrix", call::broadcast, 127},
                                           faulty_program{"colcast", call::broadcast, 77}));

TEST(data_parallel_programs, say_what_came_instead) {
  const std::string lost = failure_with(named("halo2d"), 8, {call::get, 5000, true});
  EXPECT_NE(lost.find("in phase 4, not item"), std::string::npos) << lost;
  const std::string wrong = failure_with(named("jacobi"), 8, {call::get, 0, false});
  EXPECT_NE(wrong.find("not what one processor computes"), std::string::npos) << wrong;
}

TEST(data_parallel_programs, refuse_nodes_that_do_not_fit) {
  const struct {
    data_parallel_program choice;
    std::uint32_t nodes;
    const char* key;
    const char* allowed;
  } cases[] = {
      {named("jacobi"), 7, "jacobi.block_rows", "divisors of 7"},
      {named("jacobi"), 12, "jacobi.side", "multiples of 6"},
      {named("halo2d", {"side=127"}), 8, "halo2d.side", "multiples of 2"},
      {named("halo2d", {"reduce_bytes=5"}), 8, "halo2d.reduce_bytes", "multiples of 4"},
      {named("matrix"), 7, "matrix.side", "multiples of 7"},
      {named("colcast"), 48, "colcast.columns", "multiples of 48"},
  };
  for (const auto& each : cases) {
    const std::string why = failure<configuration_error>(
        [&] { make_data_parallel_program(each.choice, each.nodes, {}); });
    EXPECT_NE(why.find(each.key), std::string::npos) << why;
    EXPECT_NE(why.find(each.allowed), std::string::npos) << why;
  }
}

TEST(data_parallel_programs, refuse_less_memory_than_their_data_take) {
  const data_parallel_program choice = named("colcast");
  data_parallel_world world(8, data_parallel_bytes(choice, 8) - 4096);
  const std::string why = failure<std::exception>(
      [&] { run(8, make_data_parallel_program(choice, 8, world.maker())); });
  EXPECT_NE(why.find("needs 131072 bytes"), std::string::npos) << why;
}

// --- the double itself ------------------------------------------------------------------------

/// What two nodes are refused that run this on 64 words each.
std::string refusal(const std::function<void(data_parallel&)>& what) {
  data_parallel_world world(2, 512);
  const data_parallel_maker make = world.maker();
  return failure<std::exception>(
      [&] { run(2, make_program([&](program_context& context) { what(*make(context)); })); });
}

TEST(data_parallel_double, delivers_at_the_barrier) {
  EXPECT_EQ(refusal([](data_parallel& here) {
              const node_id other{1 - static_cast<std::uint32_t>(here.node())};
              here.write(0, 7 + static_cast<word_t>(here.node()));
              here.barrier();
              here.get({other, 0}, 8, 8);
              here.send({other, 16}, 0, 8);
              here.combining_send({other, 24}, 5, combining_operation::sum, 4);
              here.barrier();
              const word_t expected = 8 - static_cast<word_t>(here.node());
              EXPECT_EQ(here.read(8), expected);
              EXPECT_EQ(here.read(16), expected);
              EXPECT_EQ(here.read(24), 5U);
              EXPECT_EQ(here.reduce(expected, combining_operation::sum, 8), 15U);
              here.broadcast(node_id{1}, 0, 8);
              EXPECT_EQ(here.read(0), 8U);
            }),
            "");
}

TEST(data_parallel_double, holds_programs_to_the_rules) {
  const struct {
    const char* message;
    std::function<void(data_parallel&, node_id)> what;
  } cases[] = {
      {"is read before the barrier",
       [](data_parallel& here, node_id other) {
         here.get({other, 0}, 8, 8);
         here.read(8);
       }},
      {"is written before the barrier",
       [](data_parallel& here, node_id other) {
         here.send({other, 8}, 0, 8);
         here.write(0, 1);
       }},
      {"between two barriers",
       [](data_parallel& here, node_id other) {
         here.get({other, 0}, 8, 8);
         here.write(0, 1);
       }},
      {"by two messages",
       [](data_parallel& here, node_id) {
         here.send({node_id{0}, 8}, 0, 8);
       }},
      {"between two barriers",
       [](data_parallel& here, node_id other) {
         here.write(8, 1);
         here.send({other, 8}, 0, 8);
       }},
      {"is used otherwise and combined",
       [](data_parallel& here, node_id other) {
         here.send({other, 8}, 0, 8);
         here.combining_send({other, 8}, 1, combining_operation::sum, 8);
       }},
      {"takes part in the broadcast",
       [](data_parallel& here, node_id) {
         if (here.node() == node_id{1}) {
           here.context().delay(1000);
           here.read(0);
         }
         here.broadcast(node_id{0}, 0, 8);
       }},
      {"what is not there",
       [](data_parallel& here, node_id other) {
         here.get({other, 512}, 8, 8);
       }},
      {"at another barrier",
       [](data_parallel& here, node_id) {
         if (here.node() == node_id{0}) here.barrier();
         if (here.node() == node_id{1}) here.reduce(0, combining_operation::sum, 8);
       }},
  };
  for (const auto& each : cases) {
    const std::string why = refusal([&](data_parallel& here) {
      each.what(here, node_id{1 - static_cast<std::uint32_t>(here.node())});
      here.barrier();
    });
    EXPECT_NE(why.find(each.message), std::string::npos) << why;
  }
}

}  // namespace
}  // namespace tributary::testing
