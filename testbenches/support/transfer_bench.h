// SPDX-License-Identifier: Apache-2.0
// Block transfers between nodes with MAGIC, with lines that a test holds pending.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tributary/algorithms/fbcopy.h>
#include <tributary/magic/magic_machine.h>
#include <tributary/sim/random_stream.h>

#include <support/handler_statistics.h>
#include <support/protocol_lists.h>

namespace tributary::testing {

/// Lines that are pending the first so many times that somebody asks.
class held_lines final : public uncached_lines {
 public:
  void set_line(line_size line) { line_ = line; }
  /// `line`: its number.
  void hold(std::uint64_t line, std::uint32_t times) { times_[line] = times; }
  std::uint64_t asked_in_vain() const { return asked_in_vain_; }

  bool is_uncached(handler_context& context, std::uint64_t address) override {
    const auto held = times_.find(line_.number(context.addresses().offset_of(address)));
    if (held == times_.end() || held->second == 0) return true;
    --held->second;
    ++asked_in_vain_;
    return false;
  }

 private:
  line_size line_;
  std::map<std::uint64_t, std::uint32_t> times_;  // by number of the line
  std::uint64_t asked_in_vain_ = 0;
};

struct transfer_bench_config {
  /// Of each node; the bytes below are random at first.
  static constexpr std::uint64_t user_bytes = std::uint64_t{1} << 18;

  transfer_bench_config() {
    machine.node.memory.bytes = std::uint64_t{1} << 20;
    transfer.user_bytes = user_bytes;
  }

  magic_machine_config machine;
  block_transfer_config transfer;
  protocol_costs costs;
  /// A third protocol of each node, if there is one.
  std::function<std::unique_ptr<protocol>()> further;
};

/// Nodes with both protocols.
class transfer_bench {
 public:
  explicit transfer_bench(const transfer_bench_config& config, std::uint64_t seed = 1)
      : config_(config), states_(config.machine.nodes), machine_(config.machine, [this](node_id n) {
          auto all = uncached_and_transfers(config_.transfer, config_.costs, states_[index(n)]);
          if (config_.further) all.push_back(config_.further());
          return all;
        }) {
    for (held_lines& each : states_) each.set_line(line());
    random_stream draws(seed, 7U, 7U);
    for (std::uint32_t node = 0; node < config_.machine.nodes; ++node) {
      for (std::uint64_t at = 0; at < transfer_bench_config::user_bytes; at += 8) {
        memory(node).write(at, draws.next_u64());
      }
    }
  }

  magic_machine& machine() { return machine_; }
  const magic_machine& machine() const { return machine_; }
  memory_controller& memory(std::uint32_t node) { return machine_.node(node).memory(); }
  held_lines& lines(std::uint32_t node) { return states_[node]; }
  line_size line() const { return config_.machine.node.memory.line(); }
  const std::vector<held_lines>& lines() const { return states_; }
  const block_transfer_config& config() const { return config_.transfer; }

  std::uint64_t address(std::uint32_t node, std::uint64_t offset) const {
    return layout().address_of(node_id{node}, 0, offset);
  }
  fbcopy_mapping mapping(std::uint32_t node) const {
    return physical_mapping(layout(), node_id{node}, config_.transfer.page_bytes, line());
  }

  std::uint8_t byte(std::uint64_t address) {
    const std::uint64_t offset = layout().offset_of(address);
    const word_t word = memory(index(layout().node_of(address))).read(offset / 8 * 8);
    return static_cast<std::uint8_t>(word >> offset % 8 * 8);
  }
  std::vector<std::uint8_t> bytes(std::uint64_t address, std::uint64_t length) {
    std::vector<std::uint8_t> read;
    for (std::uint64_t i = 0; i < length; ++i) read.push_back(byte(address + i));
    return read;
  }

  /// Runs until the doubleword of a node is `value`; returns whether it became that.
  bool run_until_flag(std::uint32_t node, std::uint64_t offset, word_t value) {
    const auto is_there = [&] { return memory(node).read(offset) == value; };
    machine_.run_until(machine_.now() + 2'000'000, is_there);
    return is_there();
  }

  /// How often handlers of that name ran.
  std::uint64_t count(const std::string& handler) { return handler_total(machine_, handler); }
  /// Cycles that they took, and how often they ran.
  std::pair<std::uint64_t, std::uint64_t> occupancy(const std::string& handler) {
    return {handler_total(machine_, handler, "sum"), count(handler)};
  }

  /// Runs to the end, and says what the nodes have not given back by then; empty if they have all.
  std::string run_to_end() {
    if (!machine_.idle()) {
      machine_.run_until(machine_.now() + 10'000'000, [this] { return machine_.idle(); });
    }
    std::string left = machine_.idle() ? "" : "the machine is not idle";
    for (std::uint32_t i = 0; i < config_.machine.nodes; ++i) {
      const magic_node& node = machine_.node(i);
      const word_memory& memory = node.memory();
      const auto& uncached = static_cast<const uncached_protocol&>(node.protocols().at(0));
      const auto& transfers = static_cast<const block_transfer_protocol&>(node.protocols().at(1));
      for (const auto& [name, count] : std::initializer_list<std::pair<const char*, std::uint64_t>>{
               {"data buffers", node.buffers().in_use()},
               {"stores", uncached.stores_under_way(memory)},
               {"transfers", transfers.transfers_under_way(memory)},
               {"state records", transfers.state_records_in_use(memory)},
               {"receive records", transfers.receive_records_in_use(memory)}}) {
        if (count != 0) left += " node " + std::to_string(i) + ": " + name + ";";
      }
    }
    return left;
  }

 private:
  const address_layout& layout() const { return config_.machine.node.addresses; }

  transfer_bench_config config_;
  std::vector<held_lines> states_;
  magic_machine machine_;
};

}  // namespace tributary::testing
