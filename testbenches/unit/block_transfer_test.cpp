// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include <tributary/controller/cost_table.h>
#include <tributary/sim/parameters.h>

#include <support/sizes.h>
#include <support/transfer_bench.h>
#include <support/usual_line.h>

namespace tributary {
namespace {

using testing::bench_port;
using testing::transfer_bench;
using testing::transfer_bench_config;
using result = block_transfer_result;

constexpr std::uint64_t flag_offset = 0x3f000 + 40;

/// A copy with the flag on `initiator`'s node, whose destination is compared when the flag changes.
fbcopy_outcome copy_and_compare(transfer_bench& bench, std::uint32_t initiator,
                                std::uint64_t source, std::uint64_t destination,
                                std::uint64_t length) {
  const std::uint64_t flag = bench.address(initiator, flag_offset);
  const word_t before = bench.memory(initiator).read(flag_offset);
  const auto wanted = bench.bytes(source, length);
  const std::uint8_t left = bench.byte(destination - 1);
  const std::uint8_t right = bench.byte(destination + length);
  bench_port port(bench, initiator);
  const fbcopy_outcome outcome =
      fbcopy(port, bench.mapping(initiator), source, destination, length, flag);
  EXPECT_TRUE(bench.run_until_flag(flag, before + 1));
  EXPECT_EQ(bench.bytes(destination, length), wanted);
  bench.expect_clean();
  EXPECT_EQ(bench.bytes(destination, length), wanted);
  EXPECT_EQ(bench.memory(initiator).read(flag_offset), before + 1);
  EXPECT_EQ(bench.byte(destination - 1), left);
  EXPECT_EQ(bench.byte(destination + length), right);
  return outcome;
}

TEST(block_transfer_test, a_page_takes_eight_invocations_of_1484_cycles) {
  transfer_bench bench({});
  const auto outcome =
      copy_and_compare(bench, 0, bench.address(0, 0x1000), bench.address(1, 0x4000), 4096);
  EXPECT_EQ(outcome.result, result::accepted);
  EXPECT_EQ(outcome.copied_by_processor, 0U);
  using counted = std::pair<std::uint64_t, std::uint64_t>;
  EXPECT_EQ(bench.occupancy("block_transfer.transfer"), counted(1484, 8));
  EXPECT_EQ(bench.occupancy("block_transfer.setup"), counted(233, 1));
  EXPECT_EQ(bench.occupancy("block_transfer.flag_update"), counted(159, 1));
  EXPECT_EQ(bench.occupancy("block_transfer.receive"), counted(32 * 30 + 16, 32));
  EXPECT_EQ(bench.occupancy("block_transfer.log_argument").second, 1U);
  EXPECT_EQ(bench.occupancy("block_transfer.log_address").second, 3U);
}

TEST(block_transfer_test, an_invocation_costs_base_and_lines) {
  // FLASH Figures 5.8 and 5.9, local coherence; 0 is the handler without chunking.
  const std::uint64_t published[] = {65, 83, 112, 140, 167, 194, 223};
  for (std::uint32_t chunk = 0; chunk <= 6; ++chunk) {
    transfer_bench_config config;
    config.transfer.chunk = chunk;
    config.costs.block_transfer.transfer.base = 55;
    config.costs.block_transfer.transfer.last = 0;
    transfer_bench bench(config);
    // Both a multiple of the chunk and the most that 4 records a page allow.
    copy_and_compare(bench, 0, bench.address(0, 0x1000), bench.address(1, 0x4000), 30 * line_bytes);
    const auto [cycles, runs] = bench.occupancy("block_transfer.transfer");
    if (chunk == 4) continue;  // 30 lines are no multiple
    EXPECT_EQ(runs, chunk == 0 ? 30 : 30 / chunk);
    EXPECT_NEAR(static_cast<double>(cycles) / static_cast<double>(runs),
                static_cast<double>(published[chunk]), 1)
        << chunk;
  }
}

TEST(block_transfer_test, unaligned_lines_cost_collecting_and_sending) {
  // FLASH Figure 5.11, clean.
  const double published[] = {94, 64, 55, 51, 49, 47};
  for (std::uint32_t chunk = 1; chunk <= 6; ++chunk) {
    if (chunk == 4) continue;
    transfer_bench_config config;
    config.transfer.chunk = chunk;
    transfer_bench bench(config);
    config.costs.block_transfer.transfer.last = 0;
    copy_and_compare(bench, 0, bench.address(0, 0x1008), bench.address(1, 0x4000), 30 * line_bytes);
    const auto [collecting, collections] = bench.occupancy("block_transfer.collect");
    const auto [sending, runs] = bench.occupancy("block_transfer.transfer_realigned");
    EXPECT_EQ(runs, 30 / chunk);
    EXPECT_EQ(collecting, 31U * 16U);
    EXPECT_NEAR((30.0 * 16 + static_cast<double>(sending) - 12) / 30, published[chunk - 1], 2.05)
        << chunk;
    EXPECT_GE(collections, 31 / chunk);
  }
}

TEST(block_transfer_test, any_length_and_alignment) {
  random_stream draws(1, 2U, 3U);
  const std::uint64_t rounds = testing::long_form() ? testing::scaled(10000) : testing::scaled(300);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    transfer_bench_config config;
    config.machine.nodes = 2 + static_cast<std::uint32_t>(draws.below(3));
    config.machine.jitter = draws.below(3) * 40;
    config.machine.seed = draws.next_u64();
    config.machine.lane_depth = 3 + static_cast<std::uint32_t>(draws.below(14));
    config.machine.payloads = 4 + static_cast<std::uint32_t>(draws.below(13));
    config.transfer.chunk = static_cast<std::uint32_t>(draws.below(7));
    config.transfer.page_bytes = 1024U << draws.below(4);
    const line_size line(draws.below(2) == 0 ? 128U : 32U << draws.below(4));
    config.machine.line = line;
    transfer_bench bench(config);
    const std::uint32_t nodes = config.machine.nodes;
    const auto from = static_cast<std::uint32_t>(draws.below(nodes));
    const auto to = static_cast<std::uint32_t>(draws.below(nodes));
    const auto initiator = static_cast<std::uint32_t>(draws.below(nodes));
    const std::uint64_t length = 1 + draws.below(draws.below(2) == 0 ? 600 : 20000);
    const std::uint64_t source = 0x1000 + draws.below(0x8000);
    std::uint64_t destination = 0x10000 + draws.below(0x8000);
    if (draws.below(4) != 0) destination += (source - destination) % 8;
    if (draws.below(3) == 0) destination += line.offset(source - destination);
    SCOPED_TRACE(::testing::Message()
                 << "round " << round << ": " << from << "+" << source << " to " << to << "+"
                 << destination << ", " << length << " bytes, asked by " << initiator << ", chunk "
                 << config.transfer.chunk << ", pages of " << config.transfer.page_bytes
                 << ", lines of " << line.bytes());
    for (std::uint64_t held = draws.below(20); held > 0; --held) {
      bench.lines(from).hold(line.number(source + draws.below(length)),
                             1 + static_cast<std::uint32_t>(draws.below(5)));
      bench.lines(to).hold(line.number(destination + draws.below(length)),
                           1 + static_cast<std::uint32_t>(draws.below(5)));
    }
    const auto outcome = copy_and_compare(bench, initiator, bench.address(from, source),
                                          bench.address(to, destination), length);
    if (from == to || (source - destination) % 8 != 0) {
      EXPECT_EQ(outcome.copied_by_processor, length);
    } else {
      EXPECT_LT(outcome.copied_by_processor,
                outcome.result == result::bad_length ? length + 1 : 2 * line.bytes());
    }
    if (HasFailure()) break;
  }
}

TEST(block_transfer_test, lines_pending_at_the_destination_are_sent_again) {
  transfer_bench bench({});
  for (const std::uint64_t line : {0U, 7U, 30U, 31U}) {
    bench.lines(1).hold(0x4000 / line_bytes + line, 3);
  }
  copy_and_compare(bench, 0, bench.address(0, 0x1000), bench.address(1, 0x4000), 4096);
  EXPECT_EQ(bench.machine().count("block_transfer.line_refused"), 12U);
  const auto [cycles, runs] = bench.occupancy("block_transfer.retry");
  EXPECT_EQ(runs, 12U);
  EXPECT_EQ(cycles, 12U * 64U);
  EXPECT_EQ(bench.machine().count("block_transfer.transfer"), 8U);
}

TEST(block_transfer_test, lines_pending_at_the_source_do_not_stop_the_chunk) {
  transfer_bench bench({});
  bench.lines(0).hold(0x1000 / line_bytes + 1, 2);
  bench.lines(0).hold(0x1000 / line_bytes + 31, 1);
  copy_and_compare(bench, 0, bench.address(0, 0x1000), bench.address(1, 0x4000), 4096);
  EXPECT_EQ(bench.lines(0).asked_in_vain(), 3U);
  EXPECT_EQ(bench.machine().count("block_transfer.transfer"), 8U);
  EXPECT_EQ(bench.machine().count("block_transfer.retry"), 3U);
}

TEST(block_transfer_test, a_pending_flag_is_incremented_later) {
  transfer_bench bench({});
  bench.lines(0).hold(flag_offset / line_bytes, 2);
  copy_and_compare(bench, 0, bench.address(0, 0x1000), bench.address(1, 0x4000), 4096);
  EXPECT_EQ(bench.machine().count("block_transfer.flag_update"), 3U);
}

TEST(block_transfer_test, chunks_are_as_long_as_buffers_and_space_allow) {
  for (const bool few_buffers : {true, false}) {
    transfer_bench_config config;
    config.costs.block_transfer.transfer.last = 0;
    if (few_buffers) {
      config.machine.payloads = 3;  // one of them for replies
    } else {
      config.machine.lane_depth = 2;
    }
    transfer_bench bench(config);
    copy_and_compare(bench, 0, bench.address(0, 0x1000), bench.address(1, 0x4000), 4096);
    // 32 lines, so whatever the chunks are, their costs are base and line.
    const auto [cycles, runs] = bench.occupancy("block_transfer.transfer");
    EXPECT_GE(runs, 16U);
    EXPECT_GE(cycles, runs * 20U);
    EXPECT_EQ(bench.machine().count("block_transfer.receive"), 32U);
  }
}

TEST(block_transfer_test, a_page_may_have_64_lines) {
  for (const std::uint64_t shift : {0U, 8U, 120U}) {
    transfer_bench_config config;
    config.transfer.page_bytes = 8192;
    transfer_bench bench(config);
    for (std::uint64_t line = 0; line < 64; ++line) {
      bench.lines(1).hold(0x4000 / line_bytes + line, 1);
    }
    copy_and_compare(bench, 0, bench.address(0, 0x2000 + shift), bench.address(1, 0x4000), 8192);
    EXPECT_EQ(bench.machine().count("block_transfer.line_refused"), 64U);
    EXPECT_EQ(bench.machine().count("block_transfer.retry"), 64U);
    EXPECT_EQ(bench.machine().count("block_transfer.envelope"), shift == 0 ? 1U : 2U);
  }
}

TEST(block_transfer_test, a_destination_without_records_is_asked_again) {
  transfer_bench_config config;
  config.machine.nodes = 4;
  config.transfer.receive_records = 1;
  transfer_bench bench(config);
  std::vector<std::vector<std::uint8_t>> wanted;
  for (std::uint32_t node = 1; node < 4; ++node) {
    bench_port port(bench, node);
    wanted.push_back(bench.bytes(bench.address(node, 0x1000), 0x2000));
    const auto outcome =
        fbcopy(port, bench.mapping(node), bench.address(node, 0x1000),
               bench.address(0, 0x4000 + node * 0x2000), 0x2000, bench.address(node, flag_offset));
    EXPECT_EQ(outcome.result, result::accepted);
  }
  bench.expect_clean();
  EXPECT_GT(bench.machine().count("block_transfer.envelope_refused"), 0U);
  for (std::uint32_t node = 1; node < 4; ++node) {
    EXPECT_EQ(bench.bytes(bench.address(0, 0x4000 + node * 0x2000), 0x2000), wanted[node - 1]);
  }
}

TEST(block_transfer_test, a_node_without_records_is_asked_again) {
  transfer_bench_config config;
  config.transfer.state_records = 2;  // one of them for other nodes
  transfer_bench bench(config);
  bench_port port(bench, 0);
  const auto mapping = bench.mapping(0);
  const std::uint64_t flag = bench.address(0, flag_offset);
  const word_t before = bench.memory(0).read(flag_offset);
  std::uint64_t refusals = 0;
  for (std::uint64_t i = 0; i < 4; ++i) {
    const auto outcome = fbcopy(port, mapping, bench.address(0, 0x1000),
                                bench.address(1, 0x4000 + i * 0x1000), 0x1000, flag);
    EXPECT_EQ(outcome.result, result::accepted);
    refusals += outcome.refusals;
  }
  EXPECT_GT(refusals, 0U);
  fbcopy_wait(port, flag, before + 4);
  bench.expect_clean();
  for (std::uint64_t i = 0; i < 4; ++i) {
    EXPECT_EQ(bench.bytes(bench.address(1, 0x4000 + i * 0x1000), 0x1000),
              bench.bytes(bench.address(0, 0x1000), 0x1000));
  }
}

TEST(block_transfer_test, all_nodes_delegate_to_each_other) {
  transfer_bench_config config;
  config.machine.nodes = 4;
  config.transfer.state_records = 2;
  config.transfer.receive_records = 1;
  transfer_bench bench(config);
  std::vector<word_t> before;
  for (std::uint32_t node = 0; node < 4; ++node) {
    before.push_back(bench.memory(node).read(flag_offset));
    bench_port port(bench, node);
    const auto outcome =
        fbcopy(port, bench.mapping(node), bench.address((node + 1) % 4, 0x1000 + node * 0x2000),
               bench.address((node + 2) % 4, 0x10000 + node * 0x2000), 0x1800,
               bench.address(node, flag_offset));
    EXPECT_EQ(outcome.result, result::accepted);
  }
  bench.expect_clean();
  for (std::uint32_t node = 0; node < 4; ++node) {
    EXPECT_EQ(bench.memory(node).read(flag_offset), before[node] + 1);
    EXPECT_EQ(bench.bytes(bench.address((node + 1) % 4, 0x1000 + node * 0x2000), 0x1800),
              bench.bytes(bench.address((node + 2) % 4, 0x10000 + node * 0x2000), 0x1800));
  }
}

TEST(block_transfer_test, only_one_delegation_of_a_node_is_under_way) {
  transfer_bench_config config;
  config.machine.nodes = 3;
  transfer_bench bench(config);
  bench_port port(bench, 0);
  const std::uint64_t flag = bench.address(0, flag_offset);
  std::uint64_t refusals = 0;
  for (std::uint64_t i = 0; i < 2; ++i) {
    refusals += fbcopy(port, bench.mapping(0), bench.address(1, 0x1000 * (1 + i)),
                       bench.address(2, 0x1000 * (1 + i)), 0x1000, flag)
                    .refusals;
  }
  EXPECT_GT(refusals, 0U);
  bench.expect_clean();
  EXPECT_EQ(bench.bytes(bench.address(1, 0x1000), 0x2000),
            bench.bytes(bench.address(2, 0x1000), 0x2000));
}

/// The accesses of a request by hand.
struct hand_written {
  transfer_bench& bench;
  bench_port port{bench, 0};
  std::uint64_t page = bench.config().page_bytes;
  std::uint64_t commands = bench.mapping(0).commands;

