// SPDX-License-Identifier: Apache-2.0
// What a node's tags say of accesses, and of tables that are none.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>

#include <tributary/nic/access_tags.h>
#include <tributary/sim/error.h>

#include <support/failure.h>
#include <support/text_checks.h>

namespace tributary {
namespace {

class plain_words final : public word_memory {
 public:
  word_t read(std::uint64_t address) const override {
    const auto found = words_.find(address);
    return found == words_.end() ? 0 : found->second;
  }
  void write(std::uint64_t address, word_t value) override { words_[address] = value; }

 private:
  std::map<std::uint64_t, word_t> words_;
};

/// Node 1 of two, each with two pages of two blocks, and room for three pages.
struct tagged_node {
  tagged_node() {
    blocks.shared_bytes = 512;
    blocks.page_bytes = 256;
    blocks.page_table = 0x1000;
    blocks.tags = 0x1000 + 2 * 2 * 8 + 8;
    blocks.first_frame = 0x1100;
    blocks.tables_end = 0x1100;
    blocks.frames = 3;
    blocks.line = line_size(128);
  }
  access_tags tags() const { return {blocks, layout, node_id{1}, words}; }
  std::uint64_t address(std::uint32_t node, std::uint64_t offset) const {
    return layout.address_of(node_id{node}, 0, offset);
  }
  void set_frame(std::uint32_t node, std::uint64_t page, word_t frame) {
    words.write(blocks.page_table + (node * 2 + page) * 8, frame);
  }

  checked_blocks blocks;
  address_layout layout;
  plain_words words;
};

TEST(access_tags, a_block_of_this_node_is_its_own_until_another_one_has_it) {
  tagged_node node;
  EXPECT_TRUE(node.tags().checks(node.address(1, 504)));
  EXPECT_FALSE(node.tags().checks(node.address(1, 512)));
  EXPECT_TRUE(node.tags().look_up(node.address(1, 136), true).allowed);
  EXPECT_EQ(node.tags().look_up(node.address(1, 136), true).offset, 136U);
  node.words.write(node.blocks.tags + 8, static_cast<word_t>(block_tag::read_only));
  EXPECT_FALSE(node.tags().look_up(node.address(1, 136), true).allowed);
  EXPECT_TRUE(node.tags().look_up(node.address(1, 136), false).allowed);
}

TEST(access_tags, a_block_of_another_node_lies_in_a_frame) {
  tagged_node node;
  EXPECT_FALSE(node.tags().look_up(node.address(0, 392), false).allowed);
  node.set_frame(0, 1, 3);
  EXPECT_FALSE(node.tags().look_up(node.address(0, 392), false).allowed) << "untouched here";
  node.words.write(node.blocks.tags + (4 + 2 * 2 + 1) * 8,
                   static_cast<word_t>(block_tag::read_write));
  EXPECT_TRUE(node.tags().look_up(node.address(0, 392), true).allowed);
  EXPECT_EQ(node.tags().look_up(node.address(0, 392), true).offset, 0x1100U + 2 * 256 + 136);
}

TEST(access_tags, tables_that_are_none_end_the_simulation) {
  tagged_node node;
  const auto refusal = [&](std::uint32_t home) {
    return testing::failure<simulation_error>(
        [&] { node.tags().look_up(node.address(home, 8), false); });
  };
  EXPECT_TRUE(testing::names(refusal(2), {"node 1", "node that does not exist"}));
  node.set_frame(0, 0, ~word_t{0});
  EXPECT_TRUE(testing::names(refusal(0), {"node 1", "frame that does not exist"}));
}

}  // namespace
}  // namespace tributary
