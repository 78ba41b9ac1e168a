// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include <tributary/algorithms/request_loop.h>
#include <tributary/sim/random_stream.h>

#include <support/forwarding_context.h>
#include <support/smp_programs.h>

namespace tributary {
namespace {

using testing::small_machine;
using testing::smp_programs;

constexpr std::uint64_t one = std::uint64_t{1} << 32;

// --- exponential times ---------------------------------------------------------------------------

/// From draws that are given as parts of 1, all of them and no more.
std::uint64_t drawn_from(const std::vector<double>& draws) {
  std::size_t at = 0;
  const std::uint64_t found = draw_exponential([&](std::uint64_t n) {
    return static_cast<std::uint64_t>(draws.at(at++) * static_cast<double>(n));
  });
  EXPECT_EQ(at, draws.size());
  return found;
}

/// Von Neumann's rule: as long as draws fall the run goes on; odd runs give their first draw, even
/// ones add 1 and begin anew.
TEST(request_loop, exponential_numbers_are_by_the_lengths_of_falling_runs) {
  const auto times = [](double x) {
    return static_cast<std::uint64_t>(x * static_cast<double>(one));
  };
  EXPECT_EQ(drawn_from({0.25, 0.5}), times(0.25));
  EXPECT_EQ(drawn_from({0.25, 0.25}), times(0.25)) << "one that is equal does not fall";
  EXPECT_EQ(drawn_from({0.5, 0.25, 0.125, 0.75}), times(0.5));
  EXPECT_EQ(drawn_from({0.5, 0.25, 0.75, 0.125, 0.5}), times(1.125));
  EXPECT_EQ(drawn_from({0.5, 0.25, 0.75, 0.5, 0.25, 0.75, 0.625, 0.875}), times(2.625));
}

std::vector<std::uint64_t> exponentials(std::uint64_t seed, std::size_t count) {
  random_stream draws(seed, 2U, 4U);
  std::vector<std::uint64_t> all;
  for (std::size_t i = 0; i < count; ++i) {
    all.push_back(draw_exponential([&](std::uint64_t n) { return draws.below(n); }));
  }
  return all;
}

/// For good: results must not depend on the machine.
TEST(request_loop, exponential_numbers_have_the_same_bits_everywhere) {
  EXPECT_EQ(exponentials(1, 6), (std::vector<std::uint64_t>{1637528805, 2138447124, 1562145295,
                                                            1471290557, 5939194930, 12679513709}));
}

/// Mean and variance of an exponential distribution are 1, its fourth central moment is 9.
TEST(request_loop, exponential_numbers_have_mean_and_variance_1) {
  constexpr std::size_t count = 40000;
  double sum = 0;
  double squares = 0;
  std::size_t above_two = 0;
  for (const std::uint64_t each : exponentials(5, count)) {
    const double x = static_cast<double>(each) / static_cast<double>(one);
    sum += x;
    squares += (x - 1) * (x - 1);
    if (x > 2) ++above_two;
  }
  EXPECT_NEAR(sum / count, 1, 4 / std::sqrt(count));
  EXPECT_NEAR(squares / count, 1, 4 * std::sqrt(8. / count));
  const double tail = std::exp(-2.);
  EXPECT_NEAR(static_cast<double>(above_two) / count, tail,
              4 * std::sqrt(tail * (1 - tail) / count));
}

// --- the mean time of computing ------------------------------------------------------------------

/// W2: the table of the specification's section 6, to its last printed digit.
TEST(request_loop, mean_computing_is_that_of_the_table) {
  const std::vector<double> utilisations{0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95};
  const std::map<std::uint64_t, std::vector<double>> table{
      {600, {31.6, 66.7, 150, 257, 400, 600, 900, 1400, 2400, 5400, 11400}},
      {900, {47.4, 100, 225, 386, 600, 900, 1350, 2100, 3600, 8100, 17100}},
      {1600, {84.2, 178, 400, 686, 1067, 1600, 2400, 3733, 6400, 14400, 30400}}};
  for (const auto& [round_trip, row] : table) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      request_loop_config config;
      config.utilisation = utilisations[i];
      const double found = static_cast<double>(config.mean_computing(round_trip)) / 65536;
      EXPECT_NEAR(found, row[i], row[i] < 100 ? 0.05 : 0.5) << round_trip << ", " << i;
      config.round_trip = round_trip;
      EXPECT_NEAR(static_cast<double>(config.mean_computing(77)) / 65536, found, 1e-9)
          << "its own, whatever the machine's";
    }
  }
  request_loop_config none;
  none.utilisation = 0;
  EXPECT_EQ(none.mean_computing(600), 0U);
  none.computing = 12345;
  EXPECT_EQ(none.mean_computing(600), std::uint64_t{12345} << 16) << "in place of U and L";
}

// --- the program ---------------------------------------------------------------------------------

/// What a process did.
struct process_record {
  std::vector<std::uint64_t> delays;
  std::vector<std::uint64_t> addresses;
};

class recording_context final : public testing::forwarding_context {
 public:
  recording_context(program_context& working, process_record& record)
      : forwarding_context(working, working.size()), record_(record) {}

