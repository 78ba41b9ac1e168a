// SPDX-License-Identifier: Apache-2.0
// Caches that hit, and a machine whose every read takes three hops; and next to them what must be
// done at least.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <tributary/cache/cache.h>
#include <tributary/cache/cache_config.h>
#include <tributary/magic/magic_machine.h>
#include <tributary/memory/line.h>
#include <tributary/memory/line_port.h>
#include <tributary/memory/port.h>
#include <tributary/sim/agenda.h>

namespace tributary::benchmarks {

/// The words that are read where everything hits: half of FLASH's first level.
inline constexpr std::uint64_t hit_bytes = std::uint64_t{16} << 10;

/// Reads words one after the other and again, each as soon as the one before has come.
class hit_reader final : private memory_client {
 public:
  explicit hit_reader(processor_port& port) : port_(port) { port_.set_client(this); }
  /// Begins in cycle `now`; ends after so many words.
  void begin(std::uint64_t words, cycle_t now);
  bool done() const { return left_ == 0; }
  word_t sum() const { return sum_; }

 private:
  void ask(cycle_t now);
  void completed(const completion& ended, cycle_t now) override;
  void room(std::size_t, cycle_t) override {}

  processor_port& port_;
  std::uint64_t left_ = 0;
  access next_;
  word_t sum_ = 0;
};

/// An array with a tag a line behind the port of a processor: compares the tag, and has the word.
class tagged_array final : public processor_port, private timed_block {
 public:
  explicit tagged_array(agenda& time);

  void set_client(memory_client* client) override { client_ = client; }
  void check(std::size_t, const access&) const override {}
  bool can_take(std::size_t) const override { return true; }
  void offer(std::size_t element, const access& request, cycle_t now) override;
  std::size_t waiting(std::size_t) const override { return 0; }
  std::size_t outstanding(std::size_t) const override { return 0; }

 private:
  void wake(cycle_t now, std::uint64_t tag) override;

  agenda& agenda_;
  memory_client* client_ = nullptr;
  std::vector<std::uint64_t> tags_;
  std::vector<word_t> words_;
  completion told_;
  cycle_t next_ = 0;
};

/// The caches of a processor alone, on memory that answers in the next cycle.
class lone_caches final : private line_port, private timed_block {
 public:
  lone_caches(agenda& time, const cache_config& config);
  cache& caches() { return *caches_; }

 private:
  bool can_take() const override { return true; }
  void ask(line_want want, std::uint64_t address, std::uint8_t tag, cycle_t now) override;
  void write_back(std::uint64_t, const line_data&, cycle_t) override {}
  void replaced(std::uint64_t, cycle_t) override {}
  void wake(cycle_t now, std::uint64_t tag) override;

  agenda& agenda_;
  line_size line_;
  std::array<std::uint64_t, 256> asked_{};  // by tag: the line, whose words are their addresses
  std::unique_ptr<cache> caches_;
};

/// Nodes in a ring: each reads lines of the node two places on that the node between has written.
class three_hop_nodes {
 public:
  /// The lines are written, and all is at rest. `counts`: whether protocols count.
  three_hop_nodes(std::uint32_t nodes, std::uint64_t lines, bool counts = true);
  ~three_hop_nodes();
  three_hop_nodes(const three_hop_nodes&) = delete;
  three_hop_nodes& operator=(const three_hop_nodes&) = delete;

  /// Every node reads its lines, once.
  void read();
  std::uint64_t reads() const;
  magic_machine& machine() { return machine_; }

 private:
  class asker;

  void run();

  magic_machine machine_;
  std::vector<std::unique_ptr<asker>> askers_;
};

}  // namespace tributary::benchmarks
