// SPDX-License-Identifier: Apache-2.0
// Handlers that other handlers put off.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <tributary/controller/handler_request.h>
#include <tributary/controller/message.h>
#include <tributary/magic/direct_source.h>
#include <tributary/memory/word_memory.h>
#include <tributary/sim/block.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/ids.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>

namespace tributary {

/// Where a record of the queue keeps what, in bytes from its beginning.
struct software_queue_record {
  static constexpr std::uint64_t next = 0;
  static constexpr std::uint64_t previous = 8;
  static constexpr std::uint64_t header = 16;
  static constexpr std::uint64_t address = 24;
  static constexpr std::uint64_t handler = 32;
};

/// A register set that holds one entry, and behind it a doubly linked circular list of records in
/// the node's memory, in the order in which they were queued (FLASH 2.3.5). The entry in the
/// registers is also the list's first record.
///
/// A handler whose entry was taken stays first in the list until it calls `reschedule` or
/// `unschedule`, which load the registers with the next entry.
class software_queue final : public block, public direct_source {
 public:
  /// Bytes of memory in addition to the records: the address of the first one, 0 if there is none.
  static constexpr std::uint64_t anchor_bytes = 8;

  /// `anchor` is a multiple of 8. It and records are places in the node's memory of `memory_bytes`
  /// bytes, without node number and address space.
  software_queue(word_memory& memory, std::uint64_t memory_bytes, std::uint64_t anchor,
                 node_id here);

  /// Queues a handler at the end. Payload stays behind: records have no room for it.
  /// Throws `simulation_error` if the record is not within memory, not a multiple of 8, or
  /// overlaps the anchor or a record that is queued, itself included.
  void schedule(std::uint64_t record, handler_id run, const message& with, cycle_t now);
  /// The handler that was taken stays queued, now as the last, with another message.
  void reschedule(const message& with, cycle_t now);
  /// The handler that was taken leaves the queue.
  void unschedule(cycle_t now);

  /// Whether an entry was taken whose handler has neither rescheduled nor unscheduled yet.
  bool handed_out() const { return handed_out_; }
  /// Records in the queue, the one that was handed out included.
  std::size_t size() const { return queued_.size(); }
  /// The record of the entry that is in the registers or was handed out; 0 if there is none.
  std::uint64_t first() const { return first_; }

  const message* front(cycle_t now) override;
  handler_id front_handler() const override { return run_; }
  message take(cycle_t now) override;

  const char* name() const override { return "software_queue"; }
  /// Whether no record is queued.
  bool idle() const override { return queued_.empty(); }
  void reset_statistics() override;
  void report(statistics_group& into, std::uint64_t cycles) const override;
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  TRIBUTARY_STATE(loaded_, with_, run_, handed_out_, first_, queued_, scheduled_, rescheduled_,
                  unscheduled_, wait_, peak_);

  struct queued_record {
    cycle_t since = 0;
    trace_identity identity;  ///< of its message; memory has no place for it

    TRIBUTARY_STATE(since, identity);
  };

  void write_entry(std::uint64_t record, const message& with);
  void load_registers(std::uint64_t record, cycle_t now);
  std::uint64_t neighbour(std::uint64_t record, std::uint64_t link, cycle_t now) const;
  void require_handed_out(const char* operation, cycle_t now) const;
  [[noreturn]] void fail(const std::string& problem, cycle_t now) const;

  word_memory& memory_;
  std::uint64_t memory_bytes_;
  std::uint64_t anchor_;
  node_id here_;

  // The register set.
  bool loaded_ = false;
  message with_;
  handler_id run_ = no_handler;

  bool handed_out_ = false;
  std::uint64_t first_ = 0;
  std::map<std::uint64_t, queued_record> queued_;  ///< by record

  counter scheduled_;
  counter rescheduled_;
  counter unscheduled_;
  average wait_;
  std::uint64_t peak_ = 0;
};

}  // namespace tributary
