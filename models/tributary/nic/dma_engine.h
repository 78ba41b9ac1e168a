// SPDX-License-Identifier: Apache-2.0
// The one engine that moves data between an interface and its host's memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tributary/memory/word_memory.h>
#include <tributary/nic/host_interface_config.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/block.h>
#include <tributary/sim/fifo.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>
#include <tributary/trace/recorder.h>

namespace tributary {

/// Transfers over the I/O bus, one after the other in the order in which they were begun, each
/// `dma_cost` long. Words are in the host's memory, or read from there, at the end of theirs.
class dma_engine final : public block, private timed_block {
 public:
  /// `host` must outlive it.
  dma_engine(const host_interface_config& config, agenda& time, word_memory& host);

  /// Begins to move words to an offset of the host's memory; returns the cycle in which they are
  /// there.
  cycle_t store(std::uint64_t offset, const std::vector<word_t>& words, cycle_t now);
  /// Takes the bus for a transfer from the host's memory; returns the cycle in which it ends, when
  /// who asked reads the words.
  cycle_t load(std::uint64_t bytes, cycle_t now);

  const counter& transfers() const { return transfers_; }
  const counter& busy() const { return busy_; }

  const char* name() const override { return "dma"; }
  bool idle() const override { return stores_.empty(); }
  void reset_statistics() override;
  void report(statistics_group& into, std::uint64_t cycles) const override;
  void trace(const trace_scope& scope) override;
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  struct storing {
    cycle_t due = 0;
    std::uint64_t offset = 0;
    std::vector<word_t> words;

    TRIBUTARY_STATE(due, offset, words);
  };

  TRIBUTARY_STATE(stores_, free_at_, transfers_, to_host_, from_host_, busy_, waited_);

  void wake(cycle_t now, std::uint64_t tag) override;
  cycle_t take_bus(const dma_cost& cost, std::uint64_t bytes, bool to_host, cycle_t now);

  dma_cost to_host_cost_;
  dma_cost from_host_cost_;
  agenda& agenda_;
  word_memory& host_;
  trace_point trace_;

  fifo<storing> stores_;
  cycle_t free_at_ = 0;
  counter transfers_;
  counter to_host_;    ///< bytes
  counter from_host_;  ///< bytes
  counter busy_;
  average waited_;
};

}  // namespace tributary
