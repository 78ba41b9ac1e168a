// SPDX-License-Identifier: Apache-2.0
// Compiled with `tributary` defined as the namespace of the cores without statistics.
#include "bare_machine.h"

#include <cmath>
#include <vector>

#include <tributary/memory/memory.h>
#include <tributary/network/omega/omega_network.h>
#include <tributary/nic/network_interface.h>
#include <tributary/processor/closed_loop.h>
#include <tributary/processor/open_loop.h>
#include <tributary/sim/statistics.h>

namespace bare {
namespace {

using namespace tributary;

omega_network_config network_of(const plain::options& chosen) {
  omega_network_config config;
  config.processing_elements = chosen.elements;
  combining_switch_config& switches = config.switches;
  switches.type = chosen.dual_input ? queue_type::a : queue_type::b;
  switches.coupled = chosen.coupled;
  switches.slots = chosen.slots;
  switches.adaptive_limit = chosen.adaptive_limit;
  switches.wait_buffer_entries = static_cast<std::uint32_t>(chosen.wait_buffer);
  switches.link_cycles = chosen.link_cycles;
  switches.reverse_slots = chosen.reverse_slots;
  return config;
}

memory_config memory_of(const plain::options& chosen) {
  return {chosen.memory_interval, chosen.memory_latency, chosen.memory_pipeline};
}

std::unique_ptr<workload> workload_of(const plain::options& chosen, const address_map& map) {
  traffic_config traffic;
  traffic.hot_spot = chosen.hot_spot;
  if (chosen.load > 0) {
    open_loop_config open;
    open.load = chosen.load;
    return std::make_unique<open_loop>(open, traffic, processing_element_config(), map,
                                       chosen.seed);
  }
  const processing_element_config elements{chosen.turnaround, chosen.start_window};
  return std::make_unique<closed_loop>(traffic, elements, chosen.outstanding, map, chosen.seed);
}

struct nobody {
  static constexpr bool enabled = false;
};

}  // namespace

struct machine::blocks {
  explicit blocks(const plain::options& chosen)
      : map({}, chosen.elements),
        network(network_of(chosen)),
        memories(memory_of(chosen), chosen.link_cycles, chosen.elements),
        interfaces({chosen.outstanding, issue_policy::unordered}, map, network.first_route_bit(),
                   chosen.link_cycles, chosen.elements),
        work(workload_of(chosen, map)) {}

  void step();

  address_map map;
  omega_network network;
  memory memories;
  network_interface interfaces;
  std::unique_ptr<workload> work;
  cycle_t now = 0;
  std::vector<memory_response> responses;
};

/// The cycle of `ultracomputer::step`, less what looks on.
void machine::blocks::step() {
  ++now;
  nobody observer;
  responses.clear();
  work->advance(now, interfaces);

  network.depart(memories.request_ready());
  interfaces.depart(network.request_ready(), memories.local_ready());
  memories.depart(network.reply_ready());

  network.advance();
  interfaces.advance();
  memories.advance();

  network.move_requests(
      [&](std::size_t module, const packet& request) { memories.serve(module, request, now); },
      observer);
  interfaces.release_requests(
      now,
      [&](std::size_t pe, const packet& request) { network.accept_request(pe, request, observer); },
      [&](std::size_t pe, const packet& request) { memories.accept_local(pe, request); });
  memories.serve_local(now, [](std::size_t, const packet&, word_t) {});

  const auto deliver = [&](std::size_t pe, const reply& response) {
    responses.push_back(interfaces.deliver(pe, response, now));
  };
  network.move_replies(deliver, observer);
  memories.release_replies(now, [&](std::size_t module, const reply& response) {
    network.accept_reply(module, response, observer);
  });
  memories.release_local_replies(now, deliver);
  memories.settle();

  work->deliver(now, responses);
}

machine::machine(const plain::options& chosen) : blocks_(std::make_unique<blocks>(chosen)) {}
machine::~machine() = default;

void machine::step(std::uint64_t cycles) {
  for (std::uint64_t i = 0; i < cycles; ++i) blocks_->step();
}

std::uint64_t machine::digest() const { return digest_of(blocks_->network, blocks_->interfaces); }

double machine::counted() const {
  statistics_tree tree;
  blocks_->network.report(tree.group("network"));
  blocks_->memories.report(tree.group("memory"));
  blocks_->interfaces.report(tree.group("interface"));
  blocks_->work->report(tree.group("workload"));
  double sum = 0;
  for (const flat_statistic& each : tree.flatten()) {
    if (!std::isnan(each.value)) sum += each.value;
  }
  return sum;
}

}  // namespace bare
