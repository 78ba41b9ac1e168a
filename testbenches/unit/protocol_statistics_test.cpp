// SPDX-License-Identifier: Apache-2.0
// What protocols count on nodes with caches: messages by type and sender, misses by what served
// them, refusals by cause, sharers, and how much of the pools was in use.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <tributary/magic/protocol_statistics.h>
#include <tributary/sim/error.h>
#include <tributary/sim/statistics.h>

#include <support/accesses.h>
#include <support/block_statistics.h>
#include <support/coherent_machine.h>
#include <support/coherent_transfers.h>
#include <support/failure.h>

namespace tributary {
namespace {

using testing::coherent_config;
using testing::coherent_machine;
using testing::failure;
using testing::load_of;
using testing::store_of;

constexpr std::uint64_t line = 0x3000;

/// The counters of coherence on a machine's nodes, by "node: path = value", those of 0 left out.
class counted {
 public:
  explicit counted(coherent_machine& m) {
    statistics_tree tree;
    m.machine.report(tree.root());
    all_ = tree.flatten();
  }
  double operator()(std::uint32_t node, const std::string& path) const {
    const std::string full = prefix(node) + path;
    for (const flat_statistic& each : all_) {
      if (each.path == full) return each.value;
    }
    return 0;
  }
  /// A group of a node, as "ask_read.messages 1, ask_read.payload 0".
  std::string group(std::uint32_t node, const std::string& name) const {
    const std::string begin = prefix(node) + name + ".";
    std::string text;
    for (const flat_statistic& each : all_) {
      if (each.path.rfind(begin, 0) != 0 || each.value == 0) continue;
      text += (text.empty() ? "" : ", ") + each.path.substr(begin.size()) + " " +
              std::to_string(static_cast<std::uint64_t>(each.value));
    }
    return text;
  }

