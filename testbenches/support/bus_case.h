// SPDX-License-Identifier: Apache-2.0
// A random bus, with its caches, memory and what is asked of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <tributary/bus/snooping_bus_config.h>
#include <tributary/cache/cache_config.h>
#include <tributary/sim/random_stream.h>

#include <support/random_choice.h>

namespace tributary::testing {

/// Everything that a seed decides before the first cycle.
struct bus_case {
  explicit bus_case(std::uint64_t number) : seed(number) {
    random_stream draws(seed, 0U, 20U);
    masters = between(draws, 2, one_of(draws, {2U, 3U, 4U, 10U}));
    draw_bus(draws);
    draw_caches(draws);
    lines = between(draws, 1, one_of(draws, {2U, 6U, 12U}));
    words = between(draws, 1, 3);
    accesses = masters > 4 ? 25 : 60;
    pause = one_of(draws, {1U, 4U, 30U, 150U});
    memory_first = between(draws, 1, 30);
    memory_step = between(draws, 1, 6);
    put_off = one_of(draws, {0U, 0U, 4U, 16U});
    device_retries = one_of(draws, {0U, 3U});
    loads = between(draws, 1, 8);
    controlled = draws.below(3) == 0;
    uncached = between(draws, 0, 2);
  }

  std::uint64_t base_of(std::uint64_t line) const { return line * config.line_bytes; }
  std::string text() const {
    return "TRIBUTARY_SEED=" + std::to_string(seed) + ": " + std::to_string(masters) +
           " masters and " + std::to_string(uncached) + " without a cache, " +
           std::to_string(lines) + " lines, ratio " + std::to_string(config.ratio) +
           (caches.states == cache_states::mesi ? ", MESI" : ", MOESI");
  }

  std::uint64_t seed;
  std::uint32_t masters = 2;
  snooping_bus_config config;
  cache_config caches;
  std::uint32_t lines = 1;     ///< that are accessed
  std::uint32_t words = 1;     ///< of each
  std::uint32_t accesses = 0;  ///< of each processor
  std::uint32_t pause = 1;     ///< cycles between accesses, at most
  std::uint32_t uncached = 0;  ///< masters without a cache, in addition
  bool controlled = false;     ///< memory is a memory_controller, which writes late
  cycle_t memory_first = 16;
  cycle_t memory_step = 2;
  std::uint32_t put_off = 0;  ///< of so many address phases one is deferred or retried; 0: none
  std::uint32_t device_retries = 0;
  std::uint32_t loads = 1;  ///< for each store

 private:
  void draw_bus(random_stream& draws) {
    config.ratio = one_of(draws, {1U, 2U, 2U, 3U});
    config.line_bytes = one_of(draws, {32U, 64U});
    config.arbitration = between(draws, 0, 2);
    config.address = between(draws, 1, 2);
    config.snoop = between(draws, 0, 3);
    config.supply = between(draws, 0, 3);
    config.retry = between(draws, 1, 8);
    config.outstanding = one_of(draws, {1U, 2U, 8U});
    config.write_backs = between(draws, 1, 3);
    config.uncached = between(draws, 1, 3);
  }
  void draw_caches(random_stream& draws) {
    const std::uint32_t ways = between(draws, 1, 2);
    const std::uint64_t sets = one_of(draws, {1U, 2U, 4U});
    caches.levels = {{sets * ways * config.line_bytes, ways, config.line_bytes, 0}};
    if (draws.below(3) == 0) {
      caches.levels.insert(caches.levels.begin(), {config.line_bytes, 1, 32, 0});
      caches.levels.back().hit_cycles = 3;
    }
    caches.outstanding = between(draws, 1, 4);
    caches.accesses = between(draws, 1, 6);
    caches.miss_cycles = between(draws, 0, 3);
    caches.retry_cycles = between(draws, 0, 4);
    caches.prefetches_wait = draws.below(2) == 0;
    caches.states = draws.below(4) == 0 ? cache_states::mesi : cache_states::moesi;
  }
};

}  // namespace tributary::testing
