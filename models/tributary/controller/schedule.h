// SPDX-License-Identifier: Apache-2.0
// Which processor of a node runs the protocol, and when: schedules as tables of transitions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tributary/sim/state.h>

namespace tributary {

class parameter_set;

/// Who runs handlers (Falsafi and Wood, section 3).
enum class schedule_kind : std::uint8_t {
  fixed,     ///< the last processor of the node does nothing else
  floating,  ///< one that has nothing to compute; if there is none, one that is interrupted
  single     ///< floating with one processor a node
};
/// "fixed", as in run files.
const char* name_of(schedule_kind kind);

/// What a processor of a node is at.
enum class processor_duty : std::uint8_t {
  computing,
  waiting,          ///< for its own request, which another processor handles
  resting,          ///< at a barrier, or its program has ended
  interrupted,      ///< an interrupt is on its way to it
  serving_own,      ///< acts while it waits for its own request
  serving_drafted,  ///< acts because it was interrupted
  serving_resting,  ///< acts while it has nothing to compute
  resuming          ///< goes back to its program
};
/// How many there are.
inline constexpr std::size_t processor_duties = 8;
/// "computing", as in statistics and traces.
const char* name_of(processor_duty duty);
/// Whether the processor acts as the protocol processor.
constexpr bool acts(processor_duty duty) {
  return duty == processor_duty::serving_own || duty == processor_duty::serving_drafted ||
         duty == processor_duty::serving_resting;
}

/// What happens to a processor.
enum class schedule_event : std::uint8_t {
  request,    ///< it asks for something that a handler does
  chosen,     ///< something waits for a handler, and no processor acts
  delivered,  ///< its interrupt
  answered,   ///< its request
  drained,    ///< it acts, and nothing waits for a handler
  rest,       ///< it has nothing to compute from here on
  work,       ///< it has
  resumed     ///< it is back in its program
};
/// "request", as in diagrams.
const char* name_of(schedule_event event);

/// Whether a transition needs the role of the protocol processor to be free or held.
enum class role_guard : std::uint8_t { any, free, held };

/// What the node does in a transition.
enum class schedule_action : std::uint8_t {
  none,
  take_role,
  queue,      ///< its request waits for whoever acts
  interrupt,  ///< one is sent to it
  resume,     ///< it switches back to its program
  leave       ///< it gives the role up and switches back
};
/// "take_role", as in diagrams.
const char* name_of(schedule_action action);

/// A row of a schedule: what is not in it cannot happen.
struct schedule_transition {
  processor_duty from;
  schedule_event on;
  role_guard role;
  schedule_action action;
  processor_duty to;
};

/// The rows of a schedule, from which its diagram is drawn (docs/models/schedules.md).
std::vector<schedule_transition> transitions_of(schedule_kind kind);

/// What the paper leaves open. The defaults are those of the specification's section 5.
struct schedule_readings {
  /// Whether a processor keeps the role while it switches back to its program.
  bool resuming_keeps_role = true;
  /// Whether one whose request was answered leaves though others wait for a handler.
  bool leaves_full_queue = true;
  /// Whether the processor that acted last is taken before others that are idle.
  bool previous_first = true;
  /// Whether an interrupted processor handles all that waits, or one message.
  bool drains = true;

  void bind(parameter_set& parameters);
};

/// The duties of a node's processors, and which of them acts: at most one. No time passes in it.
class schedule {
 public:
  schedule(schedule_kind kind, const schedule_readings& readings, std::uint32_t processors);

  schedule_kind kind() const { return kind_; }
  std::uint32_t processors() const { return static_cast<std::uint32_t>(duties_.size()); }
  processor_duty duty(std::uint32_t processor) const { return duties_[processor]; }
  /// Who has the role of the protocol processor.
  std::optional<std::uint32_t> acting() const {
    return acting_ == nobody ? std::nullopt : std::optional<std::uint32_t>(acting_);
  }

  /// Makes the transition of a processor. Throws `simulation_error` for one that the table does not
  /// have, and if a second processor would act.
  schedule_action on(schedule_event event, std::uint32_t processor);
  /// Whether the table has such a transition now.
  bool knows(schedule_event event, std::uint32_t processor) const {
    return find(event, processor) != nullptr;
  }
  /// A processor that left, and kept the role until it is back in its program, has it no longer.
  void release_role();

  /// The idle processor that takes the role: the one that acted last if it is idle and the reading
  /// says so, else the next one behind it. Nothing if none is idle, or one acts.
  std::optional<std::uint32_t> idle_processor() const;
  /// Whether it could be interrupted.
  bool can_be_drafted(std::uint32_t processor) const {
    return duties_[processor] == processor_duty::computing;
  }
  /// Whether an interrupt is on its way to some processor.
  bool drafts() const;

  /// The processor that ran a handler last, if one did.
  std::optional<std::uint32_t> previous() const;
  /// It runs a handler; whether another one ran the handler before.
  bool runs_handler(std::uint32_t processor);

  /// Whether what was restored is of so many processors.
  bool fits(std::uint32_t processors) const;

  TRIBUTARY_STATE(duties_, acting_, previous_);

 private:
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};

  const schedule_transition* find(schedule_event event, std::uint32_t processor) const;

  schedule_kind kind_;
  schedule_readings readings_;
  std::vector<processor_duty> duties_;
  std::uint32_t acting_ = nobody;
  std::uint32_t previous_ = nobody;
};

}  // namespace tributary
