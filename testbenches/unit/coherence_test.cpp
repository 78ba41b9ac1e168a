// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>

#include <support/coherent_machine.h>

namespace tributary {
namespace {

using testing::coherent_config;
using testing::coherent_machine;

access load_of(std::uint64_t address, std::uint64_t tag = 0) { return {address, {}, tag}; }
access store_of(std::uint64_t address, word_t value, std::uint64_t tag = 0) {
  return {address, {form::constant, value, 0}, tag};
}

/// Cycles of the controller from the beginning of a processor's load until it has the word, all
/// else at rest.
double read_latency(coherent_machine& m, std::uint32_t reader, std::uint64_t address) {
  const std::uint64_t ratio = m.machine.config().node.caches.clock_ratio;
  const cycle_t begin = (m.machine.now() + 100) * ratio;
  m.processors[reader]->offer_at(begin, load_of(address, 99));
  m.machine.run_until(m.machine.now() + 2000);
  EXPECT_EQ(m.processors[reader]->answers.back().tag, 99U);
  return static_cast<double>(m.processors[reader]->answers.back().cycle - begin) /
         static_cast<double>(ratio);
}

/// A node writes a line, which is dirty there then.
void make_dirty(coherent_machine& m, std::uint32_t writer, std::uint64_t address, word_t value) {
  const std::uint64_t ratio = m.machine.config().node.caches.clock_ratio;
  m.processors[writer]->offer_at((m.machine.now() + 100) * ratio, store_of(address, value));
  m.machine.run_until(m.machine.now() + 2000);
  ASSERT_EQ(m.processors[writer]->caches().state_of(address), line_state::modified);
}

TEST(coherence, reads_take_as_long_as_published) {
  // FLASH 5.4.1: 27, 111 and 191 cycles.
  coherent_config config(3);
  config.machine.network.base_latency = 21;  // 22 for one hop
  config.machine.network.hop_latency = 1;
  coherent_machine m(config);
  const double local = read_latency(m, 0, m.address(0, 0x1000));
  const double remote = read_latency(m, 1, m.address(0, 0x2000));
  make_dirty(m, 2, m.address(0, 0x3000), 7);
  const double dirty_remote = read_latency(m, 1, m.address(0, 0x3000));
  EXPECT_NEAR(local, 27, 1);
  EXPECT_NEAR(remote, 111, 0.03 * 111);
  EXPECT_NEAR(dirty_remote, 191, 0.05 * 191);
  EXPECT_TRUE(m.machine.idle());
}

}  // namespace
}  // namespace tributary
