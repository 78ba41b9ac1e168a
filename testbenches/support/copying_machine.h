// SPDX-License-Identifier: Apache-2.0
// MAGIC nodes whose processors copy by block transfers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <tributary/algorithms/fbcopy.h>
#include <tributary/magic/magic_machine.h>
#include <tributary/processor/node_elements.h>
#include <tributary/protocols/block_transfer/block_transfer.h>
#include <tributary/protocols/costs/protocol_costs.h>
#include <tributary/protocols/uncached.h>
#include <tributary/sim/random_stream.h>

#include <support/transfer_bench.h>

namespace tributary::testing {

/// Bytes that a processor has copied.
struct copy_job {
  std::uint32_t from = 0;
  std::uint64_t source = 0;
  std::uint32_t to = 1;
  std::uint64_t destination = 0;
  std::uint64_t length = 0;
};

/// A machine whose processors each do one copy after the other, compared in the cycle in which the
/// flag changes.
class copying_machine {
 public:
  static constexpr std::uint64_t flag_offset = 0x800;

  copying_machine(const magic_machine_config& config, block_transfer_config transfer,
                  const protocol_costs& costs, std::vector<std::vector<copy_job>> jobs)
      : transfer_(transfer),
        costs_(costs),
        jobs_(std::move(jobs)),
        states_(config.nodes),
        wanted_(config.nodes),
        compared_(config.nodes, 0),
        outcomes_(config.nodes) {
    transfer_.user_bytes = config.node.protocol_storage();
    for (held_lines& each : states_) each.set_line(config.node.memory.line());
    machine_ = std::make_unique<magic_machine>(config,
                                               [this](node_id node) { return protocols_of(node); });
    jobs_.resize(config.nodes);
    random_stream draws(1, 5U, 6U);
    for (std::uint32_t node = 0; node < config.nodes; ++node) {
      for (std::uint64_t at = 0x1000; at < 0x80000; at += 8) {
        memory(node).write(at, draws.next_u64());
      }
    }
    for (std::uint32_t node = 0; node < config.nodes; ++node) {
      for (const copy_job& job : jobs_[node]) {
        wanted_[node].push_back(bytes(job.from, job.source, job.length));
      }
    }
    programs_.emplace(config, make_program([this](program_context& context) { copy(context); }));
    programs_->elements().add_all(*machine_);
  }

  magic_machine& machine() { return *machine_; }
  held_lines& lines(std::uint32_t node) { return states_[node]; }
  cycle_t begun() const { return begun_; }
  const std::vector<fbcopy_outcome>& outcomes(std::uint32_t node) const { return outcomes_[node]; }

