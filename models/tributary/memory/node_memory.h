// SPDX-License-Identifier: Apache-2.0
// The memory of a node without caches: words that its processor and its network interface share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <tributary/memory/port.h>
#include <tributary/memory/word_memory.h>
#include <tributary/memory/word_store.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/block.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/fifo.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>
#include <tributary/trace/recorder.h>

namespace tributary {

class parameter_set;

/// Configuration of a node's memory.
struct node_memory_config {
  std::uint32_t latency = 5;
  std::uint32_t queue = 4;

  void bind(parameter_set& parameters);
};

/// Bytes that a function moves to or from its word: those that a merge changes, else all eight.
std::uint32_t bytes_moved(const word_function& function);
/// Whether a function may leave another word than it found.
bool changes_word(const word_function& function);
/// Whether an access stores and nobody needs the word before it: a posted store, or one of bytes.
/// Else it may be a swap, which is the same function as a store.
bool is_plain_store(const access& request);

/// One processor's accesses end in their order, each `latency` cycles after it was offered, one a
/// cycle. It performs every function. A node's interface reads and writes words at any time, which
/// takes none: between two accesses of the processor.
class node_memory final : public block,
                          public processor_port,
                          public word_memory,
                          private timed_block {
 public:
  /// Of `bytes`, a multiple of 8, whose first word the processor finds at `base`. `time` must
  /// outlive it. Throws `configuration_error` for values out of range.
  node_memory(const node_memory_config& config, agenda& time, std::uint64_t bytes,
              std::uint64_t base = 0);

  std::uint64_t bytes() const { return bytes_; }

  // processor_port
  void set_client(memory_client* client) override { client_ = client; }
  void check(std::size_t element, const access& request) const override;
  bool can_take(std::size_t element = 0) const override;
  void offer(std::size_t element, const access& request, cycle_t now) override;
  std::size_t waiting(std::size_t element = 0) const override;
  std::size_t outstanding(std::size_t element = 0) const override;

  // word_memory: offsets. Throw `simulation_error` for what is no word of it.
  word_t read(std::uint64_t offset) const override;
  void write(std::uint64_t offset, word_t value) override;
  /// Both, indivisibly; returns the word before.
  word_t perform(std::uint64_t offset, const word_function& function);

  const char* name() const override { return "memory"; }
  bool idle() const override { return accesses_.empty(); }
  void reset_statistics() override;
  void report(statistics_group& into, std::uint64_t cycles) const override;
  /// A track of its own, where each access of the processor is told (`communication_events`).
  void trace(const trace_scope& scope) override;
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  struct waiting_access {
    access request;
    std::uint64_t element = 0;
    cycle_t due = 0;

    TRIBUTARY_STATE(request, request.purpose, element, due);
  };

  TRIBUTARY_STATE(words_, accesses_, loads_, stores_);

  void wake(cycle_t now, std::uint64_t tag) override;
  void check_offset(std::uint64_t offset) const;
  void tell(const access& request, cycle_t now) const;

  node_memory_config config_;
  agenda& agenda_;
  std::uint64_t bytes_;
  std::uint64_t base_;
  memory_client* client_ = nullptr;
  trace_point trace_;

  word_store words_;
  fifo<waiting_access> accesses_;
  counter loads_;
  counter stores_;
};

}  // namespace tributary
