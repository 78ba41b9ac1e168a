// SPDX-License-Identifier: Apache-2.0
// Random fbcopies on random machines: in the cycle in which the flag is incremented the destination
// has the source's bytes, nothing else was touched, and everything is given back. The long form,
// 10,000 machines: TRIBUTARY_LONG=1.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <tributary/processor/node_programs.h>
#include <tributary/sim/parameters.h>
#include <tributary/sim/random_stream.h>

#include "support/random_choice.h"
#include "support/sizes.h"
#include "support/transfer_bench.h"

namespace tributary {
namespace {

using testing::between;
using testing::held_lines;
using testing::one_of;
using testing::transfer_bench;

enum draw : std::uint32_t { of_machine, of_copies, of_lines };

struct copy_request {
  std::uint32_t initiator = 0;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint64_t source = 0;  ///< offset in the node
  std::uint64_t destination = 0;
  std::uint64_t length = 0;
  std::uint64_t flag = 0;
};

/// A machine and its copies, all from one number.
struct copying_case : testing::transfer_bench_config {
  explicit copying_case(std::uint64_t its_number) : number(its_number) {
    random_stream random(number, 0U, of_machine);
    choose_machine(random);
    choose_protocol(random);
    random_stream of_all(number, 0U, of_copies);
    choose_copies(of_all);
  }

  void choose_machine(random_stream& random) {
    machine.nodes = random.below(8) == 0 ? 8 : between(random, 2, 4);
    message_network_config& network = machine.network;
    network.topology = one_of(random, {topology_kind::point_to_point, topology_kind::mesh});
    if (machine.nodes != 3 && random.below(3) == 0) network.topology = topology_kind::hypercube;
    network.bandwidth = one_of(random, {100U, 200U, 300U, 400U, 800U});
    network.router_buffers = between(random, 1, 4);
    network.endpoint_buffers = one_of(random, {1U, 2U, 4U, 16U});
    magic_node_config& node = machine.node;
    node.memory.first_word = one_of(random, {2U, 14U, 14U, 50U});
    node.memory.next_word = one_of(random, {1U, 1U, 3U});
    node.memory.overlap = random.below(4) != 0;
    node.buffers.buffers = one_of(random, {6U, 8U, 16U, 16U});
    node.in.software_queue_turn = between(random, 2, 4);
    node.in.speculative_reads = random.below(2) == 0;
    node.protocol_processor.speed = between(random, 1, 2);
    node.protocol_processor.switch_cycles = between(random, 0, 4);
    node.protocol_processor.outgoing_reserve = between(random, 2, 3);
    node.network_interface.out_depth = one_of(random, {4U, 6U, 16U, 16U});
    node.network_interface.own_depth = between(random, 1, 4);
    node.processor_interface.outstanding = one_of(random, {1U, 2U, 4U, 8U});
    node.processor_interface.queue = one_of(random, {1U, 8U});
    element.turnaround = one_of(random, {1U, 30U});
    node.memory.line_bytes = one_of(random, {32U, 64U, 128U, 128U, 128U, 256U});
    network.payload_bytes = most_line_bytes;
  }
  line_size line() const { return machine.node.memory.line(); }

  void choose_protocol(random_stream& random) {
    transfer.chunk = between(random, 0, 6);
    transfer.page_bytes = one_of(random, {512U, 1024U, 2048U, 4096U, 8192U});
    transfer.state_records = one_of(random, {2U, 2U, 3U, 16U, 64U});
    transfer.receive_records = one_of(random, {1U, 1U, 2U, 16U, 64U});
    transfer.user_bytes = machine.node.protocol_storage();
    retry_delay = one_of(random, {20U, 200U});
    waits = random.below(2) == 0;
    pending_lines = random.below(3) == 0;
    if (random.below(3) != 0) return;
    parameter_set all = parameter_set::of(costs);
    for (const std::string& name : all.names()) {
      all.set_assignment(name + "=" + std::to_string(one_of(random, {0U, 1U, 10U, 40U, 150U})));
    }
  }

