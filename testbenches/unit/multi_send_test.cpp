// SPDX-License-Identifier: Apache-2.0
#include <tributary/protocols/multi_send/multi_send.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tributary/algorithms/host_multicast.h>

#include <support/host_machine.h>

namespace tributary::testing {
namespace {

/// Host 0 sends `bytes` to all others; each writes when it had them.
struct one_message {
  std::uint32_t hosts = 2;
  std::uint64_t bytes = 1536;
  bool unicasts = false;

  double microseconds(const host_choice& base = {}) const {
    host_choice choice = base;
    choice.hosts = hosts;
    std::vector<cycle_t> ends(hosts);
    host_machine machine(choice, [&](program_context& context) {
      const std::uint64_t memory = host_machine::memory_of(context);
      multi_send_driver driver(context, host_machine::access_of(choice, context), choice.times);
      if (context.rank() != 0) {
        driver.receive_message(memory, bytes);
        ends[context.rank()] = context.now();
        return;
      }
      std::vector<std::uint32_t> all;
      for (std::uint32_t host = 1; host < hosts; ++host) all.push_back(host);
      if (!unicasts) {
        driver.send_message(all, memory, bytes);
        return;
      }
      for (const std::uint32_t host : all) driver.send_message({host}, memory, bytes);
    });
    EXPECT_TRUE(machine.run());
    cycle_t last = 0;
    for (const cycle_t end : ends) last = std::max(last, end);
    return static_cast<double>(last) / 10000;
  }
};

double multicast_us(std::uint32_t hosts, std::uint64_t bytes, const collective_tree& tree,
                    const multicast_way& way, const host_choice& base = {}) {
  host_choice choice = base;
  choice.hosts = hosts;
  cycle_t last = 0;
  host_machine machine(choice, [&](program_context& context) {
    multi_send_driver driver(context, host_machine::access_of(choice, context), choice.times);
    multicast(driver, context.rank(), tree, way, host_machine::memory_of(context), bytes);
    last = std::max(last, context.now());
  });
  EXPECT_TRUE(machine.run());
  return static_cast<double>(last) / 10000;
}

TEST(multi_send, prints_trees) {
  for (const std::uint32_t processors : {2U, 1U}) {
    for (const std::uint32_t window : {4U, 8U, 15U}) {
  host_choice base;
  base.node.interface.processors = processors;
  base.protocol.window = window;
  for (const std::uint32_t hosts : {4U, 8U, 16U}) {
    for (const bool pipelined : {false, true}) {
      const double host = multicast_us(hosts, 16384, binomial_tree(hosts), {false, pipelined}, base);
      double best = 1e9;
      std::uint64_t chosen = 0;
      for (std::uint64_t lambda = 1; lambda <= hosts; ++lambda) {
        const double took = multicast_us(hosts, 16384, greedy_tree(hosts, {lambda, 1}), {true, pipelined}, base);
        if (took < best) { best = took; chosen = lambda; }
      }
      printf("proc %u window %u: %u hosts pipelined %d: binomial %.1f assisted %.1f (lambda %lu) factor %.3f\n", processors, window, hosts, pipelined, host, best, chosen, host / best);
    }
  }
  }}
}

TEST(multi_send, DISABLED_prints) {
  for (const std::uint64_t bytes : {8, 16, 32, 64, 512, 1536, 16384}) {
    for (const std::uint32_t hosts : {2U, 7U, 16U}) {
      const double multi = one_message{hosts, bytes, false}.microseconds();
      const double single = one_message{hosts, bytes, true}.microseconds();
      printf("%u hosts %lu bytes: multi %.4f unicasts %.4f factor %.3f\n", hosts, bytes, multi,
             single, single / multi);
    }
  }
}

}  // namespace
}  // namespace tributary::testing
