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
#include <support/sizes.h>
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
  for (const std::string& each : assignments) {
    std::string whole = name;
    set.set_assignment(whole.append(".").append(each));
  }
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
  const std::uint64_t gets = std::uint64_t{18} * 2 * 128 * cuts;
  return {gets, 8 * gets, 0, 0, 0, 0, 0, 18, barriers};
}
/// Of the same halo on 8 nodes, if so many edges of blocks are got at once.
data_parallel_counts edge_counts(std::uint64_t edges, std::uint64_t barriers) {
  data_parallel_counts counts = halo_counts(4, barriers);
  counts.gets = 18 * edges;
  return counts;
}
/// Of 128 broadcasts, so many bytes, with as many reductions or none.
constexpr data_parallel_counts cast_counts(std::uint64_t bytes, std::uint64_t reduces) {
  return {0, 0, 0, 0, 0, 128, bytes, reduces, 0};
}
constexpr data_parallel_counts columns_counts = cast_counts(std::uint64_t{128} * 1024, 0);
constexpr data_parallel_counts rows_counts = cast_counts(std::uint64_t{128} * 1024, 128);
/// Rows of 128, 127, ... words.
constexpr data_parallel_counts shrinking_counts =
    cast_counts(std::uint64_t{8} * 128 * 129 / 2, 128);
/// Gets of a word and sends of 64 words, so many of each node.
data_parallel_counts shift_counts(std::uint64_t nodes, std::uint64_t gets, std::uint64_t sends,
                                  std::uint64_t barriers) {
  return {nodes * gets, 8 * nodes * gets, nodes * sends, 512 * nodes * sends, 0, 0, 0, 0, barriers};
}

INSTANTIATE_TEST_SUITE_P(
    all, data_parallel_programs_count,
    ::testing::Values(
        counted_program{"jacobi", 8, halo_counts(4, 19)},
        counted_program{"jacobi", 16, halo_counts(8, 19)},
        counted_program{"halo2d", 8, halo_counts(4, 19)},
        counted_program{"halo2d", 8, halo_counts(4, 1), {"grids=2"}},
        counted_program{"halo2d", 8, edge_counts(20, 1), {"grids=2", "aggregated=true"}},
        counted_program{"jacobi", 8, edge_counts(20, 19), {"aggregated=true"}},
        counted_program{"halo2d", 64, halo_counts(14, 19), {"block_rows=8"}},
        counted_program{"matrix", 8, columns_counts}, counted_program{"matrix", 64, columns_counts},
        counted_program{"colcast", 8, columns_counts},
        counted_program{"colcast", 16, columns_counts}, counted_program{"gauss", 8, rows_counts},
        counted_program{"gauss", 16, shrinking_counts, {"shrinking=true"}},
        counted_program{"rowcast", 8, rows_counts}, counted_program{"rowcast", 64, rows_counts},
        counted_program{"rowcast", 8, shrinking_counts, {"shrinking=true"}},
        counted_program{"shallow", 8, shift_counts(8, 640, 80, 30)},
        counted_program{"shallow", 64, shift_counts(64, 640, 80, 30)},
        counted_program{"colshift", 8, shift_counts(8, 1920, 240, 31)},
        counted_program{"colshift", 16, shift_counts(16, 1920, 240, 31)},
        // 50 phases of 8 nodes with 2 x 20 gets; 9 of 20 have 16 bytes.
        counted_program{"ring1d", 8, {16000, 185600, 0, 0, 0, 0, 0, 0, 51}},
        counted_program{"ring1d", 2, {4000, 46400, 0, 0, 0, 0, 0, 0, 51}},
        // 10 iterations; a face of 16 x 16 points is 256, 16 or 1 gets.
        counted_program{"halo3d", 8, {21840, 491520, 0, 0, 0, 0, 0, 10, 11}},
        // 4 x 4 x 4 blocks, 48 cuts in each direction; a face of 8 x 8 points.
        counted_program{
            "halo3d", 64, {70080, 1474560, 0, 0, 0, 0, 0, 10, 11}, {"blocks_x=4", "blocks_y=4"}},
        // 4 rounds; each node sends parts of 512 words to 7 others.
        counted_program{"gradient", 8, {0, 0, 224, 917504, 0, 32, 131072, 0, 8}},
        counted_program{"gradient", 8, {0, 0, 448, 1835008, 0, 0, 0, 0, 8}, {"gather=sends"}}));

TEST(data_parallel_programs, get_as_often_as_published) {
  EXPECT_EQ(halo_counts(4, 0).gets, 18432U);
}

TEST(data_parallel_programs, draw_as_many_combining_sends_as_they_should) {
  const data_parallel_counts counts = counts_of(named("evsim"), 8);
  // 100 phases of 8 nodes with 2 on average, variance 6: 1600 within four deviations.
  EXPECT_NEAR(static_cast<double>(counts.combining_sends), 1600, 280);
  EXPECT_EQ(counts.reduces, 100U);
  EXPECT_EQ(counts.barriers, 101U);
  EXPECT_EQ(counts.gets + counts.sends + counts.broadcasts, 0U);
}

TEST(data_parallel_programs, gather_rows_of_all_nodes_alike) {
  const data_parallel_counts counts = counts_of(named("sparse_gather"), 8);
  // 10 phases of 8 nodes with 64 tokens, of which 7 in 8 need another node.
  EXPECT_NEAR(static_cast<double>(counts.gets), 4480, 100);
  EXPECT_EQ(counts.get_bytes, counts.gets * 256);
  EXPECT_EQ(counts.barriers, 11U);
}