  void choose_copies(random_stream& random) {
    const std::uint32_t count = between(random, 1, 6);
    const std::uint32_t popular = between(random, 0, machine.nodes - 1);
    std::vector<std::uint64_t> used(machine.nodes, first_buffer);
    for (std::uint32_t i = 0; i < count; ++i) {
      copy_request made;
      made.from = random.below(2) == 0 ? popular : between(random, 0, machine.nodes - 1);
      made.to = between(random, 0, machine.nodes - 1);
      if (made.to == made.from && random.below(4) != 0) made.to = (made.from + 1) % machine.nodes;
      made.initiator =
          one_of(random, {made.from, made.to, made.to, between(random, 0, machine.nodes - 1)});

      // Destination within its line, then the source by how both are shifted.
      const std::uint64_t at = one_of<std::uint64_t>(
          random, {0, 0, 0, 8 * random.below(16), 8 * random.below(16), random.below(128)});
      std::uint64_t shift = one_of<std::uint64_t>(
          random, {0, 0, 0, 8 * random.below(16), 8 * random.below(16), 8 * random.below(16)});
      if (random.below(12) == 0) shift = random.below(128);
      const bool by_processor = made.from == made.to || shift % 8 != 0;
      made.length = length(random, by_processor);
      made.destination = place(random, used[made.to]) + at;
      used[made.to] = made.destination + made.length;
      made.source = place(random, used[made.from]) + line().offset(at + shift);
      used[made.from] = made.source + made.length;
      made.flag = first_flag + 8 * i;
      copies.push_back(made);
    }
    user_end = line().start(*std::max_element(used.begin(), used.end())) + 512;
  }

  std::uint64_t length(random_stream& random, bool by_processor) const {
    const std::uint64_t page = transfer.page_bytes;
    if (by_processor) return random.below(300);
    switch (random.below(8)) {
      case 0:
        return random.below(400);
      case 1:
        return line().bytes() * (1 + random.below(8));
      case 2:
        return page;
      case 3:
        // As long as one request may be, and a little longer.
        return page == 512 ? 14 * page - 256 + random.below(300) : 3 * page;
      default:
        return 1 + random.below(std::min<std::uint64_t>(4 * page, 12000));
    }
  }

  /// Begin of a line behind `used`, often at or just before the begin of a page.
  std::uint64_t place(random_stream& random, std::uint64_t used) const {
    const std::uint64_t page = transfer.page_bytes;
    const std::uint64_t free = line().start(used) + 2 * line().bytes();
    const std::uint64_t next_page = (free + page - 1) / page * page;
    switch (random.below(4)) {
      case 0:
        return next_page;
      case 1:
        return next_page + page - line().bytes() * (1 + random.below(3));
      default:
        return free + line().bytes() * random.below(line().number(page));
    }
  }

  std::string text() {
    std::string all =
        "case " + std::to_string(number) + ": " + parameter_set::of(machine).resolved_json() +
        parameter_set::of(transfer).resolved_json() + ", turnaround " +
        std::to_string(element.turnaround) + ", pending_lines " + std::to_string(pending_lines);
    for (const copy_request& each : copies) {
      all += "\n  node " + std::to_string(each.initiator) + " copies " +
             std::to_string(each.length) + " bytes from " + std::to_string(each.source) +
             " of node " + std::to_string(each.from) + " to " + std::to_string(each.destination) +
             " of node " + std::to_string(each.to) + ", flag " + std::to_string(each.flag);
    }
    return all;
  }

  static constexpr std::uint64_t first_flag = 0x200;
  static constexpr std::uint64_t first_buffer = 0x400;

  std::uint64_t number;
  processing_element_config element = uncached_processor();
  std::uint64_t retry_delay = 200;
  bool waits = false;  ///< programs poll their flags at the end
  bool pending_lines = false;
  std::vector<copy_request> copies;
  std::uint64_t user_end = 0;  ///< of what copies touch on any node
};

/// The machine of a case, with what its memories must become.
class copying_run {
 public:
  explicit copying_run(const copying_case& what)
      : case_(what),
        bench_(what, what.number),
        programs_(what.machine, make_program([this](program_context& context) { copy(context); }),
                  what.element, what.number),
        done_(what.copies.size(), false) {
    predict_memories();
    if (case_.pending_lines) hold_lines();
    programs_.elements().add_all(bench_.machine());
  }

