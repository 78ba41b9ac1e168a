// SPDX-License-Identifier: Apache-2.0
// Small machines of nodes with MAGIC and work for them, drawn at random; the same for every engine.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <tributary/algorithms/fbcopy.h>
#include <tributary/magic/magic_machine.h>
#include <tributary/processor/node_programs.h>
#include <tributary/protocols/block_transfer/block_transfer.h>
#include <tributary/protocols/costs/protocol_costs.h>
#include <tributary/protocols/uncached.h>
#include <tributary/sim/random_stream.h>
#include <tributary/sim/statistics.h>

#include <support/random_choice.h>
#include <support/transfer_bench.h>
#include <support/unit_trace.h>

namespace tributary::testing {

inline constexpr std::uint64_t user_bytes = std::uint64_t{1} << 17;

/// A machine and its work, drawn at random.
struct random_case {
  explicit random_case(std::uint64_t number) : seed(number) {
    random_stream draws(number, 3U, 4U);
    message_network_config& network = machine.network;
    network.topology = one_of(draws, {topology_kind::point_to_point, topology_kind::mesh,
                                      topology_kind::hypercube, topology_kind::omega});
    const bool power_of_two =
        network.topology == topology_kind::hypercube || network.topology == topology_kind::omega;
    machine.nodes = power_of_two ? 1U << between(draws, 1, 4) : between(draws, 2, 16);
    network.omega.link_cycles = between(draws, 1, 4);
    network.omega.slots = between(draws, 1, 6);
    network.bandwidth = one_of(draws, {100U, 400U, 400U, 800U, 4000U, 100000U});
    network.base_latency = one_of(draws, {2U, 3U, 4U, 16U, 16U, 40U});
    network.hop_latency = between(draws, 1, 4);
    network.router_buffers = between(draws, 1, 4);
    network.endpoint_buffers = between(draws, 1, 16);

    magic_node_config& node = machine.node;
    node.memory.bytes = std::uint64_t{1} << 18;
    node.memory.first_word = between(draws, 1, 30);
    node.memory.overlap = draws.below(4) != 0;
    node.buffers.buffers = between(draws, 4, 16);
    node.in.select_cycles = between(draws, 1, 2);
    node.in.jump_table_cycles = between(draws, 0, 3);
    node.in.software_queue_turn = between(draws, 2, 4);
    node.in.speculative_reads = draws.below(2) == 0;
    node.protocol_processor.switch_cycles = between(draws, 0, 3);
    node.protocol_processor.speed = between(draws, 1, 3);
    node.out.latency = between(draws, 0, 2);
    node.timed.period = one_of(draws, {100U, 1000U, 100000U});
    node.network_interface.out_depth = between(draws, 4, 16);
    node.network_interface.own_depth = between(draws, 1, 4);
    node.network_interface.outbound = between(draws, 0, 5);
    node.network_interface.inbound = between(draws, 0, 9);
    node.network_interface.reply_first = draws.below(2) == 0;
    node.processor_interface.bus = between(draws, 0, 2);
    node.processor_interface.inbound = between(draws, 0, 2);
    node.processor_interface.outbound = between(draws, 0, 5);
    element.turnaround = between(draws, 1, 30);

    transfer.chunk = between(draws, 0, 6);
    transfer.page_bytes = 1024U << between(draws, 0, 3);
    transfer.state_records = between(draws, 2, 6);
    transfer.receive_records = between(draws, 1, 4);
    transfer.user_bytes = user_bytes;

    node.memory.line_bytes = one_of(draws, {32U, 64U, 128U, 128U, 256U});
    network.payload_bytes = std::max(network.payload_bytes, node.memory.line_bytes);
    const auto longest = static_cast<std::uint32_t>(network.longest());
    network.router_buffer_bytes = one_of(draws, {0U, 0U, longest, longest + 50});
    network.endpoint_buffer_bytes = one_of(draws, {0U, 0U, longest, 2 * longest});
  }

  std::string text() const {
    return "case " + std::to_string(seed) + ", " + std::to_string(machine.nodes) +
           " nodes, lines of " + std::to_string(machine.node.memory.line_bytes) + " bytes";
  }

