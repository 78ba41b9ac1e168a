// SPDX-License-Identifier: Apache-2.0
// Block transfers, access by access and handler by handler. Random ones are in
// block_transfer_property_test.cpp, the published costs among the rows of the validation.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include <tributary/controller/cost_table.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

#include <support/failure.h>
#include <support/node_processor.h>
#include <support/plain_memory.h>
#include <support/transfer_bench.h>
#include <support/usual_line.h>

namespace tributary {
namespace {

using testing::node_processor;
using testing::transfer_bench;
using testing::transfer_bench_config;
using result = block_transfer_result;

constexpr std::uint64_t flag_offset = 0x3f000 + 40;

/// Copies lines from node 0 to 0x4000 of node 1 and compares them when the flag changes.
void copy_and_compare(transfer_bench& bench, std::uint64_t source, std::uint64_t length) {
  const std::uint64_t from = bench.address(0, source);
  const std::uint64_t to = bench.address(1, 0x4000);
  const word_t before = bench.memory(0).read(flag_offset);
  const auto wanted = bench.bytes(from, length);
  node_processor port(bench.machine(), 0);
  const fbcopy_outcome outcome =
      fbcopy(port, bench.mapping(0), from, to, length, bench.address(0, flag_offset));
  EXPECT_EQ(outcome.result, result::accepted);
  EXPECT_EQ(outcome.copied_by_processor, 0U);
  EXPECT_TRUE(bench.run_until_flag(0, flag_offset, before + 1));
  EXPECT_EQ(bench.bytes(to, length), wanted);
  EXPECT_EQ(bench.run_to_end(), "");
  EXPECT_EQ(bench.bytes(to, length), wanted);
  EXPECT_EQ(bench.memory(0).read(flag_offset), before + 1);
}

TEST(block_transfer_test, a_page_takes_eight_invocations_of_1484_cycles) {
  transfer_bench bench({});
  copy_and_compare(bench, 0x1000, 4096);
  using counted = std::pair<std::uint64_t, std::uint64_t>;
  EXPECT_EQ(bench.occupancy("block_transfer.transfer"), counted(1484, 8));
  EXPECT_EQ(bench.occupancy("block_transfer.setup"), counted(233, 1));
  EXPECT_EQ(bench.occupancy("block_transfer.flag_update"), counted(159, 1));
  EXPECT_EQ(bench.occupancy("block_transfer.receive"), counted(32 * 30 + 16, 32));
  EXPECT_EQ(bench.occupancy("block_transfer.log_argument").second, 1U);
  EXPECT_EQ(bench.occupancy("block_transfer.log_address").second, 3U);
}

TEST(block_transfer_test, lines_pending_at_the_destination_are_sent_again) {
  transfer_bench bench({});
  for (const std::uint64_t line : {0U, 7U, 30U, 31U}) {
    bench.lines(1).hold(0x4000 / line_bytes + line, 3);
  }
  copy_and_compare(bench, 0x1000, 4096);
  EXPECT_EQ(bench.count("block_transfer.line_refused"), 12U);
  const auto [cycles, runs] = bench.occupancy("block_transfer.retry");
  EXPECT_EQ(runs, 12U);
  EXPECT_EQ(cycles, 12U * 64U);
  EXPECT_EQ(bench.count("block_transfer.transfer"), 8U);
}

TEST(block_transfer_test, lines_pending_at_the_source_do_not_stop_the_chunk) {
  transfer_bench bench({});
  bench.lines(0).hold(0x1000 / line_bytes + 1, 2);
  bench.lines(0).hold(0x1000 / line_bytes + 31, 1);
  copy_and_compare(bench, 0x1000, 4096);
  EXPECT_EQ(bench.lines(0).asked_in_vain(), 3U);
  EXPECT_EQ(bench.count("block_transfer.transfer"), 8U);
  EXPECT_EQ(bench.count("block_transfer.retry"), 3U);
}

TEST(block_transfer_test, a_pending_flag_is_incremented_later) {
  transfer_bench bench({});
  bench.lines(0).hold(flag_offset / line_bytes, 2);
  copy_and_compare(bench, 0x1000, 4096);
  EXPECT_EQ(bench.count("block_transfer.flag_update"), 3U);
}

TEST(block_transfer_test, chunks_are_as_long_as_buffers_and_space_allow) {
  for (const bool few_buffers : {true, false}) {
    transfer_bench_config config;
    config.costs.block_transfer.transfer.last = 0;
    if (few_buffers) {
      config.machine.node.buffers.buffers = 4;  // two of them for arriving messages
    } else {
      config.machine.node.network_interface.out_depth = 4;  // two of them for promised sends
    }
    transfer_bench bench(config);
    copy_and_compare(bench, 0x1000, 4096);
    // 32 lines, so whatever the chunks are, their costs are base and line.
    const auto [cycles, runs] = bench.occupancy("block_transfer.transfer");
    EXPECT_GE(runs, 16U);
    EXPECT_GE(cycles, runs * 20U);
    EXPECT_EQ(bench.count("block_transfer.receive"), 32U);
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
    copy_and_compare(bench, 0x2000 + shift, 8192);
    EXPECT_EQ(bench.count("block_transfer.line_refused"), 64U);
    EXPECT_EQ(bench.count("block_transfer.retry"), 64U);
    EXPECT_EQ(bench.count("block_transfer.envelope"), shift == 0 ? 1U : 2U);
  }
}

struct page_copy {
  std::uint32_t initiator;
  std::uint32_t from;
  std::uint64_t source;
  std::uint32_t to;
  std::uint64_t destination;
  std::uint64_t length = 0x1000;
};

/// Copies that are asked for one after the other, while those before are under way. Returns how
/// many attempts were refused.
std::uint64_t copy_all(transfer_bench& bench, const std::vector<page_copy>& copies) {
  std::uint64_t refusals = 0;
  std::vector<word_t> flags;
  for (std::uint32_t node = 0; node < bench.machine().size(); ++node) {
    flags.push_back(bench.memory(node).read(flag_offset));
  }
  for (const page_copy& each : copies) {
    node_processor port(bench.machine(), each.initiator);
    const auto outcome =
        fbcopy(port, bench.mapping(each.initiator), bench.address(each.from, each.source),
               bench.address(each.to, each.destination), each.length,
               bench.address(each.initiator, flag_offset));
    EXPECT_EQ(outcome.result, each.from == each.to ? result::same_node : result::accepted);
    refusals += outcome.refusals;
    ++flags[each.initiator];
  }
  EXPECT_EQ(bench.run_to_end(), "");
  for (const page_copy& each : copies) {
    EXPECT_EQ(bench.bytes(bench.address(each.to, each.destination), each.length),
              bench.bytes(bench.address(each.from, each.source), each.length));
  }
  for (std::uint32_t node = 0; node < flags.size(); ++node) {
    EXPECT_EQ(bench.memory(node).read(flag_offset), flags[node]) << node;
  }
  return refusals;
}

TEST(block_transfer_test, a_destination_without_records_is_asked_again) {
  transfer_bench_config config;
  config.machine.nodes = 4;
  config.transfer.receive_records = 1;
  transfer_bench bench(config);
  copy_all(bench, {{1, 1, 0x1000, 0, 0x6000, 0x2000},
                   {2, 2, 0x1000, 0, 0x8000, 0x2000},
                   {3, 3, 0x1000, 0, 0xa000, 0x2000}});
  EXPECT_GT(bench.count("block_transfer.envelope_refused"), 0U);
}

TEST(block_transfer_test, a_source_without_records_is_asked_again) {
  transfer_bench_config config;
  config.machine.nodes = 4;
  config.transfer.state_records = 2;
  transfer_bench bench(config);
  copy_all(bench,
           {{1, 0, 0x1000, 1, 0x4000}, {2, 0, 0x1000, 2, 0x4000}, {3, 0, 0x1000, 3, 0x4000}});
  EXPECT_GT(bench.count("block_transfer.delegation_refused"), 0U);
}

TEST(block_transfer_test, a_node_without_records_is_asked_again) {
  transfer_bench_config config;
  config.transfer.state_records = 2;  // one of them for other nodes
  transfer_bench bench(config);
  EXPECT_GT(copy_all(bench, {{0, 0, 0x1000, 1, 0x4000},
                             {0, 0, 0x1000, 1, 0x5000},
                             {0, 0, 0x1000, 1, 0x6000},
                             {0, 0, 0x1000, 1, 0x7000}}),
            0U);
}

TEST(block_transfer_test, all_nodes_delegate_to_each_other) {
  transfer_bench_config config;
  config.machine.nodes = 4;
  config.transfer.state_records = 2;
  config.transfer.receive_records = 1;
  transfer_bench bench(config);
  copy_all(bench, {{0, 1, 0x1000, 2, 0x10000, 0x1800},
                   {1, 2, 0x3000, 3, 0x12000, 0x1800},
                   {2, 3, 0x5000, 0, 0x14000, 0x1800},
                   {3, 0, 0x7000, 1, 0x16000, 0x1800}});
}

TEST(block_transfer_test, only_one_delegation_of_a_node_is_under_way) {
  transfer_bench_config config;
  config.machine.nodes = 3;
  transfer_bench bench(config);
  EXPECT_GT(copy_all(bench, {{0, 1, 0x1000, 2, 0x1000}, {0, 1, 0x2000, 2, 0x2000}}), 0U);
}

// The increment of a copy by the processor must not undo that of a transfer that ends meanwhile.
TEST(block_transfer_test, increments_of_processor_and_controller_all_count) {
  transfer_bench bench({});
  copy_all(bench, {{0, 0, 0x1000, 1, 0x4000, 512},
                   {0, 0, 0x1000, 0, 0x4200, 512},
                   {0, 0, 0x1000, 1, 0x4400, 512},
                   {0, 0, 0x1000, 0, 0x4600, 512},
                   {0, 0, 0x1000, 1, 0x4800, 512},
                   {0, 0, 0x1000, 0, 0x4a00, 512}});
}

/// Names addresses that no processor interface lets through: a store in space 3 makes the
/// doubleword an argument of the block transfer.
class raw_arguments final : public fiber_protocol {
 public:
  static constexpr std::uint32_t space = 3;

