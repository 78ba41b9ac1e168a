// SPDX-License-Identifier: Apache-2.0
#include <tributary/controller/address_layout.h>

#include <gtest/gtest.h>

#include <string>

#include <tributary/controller/message.h>
#include <tributary/sim/parameters.h>

#include <support/usual_line.h>

namespace tributary {
namespace {

TEST(address_layout, splits_40_bits_as_published) {
  const address_layout usual;
  EXPECT_EQ(usual.offset_bits(), 30U);
  EXPECT_EQ(usual.bytes_a_node(), std::uint64_t{1} << 30);
  // FLASH Figure 4.2: offset 0x30380 in spaces 0 and 2.
  EXPECT_EQ(usual.address_of(node_id{0}, 2, 0x30380), 0x80030380U);
  EXPECT_EQ(usual.address_of(node_id{0xab}, 1, 0x30380), 0xab40030380U);
  EXPECT_EQ(usual.node_of(0xab40030380), node_id{0xab});
  EXPECT_EQ(usual.space_of(0xab40030380), 1U);
  EXPECT_EQ(usual.offset_of(0xab40030380), 0x30380U);
}

TEST(address_layout, takes_apart_what_it_put_together_for_every_width) {
  for (const std::uint32_t node_bits : {8U, 10U, 12U}) {
    for (std::uint32_t space_bits = 0; space_bits <= 3; ++space_bits) {
      SCOPED_TRACE(std::to_string(node_bits) + " and " + std::to_string(space_bits));
      const address_layout layout{node_bits, space_bits};
      const node_id node{(1U << node_bits) - 1};
      const std::uint32_t space = (1U << space_bits) - 1;
      const std::uint64_t offset = layout.bytes_a_node() - 8;
      const std::uint64_t address = layout.address_of(node, space, offset);
      EXPECT_EQ(address, (std::uint64_t{1} << 40) - 8);
      EXPECT_EQ(layout.node_of(address), node);
      EXPECT_EQ(layout.space_of(address), space);
      EXPECT_EQ(layout.offset_of(address), offset);
    }
  }
}

TEST(address_layout, names_as_many_nodes_as_its_field) {
  EXPECT_NO_THROW((address_layout{8, 2}.validate(256)));
  EXPECT_THROW((address_layout{8, 2}.validate(257)), configuration_error);
  EXPECT_NO_THROW((address_layout{10, 2}.validate(1024)));
  EXPECT_NO_THROW((address_layout{12, 0}.validate(4096)));
  EXPECT_THROW((address_layout{12, 0}.validate(4097)), configuration_error);
  EXPECT_THROW((address_layout{9, 2}.validate(2)), configuration_error);
  EXPECT_THROW((address_layout{8, 4}.validate(2)), configuration_error);
  try {
    address_layout{}.validate(300);
    FAIL();
  } catch (const configuration_error& failure) {
    EXPECT_STREQ(failure.what(),
                 "node_bits: 8 bits cannot name 300 nodes (allowed: at most 256 nodes); widen "
                 "node_bits or build fewer nodes");
  }
}

TEST(address_layout, has_its_widths_as_parameters) {
  address_layout layout;
  parameter_set set = parameter_set::of(layout);
  set.set("node_bits", "12");
  set.set("space_bits", "3");
  EXPECT_EQ(layout.offset_bits(), 25U);
  EXPECT_THROW(set.set("node_bits", "7"), configuration_error);
  EXPECT_THROW(set.set("space_bits", "4"), configuration_error);
}

TEST(message, keeps_its_header_in_two_words) {
  message one;
  one.address = 0xab40030380;
  one.source = node_id{0xfff};
  one.destination = node_id{0x801};
  one.aux = 0xbeef;
  one.type = 0xc3;
  one.over = message_lane::fourth;
  one.length = line_bytes;
  one.origin = message_origin::timed;
  one.flavor = 2;
  one.tag = 7;
  // From bit 0: aux, source, destination, type, lane, origin, flavor, tag; address, length.
  EXPECT_EQ(header_words_of(one).first, 0x3cfc3801fffbeefU);
  EXPECT_EQ(header_words_of(one).second, 0x80ab40030380U);
  EXPECT_EQ(message_of(header_words_of(one)), one);
  EXPECT_EQ(message_of(header_words_of({})), message{});
}

TEST(message, keeps_no_payload_in_its_header) {
  message one;
  one.data = payload_handle{3};
  EXPECT_EQ(message_of(header_words_of(one)).data, no_payload);
}

TEST(message, has_payloads_in_whole_words) {
  EXPECT_EQ(words_of(0), 0U);
  EXPECT_EQ(words_of(1), 1U);
  EXPECT_EQ(words_of(word_bytes), 1U);
  EXPECT_EQ(words_of(17), 3U);
  EXPECT_EQ(words_of(line_bytes), line_words);
}

}  // namespace
}  // namespace tributary
