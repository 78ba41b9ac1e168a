// SPDX-License-Identifier: Apache-2.0
// A node of which every block is a module does what a node of cores does, and a user's block can
// take the place of one of ours.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tributary/magic/magic_machine.h>
#include <tributary/systemc/clockwork_module.h>
#include <tributary/systemc/data_buffers_module.h>
#include <tributary/systemc/idle_handler_module.h>
#include <tributary/systemc/magic_node_of_modules.h>
#include <tributary/systemc/memory_block.h>
#include <tributary/systemc/memory_controller_module.h>
#include <tributary/systemc/messages.h>
#include <tributary/systemc/software_queue_module.h>

#include <support/magic_module_machine.h>
#include <support/random_magic_machine.h>
#include <support/sizes.h>
#include <support/systemc_test.h>

namespace tributary {
namespace {

using testing::compare_with_plain;
using testing::random_case;

class magic_modules_test : public testing::systemc_test {};

TEST_F(magic_modules_test, random_machines_have_the_same_events) {
  std::size_t events = 0;
  const std::uint64_t cases = testing::long_form() ? testing::scaled(500) : testing::scaled(16);
  for (std::uint64_t i = 0; i < cases; ++i) {
    compare_with_plain<magic_node_of_modules>(random_case(20000 + i), false, events);
    ASSERT_FALSE(HasFailure()) << i;
  }
  EXPECT_GT(events, 50000U);
  RecordProperty("events", std::to_string(events));
}

TEST_F(magic_modules_test, lanes_keep_to_the_base_protocol) {
  std::size_t events = 0;
  const std::uint64_t cases = testing::long_form() ? testing::scaled(100) : testing::scaled(3);
  for (std::uint64_t i = 0; i < cases; ++i) {
    compare_with_plain<magic_node_of_modules>(random_case(30000 + i), true, events);
    ASSERT_FALSE(HasFailure()) << i;
  }
}

/// A user's memory: every access takes as long, and as many as like go on at once.
class static_memory final : public memory_block, private line_memory {
 public:
  static_memory(const char* name, cycle_t latency, std::size_t& accesses)
      : memory_block(name), latency_(latency), accesses_(accesses) {}

  bool idle() override { return time->reach().now() >= settled_; }
  void reset_statistics() override {}
  void report(statistics_group&) override {}

 private:
  line_memory& memory() override { return *this; }

  word_t read(std::uint64_t address) const override {
    const auto found = words_.find(address);
    return found == words_.end() ? 0 : found->second;
  }
  void write(std::uint64_t address, word_t value) override { words_[address] = value; }

  memory_transfer read_line(std::uint64_t offset, cycle_t now, line_data& out) override {
    for (std::size_t i = 0; i < line_words; ++i) out[i] = read(offset + 8 * i);
    return moved(now, line_words);
  }
  memory_transfer read_word(std::uint64_t offset, cycle_t now, word_t& out) override {
    out = read(offset);
    return moved(now, 1);
  }
  memory_transfer write_line(std::uint64_t offset, cycle_t now, const line_data& words,
                             const line_stamps& valid) override {
    cycle_t from = now;
    for (std::size_t i = 0; i < line_words; ++i) {
      if (valid[i] == never) continue;
      write(offset + 8 * i, words[i]);
      from = std::max(from, valid[i]);
    }
    return moved(from, line_words);
  }
  memory_transfer write_word(std::uint64_t offset, cycle_t now, word_t value,
                             cycle_t valid) override {
    write(offset, value);
    return moved(std::max(now, valid), 1);
  }
  memory_transfer moved(cycle_t from, std::size_t count) {
    ++accesses_;
    settled_ = std::max(settled_, from + latency_ + count - 1);
    return {from + latency_, from + latency_ + count - 1};
  }

