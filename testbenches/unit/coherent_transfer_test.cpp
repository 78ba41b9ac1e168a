// SPDX-License-Identifier: Apache-2.0
// Block transfers whose lines are in caches: each state of a line at the source and at the
// destination, by the bytes that processors read afterwards and by what handlers cost.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <support/buffer_hoarder.h>
#include <support/coherent_transfers.h>
#include <support/usual_line.h>

namespace tributary {
namespace {

using testing::coherent_transfers;
using testing::coherent_transfers_config;
using testing::node_processor;

constexpr std::uint64_t source_offset = 0x4000;
constexpr std::uint64_t destination_offset = 0x8000;
constexpr std::uint64_t page = 4096;
constexpr std::uint32_t lines = 32;

/// What caches have of a buffer before a transfer from node 0 to node 1: who stores to each of its
/// lines, then who loads them.
struct buffer_state {
  std::vector<std::uint32_t> writers;
  std::vector<std::uint32_t> readers;
};

void prepare(coherent_transfers& m, std::uint32_t home, std::uint64_t offset,
             const buffer_state& state) {
  for (std::uint64_t at = offset; at < offset + page; at += line_bytes) {
    const std::uint64_t address = m.address(home, at);
    for (const std::uint32_t node : state.writers) m.machine.write(node, address + 8, at + node);
    for (const std::uint32_t node : state.readers) m.machine.read(node, address);
  }
}

/// Copies the page, and compares what the processors of all nodes read of it.
void copy_and_compare(coherent_transfers& m, const buffer_state& source,
                      const buffer_state& destination) {
  m.fill_memory(0, source_offset, page);
  prepare(m, 0, source_offset, source);
  prepare(m, 1, destination_offset, destination);
  const std::vector<word_t> wanted = m.newest_words(0, source_offset, page);
  m.copy(0, source_offset, 1, destination_offset, page);
  EXPECT_EQ(m.newest_words(1, destination_offset, page), wanted);
  EXPECT_EQ(m.newest_words(0, source_offset, page), wanted);
  const word_t read = m.machine.read(0, m.address(1, destination_offset + 8));
  EXPECT_EQ(read, wanted[1]);
  EXPECT_EQ(m.left(), "");
}

TEST(coherent_transfer_test, uncached_lines_cost_what_they_cost_without_caches) {
  coherent_transfers m{coherent_transfers_config(2)};
  copy_and_compare(m, {}, {});
  EXPECT_EQ(m.total("block_transfer.transfer"), 8 * 184 + 12);
  EXPECT_EQ(m.total("block_transfer.receive"), lines * 30 + 16);
}

TEST(coherent_transfer_test, the_source_is_dirty_in_its_processor) {
  coherent_transfers m{coherent_transfers_config(2)};
  copy_and_compare(m, {{0}, {}}, {});
  EXPECT_EQ(m.total("block_transfer.transfer"), lines * 61 + 12) << "FLASH Figure 5.19: 61 a line";
  EXPECT_EQ(m.runs("block_transfer.retry"), 0U);
}

TEST(coherent_transfer_test, the_source_is_shared) {
  coherent_transfers m{coherent_transfers_config(3)};
  copy_and_compare(m, {{}, {0, 1, 2}}, {});
  EXPECT_EQ(m.total("block_transfer.transfer"), 8 * 184 + 12);
}

TEST(coherent_transfer_test, the_source_is_dirty_in_a_third_node) {
  coherent_transfers m{coherent_transfers_config(3)};
  copy_and_compare(m, {{2}, {}}, {});
  const std::uint64_t refused = m.runs("block_transfer.forward_refused");
  EXPECT_EQ(m.runs("block_transfer.forward"), lines + refused);
  EXPECT_EQ(m.runs("block_transfer.line_back"), lines);
}

TEST(coherent_transfer_test, the_source_is_dirty_in_a_third_node_and_collected) {
  coherent_transfers_config config(3);
  config.transfer.dirty_elsewhere = remote_lines::collect;
  coherent_transfers m(config);
  copy_and_compare(m, {{2}, {}}, {});
  EXPECT_EQ(m.runs("block_transfer.forward"), 0U);
  EXPECT_EQ(m.runs("block_transfer.fetched"), lines);
}

TEST(coherent_transfer_test, the_source_is_dirty_at_the_destination) {
  coherent_transfers m{coherent_transfers_config(2)};
  copy_and_compare(m, {{1}, {}}, {});
  EXPECT_EQ(m.runs("block_transfer.fetched"), lines);
}

// Lines that are refused and sent again fill the source's reply lane and its software queue; its
// requests must get their turn.
TEST(coherent_transfer_test,
     a_third_node_has_the_source_dirty_and_the_first_shares_the_destination) {
  coherent_transfers m{coherent_transfers_config(3)};
  copy_and_compare(m, {{2}, {}}, {{}, {0}});
}

TEST(coherent_transfer_test, the_destination_is_shared_by_its_processor) {
  coherent_transfers m{coherent_transfers_config(2)};
  copy_and_compare(m, {}, {{}, {1}});
  EXPECT_EQ(m.total("block_transfer.receive"), lines * 43 + 16);
}

TEST(coherent_transfer_test, the_destination_is_dirty_in_its_processor) {
  coherent_transfers m{coherent_transfers_config(2)};
  copy_and_compare(m, {}, {{1}, {}});
  EXPECT_EQ(m.total("block_transfer.receive"), lines * 64 + 16);
}

TEST(coherent_transfer_test, the_destination_is_dirty_elsewhere) {
  for (const std::uint32_t owner : {0U, 2U}) {
    SCOPED_TRACE("owner " + std::to_string(owner));
    coherent_transfers m{coherent_transfers_config(3)};
    copy_and_compare(m, {}, {{owner}, {}});
    EXPECT_EQ(m.total("block_transfer.receive"), lines * 46);
    EXPECT_EQ(m.total("block_transfer.dropped"), lines * 26);
  }
}

TEST(coherent_transfer_test, others_share_the_destination) {
  const std::uint64_t costs[] = {51, 95, 110};  // FLASH Figure 5.19
  for (std::uint32_t sharers = 1; sharers <= 3; ++sharers) {
    SCOPED_TRACE(std::to_string(sharers) + " sharers");
    coherent_transfers m{coherent_transfers_config(5)};
    std::vector<std::uint32_t> readers;
    for (std::uint32_t i = 0; i < sharers; ++i) readers.push_back(2 + i);
    copy_and_compare(m, {}, {{}, readers});
    EXPECT_EQ(m.total("block_transfer.receive"), lines * costs[sharers - 1]);
    EXPECT_EQ(m.total("block_transfer.dropped"), std::uint64_t{lines} * 22 * sharers);
  }
}

TEST(coherent_transfer_test, more_share_the_destination_than_a_queue_has_room_for) {
  coherent_transfers_config config(8);
  config.machine.node.network_interface.out_depth = 4;
  coherent_transfers m(config);
  copy_and_compare(m, {}, {{}, {0, 1, 2, 3, 4, 5, 6, 7}});
  EXPECT_GT(m.runs("block_transfer.line_refused"), 0U);
}

TEST(coherent_transfer_test, lines_that_are_not_aligned_alike_are_collected) {
  for (const std::uint32_t owner : {0U, 1U, 2U}) {
    SCOPED_TRACE("owner " + std::to_string(owner));
    coherent_transfers m{coherent_transfers_config(3)};
    m.fill_memory(0, source_offset, page);
    prepare(m, 0, source_offset, {{owner}, {}});
    const std::vector<word_t> wanted = m.newest_words(0, source_offset + 24, page / 2);
    m.copy(0, source_offset + 24, 1, destination_offset, page / 2);
    EXPECT_EQ(m.newest_words(1, destination_offset, page / 2), wanted);
    EXPECT_EQ(m.left(), "");
  }
}

TEST(coherent_transfer_test, the_flag_is_in_caches) {
  for (const buffer_state& state : {buffer_state{{0}, {}}, buffer_state{{2}, {}},
                                    buffer_state{{}, {0}}, buffer_state{{}, {0, 1, 2}}}) {
    coherent_transfers m{coherent_transfers_config(3)};
    const std::uint64_t flag = m.address(0, coherent_transfers::flag_offset);
    for (const std::uint32_t node : state.writers) m.machine.write(node, flag, 5);
    for (const std::uint32_t node : state.readers) m.machine.read(node, flag);
    copy_and_compare(m, {}, {});
  }
}

TEST(coherent_transfer_test, the_flag_is_on_another_node) {
  for (std::uint32_t home = 0; home < 3; ++home) {
    for (const buffer_state& state :
         {buffer_state{{}, {}}, buffer_state{{0}, {}}, buffer_state{{1}, {}}, buffer_state{{2}, {}},
          buffer_state{{}, {0, 1, 2}}}) {
      SCOPED_TRACE("flag on node " + std::to_string(home));
      coherent_transfers m{coherent_transfers_config(3)};
      const std::uint64_t flag = m.address(home, coherent_transfers::flag_offset);
      for (const std::uint32_t node : state.writers) m.machine.write(node, flag, 5);
      for (const std::uint32_t node : state.readers) m.machine.read(node, flag);
      const word_t before = m.machine.newest(flag);
      m.fill_memory(0, source_offset, page);
      m.copy(0, source_offset, 1, destination_offset, page, flag);
      EXPECT_EQ(m.newest_words(1, destination_offset, page),
                m.newest_words(0, source_offset, page));
      for (std::uint32_t node = 0; node < 3; ++node) {
        EXPECT_EQ(m.machine.read(node, flag), before + 1);
      }
      EXPECT_EQ(m.left(), "");
    }
  }
}

/// The flag's line goes home by its physical address, which must stay valid until it is there
/// (FLASH 4.2.2).
TEST(coherent_transfer_test, translations_are_held_off_until_the_flag_is_home) {
  for (std::uint32_t home = 0; home < 3; ++home) {
    SCOPED_TRACE("flag on node " + std::to_string(home));
    coherent_transfers m{coherent_transfers_config(3)};
    const std::uint64_t offset = coherent_transfers::flag_offset;
    node_processor port(m.nodes(), 0);
    const fbcopy_mapping mapping =
        physical_mapping(m.nodes().config().node.addresses, node_id{0}, page);
    ASSERT_EQ(fbcopy(port, mapping, m.address(0, source_offset), m.address(1, destination_offset),
                     page, m.address(home, offset))
                  .result,
              block_transfer_result::accepted);
    EXPECT_EQ(m.held_off(0), 1U);
    const auto is_free = [&] { return m.held_off(0) == 0; };
    m.nodes().run_until(m.nodes().now() + 100'000, is_free);
    ASSERT_TRUE(is_free());
    EXPECT_EQ(m.transfers_under_way(0), 0U);
    EXPECT_EQ(m.nodes().node(home).memory().read(offset), 1U);
    EXPECT_FALSE(m.machine.entry(home, offset).owned());
    const std::uint64_t asked = home == 0 ? 0 : 1;
    EXPECT_EQ(m.runs("block_transfer.flag_home"), asked);
    EXPECT_EQ(m.total("block_transfer.confirm_flag") + m.total("block_transfer.flag_written") +
                  m.total("block_transfer.flag_home"),
              30 * asked);
    m.nodes().run_until(m.nodes().now() + 1000);
    EXPECT_EQ(m.left(), "");
  }
}

/// The robust path needs a buffer as well: the fast path waits for one.
TEST(coherent_transfer_test, a_flag_without_a_buffer_stays_on_the_fast_path) {
  const coherent_transfers_config config(2);
  testing::coherent_machine m(config, [&](std::unique_ptr<coherence_protocol> coherence) {
    auto all = testing::with_transfers(node_id{0}, std::move(coherence), config);
    all.push_back(std::make_unique<testing::buffer_hoarder>());
    return all;
  });
  node_processor port(m.machine, 0);
  using command = block_transfer_command;
  const address_layout& layout = m.machine.config().node.addresses;
  const auto at = [&](std::uint8_t space, std::uint64_t offset) {
    return layout.address_of(node_id{0}, space, offset);
  };
  constexpr std::uint64_t flag = coherent_transfers::flag_offset;
  port.store(at(command::space, command::length), 0);
  port.store(at(command::shadow_space, flag), 0);
  EXPECT_GT(port.load(at(command::shadow_space, testing::buffer_hoarder::take)), 0U);
  ASSERT_EQ(static_cast<block_transfer_result>(port.load(at(command::space, command::commit))),
            block_transfer_result::accepted);
  m.machine.run_until(m.machine.now() + 1000);
  EXPECT_GT(testing::handler_total(m.machine, "block_transfer.flag_update"), 1U);
  EXPECT_EQ(m.machine.node(0).memory().read(flag), 0U);
  port.load(at(command::shadow_space, testing::buffer_hoarder::give));
  m.machine.run_until(m.machine.now() + 1000);
  EXPECT_EQ(m.machine.node(0).memory().read(flag), 1U);
  EXPECT_EQ(testing::handler_total(m.machine, "coherence.ask_owned"), 0U);
  EXPECT_TRUE(m.machine.idle());
}

}  // namespace
}  // namespace tributary