  void length(word_t bytes) { port.store(commands, bytes); }
  void name(std::uint64_t address) { port.store(address + bench.mapping(0).shadow_distance, 0); }
  result commit() { return static_cast<result>(port.load(commands + 8)); }
  result ask(std::uint64_t source, std::uint64_t destination, std::uint64_t flag, word_t bytes,
             const std::vector<std::uint64_t>& pages = {}) {
    length(bytes);
    for (const std::uint64_t each : {source, destination, flag}) name(each);
    for (const std::uint64_t each : pages) name(each);
    return commit();
  }
};

TEST(block_transfer_test, refusals_say_why) {
  transfer_bench_config config;
  config.machine.nodes = 3;
  transfer_bench bench(config);
  hand_written by{bench};
  const auto at = [&](std::uint32_t node, std::uint64_t offset) {
    return bench.address(node, offset);
  };
  const std::uint64_t flag = at(0, flag_offset);
  const std::uint64_t end = transfer_bench::user_bytes;
  EXPECT_EQ(by.ask(at(0, 0), at(0, 0x4000), flag, 4096), result::same_node);
  EXPECT_EQ(by.ask(at(1, 0), at(1, 0x4000), flag, 4096), result::same_node);
  EXPECT_EQ(by.ask(at(0, 0), at(1, 0), flag, 0), result::bad_length);
  EXPECT_EQ(by.ask(at(0, 0), at(1, 0), flag, 200), result::bad_length);
  EXPECT_EQ(by.ask(at(0, 0), at(1, 0), flag, ~word_t{127}), result::bad_length);
  EXPECT_EQ(by.ask(at(0, 0), at(1, 64), flag, 256), result::bad_alignment);
  EXPECT_EQ(by.ask(at(0, 4), at(1, 0), flag, 256), result::bad_alignment);
  EXPECT_EQ(by.ask(at(0, 0), at(1, 0), flag + 4, 256), result::bad_flag);
  EXPECT_EQ(by.ask(at(0, 0), at(1, 0), at(1, flag_offset), 256), result::bad_flag);
  EXPECT_EQ(by.ask(at(0, 0), at(1, 0), at(0, end), 256), result::bad_flag);
  EXPECT_EQ(by.ask(at(0, end - 128), at(1, 0), flag, 256, {at(0, end)}), result::bad_range);
  EXPECT_EQ(by.ask(at(0, 0), at(7, 0), flag, 256), result::bad_range);
  EXPECT_EQ(by.ask(at(0, 0xf80), at(1, 0), flag, 256, {at(2, 0x1000)}), result::bad_range);
  EXPECT_EQ(by.ask(at(0, 0xf80), at(1, 0), flag, 256, {at(0, 0x1080)}), result::bad_alignment);
  EXPECT_EQ(by.ask(at(0, 0xf80), at(1, 0), flag, 256), result::bad_sequence);
  EXPECT_EQ(by.ask(at(0, 0), at(1, 0), flag, 256, {at(0, 0x1000)}), result::bad_sequence);
  by.length(256);
  EXPECT_EQ(by.commit(), result::bad_sequence);
  EXPECT_EQ(by.commit(), result::interrupted);
  by.length(0);
  by.name(at(1, flag_offset));
  EXPECT_EQ(by.commit(), result::bad_flag);
  by.name(at(0, 0));  // may not be the first
  by.length(256);
  by.name(at(1, 0));
  by.name(flag);
  EXPECT_EQ(by.commit(), result::bad_sequence);
  by.length(256);
  by.port.store(by.commands + 16, 1);
  EXPECT_EQ(by.commit(), result::bad_sequence);
  EXPECT_EQ(static_cast<result>(by.port.load(by.commands + 16)), result::bad_sequence);
  bench.expect_clean();
  EXPECT_EQ(by.ask(at(0, 0), at(1, 0), flag, 256), result::accepted);
  bench.expect_clean();
}

TEST(block_transfer_test, a_context_switch_discards_the_sequence) {
  for (std::uint64_t after = 1; after <= 5; ++after) {
    transfer_bench bench({});
    const std::uint64_t flag = bench.address(0, flag_offset);
    const word_t before = bench.memory(0).read(flag_offset);
    bench_port port(bench, 0);
    port.interrupt_after(after);
    const auto outcome = fbcopy(port, bench.mapping(0), bench.address(0, 0x1000),
                                bench.address(1, 0x2000), 4096, flag);
    EXPECT_EQ(outcome.result, result::accepted);
    EXPECT_EQ(outcome.refusals, after < 5 ? 1U : 0U);  // four writes, then the read
    EXPECT_TRUE(bench.run_until_flag(flag, before + 1));
    bench.expect_clean();
    EXPECT_EQ(bench.memory(0).read(flag_offset), before + 1);
  }
}

TEST(block_transfer_test, another_process_cannot_finish_a_sequence) {
  transfer_bench bench({});
  hand_written by{bench};
  by.length(256);
  by.name(bench.address(0, 0));
  by.name(bench.address(1, 0));
  by.name(bench.address(0, flag_offset));
  bench_port other(bench, 0, 1);
  EXPECT_EQ(static_cast<result>(other.load(by.commands + 8)), result::interrupted);
  bench.expect_clean();
}

TEST(block_transfer_test, cost_tables_are_complete) {
  const std::string folder = TRIBUTARY_SOURCE_DIR "/platforms/flash/costs/";
  protocol_costs costs;
  parameter_set set = parameter_set::of(costs);
  const std::string defaults = set.resolved_json();
  load_cost_table(set, folder + "local_coherence.json");
  EXPECT_EQ(costs.block_transfer.transfer.base, 55U);
  EXPECT_EQ(costs.block_transfer.transfer.last, 0U);
  load_cost_table(set, folder + "full_coherence.json");
  EXPECT_EQ(set.resolved_json(), defaults);
}

TEST(block_transfer_test, records_have_room_for_their_fields) {
  EXPECT_LE(transfer_record_layout().bytes(), transfer_record_bytes);
  EXPECT_EQ(receive_record_layout().bytes(), receive_record_bytes);
}

// The increment of a copy by the processor must not undo that of a transfer that ends meanwhile.
TEST(block_transfer_test, increments_of_processor_and_controller_all_count) {
  transfer_bench bench({});
  bench_port port(bench, 0);
  const std::uint64_t flag = bench.address(0, flag_offset);
  const word_t before = bench.memory(0).read(flag_offset);
  for (std::uint64_t i = 0; i < 6; ++i) {
    const bool is_local = i % 2 == 1;
    const auto outcome = fbcopy(port, bench.mapping(0), bench.address(0, 0x1000),
                                bench.address(is_local ? 0 : 1, 0x4000 + 512 * i), 512, flag);
    EXPECT_EQ(outcome.result, is_local ? result::same_node : result::accepted);
  }
  bench.expect_clean();
  EXPECT_EQ(bench.memory(0).read(flag_offset), before + 6);
}

TEST(block_transfer_test, pages_may_lie_anywhere_on_their_node) {
  transfer_bench_config config;
  config.transfer.page_bytes = 1024;
  for (const std::uint64_t shift : {0U, 24U}) {
    transfer_bench bench(config);
    hand_written by{bench};
    // 1792 bytes from the middle of a page: three pages on either side.
    const std::vector<std::uint64_t> from = {0x2400 + 640 + shift, 0x400, 0x8800};
    const std::vector<std::uint64_t> to = {0x1000 + 384, 0x9c00, 0x3000};
    const std::uint64_t bytes = 1792;
    const auto gather = [&](std::uint32_t node, const std::vector<std::uint64_t>& pages) {
      std::vector<std::uint8_t> all;
      for (const std::uint64_t page : pages) {
        for (std::uint8_t each : bench.bytes(bench.address(node, page), 1024 - page % 1024)) {
          if (all.size() < bytes) all.push_back(each);
        }
      }
      return all;
    };
    const auto wanted = gather(0, from);
    EXPECT_EQ(by.ask(bench.address(0, from[0]), bench.address(1, to[0]),
                     bench.address(0, flag_offset), bytes,
                     {bench.address(0, from[1]), bench.address(0, from[2]), bench.address(1, to[1]),
                      bench.address(1, to[2])}),
              result::accepted);
    bench.expect_clean();
    EXPECT_EQ(gather(1, to), wanted);
  }
}

TEST(block_transfer_test, a_page_size_that_is_no_power_of_two_is_refused) {
  transfer_bench_config config;
  config.transfer.page_bytes = 3000;
  try {
    const transfer_bench bench(config);
    FAIL();
  } catch (const configuration_error& problem) {
    EXPECT_NE(std::string(problem.what()).find("block_transfer.page_bytes"), std::string::npos);
  }
}

}  // namespace
}  // namespace tributary
