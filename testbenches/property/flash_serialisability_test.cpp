// SPDX-License-Identifier: Apache-2.0
// Uncached loads, stores and fetch-and-phi operations of FLASH nodes explained by a serial order.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <flash/flash_machine.h>
#include <tributary/magic/node_events.h>
#include <tributary/memory/request_events.h>
#include <tributary/processor/traffic.h>
#include <tributary/sim/random_stream.h>

#include "support/history_recorder.h"
#include "support/random_choice.h"
#include "support/sizes.h"

namespace tributary {
namespace {

using testing::between;
using testing::one_of;

/// Runs traffic on nodes and collects its history. What each access asks for comes from a second
/// instance of the traffic: the i-th draw of an element is its i-th access. The witness is the
/// order of the home's handlers, which are never preempted.
class observed_nodes final : public observer<trace_event> {
 public:
  observed_nodes(const flash_config& config, std::uint64_t seed)
      : machine_(config, seed), asked_(config.workload.choice.traffic, machine_.addresses(), seed) {
    machine_.observers().attach(*this);
  }
  ~observed_nodes() override { machine_.observers().detach(*this); }

  testing::history& run(cycle_t cycles) {
    machine_.run_until(cycles);
    machine_.drain({});
    std::stable_sort(services_.begin(), services_.end(),
                     [](const service& a, const service& b) { return a.begun < b.begun; });
    for (const service& each : services_) recorder_.served(each.id);
    testing::history& seen = recorder_.seen();
    seen.keeps_program_order = true;
    const std::uint64_t bytes = machine_.config().machine.node.protocol_storage();
    for (std::uint32_t node = 0; node < machine_.config().machine.nodes; ++node) {
      for (std::uint64_t offset = 0; offset < bytes; offset += 8) {
        const word_t word = machine_.nodes().node(node).memory().read(offset);
        if (word == 0) continue;
        seen.final_memory.emplace_back(
            machine_.config().machine.node.addresses.address_of(node_id{node}, 0, offset), word);
      }
    }
    return seen;
  }
  const std::string& problem() const { return recorder_.problem(); }

  void on_event(const trace_event& event) override {
    if (event.kind == &node_events::processor_request) {
      const access asked = asked_.draw(event.identity.origin());
      EXPECT_EQ(event.address, asked.address);
      recorder_.accepted(request_of(event.identity), asked.address, asked.function, event.cycle);
    } else if (event.kind == &node_events::processor_answer) {
      recorder_.delivered(request_of(event.identity), event.value, event.last);
    } else if (event.kind == &node_events::sent) {
      parents_[event.identity] = event.parent;
    } else if (event.kind == &node_events::handled) {
      serve(event);
    }
  }

 private:
  struct service {
    cycle_t begun;
    request_id id;
  };

  void serve(const trace_event& event) {
    const std::string name =
        machine_.nodes().node(0).protocols().name_of(node_events::handler_of(event));
    for (const char* const each : {"uncached.load", "uncached.home_load", "fetch_op.perform",
                                   "fetch_op.perform_for_another"}) {
      if (name == each) services_.push_back({event.cycle, request_of(reference_of(event))});
    }
  }
  /// The processor's reference that caused it.
  trace_identity reference_of(const trace_event& event) const {
    trace_identity identity = event.identity;
    while (identity.is_message()) identity = parents_.at(identity);
    return identity;
  }

