// SPDX-License-Identifier: Apache-2.0
// Nodes of any communication architecture with a program on each, and the messages that they send.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tributary/controller/address_layout.h>
#include <tributary/controller/attached_machine.h>
#include <tributary/memory/address_map.h>
#include <tributary/processor/node_elements.h>
#include <tributary/processor/program_workload.h>
#include <tributary/sim/observer.h>
#include <tributary/sim/state_archive.h>
#include <tributary/trace/catalog.h>
#include <tributary/trace/communication_events.h>

namespace tributary::testing {

/// Nodes next to each other, as far as a mesh goes, with two lanes.
inline message_network_config two_lanes() {
  message_network_config config;
  config.lanes = 2;
  config.base_latency = 20;
  return config;
}

class attached_programs final : private observer<trace_event> {
 public:
  using body = std::function<void(program_context&)>;

  /// `own_bytes` of each node are programs', the first half "shared", the other "local".
  attached_programs(const message_network_config& network, std::uint32_t nodes,
                    std::uint64_t own_bytes, cargo_store& messages,
                    const attached_node::attachment_maker& make, const body& run,
                    std::uint64_t seed = 1)
      : machine("attached", network, nodes, messages, make),
        half(own_bytes / 2),
        map_(address_layout().regions(nodes, own_bytes, line_bytes), nodes),
        work({}, make_program(run), element(), map_, seed),
        elements_(work) {
    for (std::uint32_t i = 0; i < nodes; ++i) {
      attached_node& node = machine.node(i);
      elements_.add(i, node.clockwork(), node.attachment().port());
      elements_.serve_interrupts(i, node.attachment());
    }
    machine.observers().attach(*this);
  }

  bool finished() const { return work.finished() && machine.idle(); }
  /// To the end of all programs and messages; says whether they came to it.
  bool run(cycle_t last = 50'000'000) {
    machine.run_until(last, [this] {
      work.check_progress(machine.now());
      return finished();
    });
    return finished();
  }
  std::string save() const { return save_state(machine.save(), work.save()); }
  void restore(const std::string& state) {
    std::string nodes;
    std::string programs;
    restore_state(state, nodes, programs);
    work.restore(programs);
    machine.restore(nodes);
  }
  /// A word of a node's part of "local".
  word_t local(std::uint32_t node, std::uint64_t word) const {
    return machine.node(node).attachment().peek(half + word * word_bytes);
  }

  /// The messages that entered the network, as "write for barrier": how many.
  std::map<std::string, std::uint64_t> sent;
  std::map<std::string, std::uint64_t> bytes;
  /// Of those, for cold misses.
  std::map<std::string, std::uint64_t> cold;
  /// Of those, about lines that were fetched ahead.
  std::map<std::string, std::uint64_t> ahead;
  std::uint64_t of(const std::string& what) const {
    const auto found = sent.find(what);
    return found == sent.end() ? 0 : found->second;
  }
  std::uint64_t bytes_of(const std::string& what) const {
    const auto found = bytes.find(what);
    return found == bytes.end() ? 0 : found->second;
  }
  void forget() {
    sent.clear();
    bytes.clear();
    cold.clear();
    ahead.clear();
  }

  attached_machine machine;
  std::uint64_t half;

 private:
  static constexpr std::uint64_t line_bytes = 32;

  static processing_element_config element() {
    processing_element_config chosen;
    chosen.turnaround = 1;
    chosen.start_window = 1;
    chosen.posted_stores = true;
    return chosen;
  }

  void on_event(const trace_event& event) override {
    namespace events = communication_events;
    if (event.kind != &events::sent) return;
    const std::string what = names_of_messages().at(events::message.in(event.details)) + " for " +
                             names_of_purposes().at(events::purpose.in(event.details));
    ++sent[what];
    bytes[what] += events::bytes.in(event.details);
    if (events::cold.in(event.details) == 1) ++cold[what];
    constexpr auto is_ahead = static_cast<std::uint64_t>(request_part::ahead);
    if (events::request.in(event.details) == is_ahead) ++ahead[what];
  }

  address_map map_;

 public:
  program_workload work;

 private:
  node_elements elements_;
};

}  // namespace tributary::testing