  std::uint64_t seed;
  magic_machine_config machine;
  block_transfer_config transfer;
  protocol_costs costs;
  processing_element_config element = uncached_processor();
};

/// Block transfers and uncached accesses of every node's processor, for either engine.
class traffic {
 public:
  explicit traffic(const random_case& what)
      : what_(what),
        states_(what.machine.nodes),
        traces_(what.machine.nodes),
        programs_(std::in_place, what.machine,
                  make_program([this](program_context& context) { run(context); }), what.element,
                  what.seed) {
    for (held_lines& each : states_) each.set_line(line());
  }

  std::vector<std::unique_ptr<protocol>> protocols_of(node_id node) {
    std::vector<std::unique_ptr<protocol>> made;
    made.push_back(std::make_unique<uncached_protocol>(what_.costs.uncached));
    made.push_back(
        std::make_unique<block_transfer_protocol>(what_.transfer, what_.costs.block_transfer,
                                                  what_.costs.pp_ownership, states_[index(node)]));
    return made;
  }

  /// `processor`: the node's.
  template <class Node>
  void begin(Node& node, processor_interface& processor) {
    const std::uint32_t here = index(node.here());
    random_stream draws(what_.seed, here, 9U);
    for (std::uint64_t at = 0; at < user_bytes; at += 8) node.memory().write(at, draws.next_u64());
    for (int i = 0; i < 20; ++i) {
      states_[here].hold(draws.below(line().number(user_bytes)),
                         static_cast<std::uint32_t>(draws.below(3)));
    }
    traces_[here] = std::make_unique<unit_trace>(node);
    programs_->elements().add(here, node.clockwork(), processor);
  }

  /// What a node did so far. Ask now and then: what was not told yet is kept in order.
  const std::vector<trace_event>& events(std::size_t node) { return traces_[node]->events(); }
  std::string text_of(std::size_t node, const trace_event& event) const {
    return testing::text_of(traces_[node]->catalog, event);
  }

  /// Lets go of the nodes, which must still be there; at the end of its scope.
  class until_here {
   public:
    explicit until_here(traffic& work) : work_(work) {}
    until_here(const until_here&) = delete;
    until_here& operator=(const until_here&) = delete;
    ~until_here() { work_.programs_.reset(); }

   private:
    traffic& work_;
  };

 private:
  line_size line() const { return what_.machine.node.memory.line(); }
  std::uint64_t address(std::uint64_t node, std::uint64_t offset, std::uint32_t space = 0) const {
    return what_.machine.node.addresses.address_of(node_id{static_cast<std::uint32_t>(node)}, space,
                                                   offset);
  }

  void run(program_context& context) {
    const fbcopy_mapping mapping = physical_mapping(
        what_.machine.node.addresses, node_id{context.rank()}, what_.transfer.page_bytes, line());
    program_port port(context);
    const std::uint64_t flag = address(context.rank(), 64);
    for (int round = 0; round < 3; ++round) {
      for (std::uint64_t n = context.random(20); n-- > 0;) {
        const std::uint64_t where =
            address(context.random(context.size()), context.random(user_bytes / 8) * 8);
        if (context.random(2) == 0) {
          context.post(operation::store, where, n, 0);
        } else {
          context.load(where);
        }
        context.delay(context.random(3) * 10);
      }
      const std::uint64_t from = context.random(context.size());
      const std::uint64_t to = context.random(context.size());
      const std::uint64_t length = 1 + context.random(3000);
      const std::uint64_t source = 4096 + context.random(user_bytes / 2 - 8192);
      std::uint64_t destination = user_bytes / 2 + context.random(user_bytes / 2 - 4096);
      if (context.random(4) != 0) destination += (source - destination) % 8;
      fbcopy(port, mapping, address(from, source), address(to, destination), length, flag);
    }
  }

  const random_case& what_;
  std::vector<held_lines> states_;
  std::vector<std::unique_ptr<unit_trace>> traces_;  // by node
  std::optional<node_programs> programs_;
};

using flat_statistics = std::map<std::string, double>;

inline flat_statistics statistics_of(const std::function<void(statistics_tree&)>& report) {
  statistics_tree tree;
  report(tree);
  flat_statistics flat;
  for (const flat_statistic& each : tree.flatten()) flat[each.path] = each.value;
  return flat;
}

}  // namespace tributary::testing
