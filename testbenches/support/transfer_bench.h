// SPDX-License-Identifier: Apache-2.0
// Block transfers on the plain controller, with lines that a test holds pending.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <tributary/algorithms/fbcopy.h>
#include <tributary/controller/handler_context.h>
#include <tributary/protocols/block_transfer/block_transfer.h>
#include <tributary/protocols/costs/protocol_costs.h>
#include <tributary/protocols/line_states.h>
#include <tributary/protocols/uncached.h>
#include <tributary/sim/random_stream.h>

#include <support/plain_controller.h>

namespace tributary::testing {

/// Lines that are pending the first so many times that somebody asks.
class held_lines final : public line_states {
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
  plain_machine_config machine;
  block_transfer_config transfer;
  protocol_costs costs;
};

/// Nodes with both protocols, random memory, and a processor each that a test speaks for.
class transfer_bench {
 public:
  static constexpr std::uint64_t user_bytes = std::uint64_t{1} << 18;

  explicit transfer_bench(transfer_bench_config config)
      : config_(with_range(std::move(config))), states_(config_.machine.nodes) {
    for (held_lines& each : states_) each.set_line(config_.machine.line);
    machine_ = std::make_unique<plain_machine>(config_.machine,
                                               [this](node_id node) { return protocols_of(node); });
    random_stream draws(config_.machine.seed, 7U, 7U);
    for (std::uint32_t node = 0; node < config_.machine.nodes; ++node) {
      for (std::uint64_t at = 0; at < user_bytes; at += 8) {
        machine_->memory(node_id{node}).write(at, draws.next_u64());
      }
    }
  }

  plain_machine& machine() { return *machine_; }
  word_memory& memory(std::uint32_t node) { return machine_->memory(node_id{node}); }
  held_lines& lines(std::uint32_t node) { return states_[node]; }
  const block_transfer_config& config() const { return config_.transfer; }

  std::uint64_t address(std::uint32_t node, std::uint64_t offset, std::uint32_t space = 0) const {
    return config_.machine.addresses.address_of(node_id{node}, space, offset);
  }
  fbcopy_mapping mapping(std::uint32_t node) const {
    return physical_mapping(config_.machine.addresses, node_id{node}, config_.transfer.page_bytes,
                            config_.machine.line);
  }
  const block_transfer_protocol& transfers(std::uint32_t node) {
    return static_cast<const block_transfer_protocol&>(machine_->protocols(node_id{node}).at(1));
  }

  std::uint8_t byte(std::uint64_t address) {
    const address_layout& layout = config_.machine.addresses;
    const std::uint64_t offset = layout.offset_of(address);
    const word_t word = memory(index(layout.node_of(address))).read(offset / 8 * 8);
    return static_cast<std::uint8_t>(word >> offset % 8 * 8);
  }
  std::vector<std::uint8_t> bytes(std::uint64_t address, std::uint64_t length) {
    std::vector<std::uint8_t> read;
    for (std::uint64_t i = 0; i < length; ++i) read.push_back(byte(address + i));
    return read;
  }

  /// Runs until the doubleword is `value`; returns whether it became that.
  bool run_until_flag(std::uint64_t flag, word_t value, cycle_t limit = 2'000'000) {
    const address_layout& layout = config_.machine.addresses;
    word_memory& at = memory(index(layout.node_of(flag)));
    const cycle_t last = machine_->now() + limit;
    while (at.read(layout.offset_of(flag)) != value && machine_->now() < last) {
      machine_->run_until(machine_->now() + 1);
    }
    return at.read(layout.offset_of(flag)) == value;
  }

  /// Cycles that handlers of that name took, and how often they ran.
  std::pair<std::uint64_t, std::uint64_t> occupancy(const std::string& name) {
    std::uint64_t cycles = 0;
    std::uint64_t runs = 0;
    for (const handled_message& each : machine_->handled()) {
      if (machine_->protocols(each.node).name_of(each.run) != name) continue;
      cycles += each.ended - each.begun;
      ++runs;
    }
    return {cycles, runs};
  }

  /// Everything that transfers had is free again.
  void expect_clean() {
    EXPECT_TRUE(machine_->run());
    for (std::uint32_t node = 0; node < config_.machine.nodes; ++node) {
      EXPECT_EQ(transfers(node).transfers_under_way(memory(node)), 0U) << node;
      EXPECT_EQ(transfers(node).state_records_in_use(memory(node)), 0U) << node;
      EXPECT_EQ(transfers(node).receive_records_in_use(memory(node)), 0U) << node;
    }
  }

 private:
  static transfer_bench_config with_range(transfer_bench_config config) {
    config.transfer.user_bytes = user_bytes;
    return config;
  }

  std::vector<std::unique_ptr<protocol>> protocols_of(node_id node) {
    std::vector<std::unique_ptr<protocol>> made;
    made.push_back(std::make_unique<uncached_protocol>(config_.costs.uncached));
    made.push_back(std::make_unique<block_transfer_protocol>(
        config_.transfer, config_.costs.block_transfer, config_.costs.pp_ownership,
        states_[index(node)]));
    return made;
  }

  transfer_bench_config config_;
  std::vector<held_lines> states_;
  std::unique_ptr<plain_machine> machine_;
};

/// The processor of a node of a bench.
class bench_port final : public uncached_port {
 public:
  bench_port(transfer_bench& bench, std::uint32_t node, std::uint8_t process = 0)
      : bench_(bench), node_{node}, process_(process) {}

  word_t load(std::uint64_t address) override {
    return bench_.machine().read(node_, address, 1'000'000, 0, process_);
  }
  void store(std::uint64_t address, word_t value) override {
    bench_.machine().begin_write(node_, address, value, 0, process_);
    ++stores_;
    if (interrupted_after_ != 0 && stores_ == interrupted_after_) {
      bench_.machine().begin_write(
          node_, bench_.mapping(index(node_)).commands + block_transfer_command::context_switch,
          process_);
    }
  }
  void delay(std::uint64_t cycles) override {
    bench_.machine().run_until(bench_.machine().now() + cycles);
  }

  /// The system switches to another process and back after that store, once.
  void interrupt_after(std::uint64_t stores) { interrupted_after_ = stores; }

 private:
  transfer_bench& bench_;
  node_id node_;
  std::uint8_t process_;
  std::uint64_t stores_ = 0;
  std::uint64_t interrupted_after_ = 0;
};

}  // namespace tributary::testing
