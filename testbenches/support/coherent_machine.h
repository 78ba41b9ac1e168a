// SPDX-License-Identifier: Apache-2.0
// Nodes with caches and coherence, whose processors a test speaks for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <tributary/magic/magic_machine.h>
#include <tributary/protocols/coherence/coherence.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/error.h>

#include "accesses.h"
#include "late_messages.h"

namespace tributary::testing {

/// What a test asks of a coherent machine.
struct coherent_config {
  magic_machine_config machine;
  coherence_config coherence;
  coherence_costs costs;
  /// Handlers begin up to so many cycles late, by draws of a seed.
  std::uint32_t handlers_late = 0;
  std::uint64_t seed = 0;

  /// Nodes with caches, and room for a directory.
  explicit coherent_config(std::uint32_t nodes) {
    machine.nodes = nodes;
    machine.node.caches.present = true;
    machine.node.memory.bytes = std::uint64_t{1} << 20;
    machine.node.protocol_bytes = std::uint64_t{256} << 10;
  }
  /// Those of a node's handlers; each protocol has a stream of draws.
  random_delays delays_of(node_id here, std::uint32_t stream) const {
    return random_delays(random_stream(seed, index(here), stream), handlers_late);
  }
};

/// The processor of a node: asks at its caches in cycles of its own clock.
class cached_processor final : private timed_block, private memory_client {
 public:
  struct answer {
    cycle_t cycle;
    std::uint64_t tag;
    word_t value;
  };

  explicit cached_processor(magic_node& node)
      : caches_(*node.caches()), time_(*node.processor_clockwork()) {
    caches_.set_client(this);
  }
  ~cached_processor() { caches_.set_client(nullptr); }
  cached_processor(const cached_processor&) = delete;
  cached_processor& operator=(const cached_processor&) = delete;

  /// Does something in a cycle of the processor.
  void at(cycle_t when, std::function<void(cycle_t)> action) {
    actions_.push_back(std::move(action));
    time_.wake(*this, when, actions_.size() - 1, wake_rank::processor);
  }
  void offer_at(cycle_t when, const access& request) {
    at(when, [this, request](cycle_t now) { caches_.offer(0, request, now); });
  }
  cache& caches() { return caches_; }

  std::vector<answer> answers;
  std::function<void(const answer&)> on_answer;
  std::function<void(cycle_t)> on_room;

 private:
  void wake(cycle_t now, std::uint64_t number) override {
    const std::function<void(cycle_t)> action =
        std::move(actions_[static_cast<std::size_t>(number)]);
    action(now);
  }
  void completed(const completion& ended, cycle_t now) override {
    answers.push_back({now, ended.tag, ended.value});
    if (on_answer) on_answer(answers.back());
  }
  void room(std::size_t, cycle_t now) override {
    if (on_room) on_room(now);
  }

  cache& caches_;
  agenda& time_;
  std::vector<std::function<void(cycle_t)>> actions_;
};

/// The machine and its processors.
class coherent_machine {
 public:
  using protocol_list = std::vector<std::unique_ptr<protocol>>;
  /// Adds protocols of a node to its coherence.
  using protocols_with =
      std::function<protocol_list(std::unique_ptr<coherence_protocol> coherence)>;

  explicit coherent_machine(const coherent_config& config)
      : coherent_machine(config, [](std::unique_ptr<coherence_protocol> coherence) {
          protocol_list alone;
          alone.push_back(std::move(coherence));
          return alone;
        }) {}
  coherent_machine(const coherent_config& config, const protocols_with& with)
      : machine(config.machine, [&](node_id node) { return with(coherence_of(config, node)); }) {
    for (std::size_t i = 0; i < machine.size(); ++i) {
      processors.push_back(std::make_unique<cached_processor>(machine.node(i)));
    }
  }

  /// A processor stores a word, while all else is at rest.
  void write(std::uint32_t writer, std::uint64_t address, word_t value) {
    ask(writer, store_of(address, value));
  }
  /// Cycles of the nodes' clock from the beginning of a processor's load until it has the word, all
  /// else at rest.
  double read_cycles(std::uint32_t reader, std::uint64_t address) {
    const cycle_t begin = ask(reader, load_of(address));
    return static_cast<double>(processors[reader]->answers.back().cycle - begin) /
           static_cast<double>(machine.config().node.caches.clock_ratio);
  }

  /// What a processor reads, while all else is at rest.
  word_t read(std::uint32_t reader, std::uint64_t address) {
    ask(reader, load_of(address));
    return processors[reader]->answers.back().value;
  }

  std::uint64_t address(std::uint32_t node, std::uint64_t offset) const {
    return machine.config().node.addresses.address_of(node_id{node}, 0, offset);
  }
  /// What memory and caches have of a word, when all is at rest.
  word_t newest(std::uint64_t address) const {
    const address_layout& layout = machine.config().node.addresses;
    for (std::size_t i = 0; i < machine.size(); ++i) {
      const cache& caches = *machine.node(i).caches();
      if (caches.state_of(address) != line_state::invalid) return caches.word_at(address);
    }
    return machine.node(index(layout.node_of(address))).memory().read(layout.offset_of(address));
  }
  coherence::directory_entry entry(std::uint32_t home, std::uint64_t offset) const {
    const magic_node& node = machine.node(home);
    const auto& own = static_cast<const coherence_protocol&>(node.protocols().at(0));
    return coherence::directory_entry(node.memory().read(own.layout().entry(offset)));
  }
  /// Whether the directory names a node as one that has the line.
  bool names(std::uint32_t home, std::uint64_t offset, node_id node) const {
    const coherence::directory_entry line = entry(home, offset);
    if (node == node_id{home}) return line.local();
    if (line.has_remote() && line.remote() == node) return true;
    const magic_node& at = machine.node(home);
    const auto& layout = static_cast<const coherence_protocol&>(at.protocols().at(0)).layout();
    for (word_t each = line.list(); each != 0;) {
      const word_t element = at.memory().read(layout.element(each));
      if (coherence::list_element::node.in(element) == index(node)) return true;
      each = coherence::list_element::next.in(element);
    }
    return false;
  }
  /// Write-backs that the directory of a node did not expect.
  word_t unexpected(std::uint32_t home) const {
    const magic_node& node = machine.node(home);
    const auto& own = static_cast<const coherence_protocol&>(node.protocols().at(0));
    return node.memory().read(own.layout().base + coherence::directory_layout::unexpected);
  }

  magic_machine machine;
  std::vector<std::unique_ptr<cached_processor>> processors;

 private:
  static std::unique_ptr<coherence_protocol> coherence_of(const coherent_config& config,
                                                          node_id here) {
    const magic_node_config& node = config.machine.node;
    return std::make_unique<late_handlers<coherence_protocol>>(
        config.delays_of(here, 13U), handler_watch(), config.coherence, config.costs,
        node.protocol_storage(), node.memory.line());
  }

  /// Runs until it is answered and all is at rest; returns the processor's cycle of the access.
  cycle_t ask(std::uint32_t who, const access& request) {
    constexpr std::uint64_t rest = 10;
    constexpr std::uint64_t patience = 100000;
    const std::size_t before = processors[who]->answers.size();
    const cycle_t begin = (machine.now() + rest) * machine.config().node.caches.clock_ratio;
    processors[who]->offer_at(begin, request);
    const auto answered = [&] {
      return processors[who]->answers.size() > before && machine.idle();
    };
    machine.run_until(machine.now() + patience, answered);
    if (!answered()) throw error("an access is never answered");
    return begin;
  }
};

}  // namespace tributary::testing
