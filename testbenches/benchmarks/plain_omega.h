// SPDX-License-Identifier: Apache-2.0
// The opponent of the benchmarks: the Ultracomputer's round trip as one would write it by hand.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

namespace plain {

using cycle = std::uint64_t;

/// The machine and its traffic; the defaults are those of the improved design.
struct options {
  unsigned elements = 64;  ///< a power of two
  bool dual_input = false;
  bool coupled = false;
  unsigned slots = 4;           ///< 2 to 8
  unsigned adaptive_limit = 2;  ///< 0: not adaptive
  std::size_t wait_buffer = 100;
  unsigned link_cycles = 2;
  unsigned reverse_slots = 16;  ///< at most 16
  unsigned memory_interval = 4;
  unsigned memory_latency = 2;
  unsigned memory_pipeline = 16;  ///< at most 16
  double load = 0;                ///< requests per element and cycle, open loop; 0: closed loop
  unsigned outstanding = 1;
  double hot_spot = 0;
  unsigned turnaround = 10;
  unsigned start_window = 1000;
  std::uint64_t seed = 1;
};

/// What is counted; requests per stage from the elements to the memory.
struct counts {
  std::uint64_t delivered = 0;
  std::uint64_t latency_sum = 0;
  std::vector<std::uint64_t> arrived, combined, latency_histogram;

  double latency() const {
    return static_cast<double>(latency_sum) / static_cast<double>(delivered);
  }
};

/// An omega network of combining switches with elements and memory modules, for fetch-and-add
/// only, in the plainest style: a struct a switch, decisions first, then moves. It shares nothing
/// with the library but the cycle contract and the numbering of lines.
class omega {
 public:
  explicit omega(const options& chosen);

  void step();
  void step(cycle cycles) {
    for (cycle i = 0; i < cycles; ++i) step();
  }
  const counts& counted() const { return counts_; }
  void reset_counts();

 private:
  struct request {
    std::uint64_t word = 0, addend = 0;
    cycle accepted = 0;
    std::uint32_t pe = 0, sequence = 0;
  };
  struct entry {
    request first, second;
    bool combined = false;
  };
  struct queue {
    std::array<entry, 8> entries;
    unsigned head = 0, size = 0, combined = 0;
    entry& at(unsigned i) { return entries[(head + i) % entries.size()]; }
    const entry& at(unsigned i) const { return entries[(head + i) % entries.size()]; }
  };
  struct response {
    std::uint64_t value = 0;
    cycle accepted = 0, due = 0;
    std::uint32_t pe = 0, sequence = 0;
  };
  struct response_queue {
    std::array<response, 16> entries;
    unsigned head = 0, size = 0;
    const response& front() const { return entries[head]; }
    void push(const response& r) { entries[(head + size++) % entries.size()] = r; }
    response pop() {
      const unsigned oldest = head;
      head = (head + 1) % static_cast<unsigned>(entries.size());
      --size;
      return entries[oldest];
    }
  };
  struct memory_side {
    std::array<queue, 2> queues;  // by input; a dual-input port uses the first
    std::vector<entry> wait_buffer;
    cycle link_free = 0;
    unsigned favoured = 0;
    int leaving = -1;  // queue whose head leaves in this cycle
    bool wait_buffer_full = false;
    unsigned inserted = 0;
  };
  struct processor_side {
    response_queue queue;
    cycle link_free = 0;
    bool leaving = false;
  };
  struct node {
    std::array<memory_side, 2> forward;
    std::array<processor_side, 2> backward;
  };
  struct module {
    response_queue pipeline;
    cycle free = 0, link_free = 0;
    bool ready = false, leaving = false;
  };
  struct element {
    std::deque<request> source;
    cycle wake = 0;  // closed loop
    cycle link_free = 0;
    std::uint32_t sequence = 0;
    unsigned in_flight = 0;
    bool leaving = false;
  };

  node& at(unsigned stage, unsigned index) { return nodes_[stage * half_ + index]; }
  unsigned bit(unsigned stage) const { return stages_ - 1 - stage; }
  unsigned output(unsigned stage, const request& r) const {
    return static_cast<unsigned>(r.word >> bit(stage)) & 1U;
  }
  std::uint64_t random() {
    std::uint64_t z = random_state_ += 0x9e3779b97f4a7c15ULL;  // splitmix64
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  bool chance(double probability) {
    return static_cast<double>(random() >> 11) * 0x1p-53 < probability;
  }

  request draw(std::uint32_t pe);
  void issue();
  bool accepts(unsigned stage, unsigned line, const request& r);
  bool accepts_reply(unsigned stage, unsigned index);
  void decide();
  void decide_forward(unsigned stage, unsigned index);
  void decide_backward(unsigned stage, unsigned index);
  void move_requests();
  void move_replies();
  void accept(unsigned stage, unsigned line, const request& r);
  void accept_reply(unsigned stage, unsigned line, const response& r);
  void push_reply(unsigned stage, unsigned index, const response& r);
  void serve(unsigned m, const request& r);
  void deliver(const response& r);

  options options_;
  unsigned half_, stages_ = 0;
  cycle now_ = 0;
  std::uint64_t random_state_;
  std::vector<node> nodes_;
  std::vector<module> modules_;
  std::vector<element> elements_;
  std::unordered_map<std::uint64_t, std::uint64_t> words_;
  counts counts_;
};

}  // namespace plain