  flash_machine machine_;
  traffic asked_;
  testing::history_recorder recorder_;
  std::map<trace_identity, trace_identity> parents_;  // of messages
  std::vector<service> services_;
};

flash_config random_nodes(std::uint32_t nodes, random_stream& random) {
  flash_config config;
  config.machine.nodes = nodes;
  config.machine.network.topology =
      nodes == 2 ? topology_kind::point_to_point
                 : one_of(random, {topology_kind::point_to_point, topology_kind::mesh,
                                   topology_kind::hypercube, topology_kind::omega});
  config.machine.node.memory.bytes = std::uint64_t{1} << 17;
  config.machine.node.memory.first_word = between(random, 1, 30);
  config.machine.node.memory.line_bytes = one_of(random, {32U, 64U, 128U, 256U});
  config.machine.network.payload_bytes = most_line_bytes;
  config.machine.node.in.select_cycles = between(random, 1, 2);
  config.machine.node.in.jump_table_cycles = between(random, 0, 3);
  config.machine.node.processor_interface.bus = between(random, 0, 2);
  config.machine.node.processor_interface.outbound = between(random, 0, 5);
  config.processor.turnaround = between(random, 1, 30);
  config.workload.choice.kind =
      random.below(4) == 0 ? workload_kind::open_loop : workload_kind::closed_loop;
  config.workload.choice.open_loop.load = one_of(random, {0.002, 0.02});
  config.workload.choice.open_loop.source_queue = 8;
  traffic_config& asked = config.workload.choice.traffic;
  asked.hot_spot = one_of(random, {0.3, 0.9, 1.0});
  asked.hot_words = one_of(random, {1U, 2U, 5U});
  asked.hot_module = static_cast<std::uint32_t>(random.below(nodes));
  asked.rows = one_of<std::uint64_t>(random, {1, 4, 40});
  asked.operand_bits = one_of(random, {2U, 64U});
  for (std::uint64_t i = 0; i < 5; ++i) {
    asked.operations.push_back(
        {static_cast<operation>(random.below(operation_count)), between(random, 1, 4)});
  }
  asked.operations.push_back({operation::fetch_add, 2});
  // A line that is read ahead is read before its handler runs, so that the order of handlers tells
  // nothing of loads: one or the other.
  config.machine.node.in.speculative_reads = random.below(2) == 0;
  if (config.machine.node.in.speculative_reads) {
    for (operation_share& each : asked.operations) {
      if (each.op == operation::load) each.op = operation::fetch_or;
    }
  } else {
    asked.operations.push_back({operation::load, 4});
  }
  return config;
}

class flash_serialisability : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(flash_serialisability, random_operations_on_random_nodes) {
  const std::uint32_t nodes = GetParam();
  random_stream random(17, nodes, 0U);
  std::size_t judged = 0;
  for (std::uint64_t seed = 1; seed <= testing::scaled(30); ++seed) {
    observed_nodes observed(random_nodes(nodes, random), seed);
    const testing::history& seen = observed.run(20000);
    ASSERT_EQ(observed.problem(), "") << "seed " << seed;
    ASSERT_EQ(testing::find_violation(seen), "") << "seed " << seed;
    judged += seen.requests.size();
  }
  RecordProperty("accesses", std::to_string(judged));
  EXPECT_GT(judged, testing::scaled(5000));
}

/// Operations on one word wait for each other even if one processor asks for several at once.
TEST_P(flash_serialisability, an_elements_accesses_to_a_word_keep_their_order) {
  const std::uint32_t nodes = GetParam();
  flash_config config;
  config.machine.nodes = nodes;
  flash_machine machine(config, 1, make_program([](program_context& pe) {
                          const std::uint64_t word = pe.local_address(pe_id{0}, pe.rank());
                          for (word_t i = 0; i < 20; ++i) {
                            const pending add = pe.issue(operation::fetch_add, word, 1);
                            const pending load = pe.issue(operation::load, word);
                            const pending store = pe.issue(operation::store, word, i + 1);
                            EXPECT_EQ(pe.wait(add), i);
                            EXPECT_EQ(pe.wait(load), i + 1);
                            EXPECT_EQ(pe.wait(store), i + 1);
                          }
                        }));
  machine.run_until(1000000);
  EXPECT_TRUE(machine.finished());
}

INSTANTIATE_TEST_SUITE_P(nodes, flash_serialisability, ::testing::Values(2U, 4U, 8U));

}  // namespace
}  // namespace tributary