  std::string name() const override { return "raw_arguments"; }
  std::vector<dispatch_rule> rules() const override {
    dispatch_rule rule;
    rule.type = static_cast<std::uint8_t>(common_type::uncached_write);
    rule.origin = message_origin::processor;
    rule.space = space;
    rule.run = handler_id{0};
    return {rule};
  }
  std::vector<handler> handlers() override {
    return {{"name", [this](handler_context& context) {
               message argument;
               argument.address = context.word(context.arrived().data, 0);
               context.after(0, log_address, argument);
             }}};
  }
  void initialize(const protocol_storage& /*where*/, word_memory& /*memory*/) override {}

  handler_id log_address = no_handler;
};

/// The accesses of a request by hand.
struct hand_written {
  transfer_bench& bench;
  node_processor port{bench.machine(), 0};
  std::uint64_t page = bench.config().page_bytes;
  std::uint64_t commands = bench.mapping(0).commands;

  void length(word_t bytes) { port.store(commands, bytes); }
  void name(std::uint64_t address) {
    const bool raw = address % word_bytes != 0 || address >= bench.address(3, 0);
    if (!raw) return port.store(address + bench.mapping(0).shadow_distance, 0);
    port.store(address_layout().address_of(node_id{0}, raw_arguments::space, 0), address);
    port.delay(100);
  }
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
  config.machine.node.timed.period = 10;
  std::vector<raw_arguments*> raw;
  config.further = [&raw] {
    auto arguments = std::make_unique<raw_arguments>();
    raw.push_back(arguments.get());
    return arguments;
  };
  transfer_bench bench(config);
  raw[0]->log_address = bench.machine().node(0).protocols().find("block_transfer.log_address");
  hand_written by{bench};
  const auto at = [&](std::uint32_t node, std::uint64_t offset) {
    return bench.address(node, offset);
  };
  const std::uint64_t flag = at(0, flag_offset);
  const std::uint64_t end = transfer_bench_config::user_bytes;
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
  EXPECT_EQ(bench.run_to_end(), "");
  EXPECT_EQ(by.ask(at(0, 0), at(1, 0), flag, 256), result::accepted);
  EXPECT_EQ(bench.run_to_end(), "");
}

/// A processor on which the system switches to another process and back after a store, once.
class interrupted_processor final : public uncached_port {
 public:
  interrupted_processor(transfer_bench& bench, std::uint64_t stores)
      : port_(bench.machine(), 0),
        context_switch_(bench.mapping(0).commands + block_transfer_command::context_switch),
        stores_left_(stores) {}

