// SPDX-License-Identifier: Apache-2.0
// What caches take of the simulating machine's memory: what was touched, not what would fit.
#include <gtest/gtest.h>
#include <malloc.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#include <support/coherent_machine.h>

namespace {

std::size_t live_bytes = 0;

void* take(std::size_t size) {
  void* const taken = std::malloc(size);
  if (taken == nullptr) throw std::bad_alloc();
  live_bytes += malloc_usable_size(taken);
  return taken;
}
void give_back(void* taken) noexcept {
  if (taken != nullptr) live_bytes -= malloc_usable_size(taken);
  std::free(taken);
}

}  // namespace

void* operator new(std::size_t size) { return take(size); }
void* operator new[](std::size_t size) { return take(size); }
void operator delete(void* taken) noexcept { give_back(taken); }
void operator delete[](void* taken) noexcept { give_back(taken); }
void operator delete(void* taken, std::size_t) noexcept { give_back(taken); }
void operator delete[](void* taken, std::size_t) noexcept { give_back(taken); }

namespace tributary {
namespace {

using testing::coherent_config;
using testing::coherent_machine;

constexpr std::uint64_t line_bytes = 128;

/// Node 0 reads lines of node 1. Bytes that this took for good.
std::size_t bytes_of_reading(coherent_machine& m, std::uint64_t first, std::uint64_t lines) {
  const std::size_t before = live_bytes;
  for (std::uint64_t i = first; i < first + lines; ++i) m.read(0, m.address(1, i * line_bytes));
  return live_bytes - before;
}

TEST(cache_memory, grows_with_the_lines_that_were_touched) {
  coherent_machine m(coherent_config(2));
  constexpr std::uint64_t lines = 512;
  const std::size_t first = bytes_of_reading(m, 0, lines);
  const std::size_t again = bytes_of_reading(m, 0, lines);
  const std::size_t others = bytes_of_reading(m, lines, lines);
  EXPECT_GT(first, lines * line_bytes) << "the words themselves";
  EXPECT_LT(first, lines * 1000) << "a set of each level, and the home's directory entry";
  EXPECT_LT(again, lines * line_bytes / 2) << "hits; what the test itself notes";
  EXPECT_GT(others, first * 4 / 5);
  EXPECT_LT(others, first * 6 / 5);
}

std::size_t bytes_of_two_nodes(std::uint64_t last_level) {
  coherent_config config(2);
  config.machine.node.caches.levels.levels.back().bytes = last_level;
  const std::size_t before = live_bytes;
  const coherent_machine m(config);
  return live_bytes - before;
}

TEST(cache_memory, takes_no_line_before_one_is_touched) {
  constexpr std::uint64_t small = std::uint64_t{64} << 10;
  constexpr std::uint64_t large = std::uint64_t{4} << 20;
  EXPECT_LT(bytes_of_two_nodes(large) - bytes_of_two_nodes(small), 2 * (large - small) / 8)
      << "an empty set has no lines";
}

}  // namespace
}  // namespace tributary