  std::map<std::uint64_t, word_t> words_;
  cycle_t latency_;
  cycle_t settled_ = 0;
  std::size_t& accesses_;
};

/// Runs a machine whose nodes have memories of `latency` cycles; returns when the last handler
/// ended, and says whether everything was done then.
cycle_t end_with_memory(const random_case& what, cycle_t latency, std::size_t& accesses) {
  const testing::node_maker<magic_node_of_modules> make =
      [&](const std::string& name, const magic_node_config& config, const magic_node_place& place,
          std::vector<std::unique_ptr<protocol>> protocols) {
        return std::make_unique<magic_node_of_modules>(
            name.c_str(), config, place, std::move(protocols),
            [&](const char* of, const memory_controller_config&, node_id) {
              return std::make_unique<static_memory>(of, latency, accesses);
            });
      };
  simulation_context context;
  testing::traffic work(what);
  testing::module_machine<magic_node_of_modules> machine(what, work, false, make);
  const testing::traffic::until_here end(work);
  sc_core::sc_start(4000000 * machine.period);
  EXPECT_TRUE(machine.idle()) << what.text();
  cycle_t last = 0;
  for (std::size_t i = 0; i < machine.nodes.size(); ++i) {
    EXPECT_FALSE(work.events(i).empty());
    for (const node_event& event : work.events(i)) last = std::max(last, event.last);
  }
  return last;
}

TEST_F(magic_modules_test, a_memory_of_a_user_takes_the_place_of_ours) {
  const random_case what(20001);
  std::size_t accesses = 0;
  const cycle_t fast = end_with_memory(what, 5, accesses);
  EXPECT_GT(accesses, 0U);
  const cycle_t slow = end_with_memory(what, 200, accesses);
  EXPECT_LT(fast, slow);
}

/// Three blocks by themselves, made in an order in which none has its neighbours yet.
TEST_F(magic_modules_test, blocks_meet_through_their_ports) {
  software_queue_module deferred("deferred", 4096, 4096 - line_bytes, node_id{0});
  memory_controller_config memory_config;
  memory_config.bytes = 4096;
  memory_controller_module memory("memory", memory_config, node_id{0});
  data_buffers_module buffers("buffers", {}, node_id{0});
  clockwork_module clockwork("clockwork", sc_core::sc_time(10, sc_core::SC_NS));
  deferred.memory(memory.lines);
  for (auto* const port : {&memory.time, &buffers.time}) (*port)(clockwork.time);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);

  message later;
  later.address = 256;
  deferred.core().schedule(1024, handler_id{3}, later, 0);
  EXPECT_EQ(memory.lines->reach().read(1024 + software_queue_record::address), 256U);
  const auto buffer = buffers.core().allocate(buffer_claim::handler, 0);
  ASSERT_TRUE(buffer);
  line_data line{};
  line_stamps at_once{};
  line[0] = 99;
  const memory_transfer moved = memory.core().write_line(0, 0, line, at_once);
  buffers.core().release(*buffer, moved.last);
  clockwork.look();
  const sc_core::sc_time period = clockwork.clock_period();
  sc_core::sc_start(period * (static_cast<double>(moved.last) - 0.5));
  EXPECT_FALSE(memory.idle());
  EXPECT_EQ(buffers.core().in_use(), 1U);
  sc_core::sc_start(period);
  EXPECT_TRUE(memory.idle());
  EXPECT_EQ(memory.core().read(0), 99U);
  EXPECT_EQ(buffers.core().in_use(), 0U);
}

TEST_F(magic_modules_test, a_block_that_its_configuration_does_not_fit_is_reported_by_name) {
  expect_report(messages::configuration);
  data_buffers_config none;
  none.buffers = 0;
  clockwork_module clockwork("clockwork", sc_core::sc_time(10, sc_core::SC_NS));
  data_buffers_module buffers("buffers", none, node_id{0});
  buffers.time(clockwork.time);
  EXPECT_THROW(buffers.core(), sc_core::sc_report);
  ASSERT_EQ(reports(messages::configuration).size(), 1U);
  EXPECT_EQ(reports(messages::configuration)[0].rfind("buffers: ", 0), 0U);
}

TEST_F(magic_modules_test, a_node_that_its_configuration_does_not_fit_is_reported) {
  expect_report(messages::configuration);
  magic_node_config config;
  config.protocol_bytes = config.memory.bytes;
  EXPECT_THROW(magic_node_of_modules("node", config, {}, {}), sc_core::sc_report);
  config = {};
  magic_node_place place;
  place.nodes = 3;
  place.network.topology = topology_kind::hypercube;
  EXPECT_THROW(magic_node_of_modules("node_2", config, place, {}), sc_core::sc_report);
}

}  // namespace
}  // namespace tributary
