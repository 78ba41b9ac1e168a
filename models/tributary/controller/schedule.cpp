// SPDX-License-Identifier: Apache-2.0
#include <tributary/controller/schedule.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>

#include <fmt/format.h>

#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

using duty = processor_duty;
using event = schedule_event;
using action = schedule_action;
constexpr role_guard any_role = role_guard::any;

template <std::size_t N, class E>
const char* name_in(const std::array<const char*, N>& names, E value) {
  return names.at(static_cast<std::size_t>(value));
}

/// Processors that compute never act, nor are they interrupted; the last one always acts.
constexpr schedule_transition fixed_rows[] = {
    {duty::computing, event::request, any_role, action::queue, duty::waiting},
    {duty::waiting, event::answered, any_role, action::resume, duty::resuming},
    {duty::resuming, event::resumed, any_role, action::none, duty::computing},
    {duty::computing, event::rest, any_role, action::none, duty::resting},
    {duty::resting, event::work, any_role, action::none, duty::computing},
    {duty::resting, event::request, any_role, action::queue, duty::waiting},
    {duty::serving_resting, event::drained, any_role, action::none, duty::serving_resting},
};

constexpr schedule_transition floating_rows[] = {
    {duty::computing, event::request, role_guard::free, action::take_role, duty::serving_own},
    {duty::computing, event::request, role_guard::held, action::queue, duty::waiting},
    {duty::computing, event::chosen, role_guard::free, action::interrupt, duty::interrupted},
    {duty::computing, event::rest, any_role, action::none, duty::resting},
    {duty::interrupted, event::delivered, role_guard::free, action::take_role,
     duty::serving_drafted},
    {duty::interrupted, event::delivered, role_guard::held, action::resume, duty::resuming},
    // Before its interrupt came.
    {duty::interrupted, event::request, role_guard::free, action::take_role, duty::serving_own},
    {duty::interrupted, event::request, role_guard::held, action::queue, duty::waiting},
    {duty::interrupted, event::rest, any_role, action::none, duty::resting},
    {duty::waiting, event::chosen, role_guard::free, action::take_role, duty::serving_own},
    {duty::waiting, event::answered, any_role, action::resume, duty::resuming},
    {duty::resting, event::chosen, role_guard::free, action::take_role, duty::serving_resting},
    {duty::resting, event::work, any_role, action::none, duty::computing},
    {duty::resting, event::request, role_guard::free, action::take_role, duty::serving_own},
    {duty::resting, event::request, role_guard::held, action::queue, duty::waiting},
    {duty::serving_own, event::answered, any_role, action::leave, duty::resuming},
    {duty::serving_own, event::drained, any_role, action::none, duty::serving_own},
    {duty::serving_drafted, event::drained, any_role, action::leave, duty::resuming},
    {duty::serving_resting, event::drained, any_role, action::none, duty::serving_resting},
    {duty::serving_resting, event::work, any_role, action::leave, duty::resuming},
    {duty::serving_resting, event::request, any_role, action::queue, duty::serving_own},
    {duty::resuming, event::resumed, any_role, action::none, duty::computing},
};

struct row_range {
  const schedule_transition* first;
  const schedule_transition* behind;

  const schedule_transition* begin() const { return first; }
  const schedule_transition* end() const { return behind; }
};

row_range rows_of(schedule_kind kind) {
  if (kind == schedule_kind::fixed) return {std::begin(fixed_rows), std::end(fixed_rows)};
  return {std::begin(floating_rows), std::end(floating_rows)};
}

}  // namespace

const char* name_of(schedule_kind kind) {
  static constexpr std::array<const char*, 3> names{"fixed", "floating", "single"};
  return name_in(names, kind);
}

const char* name_of(processor_duty duty) {
  static constexpr std::array<const char*, processor_duties> names{
      "computing",   "waiting",         "resting",         "interrupted",
      "serving_own", "serving_drafted", "serving_resting", "resuming"};
  return name_in(names, duty);
}

const char* name_of(schedule_event event) {
  static constexpr std::array<const char*, 8> names{"request", "chosen", "delivered", "answered",
                                                    "drained", "rest",   "work",      "resumed"};
  return name_in(names, event);
}

const char* name_of(schedule_action action) {
  static constexpr std::array<const char*, 6> names{"none",      "take_role", "queue",
                                                    "interrupt", "resume",    "leave"};
  return name_in(names, action);
}

