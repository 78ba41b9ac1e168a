// SPDX-License-Identifier: Apache-2.0
// Handlers for a later time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include <tributary/controller/handler_request.h>
#include <tributary/controller/message.h>
#include <tributary/magic/direct_source.h>
#include <tributary/sim/agenda.h>
#include <tributary/sim/block.h>
#include <tributary/sim/cycle.h>
#include <tributary/sim/state.h>
#include <tributary/sim/statistics.h>

namespace tributary {

class parameter_set;

/// Configuration of the idle handler.
struct idle_handler_config {
  std::uint64_t period = 100000;  ///< cycles

  void bind(parameter_set& parameters);
};

/// Looks at every multiple of its period, whether the controller is idle or not, which handlers are
/// due (FLASH 2.3.5). It has no period of its own to keep while no user waits.
class idle_handler final : public block, public direct_source, private timed_block {
 public:
  idle_handler(const idle_handler_config& config, agenda& time);

  /// Runs a handler at the first multiple of the period that is not before `at`, nor before this
  /// cycle. Payload stays behind. Of one multiple, who asked first comes first. A handler that
  /// waits with the same message already, for the same multiple or an earlier one, waits once.
  void after(cycle_t at, handler_id run, const message& with);

  /// Handlers that wait.
  std::size_t size() const { return waiting_.size(); }

  const message* front(cycle_t now) override;
  handler_id front_handler() const override { return waiting_.front().run; }
  message take(cycle_t now) override;

  const char* name() const override { return "idle_handler"; }
  /// Whether no handler waits.
  bool idle() const override { return waiting_.empty(); }
  void reset_statistics() override;
  void report(statistics_group& into, std::uint64_t cycles) const override;
  std::string save() const override;
  void restore(const std::string& state) override;

 private:
  struct entry {
    cycle_t asked_for;
    cycle_t due;
    handler_id run;
    message with;

    TRIBUTARY_STATE(asked_for, due, run, with);
  };

  void wake(cycle_t now, std::uint64_t tag) override;
  bool waits(const entry& asked) const;

  TRIBUTARY_STATE(waiting_, invocations_, late_, peak_);

  idle_handler_config config_;
  agenda& agenda_;
  std::deque<entry> waiting_;  ///< by due, then in the order of asking

  counter invocations_;
  average late_;
  std::uint64_t peak_ = 0;
};

}  // namespace tributary
