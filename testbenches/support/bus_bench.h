// SPDX-License-Identifier: Apache-2.0
// Caches on a bus, each with a processor that is told what to ask, above memory without surprises.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include <tributary/bus/snooping_bus.h>
#include <tributary/cache/cache.h>
#include <tributary/memory/line_memory.h>
#include <tributary/sim/agenda.h>

#include <support/timed_actions.h>

namespace tributary::testing {

/// Memory of lines of 32 bytes that is written at once and moves words at fixed times.
class plain_line_memory final : public line_memory {
 public:
  memory_transfer read_line(std::uint64_t offset, cycle_t now, line_data& out) override {
    ++reads;
    out = lines[line.start(offset)];
    return {now + first, now + first + step * (line.words() - 1)};
  }
  memory_transfer read_word(std::uint64_t offset, cycle_t now, word_t& out) override {
    out = read(offset);
    return {now + first, now + first};
  }
  memory_transfer write_line(std::uint64_t offset, cycle_t now, const line_data& words,
                             const line_stamps&) override {
    ++writes;
    lines[line.start(offset)] = words;
    return {now, now};
  }
  memory_transfer write_word(std::uint64_t offset, cycle_t now, word_t value, cycle_t) override {
    write(offset, value);
    return {now, now};
  }
  word_t read(std::uint64_t address) const override {
    const auto found = lines.find(line.start(address));
    return found == lines.end() ? 0 : found->second[line.word(address)];
  }
  void write(std::uint64_t address, word_t value) override {
    lines[line.start(address)][line.word(address)] = value;
  }

  line_size line{32};
  cycle_t first = 16;  ///< until the first word
  cycle_t step = 2;    ///< from a word to the next
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::map<std::uint64_t, line_data> lines;
};

/// A cache of lines of 32 bytes, direct-mapped, whose misses ask at once.
inline cache_config bus_cache(std::uint64_t bytes = 1 << 20) {
  cache_config config;
  config.levels = {{bytes, 1, 32, 0}};
  config.miss_cycles = 0;
  config.retry_cycles = 0;
  config.states = cache_states::moesi;
  return config;
}

/// Two processors or more, of which each records what it is told.
class bus_bench {
 public:
  struct told {
    cycle_t cycle;
    std::uint64_t tag;
    word_t value;
    bool operator==(const told& other) const {
      return cycle == other.cycle && tag == other.tag && value == other.value;
    }
  };
  static constexpr bus_range memory_at{0, std::uint64_t{1} << 24};

  explicit bus_bench(std::size_t masters = 2, const snooping_bus_config& config = {},
                     const cache_config& caches = bus_cache())
      : bus(config, masters, memory_at, clock, memory) {
    memory.line = config.line();
    for (std::size_t i = 0; i < masters; ++i) {
      processors.push_back(std::make_unique<processor>(*this, i, caches));
      bus.set_client(i, processors.back()->unit);
      processors.back()->unit.set_client(processors.back().get());
      bus.words(i).set_client(processors.back().get());
    }
  }

  void at(cycle_t when, std::function<void()> what) {
    actions_.at(when, std::move(what), wake_rank::processor);
  }
  /// A processor asks its cache in a cycle, or a device.
  void offer(std::size_t master, cycle_t when, const access& request) {
    at(when, [=] { caches(master).offer(master, request, when); });
  }
  void offer_word(std::size_t master, cycle_t when, const access& request) {
    at(when, [=] { bus.words(master).offer(master, request, when); });
  }
  void run(cycle_t last = 100000) { clock.advance_to(last); }

  cache& caches(std::size_t master) { return processors[master]->unit; }
  line_state state(std::size_t master, std::uint64_t address) {
    return caches(master).state_of(address);
  }
  const std::vector<told>& completions(std::size_t master) const {
    return processors[master]->completions;
  }

  struct processor final : memory_client {
    processor(bus_bench& bench, std::size_t master, const cache_config& config)
        : unit(config, bench.clock, bench.bus.lines(master)) {}
    void completed(const completion& ended, cycle_t now) override {
      completions.push_back({now, ended.tag, ended.value});
    }
    void room(std::size_t, cycle_t now) override { rooms.push_back(now); }
    void settled(std::size_t, cycle_t now) override { settlements.push_back(now); }

    cache unit;
    std::vector<told> completions;
    std::vector<cycle_t> settlements;
    std::vector<cycle_t> rooms;
  };

  agenda clock;
  plain_line_memory memory;
  snooping_bus bus;
  std::vector<std::unique_ptr<processor>> processors;

 private:
  timed_actions actions_{clock};
};

}  // namespace tributary::testing
