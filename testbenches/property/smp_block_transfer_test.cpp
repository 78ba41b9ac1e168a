// SPDX-License-Identifier: Apache-2.0
// Block transfers between SMP nodes: whoever runs the handlers, what was sent is what arrives.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <smp/smp_simulation.h>
#include <tributary/algorithms/fbcopy.h>
#include <tributary/sim/error.h>
#include <tributary/sim/random_stream.h>

#include "support/failure.h"
#include "support/random_choice.h"
#include "support/sizes.h"
#include "support/text_checks.h"

namespace tributary {
namespace {

using testing::between;
using testing::one_of;

constexpr cycle_t patience = 50'000'000;
constexpr std::uint64_t slot = 4096;  ///< of a buffer, a page at most
constexpr std::uint32_t transfers = 4;

smp_config copying(schedule_kind schedule, std::uint32_t processors) {
  smp_config config;
  config.protocol = request_protocol::block_transfer;
  config.workload.requests.computing = 1000;
  config.workload.requests.requests = 20;
  config.machine.node.schedule = schedule;
  config.machine.node.processors = processors;
  return config;
}

smp_config random_config(std::uint64_t seed) {
  random_stream random(seed, 0, purpose::placement);
  const schedule_kind schedule =
      one_of(random, {schedule_kind::fixed, schedule_kind::floating, schedule_kind::single});
  const std::uint32_t least = schedule == schedule_kind::fixed ? 2 : 1;
  smp_config config =
      copying(schedule, schedule == schedule_kind::single ? 1 : between(random, least, 4));
  config.machine.nodes = between(random, 2, 4);
  config.machine.network.base_latency = one_of(random, {2U, 99U});
  config.machine.network.router_buffers = one_of(random, {1U, 64U});
  smp_node_config& node = config.machine.node;
  node.memory.line_bytes = one_of(random, {32U, 128U});
  node.costs.interrupt = one_of<std::uint64_t>(random, {2, 200, 2000});
  node.costs.variation.percent = one_of(random, {0U, 50U});
  node.readings.drains = random.below(2) == 0;
  node.readings.leaves_full_queue = random.below(2) == 0;
  config.block_transfer.page_bytes = one_of(random, {512U, 4096U});
  config.block_transfer.chunk = one_of(random, {0U, 1U, 4U});
  config.block_transfer.state_records = one_of(random, {2U, 16U});
  config.block_transfer.receive_records = one_of(random, {1U, 16U});
  config.costs.block_transfer.message = one_of<std::uint64_t>(random, {0, 65});
  config.costs.block_transfer.block = one_of<std::uint64_t>(random, {0, 542});
  return config;
}

/// Writes a buffer, has it copied to another node, and looks whether it is there.
class copying_program final : public program {
 public:
  explicit copying_program(const smp_config& config) : config_(config) {}

  void run(program_context& context) override {
    for (std::uint32_t i = 0; i < transfers; ++i) copy(context, i);
  }

  void look_at(const smp_nodes& machine) { machine_ = &machine; }
  std::uint64_t words() const { return words_; }
  std::uint64_t wrong() const { return wrong_; }

 private:
  void copy(program_context& context, std::uint32_t number) {
    const smp_node_config& node = config_.machine.node;
    const std::uint64_t process = context.rank() % context.processes();
    const std::uint32_t target = static_cast<std::uint32_t>(
        (index(context.node()) + 1 + context.random(context.nodes() - 1)) % context.nodes());
    // A page less than a request may have, as a source that is not aligned touches one more.
    const std::uint64_t line = node.memory.line_bytes;
    const std::uint64_t most = (block_transfer_command::pages_allowed(node.memory.line()) - 1) *
                               config_.block_transfer.page_bytes;
    const std::uint64_t lines = 1 + context.random(std::min(slot - line, most) / line);
    const std::uint64_t bytes = lines * line;
    const std::uint64_t shift = context.random(line / word_bytes) * word_bytes;
    const std::uint64_t source = slot * (1 + process) + shift;
    const std::uint64_t destination = slot * (1 + context.processes() + context.rank());
    std::vector<word_t> sent;
    for (std::uint64_t at = 0; at < bytes; at += word_bytes) {
      sent.push_back(context.random(~std::uint64_t{0}));
      context.store(own(context, source + at), sent.back());
    }
    const std::uint64_t flag = own(context, process * word_bytes);
    const std::uint64_t lock = own(context, slot - line);
    program_port port(context);
    while (context.swap(lock, 1) != 0) context.delay(100);
    const fbcopy_outcome outcome =
        fbcopy(port,
               physical_mapping(node.addresses, context.node(), config_.block_transfer.page_bytes,
                                node.memory.line()),
               own(context, source), node.addresses.address_of(node_id{target}, 0, destination),
               bytes, flag);
    context.store(lock, 0);
    EXPECT_EQ(outcome.result, block_transfer_result::accepted);
    EXPECT_EQ(outcome.copied_by_processor, 0U);
    fbcopy_wait(port, flag, number + 1);
    for (std::size_t i = 0; i < sent.size(); ++i) {
      ++words_;
      const word_t found = machine_->node(target).memory().read(destination + i * word_bytes);
      wrong_ += found == sent[i] ? 0 : 1;
    }
  }