  void delay(std::uint64_t cycles) override {
    record_.delays.push_back(cycles);
    working_.delay(cycles);
  }
  pending issue(operation what, std::uint64_t address, word_t e, word_t f) override {
    EXPECT_EQ(what, operation::load);
    record_.addresses.push_back(address);
    return working_.issue(what, address, e, f);
  }

 private:
  process_record& record_;
};

struct loop_run {
  loop_run(const smp_machine_config& machine, const request_loop_config& config,
           const request_place& place, std::uint64_t seed = 1)
      : records(machine.elements()) {
    const std::unique_ptr<program> loop = make_request_loop(config, place);
    smp_programs nodes(
        machine, testing::null_requests,
        [&](program_context& context) {
          recording_context watched(context, records[context.rank()]);
          loop->run(watched);
        },
        seed);
    EXPECT_TRUE(nodes.run());
    cycles = nodes.machine.now();
  }

  std::vector<process_record> records;
  cycle_t cycles = 0;
};

/// W6: a node's work is the same with any number of processors.
TEST(request_loop, a_nodes_requests_are_divided_among_its_processors) {
  for (const auto& [kind, processors] :
       {std::pair(schedule_kind::single, 1U), std::pair(schedule_kind::floating, 2U),
        std::pair(schedule_kind::fixed, 2U), std::pair(schedule_kind::fixed, 4U),
        std::pair(schedule_kind::floating, 7U)}) {
    request_loop_config config;
    config.requests = 60;
    config.utilisation = 0.1;
    const smp_machine_config machine = small_machine(kind, processors);
    const loop_run run(machine, config, {});
    const std::uint32_t computing = machine.node.computing();
    for (std::uint32_t node = 0; node < 2; ++node) {
      std::size_t sum = 0;
      for (std::uint32_t i = 0; i < computing; ++i) {
        const process_record& each = run.records[node * computing + i];
        EXPECT_EQ(each.delays.size(), each.addresses.size());
        EXPECT_EQ(each.addresses.size(), 60 / computing + (i < 60 % computing ? 1 : 0));
        sum += each.addresses.size();
      }
      EXPECT_EQ(sum, 60U);
    }
  }
}

TEST(request_loop, addresses_are_blocks_of_other_nodes_all_alike) {
  smp_machine_config machine = small_machine(schedule_kind::floating, 2);
  machine.nodes = 4;
  request_loop_config config;
  config.requests = 600;
  config.utilisation = 0;
  request_place place;
  place.blocks = 5;
  place.block_bytes = 64;
  const loop_run run(machine, config, place);
  for (std::uint32_t rank = 0; rank < 8; ++rank) {
    std::map<std::uint32_t, double> nodes;
    std::map<std::uint64_t, double> blocks;
    for (const std::uint64_t address : run.records[rank].addresses) {
      const address_layout& layout = place.addresses;
      EXPECT_EQ(layout.space_of(address), place.space);
      EXPECT_EQ(layout.offset_of(address) % 64, 0U);
      ++nodes[index(layout.node_of(address))];
      ++blocks[layout.offset_of(address) / 64];
    }
    EXPECT_EQ(nodes.count(rank / 2), 0U) << "the own node";
    EXPECT_EQ(nodes.size(), 3U);
    EXPECT_EQ(blocks.size(), 5U);
    EXPECT_LT(blocks.rbegin()->first, 5U);
    for (const auto& [node, count] : nodes) EXPECT_NEAR(count, 100, 4 * std::sqrt(300 * 2. / 9));
    for (const auto& [block, count] : blocks) EXPECT_NEAR(count, 60, 4 * std::sqrt(300 * 4. / 25));
  }
}

/// A product of more than 64 bits, rounded once.
TEST(request_loop, computing_times_are_the_mean_times_what_was_drawn) {
  __extension__ using wide = unsigned __int128;
  for (const double utilisation : {0.0, 0.05, 0.3, 0.95, 0.999}) {
    request_loop_config config;
    config.requests = 40;
    config.utilisation = utilisation;
    config.round_trip = 160;
    const loop_run run(small_machine(schedule_kind::single, 1), config, {}, 9);
    // A null request to one block of two nodes draws nothing else.
    random_stream draws(9, pe_id{1}, purpose::program);
    for (const std::uint64_t found : run.records[1].delays) {
      const wide drawn = draw_exponential([&](std::uint64_t n) { return draws.below(n); });
      const wide exact = drawn * config.mean_computing(0);
      EXPECT_EQ(found, static_cast<std::uint64_t>(((exact >> 32) + (1U << 15)) >> 16));
    }
  }
}

TEST(request_loop, the_same_seed_gives_the_same_run) {
  request_loop_config config;
  config.requests = 40;
  const smp_machine_config machine = small_machine(schedule_kind::floating, 3);
  const loop_run first(machine, config, {}, 3);
  const loop_run second(machine, config, {}, 3);
  const loop_run other(machine, config, {}, 4);
  EXPECT_EQ(first.cycles, second.cycles);
  for (std::size_t i = 0; i < first.records.size(); ++i) {
    EXPECT_EQ(first.records[i].delays, second.records[i].delays);
    EXPECT_NE(first.records[i].delays, other.records[i].delays);
  }
}

}  // namespace
}  // namespace tributary
