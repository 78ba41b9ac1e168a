// SPDX-License-Identifier: Apache-2.0
// Requests at constant strides become one: what continues a request, what ends it, and that merged
// requests move the same data in fewer messages.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tributary/algorithms/request_merger.h>
#include <tributary/sim/random_stream.h>

#include <support/message_machine.h>
#include <support/sizes.h>

namespace tributary {
namespace {

using testing::message_choice;
using testing::message_machine;
using testing::run_time_of;

// --- what is put together ------------------------------------------------------------------------

std::string text(const strided_request& of) {
  return std::string(of.gets ? "get" : "send") + " of " + std::to_string(of.count) + " x " +
         std::to_string(of.item) + " bytes, node " + std::to_string(index(of.there.node)) + " at " +
         std::to_string(of.there.offset) + " by " + std::to_string(of.there_stride) + ", here " +
         std::to_string(of.here) + " by " + std::to_string(of.here_stride);
}

strided_request single(std::uint64_t there, std::uint64_t here, std::uint32_t item = 8,
                       std::uint32_t node = 1, bool gets = true) {
  strided_request made;
  made.gets = gets;
  made.there = {node_id{node}, there};
  made.here = here;
  made.item = item;
  return made;
}

using texts = std::vector<std::string>;

/// What becomes of these, one after the other.
texts merged(const std::vector<strided_request>& all, std::uint32_t most_bytes = 65504) {
  request_merger merger(most_bytes);
  texts made;
  for (const strided_request& each : all) {
    if (const auto ended = merger.add(each)) made.push_back(text(*ended));
  }
  for (const strided_request& each : merger.take_all()) made.push_back(text(each));
  EXPECT_TRUE(merger.empty());
  return made;
}

TEST(request_merger, one_item_stays_one) {
  EXPECT_EQ(merged({single(64, 8)}), texts{"get of 1 x 8 bytes, node 1 at 64 by 0, here 8 by 0"});
  EXPECT_EQ(merged({}), texts{});
}

TEST(request_merger, the_first_two_set_the_strides_of_both_sides) {
  EXPECT_EQ(merged({single(0, 512), single(256, 520), single(512, 528)}),
            texts{"get of 3 x 8 bytes, node 1 at 0 by 256, here 512 by 8"});
  EXPECT_EQ(merged({single(512, 0, 16), single(256, 16, 16), single(0, 32, 16)}),
            texts{"get of 3 x 16 bytes, node 1 at 512 by -256, here 0 by 16"});
}

TEST(request_merger, another_stride_on_either_side_ends_a_request) {
  const strided_request a = single(0, 0);
  const strided_request b = single(32, 8);
  EXPECT_EQ(merged({a, b, single(96, 16)}),
            (texts{"get of 2 x 8 bytes, node 1 at 0 by 32, here 0 by 8",
                   "get of 1 x 8 bytes, node 1 at 96 by 0, here 16 by 0"}));
  EXPECT_EQ(merged({a, b, single(64, 24), single(96, 32)}),
            (texts{"get of 2 x 8 bytes, node 1 at 0 by 32, here 0 by 8",
                   "get of 2 x 8 bytes, node 1 at 64 by 32, here 24 by 8"}));
}

TEST(request_merger, items_of_another_size_or_that_overlap_end_it) {
  EXPECT_EQ(merged({single(0, 0), single(8, 8, 16)}).size(), 2U);
  EXPECT_EQ(merged({single(0, 0, 16), single(8, 16, 16)}).size(), 2U);
  EXPECT_EQ(merged({single(0, 0), single(0, 8)}).size(), 2U) << "the same item twice";
  EXPECT_EQ(merged({single(0, 0), single(8, 0)}).size(), 2U) << "to the same place";
}

TEST(request_merger, a_stride_that_no_header_can_say_ends_it) {
  constexpr std::uint64_t most = std::uint64_t{0x7fff} * 8;
  EXPECT_EQ(merged({single(0, 0), single(most, 8)}).size(), 1U);
  EXPECT_EQ(merged({single(0, 0), single(most + 8, 8)}).size(), 2U);
  EXPECT_EQ(merged({single(most, 0), single(0, 8)}).size(), 1U);
}

TEST(request_merger, a_full_packet_ends_it) {
  std::vector<strided_request> all;
  for (std::uint64_t i = 0; i < 10; ++i) all.push_back(single(64 * i, 8 * i));
  EXPECT_EQ(merged(all, 32), (texts{"get of 4 x 8 bytes, node 1 at 0 by 64, here 0 by 8",
                                    "get of 4 x 8 bytes, node 1 at 256 by 64, here 32 by 8",
                                    "get of 2 x 8 bytes, node 1 at 512 by 64, here 64 by 8"}));
}

TEST(request_merger, nodes_and_directions_may_alternate) {
  std::vector<strided_request> all;
  for (std::uint64_t i = 0; i < 3; ++i) {
    for (const std::uint32_t node : {2U, 1U}) {
      all.push_back(single(16 * i, 8 * i, 8, node));
      all.push_back(single(16 * i, 8 * i, 8, node, false));
    }
  }
  EXPECT_EQ(merged(all), (texts{"get of 3 x 8 bytes, node 2 at 0 by 16, here 0 by 8",
                                "send of 3 x 8 bytes, node 2 at 0 by 16, here 0 by 8",
                                "get of 3 x 8 bytes, node 1 at 0 by 16, here 0 by 8",
                                "send of 3 x 8 bytes, node 1 at 0 by 16, here 0 by 8"}));
}

TEST(request_merger, it_takes_whole_words_of_which_a_packet_holds_two) {
  const request_merger merger(64);
  EXPECT_TRUE(merger.takes(8));
  EXPECT_TRUE(merger.takes(32));
  EXPECT_FALSE(merger.takes(40));
  EXPECT_FALSE(merger.takes(4));
}

TEST(request_merger, items_without_gaps_are_in_a_row) {
  strided_request row = single(0, 0);
  EXPECT_TRUE(row.in_a_row());
  row.count = 4;
  row.there_stride = row.here_stride = 8;
  EXPECT_TRUE(row.in_a_row());
  row.here_stride = 16;
  EXPECT_FALSE(row.in_a_row());
}

// --- what moves ----------------------------------------------------------------------------------

constexpr interface_design designs[]{interface_design::traditional, interface_design::language};

/// Items at constant strides, of one node.
struct pattern {
  bool gets = true;
  std::uint32_t item = 8;
  std::uint32_t count = 12;
  std::uint64_t there = 0;
  std::uint64_t here = 0;
  std::uint64_t there_stride = 8;
  std::uint64_t here_stride = 8;
};

constexpr std::uint64_t data_bytes = 8192;  // of a node: what others have, and what comes

word_t value(std::uint32_t node, std::uint64_t offset) { return 1'000'000 * (node + 1) + offset; }

/// Runs a pattern, between the first two nodes, in a statement.
void run_pattern(const pattern& what, data_parallel& all) {
  for (std::uint64_t i = 0; i < data_bytes / 2; i += 8) all.write(i, value(index(all.node()), i));
  all.barrier();
  all.statement([&] {
    for (std::uint32_t i = 0; all.node() == node_id{0} && i < what.count; ++i) {
      const std::uint64_t there = what.there + what.there_stride * i;
      const std::uint64_t here = what.here + what.here_stride * i;
      if (what.gets) {
        all.get({node_id{1}, there}, data_bytes / 2 + here, what.item);
      } else {
        all.send({node_id{1}, data_bytes / 2 + there}, here, what.item);
      }
    }
  });
  all.barrier();
}

/// The words that a pattern does not bring stay 0.
std::vector<word_t> expected(const pattern& what) {
  std::vector<word_t> words(data_bytes / 16);
  for (std::uint32_t i = 0; i < what.count; ++i) {
    const std::uint64_t there = what.there + what.there_stride * i;
    const std::uint64_t here = what.here + what.here_stride * i;
    const std::uint64_t from = what.gets ? there : here;
    const std::uint64_t to = what.gets ? here : there;
    for (std::uint32_t byte = 0; byte < what.item; byte += 8) {
      words[(to + byte) / 8] = value(what.gets ? 1 : 0, from + byte);
    }
  }
  return words;
}

std::vector<word_t> brought(message_machine& b, const pattern& what) {
  std::vector<word_t> words;
  for (std::uint64_t i = data_bytes / 2; i < data_bytes; i += 8) {
    words.push_back(b.programs.local(what.gets ? 0 : 1, i / 8));
  }
  return words;
}

message_choice with_packets(interface_design design, std::uint32_t bytes) {
  message_choice choice;
  choice.node.memory_bytes = 65536;
  choice.merges_requests = true;
  choice.interface().design = design;
  choice.interface().packet_bytes = bytes;
  choice.interface().receive_bytes = 4 * choice.interface().most_packet();
  choice.network.payload_bytes = choice.interface().most_packet();
  return choice;
}

struct moved_messages {
  std::uint64_t requests = 0;
  std::uint64_t answers = 0;
};

/// Runs a pattern, looks at what it brought, and returns its messages.
moved_messages check(const message_choice& choice, const pattern& what, const std::string& where) {
  message_machine b(choice, [&](program_context& context) {
    run_pattern(what, *run_time_of(choice, context, data_bytes));
  });
  EXPECT_TRUE(b.programs.run()) << where;
  EXPECT_EQ(b.messages.size(), 0U) << where;
  EXPECT_EQ(brought(b, what), expected(what)) << where;
  if (what.gets) return {b.programs.of("read for get"), b.programs.of("write for get")};
  const bool software = choice.node.interface.design == interface_design::traditional;
  return {b.programs.of("write for send"),
          b.programs.of(software ? "acknowledgement for bookkeeping" : "acknowledgement for send")};
}

TEST(merged_requests, move_in_one_message_and_one_answer) {
  for (const interface_design design : designs) {
    for (const bool gets : {true, false}) {
      pattern what;
      what.gets = gets;
      what.there_stride = 256;
      what.here_stride = 40;
      const std::string where = std::string(gets ? "gets" : "sends") + ", design " +
                                std::to_string(static_cast<int>(design));
      const moved_messages merged = check(with_packets(design, 1024), what, where);
      EXPECT_EQ(merged.requests, 1U) << where;
      EXPECT_EQ(merged.answers, 1U) << where;
      message_choice single = with_packets(design, 1024);
      single.merges_requests = false;
      const moved_messages apart = check(single, what, where + ", not merged");
      EXPECT_EQ(apart.requests, what.count) << where;
      EXPECT_EQ(apart.answers, what.count) << where;
    }
  }
}

TEST(merged_requests, take_as_many_packets_as_their_words_need) {
  for (const interface_design design : designs) {
    for (const bool gets : {true, false}) {
      pattern what;
      what.gets = gets;
      what.count = 13;
      what.there_stride = 24;
      const std::string where = std::string(gets ? "gets" : "sends") + ", design " +
                                std::to_string(static_cast<int>(design));
      const moved_messages merged = check(with_packets(design, 32), what, where);
      EXPECT_EQ(merged.requests, 4U) << where << ": 13 words, 4 in a packet";
      EXPECT_EQ(merged.answers, 4U) << where;
    }
  }
}

TEST(merged_requests, leave_items_of_half_a_word_and_of_another_statement_apart) {
  for (const interface_design design : designs) {
    const message_choice choice = with_packets(design, 1024);
    message_machine b(choice, [&](program_context& context) {
      const auto all = run_time_of(choice, context, 1024);
      for (std::uint64_t i = 0; i < 512; i += 8) all->write(i, 900 + i);
      all->barrier();
      if (context.rank() == 0) {
        all->statement([&] {
          for (std::uint64_t i = 0; i < 64; i += 8) all->get({node_id{1}, i}, 512 + i, 4);
        });
        all->get({node_id{1}, 64}, 576, 8);
        all->get({node_id{1}, 72}, 584, 8);
        all->statement([&] { all->get({node_id{1}, 80}, 592, 8); });
        all->statement([&] { all->get({node_id{1}, 88}, 600, 8); });
      }
      all->barrier();
    });
    ASSERT_TRUE(b.programs.run());
    EXPECT_EQ(b.programs.of("read for get"), 8U + 4U) << static_cast<int>(design);
    for (std::uint64_t i = 0; i < 96; i += 8) {
      EXPECT_EQ(b.programs.local(0, (512 + i) / 8), 900 + i) << static_cast<int>(design);
    }
  }
}

/// A pattern that fits in half of the data.
pattern drawn_pattern(random_stream& draws) {
  pattern what;
  what.gets = draws.below(2) == 1;
  what.item = static_cast<std::uint32_t>(8 * (1 + draws.below(4)));
  what.count = static_cast<std::uint32_t>(1 + draws.below(20));
  what.there = 8 * draws.below(16);
  what.here = 8 * draws.below(16);
  what.there_stride = what.item + 8 * draws.below(16);
  what.here_stride = what.item + 8 * draws.below(16);
  return what;
}

TEST(merged_requests, of_random_strides_bring_each_word_to_its_place) {
  constexpr std::uint32_t packets[]{16, 64, 512};
  for (std::uint64_t seed = 1; seed <= testing::scaled(48); ++seed) {
    random_stream draws(seed, 5U, 3U);
    const pattern what = drawn_pattern(draws);
    message_choice choice = with_packets(designs[draws.below(2)], packets[draws.below(3)]);
    message_interface_config& interface = choice.interface();
    interface.translations = static_cast<std::uint32_t>(2 + draws.below(3));
    interface.page_bytes = 64U << draws.below(4);
    interface.send_messages = static_cast<std::uint32_t>(1 + draws.below(2));
    interface.memory_cycles = static_cast<std::uint32_t>(1 + draws.below(10));
    // A packet that DMA sends has to fit into the pages that have translations.
    interface.dma = (interface.translations - 1) * interface.page_bytes >= interface.packet_bytes;
    interface.sticky_header = draws.below(2) == 1;
    interface.header_template = interface.sticky_header && draws.below(2) == 1;
    check(choice, what, "seed " + std::to_string(seed));
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace tributary