  /// Runs until all flags have all their increments; returns the cycle of the last.
  cycle_t run(cycle_t limit = 20'000'000) {
    machine_->run_until(limit, [this] { return compare(); });
    EXPECT_TRUE(compare()) << "not all flags were incremented";
    const cycle_t last = machine_->now();
    machine_->run_until(last + 200'000);
    EXPECT_TRUE(machine_->idle());
    for (std::uint32_t node = 0; node < jobs_.size(); ++node) expect_clean(node);
    return last;
  }

  /// How often each handler ran, of those that ran on a node.
  void count_handlers(std::uint32_t node, std::map<std::string, double>& into) {
    statistics_tree tree;
    machine_->report(tree.group("machine"));
    const std::string start =
        "machine.node." + std::to_string(node) + ".protocol_processor.handler.";
    for (const std::string& each : machine_->node(node).protocols().handler_names()) {
      into[each] += 0;
    }
    for (const flat_statistic& found : tree.flatten()) {
      if (found.path.rfind(start, 0) != 0) continue;
      const std::size_t end = found.path.rfind('.');
      if (found.path.substr(end) != ".count") continue;
      into[found.path.substr(start.size(), end - start.size())] += found.value;
    }
  }

  double statistic(const std::string& path) {
    statistics_tree tree;
    machine_->report(tree.group("machine"));
    return tree.find("machine." + path);
  }
  double of_handler(std::uint32_t node, const std::string& name, const std::string& what) {
    return statistic("node." + std::to_string(node) + ".protocol_processor.handler." + name + "." +
                     what);
  }

 private:
  const address_layout& layout() const { return machine_->config().node.addresses; }
  memory_controller& memory(std::uint32_t node) { return machine_->node(node).memory(); }

  std::vector<std::uint8_t> bytes(std::uint32_t node, std::uint64_t offset, std::uint64_t length) {
    std::vector<std::uint8_t> all;
    for (std::uint64_t at = offset; at < offset + length; ++at) {
      all.push_back(static_cast<std::uint8_t>(memory(node).read(at / 8 * 8) >> at % 8 * 8));
    }
    return all;
  }

  std::vector<std::unique_ptr<protocol>> protocols_of(node_id node) {
    std::vector<std::unique_ptr<protocol>> made;
    made.push_back(std::make_unique<uncached_protocol>(costs_.uncached));
    made.push_back(std::make_unique<block_transfer_protocol>(
        transfer_, costs_.block_transfer, costs_.pp_ownership, states_[index(node)]));
    return made;
  }

  void copy(program_context& context) {
    const std::uint32_t rank = context.rank();
    const node_id here{rank};
    const fbcopy_mapping mapping = physical_mapping(layout(), here, transfer_.page_bytes,
                                                    machine_->config().node.memory.line());
    program_port port(context);
    if (rank == 0) begun_ = context.now();
    for (const copy_job& job : jobs_[rank]) {
      outcomes_[rank].push_back(fbcopy(port, mapping,
                                       layout().address_of(node_id{job.from}, 0, job.source),
                                       layout().address_of(node_id{job.to}, 0, job.destination),
                                       job.length, layout().address_of(here, 0, flag_offset)));
      // One after the other, so that the flag tells which of them is complete.
      const word_t value = outcomes_[rank].size();
      while (memory(rank).read(flag_offset) < value) context.delay(50);
    }
  }

  /// Whether everything is there.
  bool compare() {
    bool all = true;
    for (std::uint32_t node = 0; node < jobs_.size(); ++node) {
      if (memory(node).read(flag_offset) == compared_[node] + 1) {
        const copy_job& job = jobs_[node][compared_[node]];
        EXPECT_EQ(bytes(job.to, job.destination, job.length), wanted_[node][compared_[node]]);
        ++compared_[node];
      }
      EXPECT_EQ(memory(node).read(flag_offset), compared_[node]);
      all = all && compared_[node] == jobs_[node].size();
    }
    return all;
  }

  void expect_clean(std::uint32_t node) {
    EXPECT_EQ(memory(node).read(flag_offset), jobs_[node].size());
    EXPECT_EQ(machine_->node(node).buffers().in_use(), 0U);
    const auto& transfers = static_cast<const block_transfer_protocol&>(
        const_cast<protocol_set&>(machine_->node(node).protocols()).at(1));
    EXPECT_EQ(transfers.transfers_under_way(memory(node)), 0U);
    EXPECT_EQ(transfers.state_records_in_use(memory(node)), 0U);
    EXPECT_EQ(transfers.receive_records_in_use(memory(node)), 0U);
  }

  block_transfer_config transfer_;
  protocol_costs costs_;
  std::vector<std::vector<copy_job>> jobs_;
  std::vector<held_lines> states_;
  std::vector<std::vector<std::vector<std::uint8_t>>> wanted_;
  std::vector<std::size_t> compared_;
  std::vector<std::vector<fbcopy_outcome>> outcomes_;
  std::unique_ptr<magic_machine> machine_;
  std::optional<node_programs> programs_;
  cycle_t begun_ = 0;
};

inline magic_machine_config small_machine(std::uint32_t nodes) {
  magic_machine_config config;
  config.nodes = nodes;
  config.node.memory.bytes = 1 << 20;
  return config;
}

}  // namespace tributary::testing
