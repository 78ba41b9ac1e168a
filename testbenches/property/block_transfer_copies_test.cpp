// SPDX-License-Identifier: Apache-2.0
// All nodes copy at once, over random lengths, alignments, page and chunk sizes, queue depths, link
// speeds and pending lines; the destination is compared in the cycle in which the flag changes.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <support/copying_machine.h>
#include <support/sizes.h>

namespace tributary {
namespace {

using testing::copy_job;
using testing::copying_machine;
using testing::small_machine;

magic_machine_config draw_machine(random_stream& draws) {
  magic_machine_config config = small_machine(2 + static_cast<std::uint32_t>(draws.below(3)));
  const auto draw = [&draws](std::uint32_t low, std::uint32_t high) {
    return low + static_cast<std::uint32_t>(draws.below(high - low + 1));
  };
  config.network.bandwidth = 100U << draw(0, 3);
  config.network.router_buffers = draw(1, 4);
  config.network.endpoint_buffers = draw(1, 16);
  config.node.network_interface.out_depth = draw(4, 16);
  config.node.buffers.buffers = draw(5, 16);
  config.node.memory.first_word = draw(1, 30);
  return config;
}

block_transfer_config draw_transfer(random_stream& draws) {
  block_transfer_config transfer;
  transfer.chunk = static_cast<std::uint32_t>(draws.below(7));
  transfer.page_bytes = 1024U << draws.below(4);
  transfer.state_records = 2 + static_cast<std::uint32_t>(draws.below(2));
  transfer.receive_records = 1 + static_cast<std::uint32_t>(draws.below(4));
  return transfer;
}

/// The i-th copy of a node; no two write the same line, and none writes what is read.
copy_job draw_job(random_stream& draws, std::uint32_t nodes, std::uint32_t node, std::uint64_t i,
                  line_size line) {
  copy_job job;
  job.from = static_cast<std::uint32_t>(draws.below(nodes));
  const std::uint64_t distance = draws.below(8) == 0 ? 0 : 1 + draws.below(nodes - 1);
  job.to = (job.from + static_cast<std::uint32_t>(distance)) % nodes;
  job.length = 1 + draws.below(draws.below(2) == 0 ? 500 : 7000);
  job.source = 0x1000 + draws.below(0x10000);
  job.destination = 0x20000 + 0x10000 * node + 0x4000 * i + draws.below(0x2000);
  if (draws.below(8) != 0) job.destination += (job.source - job.destination) % 8;
  if (draws.below(3) == 0) job.destination += line.offset(job.source - job.destination);
  return job;
}

void copy_at_random(std::uint64_t seed, std::map<std::string, double>& ran) {
  SCOPED_TRACE(::testing::Message() << "seed " << seed);
  random_stream draws(seed, 2U, 3U);
  magic_machine_config config = draw_machine(draws);
  if (seed % 2 == 0) config.node.memory.line_bytes = least_line_bytes << seed / 2 % 4;
  config.network.payload_bytes = most_line_bytes;
  const line_size line = config.node.memory.line();
  const block_transfer_config transfer = draw_transfer(draws);
  std::vector<std::vector<copy_job>> jobs(config.nodes);
  for (std::uint32_t node = 0; node < config.nodes; ++node) {
    for (std::uint64_t i = 1 + draws.below(3); i-- > 0;) {
      jobs[node].push_back(draw_job(draws, config.nodes, node, i, line));
    }
  }
  copying_machine run(config, transfer, {}, jobs);
  for (const auto& of_node : jobs) {
    for (const copy_job& job : of_node) {
      run.lines(job.from).hold(line.number(job.source + draws.below(job.length)), 2);
      run.lines(job.to).hold(line.number(job.destination + draws.below(job.length)), 2);
    }
  }
  run.run();
  for (std::uint32_t node = 0; node < config.nodes; ++node) run.count_handlers(node, ran);
}

TEST(block_transfer_copies, are_exact_when_the_flag_changes) {
  const std::uint64_t last = testing::long_form() ? testing::scaled(10000) : testing::scaled(60);
  std::map<std::string, double> ran;
  for (std::uint64_t seed = 1; seed <= last && !HasFailure(); ++seed) copy_at_random(seed, ran);
  ran.erase("uncached.load_again");  // uncached_protocol_test has it
  for (const auto& [name, times] : ran) {
    EXPECT_GT(times + (last < 60 ? 1 : 0), 0.0) << name << " never ran";
  }
}

}  // namespace
}  // namespace tributary