  word_t load(std::uint64_t address) override { return port_.load(address); }
  void store(std::uint64_t address, word_t value) override {
    port_.store(address, value);
    if (--stores_left_ == 0) port_.store(context_switch_, 0);
  }
  void delay(std::uint64_t cycles) override { port_.delay(cycles); }

 private:
  node_processor port_;
  std::uint64_t context_switch_;
  std::uint64_t stores_left_;
};

TEST(block_transfer_test, a_context_switch_discards_the_sequence) {
  for (std::uint64_t after = 1; after <= 5; ++after) {
    transfer_bench bench({});
    const word_t before = bench.memory(0).read(flag_offset);
    interrupted_processor port(bench, after);
    const auto outcome = fbcopy(port, bench.mapping(0), bench.address(0, 0x1000),
                                bench.address(1, 0x2000), 4096, bench.address(0, flag_offset));
    EXPECT_EQ(outcome.result, result::accepted);
    EXPECT_EQ(outcome.refusals, after < 5 ? 1U : 0U);  // four writes, then the read
    EXPECT_TRUE(bench.run_until_flag(0, flag_offset, before + 1));
    EXPECT_EQ(bench.run_to_end(), "");
    EXPECT_EQ(bench.memory(0).read(flag_offset), before + 1);
  }
}

TEST(block_transfer_test, another_process_cannot_finish_a_sequence) {
  transfer_bench_config config;
  const address_layout layout;
  std::vector<address_window>& windows = config.machine.node.processor_interface.windows;
  for (const std::uint32_t node : {0U, 1U}) {
    for (const std::uint32_t space : {0U, 1U, 2U}) {
      const std::uint64_t first = layout.address_of(node_id{node}, space, 0);
      windows.push_back({first, layout.bytes_a_node(), first, false, 0, 0});
    }
  }
  const std::uint64_t commands_of_other = std::uint64_t{1} << 40;
  windows.push_back(
      {commands_of_other, 4096, physical_mapping(layout, node_id{0}).commands, false, 0, 1});
  transfer_bench bench(config);
  hand_written by{bench};
  by.length(256);
  by.name(bench.address(0, 0));
  by.name(bench.address(1, 0));
  by.name(bench.address(0, flag_offset));
  EXPECT_EQ(static_cast<result>(by.port.load(commands_of_other + block_transfer_command::commit)),
            result::interrupted);
  EXPECT_EQ(bench.run_to_end(), "");
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
    EXPECT_EQ(bench.run_to_end(), "");
    EXPECT_EQ(gather(1, to), wanted);
  }
}

TEST(block_transfer_test, more_nodes_than_a_header_can_name_are_refused) {
  uncached_lines lines;
  block_transfer_protocol own({}, {}, {}, lines);
  testing::plain_memory memory(8);
  protocol_storage where;
  where.nodes = 1024;
  EXPECT_EQ(testing::failure([&] { own.initialize(where, memory); }), "");
  where.nodes = 1025;
  const std::string refusal = testing::failure([&] { own.initialize(where, memory); });
  EXPECT_NE(refusal.find("1025 nodes"), std::string::npos) << refusal;
}

TEST(block_transfer_test, a_page_size_that_is_no_power_of_two_is_refused) {
  transfer_bench_config config;
  config.transfer.page_bytes = 3000;
  const std::string refusal = testing::failure([&] { transfer_bench bench(config); });
  EXPECT_NE(refusal.find("block_transfer.page_bytes"), std::string::npos) << refusal;
}

}  // namespace
}  // namespace tributary
