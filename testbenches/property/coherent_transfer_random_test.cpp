// SPDX-License-Identifier: Apache-2.0
// Random accesses of all nodes to the very lines that block transfers read and write, on tiny
// caches, queues and pools. The words of the source only grow. Those of the destination are read,
// and written without being changed, so that caches have them dirty: none may ever shrink, and a
// last copy makes them equal to the source. So are words beside the flags, which may be on any
// node. Kernels change translations during copies, which hold them off. The long form, 10^5
// machines in shards, is shards/coherent_transfer_random_long.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <tributary/processor/node_programs.h>

#include <support/coherence_pools.h>
#include <support/coherent_transfers.h>
#include <support/coherent_wanderer.h>
#include <support/failure.h>
#include <support/handler_statistics.h>
#include <support/late_messages.h>
#include <support/running_coherence.h>
#include <support/sizes.h>

namespace tributary {
namespace {

using testing::coherent_transfers;
using testing::coherent_transfers_config;
using testing::random_case;
using testing::wanderer;

constexpr std::uint64_t copy_bytes = 768;
constexpr std::uint64_t copies_offset = 0x3000;
constexpr std::uint64_t flags_offset = 0xe00;

/// The machine of a random case, and how it copies.
coherent_transfers_config copying(const random_case& drawn) {
  coherent_transfers_config config(2);
  static_cast<testing::coherent_config&>(config) = drawn.config;
  random_stream draws(drawn.seed, 8U, 9U);
  config.transfer.chunk = testing::between(draws, 0, 6);
  config.transfer.receive_records = testing::between(draws, 1, 4);
  config.transfer.dirty_elsewhere =
      testing::one_of(draws, {remote_lines::forward, remote_lines::collect});
  return config;
}

/// Each node copies its words to the next node again and again, and once more when `over` is set.
class copying_nodes {
 public:
  explicit copying_nodes(const random_case& drawn) : case_(drawn), machine_(copying(drawn)) {
    for (std::uint32_t line = 0; line < drawn.lines; ++line) {
      for (std::uint32_t word = 0; word < testing::words_of_a_line; ++word) {
        copies_.push_back(copy_of(drawn.address(machine_.machine, line, word)));
      }
    }
    for (std::uint32_t i = 0; i < size(); ++i) copies_.push_back(flag_of(i) + word_bytes);
    for (std::uint32_t i = 0; i < size(); ++i) {
      wanderers_.push_back(std::make_unique<wanderer>(drawn, machine_.machine, i, added_));
      wanderers_.back()->set_copies(copies_);
      const random_stream draws(drawn.seed, i, 15U);
      late_.push_back(std::make_unique<testing::late_arrivals>(
          machine_.nodes(), i, testing::random_delays(draws, drawn.messages_late)));
    }
    processing_element_config times = uncached_processor();
    programs_ = std::make_unique<node_programs>(
        machine_.nodes().config(),
        make_program([this](program_context& context) { copy(context); }), times);
    for (std::uint32_t i = 0; i < size(); ++i) {
      magic_node& node = machine_.nodes().node(i);
      programs_->elements().add(i, node.clockwork(), node.processor());
    }
  }

  void run() {
    magic_machine& nodes = machine_.nodes();
    constexpr cycle_t patience = 20'000'000;
    const auto done = [&] {
      over_ = std::all_of(wanderers_.begin(), wanderers_.end(),
                          [](const auto& each) { return each->done(); });
      if (!over_) return false;
      for (std::uint32_t i = 0; i < size(); ++i) {
        if (!programs_->finished(i)) return false;
      }
      return nodes.idle();
    };
    testing::running_coherence running(machine_.machine, case_.config.coherence.consistency);
    ASSERT_EQ(testing::failure([&] {
                nodes.run_until(patience, [&] {
                  running.check();
                  return done();
                });
              }),
              "");
    ASSERT_TRUE(over_) << "some access is under way after " << patience << " cycles";
    ASSERT_TRUE(done()) << "some copy is under way after " << patience << " cycles";
    nodes.run_until(nodes.now() + 1000);  // until words that nobody waits for have come
    check();
  }
  std::map<std::string, std::uint64_t> runs() { return testing::handler_totals(machine_.nodes()); }

 private:
  std::uint32_t size() const { return case_.config.machine.nodes; }
  std::uint64_t copy_of(std::uint64_t address) const {
    const address_layout& layout = case_.config.machine.node.addresses;
    const std::uint32_t home = index(layout.node_of(address));
    return layout.address_of(node_id{(home + 1) % size()}, 0,
                             copies_offset + layout.offset_of(address) - testing::first_offset);
  }

  /// Of a node's copies: on the node itself, or all on one.
  std::uint64_t flag_of(std::uint32_t node) const {
    random_stream draws(case_.seed, 10U, 11U);
    const bool on_one = draws.below(2) == 0;
    const auto one = static_cast<std::uint32_t>(draws.below(size()));
    return machine_.address(on_one ? one : node, flags_offset + 2 * word_bytes * node);
  }