  std::uint64_t own(const program_context& context, std::uint64_t offset) const {
    return config_.machine.node.addresses.address_of(context.node(), 0, offset);
  }

  const smp_config& config_;
  const smp_nodes* machine_ = nullptr;
  std::uint64_t words_ = 0;
  std::uint64_t wrong_ = 0;
};

TEST(smp_block_transfer, what_was_sent_is_what_arrives_under_every_schedule) {
  const std::uint64_t seeds = testing::halved(60);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const smp_config config = random_config(seed);
    auto own = std::make_unique<copying_program>(config);
    copying_program& program = *own;
    smp_simulation machine(config, seed, std::move(own));
    program.look_at(machine.machine());
    machine.run_until(patience);
    ASSERT_TRUE(machine.finished()) << "seed " << seed;
    EXPECT_GE(program.words(), transfers * config.machine.elements()) << "seed " << seed;
    EXPECT_EQ(program.wrong(), 0U) << "of " << program.words() << " words, seed " << seed;
  }
}

TEST(smp_block_transfer, a_machine_that_was_saved_goes_on_as_the_other) {
  for (const schedule_kind schedule : {schedule_kind::fixed, schedule_kind::floating}) {
    const smp_config config = copying(schedule, 3);
    for (const cycle_t saved : {3000U, 21000U, 90000U}) {
      smp_simulation one(config, 1);
      one.run_until(saved);
      smp_simulation other(config, 1);
      other.restore(one.save());
      one.run_until(patience);
      other.run_until(patience);
      EXPECT_TRUE(one.finished());
      EXPECT_EQ(one.statistics().to_json_text(), other.statistics().to_json_text()) << saved;
    }
  }
}

TEST(smp_block_transfer, a_block_costs_its_sender_and_its_receiver) {
  smp_config config = copying(schedule_kind::fixed, 2);
  config.workload.requests.requests = 1;  // of each of two nodes
  config.workload.requests.bytes = 4 * 128;
  const auto busy = [&config] {
    smp_simulation machine(config, 1);
    machine.run_until(patience);
    EXPECT_TRUE(machine.finished());
    return machine.machine().node(0).processing().busy() +
           machine.machine().node(1).processing().busy();
  };
  const std::uint64_t before = busy();
  config.costs.block_transfer.block += 100;
  EXPECT_EQ(busy(), before + 2 * 4 * 200);
}

TEST(smp_block_transfer, refuses_by_key_what_could_not_work) {
  struct refused {
    std::function<void(smp_config&)> change;
    std::vector<std::string> parts;
  };
  const std::vector<refused> all{{[](smp_config& c) { c.machine.node.level = node_level::bus; },
                                  {"node.level", "block_transfer", "constants"}},
                                 {[](smp_config& c) { c.workload.requests.computing = 0; },
                                  {"workload.requests.computing", "round_trip"}},
                                 {[](smp_config& c) { c.workload.requests.bytes = 130; },
                                  {"workload.requests.bytes", "130", "multiples of 128"}},
                                 {[](smp_config& c) { c.workload.requests.bytes = 65536; },
                                  {"workload.requests.bytes", "65536", "more pages"}},
                                 {[](smp_config& c) {
                                    c.machine.node.memory.bytes = std::uint64_t{1} << 16;
                                    c.machine.node.protocol_bytes = std::uint64_t{1} << 15;
                                    c.workload.requests.bytes = 40960;
                                  },
                                  {"workload.requests.bytes", "40960", "node.memory.bytes"}},
                                 {[](smp_config& c) { c.block_transfer.page_bytes = 1000; },
                                  {"block_transfer.page_bytes", "power of two"}}};
  for (const refused& each : all) {
    smp_config config = copying(schedule_kind::fixed, 2);
    each.change(config);
    const std::string said = testing::failure<configuration_error>([&] { config.validate(); });
    for (const std::string& part : each.parts) EXPECT_TRUE(testing::contains(said, part)) << said;
  }
}

}  // namespace
}  // namespace tributary