std::vector<schedule_transition> transitions_of(schedule_kind kind) {
  const row_range rows = rows_of(kind);
  return {rows.begin(), rows.end()};
}

void schedule_readings::bind(parameter_set& parameters) {
  parameters.add("resuming_keeps_role", resuming_keeps_role,
                 "Whether a processor keeps the role of the protocol processor while it switches "
                 "back to its program (section 8, rule 3).");
  parameters.add("leaves_full_queue", leaves_full_queue,
                 "Whether a processor whose own request was answered leaves though others wait for "
                 "a handler (section 8, rule 6).");
  parameters.add("previous_first", previous_first,
                 "Whether the processor that acted last is taken before others that are idle "
                 "(section 8, rule 5).");
  parameters.add("drains", drains,
                 "Whether an interrupted processor handles all that waits, or one message "
                 "(section 8, rule 5).");
}

schedule::schedule(schedule_kind kind, const schedule_readings& readings, std::uint32_t processors)
    : kind_(kind), readings_(readings), duties_(processors, processor_duty::computing) {
  if (kind != schedule_kind::fixed) return;
  acting_ = processors - 1;
  duties_.back() = processor_duty::serving_resting;
}

const schedule_transition* schedule::find(schedule_event event, std::uint32_t processor) const {
  const role_guard role = acting_ == nobody ? role_guard::free : role_guard::held;
  for (const schedule_transition& each : rows_of(kind_)) {
    if (each.from == duties_[processor] && each.on == event &&
        (each.role == role_guard::any || each.role == role)) {
      return &each;
    }
  }
  return nullptr;
}

schedule_action schedule::on(schedule_event event, std::uint32_t processor) {
  const schedule_transition* const found = find(event, processor);
  if (found == nullptr) {
    throw simulation_error(
        fmt::format("schedule {}: processor {} of {} is {} while {} acts, and the table has no "
                    "event {} for that; "
                    "the node must ask knows() before on()",
                    name_of(kind_), processor, processors(), name_of(duties_[processor]),
                    acting_ == nobody ? std::string("none") : fmt::format("processor {}", acting_),
                    name_of(event)));
  }
  if (acts(found->to) && acting_ != nobody && acting_ != processor) {
    throw simulation_error(
        fmt::format("schedule {}: processor {} of {} would act by event {} while processor {} "
                    "acts; the node must "
                    "have it leave, or call release_role(), first",
                    name_of(kind_), processor, processors(), name_of(event), acting_));
  }
  duties_[processor] = found->to;
  if (acts(found->to)) acting_ = processor;
  const bool keeps_role =
      readings_.resuming_keeps_role && found->from == processor_duty::serving_own;
  if (found->action == schedule_action::leave && !keeps_role) release_role();
  return found->action;
}

void schedule::release_role() { acting_ = nobody; }

std::optional<std::uint32_t> schedule::idle_processor() const {
  if (acting_ != nobody) return std::nullopt;
  const auto idle = [this](std::uint32_t processor) {
    return duties_[processor] == processor_duty::waiting ||
           duties_[processor] == processor_duty::resting;
  };
  const std::uint32_t last = previous_ == nobody ? processors() - 1 : previous_;
  if (readings_.previous_first && previous_ != nobody && idle(last)) return last;
  for (std::uint32_t i = 1; i <= processors(); ++i) {
    const std::uint32_t processor = (last + i) % processors();
    if (idle(processor)) return processor;
  }
  return std::nullopt;
}

bool schedule::drafts() const {
  for (const processor_duty each : duties_) {
    if (each == processor_duty::interrupted) return true;
  }
  return false;
}

std::optional<std::uint32_t> schedule::previous() const {
  return previous_ == nobody ? std::nullopt : std::optional<std::uint32_t>(previous_);
}

bool schedule::fits(std::uint32_t processors) const {
  const auto exists = [&](std::uint32_t each) { return each == nobody || each < processors; };
  return duties_.size() == processors && exists(acting_) && exists(previous_) &&
         std::all_of(duties_.begin(), duties_.end(), [](processor_duty each) {
           return static_cast<std::size_t>(each) < processor_duties;
         });
}

bool schedule::runs_handler(std::uint32_t processor) {
  const bool moved = previous_ != nobody && previous_ != processor;
  previous_ = processor;
  return moved;
}

}  // namespace tributary
