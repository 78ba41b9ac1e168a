// SPDX-License-Identifier: Apache-2.0
// The DRAM of a node and its controller: lines and doublewords through one pipelined port.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tributary/memory/byte_store.h>
#include <tributary/memory/line.h>
#include <tributary/memory/line_memory.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/block.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/ids.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>

namespace tributary {

class parameter_set;

/// Configuration of a node's memory; the defaults are FLASH 5.4.1's.
struct memory_controller_config {
  std::uint64_t bytes = std::uint64_t{16} << 20;
  /// A power of two, see `line_size`.
  std::uint32_t line_bytes = line_size().bytes();
  /// Cycles from accepting an address to the first doubleword.
  std::uint32_t first_word = 14;
  /// Cycles from a doubleword to the next.
  std::uint32_t next_word = 1;
  /// The next address may be accepted while the access before it transfers its words.
  bool overlap = true;

  /// Of a validated configuration.
  line_size line() const { return line_size(line_bytes); }

  void bind(parameter_set& parameters);
  /// Throws `configuration_error` for a size that is not whole lines and for values out of range.
  void validate() const;
};

/// A node's memory behind its port (FLASH 5.4.1).
///
/// The requester is told at once what is read and when each word moves, and may ask again in the
/// same cycle: accesses wait here for the port. The first word moves `first_word` cycles after the
/// address was accepted, then one every `next_word` cycles; the next address is accepted when the
/// transfer begins, or without `overlap` when it has ended. Words of a line move in sub-block order
/// from the one that the offset names (FLASH footnote 8). An access takes the first gap that is
/// long enough, so one that waits for its words holds up no other; but no access passes an earlier
/// one to the same line.
///
/// A read returns what the accesses before it have written, wherever their words are. The bytes
/// themselves, which `read` shows, change in the cycle in which a write moves its last word.
///
/// Offsets that are outside the memory or not aligned, and words that nothing fills, end the
/// simulation with a `simulation_error`.
class memory_controller final : public block, public line_memory, private timed_block {
 public:
  /// `clockwork` must outlive the controller. Throws as `validate` does.
  memory_controller(const memory_controller_config& config, agenda& clockwork,
                    node_id node = node_id{0});
  memory_controller(const memory_controller&) = delete;
  memory_controller& operator=(const memory_controller&) = delete;

  const memory_controller_config& config() const { return config_; }

  /// The line that holds `offset`, asked for in cycle `now`, which is the agenda's or later.
  memory_transfer read_line(std::uint64_t offset, cycle_t now, line_data& out) override;
  /// The same of a doubleword, which moves in `first` = `last`.
  memory_transfer read_word(std::uint64_t offset, cycle_t now, word_t& out) override;

  /// Word i of `words` can be fetched from cycle `valid[i]` on. The transfer begins when it can run
  /// without a pause.
  memory_transfer write_line(std::uint64_t offset, cycle_t now, const line_data& words,
                             const line_stamps& valid) override;
  memory_transfer write_word(std::uint64_t offset, cycle_t now, word_t value,
                             cycle_t valid) override;

  /// Without time: the word that is in memory in the current cycle.
  word_t read(std::uint64_t address) const override;
  /// Without time. A write that was asked for earlier and lands later replaces it.
  void write(std::uint64_t address, word_t value) override;

  word_t newest(std::uint64_t offset) const override;
  void replace(std::uint64_t offset, word_t value) override;

  /// Writes of lines and words that were asked for since the last reset of the statistics.
  std::uint64_t writes() const { return line_writes_.value() + word_writes_.value(); }
  /// Writes that were asked for and have not landed.
  std::size_t writes_pending() const { return writes_.size(); }

  const char* name() const override { return "memory"; }
  /// Whether every write has landed.
  bool idle() const override { return writes_.empty(); }
  void reset_statistics() override;
  void report(statistics_group& group, std::uint64_t cycles) const override;
  void trace(const trace_scope& scope) override;
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  /// The port, from the first word of an access until that of another may move.
  struct slot {
    cycle_t begin;
    cycle_t end;
    std::uint64_t line;

    TRIBUTARY_STATE(begin, end, line);
  };
  struct pending_write {
    std::uint64_t number;
    std::uint64_t line;  ///< offset
    std::uint32_t mask;  ///< words of it
    line_data words;

    TRIBUTARY_STATE(number, line, mask, words);
  };

  void wake(cycle_t now, std::uint64_t number) override;

  TRIBUTARY_STATE(slots_, writes_, next_write_, line_reads_, line_writes_, word_reads_,
                  word_writes_, busy_cycles_, waiting_, word_waiting_);

  void check(const char* action, std::uint64_t offset) const;
  [[noreturn]] void refuse(const char* action, std::uint64_t offset,
                           const std::string& problem) const;
  /// Finds the access its slot: not before `allowed`, and behind others to its line.
  memory_transfer place_access(std::uint64_t offset, std::size_t words, cycle_t allowed);
  cycle_t earliest(const char* action, std::uint64_t offset, cycle_t now) const;
  void land_later(std::uint64_t line, std::uint32_t mask, const line_data& words, cycle_t at);

  memory_controller_config config_;
  line_size line_;
  agenda& agenda_;
  node_id node_;
  byte_store bytes_;
  std::vector<slot> slots_;            // ascending, disjoint; only those that still matter
  std::vector<pending_write> writes_;  // in the order in which they were asked for
  std::uint64_t next_write_ = 0;

  counter line_reads_;
  counter line_writes_;
  counter word_reads_;
  counter word_writes_;
  counter busy_cycles_;
  average waiting_;
  average word_waiting_;
};

}  // namespace tributary
