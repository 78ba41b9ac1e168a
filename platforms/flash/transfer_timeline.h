// SPDX-License-Identifier: Apache-2.0
// Where the time of a block transfer goes, in the phases of FLASH Table 5.1.
#pragma once

#include <cstdint>
#include <vector>

#include <tributary/controller/protocol_set.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/observer.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>
#include <tributary/trace/event.h>

namespace tributary {

/// The phases of the transfer that is under way, and averages over those that have ended. It tells
/// transfers apart by nothing but time, so it is for machines that run one at a time; with several
/// under way it measures only what each handler took.
///
/// Cycles, all counted as the table does: a phase ends where the next begins.
struct transfer_phases {
  average command;          ///< first uncached write to the set-up's beginning
  average setup;            ///< set-up and verification
  average envelope;         ///< to the beginning of the first transfer handler
  average transfer;         ///< to the end of the last transfer handler of the last page
  average last_line;        ///< to the end of the last receive handler
  average acknowledgement;  ///< to the beginning of the flag's update
  average flag_update;
  average total;  ///< first uncached write to the end of the flag's update

  TRIBUTARY_STATE(command, setup, envelope, transfer, last_line, acknowledgement, flag_update,
                  total);
};

class transfer_timeline final : public observer<trace_event> {
 public:
  /// `protocols` are any node's; they must outlive it. Without a block transfer it sees nothing.
  explicit transfer_timeline(const protocol_set& protocols);

  void on_event(const trace_event& event) override;

  /// Flags that were incremented.
  std::uint64_t completed() const { return completed_.value(); }
  /// The cycle of the last increment.
  cycle_t last_completion() const { return last_completion_; }

  /// What it has seen, in checkpoints.
  TRIBUTARY_STATE(asked_, begun_, setup_end_, first_transfer_, last_transfer_, last_received_,
                  first_collect_, collecting_now_, first_receive_, last_receive_, received_now_,
                  invocations_now_, busy_now_, payload_now_, phases_, invocations_, busy_, payload_,
                  receiving_, followers_, received_, collecting_, completed_, last_completion_);

  void reset_statistics();
  void report(statistics_group& into) const;

 private:
  void handled(const trace_event& event);
  void complete(const trace_event& event);

  handler_id setup_;
  handler_id receive_;
  handler_id collect_;
  handler_id flag_update_;
  std::vector<handler_id> transfers_;

  cycle_t asked_ = 0;  // first uncached write since the last set-up; 0 for none
  cycle_t begun_ = 0;  // of the transfer under way
  cycle_t setup_end_ = 0;
  cycle_t first_transfer_ = 0;
  cycle_t last_transfer_ = 0;
  cycle_t last_received_ = 0;
  cycle_t first_collect_ = 0;
  std::uint64_t collecting_now_ = 0;
  cycle_t first_receive_ = 0;
  cycle_t last_receive_ = 0;
  std::uint64_t received_now_ = 0;
  std::uint64_t invocations_now_ = 0;
  std::uint64_t busy_now_ = 0;
  std::uint64_t payload_now_ = 0;  // since the last set-up

  transfer_phases phases_;
  average invocations_;
  average busy_;
  average payload_;
  counter receiving_;   // cycles from the first receive handler to the last, of all transfers
  counter followers_;   // lines but the first of each transfer
  counter received_;    // lines
  counter collecting_;  // cycles in which lines are collected before the first is received
  counter completed_;
  cycle_t last_completion_ = 0;
};

}  // namespace tributary