 private:
  static std::string prefix(std::uint32_t node) {
    return "node." + std::to_string(node) + ".protocols.coherence.";
  }
  std::vector<flat_statistic> all_;
};

TEST(protocol_statistics, tell_what_served_each_miss) {
  coherent_machine m(coherent_config(4));
  m.read(0, m.address(0, line));
  EXPECT_EQ(counted(m).group(0, "served"), "local_memory 1");
  m.read(1, m.address(0, line));
  EXPECT_EQ(counted(m).group(0, "served"), "local_memory 1, remote_memory 1");
  m.write(1, m.address(0, line), 7);
  EXPECT_EQ(counted(m).group(0, "served"), "local_memory 1, remote_memory 1, upgrade 1");
  m.read(2, m.address(0, line));
  EXPECT_EQ(counted(m).group(1, "served"), "cache_in_three_hops 1");
  m.write(3, m.address(0, line), 8);
  m.read(0, m.address(0, line));
  EXPECT_EQ(counted(m).group(3, "served"), "cache_in_two_hops 1") << "the home reads";
  m.write(0, m.address(0, line), 9);
  m.read(1, m.address(0, line));
  EXPECT_EQ(counted(m).group(0, "served"),
            "local_memory 1, remote_memory 2, cache_in_two_hops 1, upgrade 2")
      << "of the home's processor";
}

TEST(protocol_statistics, tell_messages_by_type_and_by_the_handler_that_sent_them) {
  coherent_machine m(coherent_config(4));
  m.write(1, m.address(0, line), 7);
  m.read(2, m.address(0, line));
  const counted seen(m);
  EXPECT_EQ(seen.group(1, "sent.read_exclusive"), "ask_read_exclusive.messages 1");
  EXPECT_EQ(seen.group(0, "sent.exclusive"),
            "home_read_exclusive.messages 1, home_read_exclusive.payload 128");
  EXPECT_EQ(seen.group(2, "sent.read"), "ask_read.messages 1");
  EXPECT_EQ(seen.group(0, "sent.forward_read"), "home_read.messages 1");
  EXPECT_EQ(seen.group(1, "sent.shared"), "forwarded_read.messages 1, forwarded_read.payload 128");
  EXPECT_EQ(seen.group(1, "sent.shared_back"),
            "forwarded_read.messages 1, forwarded_read.payload 128");
}

TEST(protocol_statistics, tell_two_types_of_one_handler_apart) {
  coherent_machine m(coherent_config(3));
  m.read(2, m.address(0, line));
  m.write(1, m.address(0, line + 128), 7);
  m.read(2, m.address(0, line + 128));
  const counted seen(m);
  EXPECT_EQ(seen.group(0, "sent.shared"), "home_read.messages 1, home_read.payload 128");
  EXPECT_EQ(seen.group(0, "sent.forward_read"), "home_read.messages 1");
}

TEST(protocol_statistics, of_two_protocols_are_apart) {
  testing::coherent_transfers m{testing::coherent_transfers_config(2)};
  m.copy(0, 0x4000, 1, 0x8000, 1024);
  statistics_tree tree;
  m.nodes().report(tree.root());
  std::string envelopes;
  for (const flat_statistic& each : tree.flatten()) {
    if (each.path.find("sent.envelope.") != std::string::npos) envelopes += each.path + '\n';
  }
  EXPECT_EQ(envelopes,
            "node.0.protocols.block_transfer.sent.envelope.setup.messages\n"
            "node.0.protocols.block_transfer.sent.envelope.setup.payload\n");
}

TEST(protocol_statistics, tell_how_many_lose_a_line_to_a_write) {
  coherent_machine m(coherent_config(5));
  const auto shared_by = [&](std::uint64_t offset, std::uint32_t nodes) {
    for (std::uint32_t i = 0; i < nodes; ++i) m.read(i, m.address(0, offset));
  };
  shared_by(line, 4);
  m.write(1, m.address(0, line), 1);  // takes it from 0, 2 and 3
  shared_by(line + 128, 2);
  m.write(4, m.address(0, line + 128), 1);  // takes it from 0 and 1
  m.write(4, m.address(0, line + 256), 1);  // nobody had it
  const counted seen(m);
  EXPECT_EQ(seen(0, "sharers.count"), 2);
  EXPECT_EQ(seen(0, "sharers.sum"), 5);
  EXPECT_EQ(seen(0, "sharers.max"), 3);
  EXPECT_EQ(seen.group(0, "sent.invalidate"),
            "home_read_exclusive.messages 1, home_upgrade.messages 2");
  EXPECT_EQ(seen(0, "elements"), 2) << "of the first line";
  EXPECT_EQ(seen(0, "records"), 1);
  EXPECT_EQ(seen(0, "pending_lines"), 1);
}

TEST(protocol_statistics, begin_anew_after_a_warm_up_but_for_what_is_in_use) {
  coherent_machine m(coherent_config(5));
  for (std::uint32_t i = 1; i < 5; ++i) m.read(i, m.address(0, line));
  for (std::uint32_t i = 1; i < 3; ++i) m.read(i, m.address(0, line + 128));
  m.write(3, m.address(0, line), 1);
  EXPECT_EQ(counted(m)(0, "elements"), 4);
  m.machine.reset_statistics();
  EXPECT_EQ(counted(m)(0, "elements"), 1) << "of the second line";
  EXPECT_EQ(counted(m).group(0, "sent"), "");
  EXPECT_EQ(counted(m).group(0, "served"), "");
}

TEST(protocol_statistics, tell_why_a_request_was_refused) {
  // A write for which a far node loses the line keeps it pending; others are refused meanwhile.
  coherent_config config(3);
  config.machine.network.base_latency = 1000;
  coherent_machine m(config);
  m.read(1, m.address(0, line));
  const cycle_t begin = (m.machine.now() + 100) * config.machine.node.caches.clock_ratio;
  m.processors[0]->offer_at(begin, store_of(m.address(0, line), 7));
  m.processors[2]->offer_at(begin, load_of(m.address(0, line)));
  m.machine.run_until(m.machine.now() + 40000);
  ASSERT_TRUE(m.machine.idle());
  const double answers = testing::statistic(*m.machine.node(2).caches(), "refused");
  EXPECT_GT(answers, 0);
  EXPECT_EQ(counted(m).group(0, "refused"),
            "pending " + std::to_string(static_cast<std::uint64_t>(answers)));
}

TEST(protocol_statistics, tell_that_the_list_elements_were_used_up) {
  coherent_config config(4);
  config.coherence.elements = 1;
  coherent_machine m(config);
  for (const std::uint32_t reader : {1U, 2U, 3U}) m.read(reader, m.address(0, line));
  EXPECT_EQ(counted(m)(0, "reclaimed"), 1);
  EXPECT_EQ(counted(m)(0, "elements"), 1);
  EXPECT_EQ(counted(m).group(0, "sent.invalidate"), "home_read.messages 2");
}

TEST(protocol_statistics, go_on_from_a_checkpoint) {
  const coherent_config config(3);
  coherent_machine m(config);
  m.write(1, m.address(0, line), 1);
  m.read(2, m.address(0, line));
  coherent_machine other(config);
  other.machine.restore(m.machine.save());
  EXPECT_EQ(counted(other).group(1, "sent"), counted(m).group(1, "sent"));
  EXPECT_EQ(counted(other).group(1, "served"), "cache_in_three_hops 1");
}

TEST(protocol_statistics, of_nodes_without_caches_are_not_kept) {
  magic_machine_config config;
  magic_machine machine(config, [](node_id) { return std::vector<std::unique_ptr<protocol>>(); });
  statistics_tree tree;
  machine.report(tree.root());
  for (const flat_statistic& each : tree.flatten()) {
    EXPECT_EQ(each.path.find("protocols"), std::string::npos) << each.path;
  }
}

TEST(protocol_statistics, that_a_protocol_has_not_declared_are_refused) {
  coherent_machine m(coherent_config(2));
  protocol_statistics own(m.machine.node(0).protocols());
  const std::string problem = failure<simulation_error>([&] { own.count(handler_id{0}, 99, 1); });
  for (const char* expected : {"99", "coherence"}) {
    EXPECT_NE(problem.find(expected), std::string::npos) << expected << " in: " << problem;
  }
}

TEST(protocol_statistics, free_nothing_that_is_not_in_use) {
  coherent_machine m(coherent_config(2));
  protocol_statistics own(m.machine.node(0).protocols());
  const auto count = [&own](word_t value) {
    own.count(handler_id{0}, static_cast<std::uint64_t>(coherence::statistic::elements), value);
  };
  count(1);
  count(0);
  const std::string problem = failure<simulation_error>([&] { count(0); });
  for (const char* expected : {"coherence", "elements"}) {
    EXPECT_NE(problem.find(expected), std::string::npos) << expected << " in: " << problem;
  }
}

}  // namespace
}  // namespace tributary
