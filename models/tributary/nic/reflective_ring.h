// SPDX-License-Identifier: Apache-2.0
// A ring of network interfaces whose memories reflect each other's stores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <tributary/memory/port.h>
#include <tributary/memory/word_store.h>
#include <tributary/nic/reflective_events.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/block.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/fifo.h>
#include <tributary/sim/ids.h>
#include <tributary/sim/observer.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>
#include <tributary/trace/catalog.h>

namespace tributary {

class parameter_set;

/// When a store is applied to the memory of its own node.
enum class own_store : std::uint8_t {
  at_once,          ///< as it enters the FIFO
  after_round_trip  ///< as the word comes back and is stripped
};

/// Bytes of a word of the ring: the granularity of sharing (Moorthy et al., section 4).
inline constexpr std::uint32_t reflected_word_bytes = 4;

/// Configuration of a ring. The times are those of Moorthy et al., section 4, at 1 ns a cycle.
struct reflective_ring_config {
  std::uint32_t slot = 58;
  std::uint32_t fifo = 64;
  std::uint32_t memory_words = 1U << 21;
  std::uint32_t read = 950;
  std::uint32_t request = 475;
  std::uint32_t write = 330;
  own_store own = own_store::at_once;

  void bind(parameter_set& parameters);
  /// Throws `configuration_error` for a ring of fewer than 2 nodes, or more than 1024, and for a
  /// request that is longer than its load.
  void validate(std::uint32_t nodes) const;
};

/// Byte address at which programs find a word of the ring: a program's word of 8 bytes carries one
/// of the ring's words of 4, in its lower half.
constexpr std::uint64_t reflected_address(std::uint64_t word) { return word * word_bytes; }

/// A word on the ring.
struct reflected_word {
  std::uint32_t source = 0;
  std::uint32_t offset = 0;  ///< in words
  std::uint32_t data = 0;
  std::uint64_t number = 0;  ///< among those of the source, from 0

  TRIBUTARY_STATE(source, offset, data, number);
};

/// A word that a node applied to its memory.
struct applied_word {
  std::uint32_t node = 0;
  cycle_t cycle = 0;
  reflected_word word;
};

/// A register-insertion ring. Node i sends to node i + 1, the last to node 0; a word takes a slot
/// from node to node. What comes from the ring waits in the ring's register while a word is sent,
/// and goes before what the host has put into the FIFO. Each node applies the words that come past,
/// and the source strips its own. Nothing else orders words: those of one writer arrive everywhere
/// as they were stored, those of two writers may not. A node behind one that fills every slot
/// sends nothing; the ring has no fairness.
///
/// A processor has one access at a time on its I/O bus. A store enters the FIFO at the end of its
/// bus time and blocks its bus while the FIFO is full. A load finds the word that the memory has
/// when its request has come there; the rest of its bus time brings the word back.
/// Source: V. Moorthy, D. Panda, P. Sadayappan, "Fast collective communication algorithms for
/// reflective memory network clusters", CANPC 2000, sections 2 and 4.
class reflective_ring final : public block, private timed_block {
 public:
  /// `time`, which must outlive it, counts the cycles of slots and buses. Throws
  /// `configuration_error` for values out of range.
  reflective_ring(const reflective_ring_config& config, std::uint32_t nodes, agenda& time);
  ~reflective_ring();

  const reflective_ring_config& config() const { return config_; }
  std::uint32_t nodes() const { return static_cast<std::uint32_t>(nodes_.size()); }

  /// Of a node's processor: loads, and posted stores of values below 2^32. Incomplete are stores
  /// that are not back at their node, so a fence waits until every node has them.
  processor_port& port(std::uint32_t node);
  /// A word of a node's memory, without time. Throws `simulation_error` for one that is not there.
  word_t peek(std::uint32_t node, std::uint64_t word) const;

  /// Told of every word that a node applies, own ones included.
  observer_list<applied_word>& applied() { return applied_observers_; }
  /// Megabytes (10^6 bytes) of stored words a second, from the first word on the ring to the last
  /// stripped one since the statistics were reset, at so many picoseconds a cycle; 0 if none was.
  double throughput(std::uint64_t period) const;

  // block
  const char* name() const override { return "ring"; }
  bool idle() const override;
  void reset_statistics() override;
  void report(statistics_group& into, std::uint64_t cycles) const override;
  /// Tracks "node.N.bus" and "node.N.link".
  void trace(const trace_scope& scope) override;
  track_id bus_track(std::uint32_t node) const { return trace_.track(std::size_t{2} * node); }
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  class host_port;

  /// A node: its bus, its FIFO, its registers, its link to the next and its memory.
  struct node_state {
    bool on_bus = false;   ///< an access is
    bool stalled = false;  ///< it is a store that waits for the FIFO
    word_t found = 0;      ///< by a load
    access request;
    std::uint64_t element = 0;
    cycle_t since = 0;  ///< of the stall
    fifo<reflected_word> stores;
    fifo<reflected_word> ring_register;
    bool sends = false;
    reflected_word sent;
    std::uint64_t numbered = 0;     ///< stores so far
    std::uint64_t round_trips = 0;  ///< words that are not stripped yet
    word_store memory;

    TRIBUTARY_STATE(on_bus, stalled, found, request, request.kind, request.purpose, element, since,
                    stores, ring_register, sends, sent, numbered, round_trips, memory);
  };
  struct node_counters {
    counter stored;
    counter forwarded;
    counter stalls;
    average stall;

    TRIBUTARY_STATE(stored, forwarded, stalls, stall);
  };

  void wake(cycle_t now, std::uint64_t tag) override;
  void check(std::uint32_t node, const access& request) const;
  void offer(std::uint32_t node, std::size_t element, const access& request, cycle_t now);
  void read(std::uint32_t node, cycle_t now);
  void end_store(std::uint32_t node, cycle_t now);
  void enter_fifo(std::uint32_t node, cycle_t now);
  void complete(std::uint32_t node, word_t value, cycle_t now);
  void look(std::uint32_t node, cycle_t now);
  void arrive(std::uint32_t from, cycle_t now);
  void strip(std::uint32_t node, const reflected_word& word, cycle_t now);
  void apply(std::uint32_t node, const reflected_word& word, cycle_t now);
  void look_at(std::uint32_t node, cycle_t now);
  std::uint32_t behind(std::uint32_t node) const { return node + 1 == nodes() ? 0 : node + 1; }
  void tell(const event_kind& kind, std::uint32_t node, std::size_t track,
            const reflected_word& word, cycle_t first, cycle_t last) const;
  void check_restored(const node_state& node) const;

  reflective_ring_config config_;
  agenda& agenda_;
  std::vector<node_state> nodes_;
  std::vector<std::unique_ptr<host_port>> ports_;
  observer_list<applied_word> applied_observers_;
  trace_point trace_;

  // Statistics.
  std::vector<node_counters> counters_;
  counter stripped_;
  average fifo_words_;
  std::uint64_t slots_ = 0;  // begun
  cycle_t first_sent_ = never;
  cycle_t last_stripped_ = 0;
};

}  // namespace tributary