  void run() {
    bench_.machine().run_until(limit, [this] {
      look_at_flags();
      return ::testing::Test::HasFailure() || (all_done() && bench_.machine().idle());
    });
    for (std::size_t i = 0; i < done_.size(); ++i) {
      ASSERT_TRUE(done_[i]) << "the flag of copy " << i << " is not incremented by cycle "
                            << bench_.machine().now() << (stuck() ? "; the machine is stuck" : "");
    }
    ASSERT_TRUE(bench_.machine().idle()) << "in cycle " << bench_.machine().now();
    bench_.machine().run_until(bench_.machine().now() + 100'000);
    for (std::uint32_t i = 0; i < case_.machine.nodes; ++i) {
      ASSERT_TRUE(programs_.finished(i)) << i;
      ASSERT_NO_FATAL_FAILURE(expect_words(i, 0, case_.user_end));
    }
    ASSERT_EQ(bench_.run_to_end(), "");
  }

  transfer_bench& bench() { return bench_; }
  std::uint64_t refusals() const { return refusals_; }
  std::uint64_t by_controller() const { return by_controller_; }
  std::uint64_t asked_in_vain() const {
    std::uint64_t sum = 0;
    for (const held_lines& each : bench_.lines()) sum += each.asked_in_vain();
    return sum;
  }

 private:
  static constexpr cycle_t limit = 30'000'000;

  word_t read(std::uint32_t node, std::uint64_t offset) const {
    return bench_.machine().node(node).memory().read(offset);
  }
  bool all_done() const { return std::find(done_.begin(), done_.end(), false) == done_.end(); }
  bool stuck() const { return !bench_.machine().idle() && bench_.machine().next_wakeup() == never; }

  void predict_memories() {
    for (std::uint32_t node = 0; node < case_.machine.nodes; ++node) {
      std::vector<word_t>& words = wanted_.emplace_back();
      for (std::uint64_t at = 0; at < case_.user_end; at += 8) words.push_back(read(node, at));
    }
    for (const copy_request& each : case_.copies) {
      for (std::uint64_t i = 0; i < each.length; ++i) {
        const std::uint64_t source = each.source + i;
        const std::uint64_t destination = each.destination + i;
        const word_t byte = wanted_[each.from][source / 8] >> source % 8 * 8 & 0xff;
        word_t& word = wanted_[each.to][destination / 8];
        const std::uint64_t at = destination % 8 * 8;
        word = (word & ~(word_t{0xff} << at)) | byte << at;
      }
      before_.push_back(wanted_[each.initiator][each.flag / 8]);
    }
    for (const copy_request& each : case_.copies) ++wanted_[each.initiator][each.flag / 8];
  }

  void hold_lines() {
    random_stream draws(case_.number, 0U, of_lines);
    for (const copy_request& each : case_.copies) {
      for (std::uint32_t i = 0; i < 4; ++i) {
        const std::uint64_t at = draws.below(each.length + 1);
        bench_.lines(each.from).hold(case_.line().number(each.source + at), between(draws, 0, 3));
        bench_.lines(each.to).hold(case_.line().number(each.destination + at),
                                   between(draws, 0, 3));
      }
      bench_.lines(each.initiator).hold(case_.line().number(each.flag), between(draws, 0, 2));
    }
  }

  /// What the processor of one node does.
  void copy(program_context& context) {
    fbcopy_mapping mapping = bench_.mapping(context.rank());
    mapping.retry_delay = case_.retry_delay;
    program_port port(context);
    for (const copy_request& each : case_.copies) {
      if (each.initiator != context.rank()) continue;
      const fbcopy_outcome outcome = fbcopy(port, mapping, bench_.address(each.from, each.source),
                                            bench_.address(each.to, each.destination), each.length,
                                            bench_.address(each.initiator, each.flag));
      expect_division(each, outcome);
      refusals_ += outcome.refusals;
      by_controller_ += each.length - outcome.copied_by_processor;
    }
    for (std::size_t i = 0; case_.waits && i < case_.copies.size(); ++i) {
      const copy_request& each = case_.copies[i];
      if (each.initiator != context.rank()) continue;
      // Flags begin anywhere, so not `fbcopy_wait`.
      while (context.load(bench_.address(each.initiator, each.flag)) == before_[i]) {
        context.delay(100);
      }
    }
  }

  /// The processor copies all that the controller cannot, and else no more than partial lines.
  void expect_division(const copy_request& asked, const fbcopy_outcome& outcome) const {
    if (asked.from == asked.to || (asked.source - asked.destination) % 8 != 0) {
      EXPECT_EQ(outcome.copied_by_processor, asked.length);
    } else if (outcome.result != block_transfer_result::bad_length) {
      EXPECT_LT(outcome.copied_by_processor, 2 * case_.line().bytes());
    }
  }

  void look_at_flags() {
    for (std::size_t i = 0; i < done_.size(); ++i) {
      const copy_request& each = case_.copies[i];
      if (done_[i] || read(each.initiator, each.flag) == before_[i]) continue;
      done_[i] = true;
      EXPECT_EQ(read(each.initiator, each.flag), before_[i] + 1) << "copy " << i;
      if (each.length == 0) continue;
      expect_words(each.to, each.destination / 8 * 8, each.destination + each.length);
    }
  }
  void expect_words(std::uint32_t node, std::uint64_t from, std::uint64_t to) const {
    for (std::uint64_t at = from; at < to; at += 8) {
      ASSERT_EQ(read(node, at), wanted_[node][at / 8])
          << "the word at " << at << " of node " << node << " in cycle " << bench_.machine().now();
    }
  }

  const copying_case& case_;
  transfer_bench bench_;
  node_programs programs_;
  std::vector<std::vector<word_t>> wanted_;  // by node, at the end
  std::vector<word_t> before_;               // by copy: its flag
  std::vector<bool> done_;
  std::uint64_t refusals_ = 0;
  std::uint64_t by_controller_ = 0;
};

constexpr std::uint32_t shards = 4;

class block_transfer_property : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(block_transfer_property, copies_exactly_and_then_says_so) {
  const std::uint64_t cases = testing::long_form() ? 2500 : testing::halved(40);
  std::uint64_t by_controller = 0;
  std::uint64_t refusals = 0;
  std::uint64_t pending = 0;
  std::map<std::string, std::uint64_t> ran;
  for (std::uint64_t i = 0; i < cases; ++i) {
    copying_case what(i * shards + GetParam());
    SCOPED_TRACE(what.text());
    copying_run run(what);
    ASSERT_NO_FATAL_FAILURE(run.run());
    ASSERT_FALSE(::testing::Test::HasFailure());
    by_controller += run.by_controller();
    refusals += run.refusals();
    pending += run.asked_in_vain();
    magic_machine& machine = run.bench().machine();
    for (const std::string& handler : machine.node(0).protocols().handler_names()) ran[handler];
    for (const auto& [handler, times] : testing::handler_totals(machine)) ran[handler] += times;
  }
  if (testing::sanitized) return;
  // Else little was tested.
  EXPECT_GT(by_controller, cases * 1000);
  EXPECT_GT(refusals, 0U);
  EXPECT_GT(pending, 0U);
  ran["block_transfer.delegation_refused"] = 1;  // block_transfer_test has it
  // Of lines that caches have: coherent_transfer_random_test has them.
  for (const char* name :
       {"forward", "forward_refused", "line_back", "fetch", "fetched", "drop", "dropped",
        "page_complete", "flag_owned", "confirm_flag", "flag_written", "flag_home"}) {
    EXPECT_EQ(ran["block_transfer." + std::string(name)], 0U) << name;
    ran["block_transfer." + std::string(name)] = 1;
  }
  for (const auto& [name, times] : ran) {
    if (name.rfind("uncached.", 0) == 0) continue;  // uncached_protocol_test has those
    EXPECT_GT(times, 0U) << name << " never ran";
  }
}

INSTANTIATE_TEST_SUITE_P(shards, block_transfer_property, ::testing::Range(0U, shards));

}  // namespace
}  // namespace tributary