/// Whether a failure is that of a program's own check.
bool found_by_program(const std::string& why) {
  for (const char* own : {"not what one processor computes", "went astray", "was sent to it"}) {
    if (why.find(own) != std::string::npos) return true;
  }
  return false;
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
  for (const bool astray : {false, true}) {
    const std::string why = failure_with(choice, 8, {what.which, what.number, astray});
    EXPECT_NE(why, "");
    // A barrier that is left out may break a rule first.
    if (what.which != call::barrier) {
      EXPECT_TRUE(found_by_program(why)) << why;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    all, data_parallel_programs_notice,
    ::testing::Values(
        faulty_program{"jacobi", call::get, 0}, faulty_program{"jacobi", call::get, 18431},
        faulty_program{"jacobi", call::barrier, 0}, faulty_program{"jacobi", call::barrier, 10},
        faulty_program{"halo2d", call::get, 0}, faulty_program{"halo2d", call::get, 18431},
        faulty_program{"halo2d", call::get, 5000, {"grids=2"}},
        faulty_program{"halo2d", call::barrier, 4}, faulty_program{"matrix", call::broadcast, 0},
        faulty_program{"matrix", call::broadcast, 127},
        faulty_program{"colcast", call::broadcast, 77}, faulty_program{"gauss", call::broadcast, 0},
        faulty_program{"gauss", call::broadcast, 126},
        faulty_program{"rowcast", call::broadcast, 127}, faulty_program{"shallow", call::get, 0},
        faulty_program{"shallow", call::get, 5119}, faulty_program{"shallow", call::send, 0},
        faulty_program{"shallow", call::send, 639}, faulty_program{"shallow", call::barrier, 2},
        faulty_program{"colshift", call::get, 15359}, faulty_program{"colshift", call::send, 1000},
        faulty_program{"colshift", call::barrier, 9}, faulty_program{"ring1d", call::get, 8001},
        faulty_program{"ring1d", call::barrier, 50},
        faulty_program{"evsim", call::combining_send, 700},
        faulty_program{"evsim", call::barrier, 60}, faulty_program{"halo3d", call::get, 21839},
        faulty_program{"halo3d", call::barrier, 3}, faulty_program{"gradient", call::send, 100},
        faulty_program{"gradient", call::broadcast, 31},
        faulty_program{"gradient", call::barrier, 1},
        faulty_program{"gradient", call::send, 447, {"gather=sends"}},
        faulty_program{"sparse_gather", call::get, 4000},
        faulty_program{"sparse_gather", call::barrier, 0}));

TEST(data_parallel_programs, notice_whichever_call_is_lost) {
  const struct {
    data_parallel_program choice;
    call which;
    std::uint64_t calls;
  } cases[] = {
      {named("jacobi", {"side=8", "iterations=2"}), call::get, 128},
      {named("shallow", {"side=8", "steps=2"}), call::get, 128},
      {named("shallow", {"side=8", "steps=2"}), call::send, 128},
      {named("matrix", {"side=8"}), call::broadcast, 8},
      {named("gauss", {"side=8"}), call::broadcast, 7},  // the last one changes nothing
      {named("gradient", {"words=16", "rounds=2"}), call::send, 112},
      {named("gradient", {"words=16", "rounds=2"}), call::broadcast, 16},
      {named("halo3d", {"side=4", "iterations=2"}), call::get, 112},
  };
  // The short form loses every fifth call, and so calls of all nodes and phases.
  const std::uint64_t step = testing::long_form() ? 1 : 5;
  for (const auto& each : cases) {
    for (std::uint64_t i = 0; i < each.calls; i += step) {
      const std::string why = failure_with(each.choice, 8, {each.which, i, false});
      EXPECT_TRUE(found_by_program(why)) << static_cast<int>(each.which) << ' ' << i << ' ' << why;
    }
    // There are no more calls than that.
    if (each.choice.name == data_parallel_kind::gauss) continue;
    EXPECT_EQ(failure_with(each.choice, 8, {each.which, each.calls, false}), "");
  }
}

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
      {named("gauss"), 3, "gauss.side", "multiples of 3"},
      {named("rowcast"), 48, "rowcast.rows", "multiples of 48"},
      {named("rowcast", {"reduce_bytes=6"}), 8, "rowcast.reduce_bytes", "multiples of 4"},
      {named("shallow"), 7, "shallow.side", "multiples of 7"},
      {named("shallow"), 1, "shallow", "at least 2 nodes"},
      {named("ring1d"), 1, "ring1d", "at least 2 nodes"},
      {named("colshift"), 1, "colshift", "at least 2 nodes"},
      {named("evsim"), 1, "evsim", "at least 2 nodes"},
      {named("evsim", {"send_bytes=7"}), 8, "evsim.send_bytes", "multiples of 4"},
      {named("halo3d"), 9, "halo3d.blocks_x", "divisors of 9"},
      {named("halo3d"), 6, "halo3d.blocks_y", "divisors of 3"},
      {named("halo3d"), 12, "halo3d.side", "multiples of 3"},
      {named("gradient"), 24, "gradient.words", "multiples of 24"},
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