  /// Whether the home of a node's flag still takes that node's protocol processor for its owner.
  bool owns_flag(std::uint32_t node) const {
    const address_layout& layout = case_.config.machine.node.addresses;
    const std::uint64_t flag = flag_of(node);
    const node_id home = layout.node_of(flag);
    const coherence::directory_entry entry =
        machine_.machine.entry(index(home), layout.offset_of(flag));
    return entry.owned() && entry.owned_by(node_id{node}, home);
  }

  void copy(program_context& context) {
    const testing::coherent_machine& all = machine_.machine;
    const std::uint32_t here = context.rank();
    const std::uint64_t flag = flag_of(here);
    const magic_node_config& node = case_.config.machine.node;
    const fbcopy_mapping mapping =
        physical_mapping(node.addresses, node_id{here}, 4096, node.memory.line());
    program_port port(context);
    random_stream draws(case_.seed, here, 12U);
    const std::uint64_t change =
        node.addresses.address_of(node_id{here}, kernel_command::space, kernel_command::shootdown);
    word_t copied = 0;
    for (bool last = false; !last;) {
      last = over_;
      const fbcopy_outcome outcome =
          fbcopy(port, mapping, all.address(here, testing::first_offset),
                 all.address((here + 1) % size(), copies_offset), copy_bytes, flag);
      EXPECT_EQ(outcome.copied_by_processor, 0U);
      if (draws.below(4) == 0) {
        port.store(change, 0);
        EXPECT_EQ(port.load(change), 1U) << case_.text();
        EXPECT_EQ(machine_.transfers_under_way(here), 0U) << case_.text();
        EXPECT_FALSE(owns_flag(here)) << case_.text() << ": its write-back is under way";
      }
      fbcopy_wait(port, flag, ++copied, 100);
      context.delay(200);
    }
  }

  void check() {
    testing::coherent_machine& all = machine_.machine;
    for (std::uint32_t line = 0; line < case_.lines; ++line) {
      for (std::uint32_t word = 0; word < testing::words_of_a_line; ++word) {
        const std::uint64_t address = case_.address(all, line, word);
        EXPECT_EQ(all.newest(address), added_[address]) << "source " << std::hex << address;
        EXPECT_EQ(all.newest(copy_of(address)), added_[address])
            << "copy " << std::hex << copy_of(address);
        testing::check_directory(all, address, case_.text());
        testing::check_directory(all, copy_of(address), case_.text());
      }
    }
    for (std::uint32_t i = 0; i < size(); ++i) {
      testing::check_directory(all, flag_of(i), case_.text());
    }
    EXPECT_EQ(machine_.left(), "");
    std::set<std::uint64_t> words = case_.addresses(all);
    words.insert(copies_.begin(), copies_.end());
    testing::check_pools(all, words, case_.text());
    testing::check_pools_without_sharers(all, words, case_.text());
  }

  const random_case& case_;
  coherent_transfers machine_;
  std::map<std::uint64_t, word_t> added_;
  std::vector<std::uint64_t> copies_;
  std::vector<std::unique_ptr<wanderer>> wanderers_;
  std::vector<std::unique_ptr<testing::late_arrivals>> late_;
  std::unique_ptr<node_programs> programs_;
  bool over_ = false;
};

/// Runs the cases of these seeds, after which every handler for cached lines must have run.
void run_cases(std::uint64_t first, std::uint64_t count) {
  std::map<std::string, std::uint64_t> ran;
  for (std::uint64_t seed = first; seed < first + count && !::testing::Test::HasFailure(); ++seed) {
    const random_case drawn(seed);
    SCOPED_TRACE(drawn.text());
    copying_nodes run(drawn);
    run.run();
    std::map<std::string, std::uint64_t> runs = run.runs();
    for (const char* name :
         {"forward", "forward_refused", "line_back", "fetch", "fetched", "drop", "dropped",
          "line_refused", "retry", "page_complete", "flag_owned", "flag_home"}) {
      ran[name] += runs[std::string("block_transfer.") + name];
    }
  }
  if (testing::sanitized) return;
  for (const auto& [name, times] : ran) EXPECT_GT(times, 0U) << name << " never ran";
}

TEST(coherent_transfer_random, copies_never_shrink_and_end_as_their_source) {
  run_cases(0, testing::sanitized ? testing::scaled(300) : 300);
}

// --- the long form -------------------------------------------------------------------------------

constexpr std::uint64_t shards = 100;

class coherent_transfer_random_long : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(coherent_transfer_random_long, copies_never_shrink_and_end_as_their_source) {
  const std::uint64_t seeds = testing::scaled(100000 / shards);
  run_cases(GetParam() * seeds, testing::sanitized ? 4 : seeds);
}

INSTANTIATE_TEST_SUITE_P(shards, coherent_transfer_random_long,
                         ::testing::Range(std::uint64_t{0}, shards));

}  // namespace
}  // namespace tributary
