// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <tributary/controller/schedule.h>
#include <tributary/sim/error.h>
#include <tributary/sim/state_archive.h>

#include <support/failure.h>
#include <support/text_checks.h>

namespace tributary {
namespace {

using duty = processor_duty;
using event = schedule_event;
using action = schedule_action;
using role = role_guard;

constexpr std::size_t events = 8;

/// A way to a row of a table: what happens to processor 0, and to the others.
struct step {
  event what;
  std::uint32_t processor;
};
using steps = std::vector<step>;

/// Processor 0 becomes `from`, and processor 1 acts if `held`, in a node of three that float.
std::optional<steps> way_to(duty from, bool held) {
  // Another one that acts.
  const steps other{{event::request, 1}};
  const auto with_other = [&](const steps& before, const steps& behind = {}) {
    steps all = before;
    if (held) all.insert(all.end(), other.begin(), other.end());
    all.insert(all.end(), behind.begin(), behind.end());
    return std::optional<steps>(all);
  };
  switch (from) {
    case duty::computing:
      return with_other({});
    case duty::interrupted:
      return with_other({{event::chosen, 0}});
    case duty::resting:
      return with_other({{event::rest, 0}});
    case duty::waiting:
      // It asks while another acts, which leaves if none shall.
      return held ? steps{{event::request, 1}, {event::request, 0}}
                  : steps{{event::chosen, 1},
                          {event::delivered, 1},
                          {event::request, 0},
                          {event::drained, 1}};
    case duty::resuming:
      return with_other({{event::chosen, 0}, {event::delivered, 0}, {event::drained, 0}});
    case duty::serving_own:
      return held ? std::optional<steps>(steps{{event::request, 0}}) : std::nullopt;
    case duty::serving_drafted:
      return held ? std::optional<steps>(steps{{event::chosen, 0}, {event::delivered, 0}})
                  : std::nullopt;
    default:
      return held ? std::optional<steps>(steps{{event::rest, 0}, {event::chosen, 0}})
                  : std::nullopt;
  }
}

schedule after(const steps& way, const schedule_readings& readings = {}) {
  schedule node(schedule_kind::floating, readings, 3);
  for (const step& each : way) node.on(each.what, each.processor);
  return node;
}

/// What the rules of the paper's section 3 and the specification's section 5.2 say, written down
/// once more: from, on, whether the role must be held (nothing: either), action, to.
using row = std::tuple<duty, event, std::optional<bool>, action, duty>;

std::vector<row> floating_rows() {
  return {
      {duty::computing, event::request, false, action::take_role, duty::serving_own},
      {duty::computing, event::request, true, action::queue, duty::waiting},
      {duty::computing, event::chosen, false, action::interrupt, duty::interrupted},
      {duty::computing, event::rest, {}, action::none, duty::resting},
      {duty::interrupted, event::delivered, false, action::take_role, duty::serving_drafted},
      {duty::interrupted, event::delivered, true, action::resume, duty::resuming},
      {duty::interrupted, event::request, false, action::take_role, duty::serving_own},
      {duty::interrupted, event::request, true, action::queue, duty::waiting},
      {duty::interrupted, event::rest, {}, action::none, duty::resting},
      {duty::waiting, event::chosen, false, action::take_role, duty::serving_own},
      {duty::waiting, event::answered, {}, action::resume, duty::resuming},
      {duty::resting, event::chosen, false, action::take_role, duty::serving_resting},
      {duty::resting, event::work, {}, action::none, duty::computing},
      {duty::resting, event::request, false, action::take_role, duty::serving_own},
      {duty::resting, event::request, true, action::queue, duty::waiting},
      {duty::serving_own, event::answered, true, action::leave, duty::resuming},
      {duty::serving_own, event::drained, true, action::none, duty::serving_own},
      {duty::serving_drafted, event::drained, true, action::leave, duty::resuming},
      {duty::serving_resting, event::drained, true, action::none, duty::serving_resting},
      {duty::serving_resting, event::work, true, action::leave, duty::resuming},
      {duty::serving_resting, event::request, true, action::queue, duty::serving_own},
      {duty::resuming, event::resumed, {}, action::none, duty::computing},
  };
}

std::vector<row> fixed_rows() {
  return {
      {duty::computing, event::request, {}, action::queue, duty::waiting},
      {duty::computing, event::rest, {}, action::none, duty::resting},
      {duty::waiting, event::answered, {}, action::resume, duty::resuming},
      {duty::resuming, event::resumed, {}, action::none, duty::computing},
      {duty::resting, event::work, {}, action::none, duty::computing},
      {duty::resting, event::request, {}, action::queue, duty::waiting},
      {duty::serving_resting, event::drained, {}, action::none, duty::serving_resting},
  };
}

const row* find(const std::vector<row>& rows, duty from, event on, bool held) {
  for (const row& each : rows) {
    const std::optional<bool> wanted = std::get<2>(each);
    if (std::get<0>(each) == from && std::get<1>(each) == on && wanted.value_or(held) == held) {
      return &each;
    }
  }
  return nullptr;
}

std::string text_of(duty from, event on, bool held) {
  return std::string(name_of(from)) + ", " + name_of(on) + (held ? ", held" : ", free");
}

TEST(schedule, floating_makes_exactly_the_transitions_of_the_rules) {
  const std::vector<row> rows = floating_rows();
  int made = 0;
  for (std::size_t i = 0; i < processor_duties; ++i) {
    const auto from = static_cast<duty>(i);
    for (const bool held : {false, true}) {
      const std::optional<steps> way = way_to(from, held);
      if (!way) continue;
      for (std::size_t j = 0; j < events; ++j) {
        const auto on = static_cast<event>(j);
        const std::string where = text_of(from, on, held);
        schedule node = after(*way);
        ASSERT_EQ(node.duty(0), from) << where;
        ASSERT_EQ(node.acting().has_value(), held) << where;
        const row* const expected = find(rows, from, on, held);
        EXPECT_EQ(node.knows(on, 0), expected != nullptr) << where;
        if (expected == nullptr) {
          EXPECT_TRUE(testing::names(
              testing::failure<simulation_error>([&] { node.on(on, 0); }),
              {"schedule floating", "processor 0", name_of(from),
               held ? "while processor" : "while none acts", name_of(on), "knows()"}))
              << where;
          EXPECT_EQ(node.duty(0), from) << where;
          continue;
        }
        ++made;
        EXPECT_EQ(node.on(on, 0), std::get<3>(*expected)) << where;
        EXPECT_EQ(node.duty(0), std::get<4>(*expected)) << where;
        if (acts(node.duty(0))) {
          EXPECT_EQ(node.acting(), 0U) << where;
        }
      }
    }
  }
  EXPECT_EQ(made, 27) << "rows that need no state of the role count twice";
}

TEST(schedule, fixed_makes_exactly_the_transitions_of_the_rules) {
  const std::vector<row> rows = fixed_rows();
  const std::vector<std::pair<duty, steps>> ways{
      {duty::computing, {}},
      {duty::waiting, {{event::request, 0}}},
      {duty::resuming, {{event::request, 0}, {event::answered, 0}}},
      {duty::resting, {{event::rest, 0}}}};
  for (const auto& [from, way] : ways) {
    for (std::size_t j = 0; j < events; ++j) {
      const auto on = static_cast<event>(j);
      schedule node(schedule_kind::fixed, {}, 3);
      for (const step& each : way) node.on(each.what, each.processor);
      const row* const expected = find(rows, from, on, true);
      EXPECT_EQ(node.knows(on, 0), expected != nullptr) << text_of(from, on, true);
      if (expected == nullptr) {
        EXPECT_TRUE(testing::names(testing::failure<simulation_error>([&] { node.on(on, 0); }),
                                   {"schedule fixed", "processor 0", name_of(from),
                                    "while processor 2 acts", name_of(on)}));
        continue;
      }
      EXPECT_EQ(node.on(on, 0), std::get<3>(*expected)) << text_of(from, on, true);
      EXPECT_EQ(node.duty(0), std::get<4>(*expected)) << text_of(from, on, true);
      EXPECT_EQ(node.acting(), 2U);
    }
  }
  schedule node(schedule_kind::fixed, {}, 3);
  EXPECT_EQ(node.duty(2), duty::serving_resting);
  for (std::size_t j = 0; j < events; ++j) {
    EXPECT_EQ(node.knows(static_cast<event>(j), 2), static_cast<event>(j) == event::drained);
  }
}

/// Both lists are all that there is, so that the diagrams are.
TEST(schedule, the_tables_have_no_other_rows) {
  for (const schedule_kind kind :
       {schedule_kind::fixed, schedule_kind::floating, schedule_kind::single}) {
    const std::vector<row> rows = kind == schedule_kind::fixed ? fixed_rows() : floating_rows();
    const std::vector<schedule_transition>& found = transitions_of(kind);
    EXPECT_EQ(found.size(), rows.size()) << name_of(kind);
    for (const schedule_transition& each : found) {
      const bool held = each.role == role::held || each.from == duty::serving_own ||
                        each.from == duty::serving_drafted || each.from == duty::serving_resting;
      const row* const expected = find(rows, each.from, each.on, held);
      ASSERT_NE(expected, nullptr) << text_of(each.from, each.on, held);
      EXPECT_EQ(each.action, std::get<3>(*expected)) << text_of(each.from, each.on, held);
      EXPECT_EQ(each.to, std::get<4>(*expected)) << text_of(each.from, each.on, held);
    }
  }
}

/// Where a guard of the table was forgotten, the schedule itself notices.
TEST(schedule, no_second_processor_acts) {
  schedule_readings keeping;
  keeping.resuming_keeps_role = true;
  schedule node(schedule_kind::floating, keeping, 2);
  node.on(event::request, 0);
  EXPECT_EQ(node.on(event::request, 1), action::queue);
  EXPECT_EQ(testing::failure<simulation_error>([&] { node.on(event::chosen, 1); }).empty(), false);
  EXPECT_EQ(node.acting(), 0U);
  // One that resumes and keeps the role does not act, and nobody else does.
  node.on(event::answered, 0);
  EXPECT_EQ(node.duty(0), duty::resuming);
  EXPECT_TRUE(testing::names(testing::failure<simulation_error>([&] { node.on(event::chosen, 1); }),
                             {"processor 1", "waiting", "processor 0", "chosen"}));
}

TEST(schedule, a_processor_that_resumes_keeps_the_role_by_the_reading) {
  for (const bool keeps : {false, true}) {
    schedule_readings readings;
    readings.resuming_keeps_role = keeps;
    schedule node = after({{event::request, 0}, {event::answered, 0}}, readings);
    EXPECT_EQ(node.acting().has_value(), keeps);
    node.release_role();
    EXPECT_FALSE(node.acting());

    // Of its own requests only.
    schedule drafted =
        after({{event::chosen, 0}, {event::delivered, 0}, {event::drained, 0}}, readings);
    EXPECT_FALSE(drafted.acting()) << keeps;
    schedule rested = after({{event::rest, 0}, {event::chosen, 0}, {event::work, 0}}, readings);
    EXPECT_FALSE(rested.acting()) << keeps;
  }
}

TEST(schedule, the_idle_processor_is_the_previous_one_or_the_next_behind_it) {
  for (const bool previous_first : {false, true}) {
    schedule_readings readings;
    readings.previous_first = previous_first;
    schedule node(schedule_kind::floating, readings, 4);
    EXPECT_FALSE(node.idle_processor()) << "all compute";
    node.on(event::rest, 1);
    node.on(event::rest, 3);
    EXPECT_EQ(node.idle_processor(), 1U) << "none acted before: the first one";
    node.on(event::chosen, 1);
    EXPECT_FALSE(node.idle_processor()) << "one acts";
    EXPECT_FALSE(node.runs_handler(1)) << "none before it";
    node.on(event::work, 1);
    EXPECT_EQ(node.idle_processor(), 3U);
    node.on(event::resumed, 1);
    node.on(event::rest, 1);
    EXPECT_EQ(node.previous(), 1U);
    EXPECT_EQ(node.idle_processor(), previous_first ? 1U : 3U);
    node.on(event::chosen, 3);
    EXPECT_TRUE(node.runs_handler(3));
    EXPECT_FALSE(node.runs_handler(3));
    node.on(event::work, 3);
    node.on(event::resumed, 3);
    EXPECT_EQ(node.idle_processor(), 1U) << "around";
    node.on(event::rest, 3);
    EXPECT_EQ(node.idle_processor(), previous_first ? 3U : 1U);
  }
}

TEST(schedule, one_that_waits_is_idle_and_one_that_resumes_is_not) {
  schedule node = after(*way_to(duty::waiting, false));
  EXPECT_EQ(node.idle_processor(), 0U);
  node.on(event::resumed, 1);
  EXPECT_EQ(node.idle_processor(), 0U);
  node.on(event::answered, 0);
  EXPECT_FALSE(node.idle_processor());
}

TEST(schedule, only_one_that_computes_can_be_drafted) {
  for (std::size_t i = 0; i < processor_duties; ++i) {
    const auto from = static_cast<duty>(i);
    for (const bool held : {false, true}) {
      const std::optional<steps> way = way_to(from, held);
      if (!way) continue;
      const schedule node = after(*way);
      EXPECT_EQ(node.can_be_drafted(0), from == duty::computing) << name_of(from);
      EXPECT_EQ(node.drafts(), from == duty::interrupted) << name_of(from);
    }
  }
}

TEST(schedule, names_are_those_of_run_files_and_statistics) {
  EXPECT_STREQ(name_of(schedule_kind::single), "single");
  EXPECT_STREQ(name_of(duty::resuming), "resuming");
  EXPECT_STREQ(name_of(event::resumed), "resumed");
  EXPECT_STREQ(name_of(action::leave), "leave");
}

TEST(schedule, is_saved_and_restored) {
  schedule node = after({{event::request, 0}, {event::request, 2}});
  node.runs_handler(0);
  schedule other(schedule_kind::floating, {}, 3);
  restore_state(save_state(node), other);
  EXPECT_EQ(other.acting(), 0U);
  EXPECT_EQ(other.previous(), 0U);
  EXPECT_EQ(other.duty(2), duty::waiting);
  EXPECT_EQ(save_state(other), save_state(node));
}

}  // namespace
}  // namespace tributary
