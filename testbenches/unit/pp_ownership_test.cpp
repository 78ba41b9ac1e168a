// SPDX-License-Identifier: Apache-2.0
// Lines that a handler owns: what it costs (rows V13, V14), and that no increment is lost wherever
// the line is and whoever has it.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <support/coherent_machine.h>
#include <support/handler_statistics.h>
#include <support/owned_increments.h>

namespace tributary {
namespace {

using testing::coherent_config;
using testing::coherent_machine;
using testing::with_owned_increments;

constexpr std::uint64_t word_offset = 0x4008;

class pp_ownership_test : public ::testing::TestWithParam<consistency_kind> {
 protected:
  coherent_config config_of(std::uint32_t nodes) const {
    coherent_config config(nodes);
    config.machine.network.topology = topology_kind::point_to_point;
    config.coherence.consistency = GetParam();
    return config;
  }

  static word_t completed(const coherent_machine& m, std::uint32_t node) {
    const magic_node& at = m.machine.node(node);
    return testing::owned_increments_of(at).completed(at.memory());
  }
  /// The protocol processor of a node increments a word of a home, all else at rest.
  static void increment(coherent_machine& m, std::uint32_t node, std::uint32_t home,
                        std::uint64_t offset = word_offset) {
    const word_t before = completed(m, node);
    testing::increment_owned(m.machine, node, m.address(home, offset));
    const auto done = [&] { return completed(m, node) == before + 1 && m.machine.idle(); };
    m.machine.run_until(m.machine.now() + 100000, done);
    ASSERT_TRUE(done()) << "node " << node << " never owns the line of node " << home;
    EXPECT_FALSE(m.entry(home, offset).owned());
  }
};

INSTANTIATE_TEST_SUITE_P(both, pp_ownership_test,
                         ::testing::Values(consistency_kind::relaxed, consistency_kind::sequential),
                         [](const auto& each) {
                           return each.param == consistency_kind::relaxed ? "relaxed"
                                                                          : "sequential";
                         });

TEST_P(pp_ownership_test, a_local_line_that_memory_has_takes_the_fast_path) {
  coherent_machine m(config_of(2), with_owned_increments);
  increment(m, 0, 0);
  EXPECT_EQ(testing::handler_total(m.machine, "owned_increments.increment", "sum"), 68 + 48)
      << "FLASH 4.4.2: 68 to acquire, 48 to release";
  EXPECT_EQ(testing::handler_total(m.machine, "coherence.ask_owned"), 0U);
  EXPECT_EQ(m.newest(m.address(0, word_offset)), 1U);
}

TEST_P(pp_ownership_test, a_remote_line_takes_the_robust_path) {
  coherent_machine m(config_of(2), with_owned_increments);
  increment(m, 1, 0);
  std::uint64_t occupancy = 0;
  for (const char* handler : {"owned_increments.increment", "coherence.ask_owned",
                              "coherence.take_owned", "owned_increments.increment_owned"}) {
    occupancy += testing::handler_total(m.machine, handler, "sum");
  }
  EXPECT_EQ(occupancy, 169 + 40) << "FLASH 4.4.2: 169 to acquire, 40 to release, at the requester";
  EXPECT_EQ(m.newest(m.address(0, word_offset)), 1U);
}

/// Who stores to the line and who loads it, before each node's protocol processor increments it.
TEST_P(pp_ownership_test, the_line_is_in_caches) {
  struct state {
    std::vector<std::uint32_t> writers;
    std::vector<std::uint32_t> readers;
  };
  const state states[] = {{{}, {}},  {{0}, {}}, {{1}, {}},    {{2}, {}},       {{}, {0}},
                          {{}, {1}}, {{}, {2}}, {{}, {0, 1}}, {{}, {1, 2, 3}}, {{2}, {0, 1, 3}}};
  for (std::uint32_t owner = 0; owner < 3; ++owner) {
    for (const state& each : states) {
      coherent_machine m(config_of(4), with_owned_increments);
      const std::uint64_t address = m.address(0, word_offset);
      word_t wanted = 0;
      for (const std::uint32_t node : each.writers) m.write(node, address, wanted = 40 + node);
      for (const std::uint32_t node : each.readers) m.read(node, address);
      increment(m, owner, 0);
      const std::string text = "owner " + std::to_string(owner) + ", state " +
                               std::to_string(&each - std::begin(states));
      for (std::uint32_t i = 0; i < 4; ++i) {
        EXPECT_EQ(m.machine.node(i).caches()->state_of(address), line_state::invalid) << text;
      }
      for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(m.read(i, address), wanted + 1) << text;
      m.write(3, address, 9);
      increment(m, owner, 0);
      EXPECT_EQ(m.read(2, address), 10U) << text;
      for (std::uint32_t i = 0; i < 4; ++i) {
        EXPECT_EQ(m.unexpected(i), 0U) << text;
        EXPECT_EQ(m.machine.node(i).buffers().in_use(), 0U) << text;
      }
    }
  }
}

/// All at once, on one line, while a processor adds to a word beside.
TEST_P(pp_ownership_test, no_increment_is_lost_when_all_nodes_want_the_line) {
  constexpr std::uint32_t nodes = 4;
  constexpr word_t each = 4;
  coherent_machine m(config_of(nodes), with_owned_increments);
  const std::uint64_t address = m.address(0, word_offset);
  for (word_t i = 0; i < each; ++i) {
    for (std::uint32_t node = 0; node < nodes; ++node) {
      testing::increment_owned(m.machine, node, address);
    }
  }
  m.write(1, address + 8, 7);
  const auto done = [&] {
    for (std::uint32_t node = 0; node < nodes; ++node) {
      if (completed(m, node) != each) return false;
    }
    return m.machine.idle();
  };
  m.machine.run_until(m.machine.now() + 1'000'000, done);
  ASSERT_TRUE(done());
  EXPECT_EQ(m.newest(address), nodes * each);
  EXPECT_EQ(m.newest(address + 8), 7U);
}

}  // namespace
}  // namespace tributary
