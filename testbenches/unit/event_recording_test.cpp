// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <tributary/sim/error.h>
#include <tributary/trace/event_thread.h>
#include <tributary/trace/held_stays.h>
#include <tributary/trace/recorded_run.h>
#include <tributary/trace/recorder.h>
#include <tributary/trace/sink.h>

#include "machine_run.h"
#include "support/unit_trace.h"

namespace tributary {
namespace {

using testing::scratch_directory;
using testing::small_machine;

/// Events as text, with where they go and the number of what they are about.
class told_text final : public observer<trace_event> {
 public:
  explicit told_text(const trace_catalog& catalog) : catalog_(catalog) {}

  void on_event(const trace_event& event) override {
    std::string line = testing::text_of(catalog_, event);
    for (const stay_change& each : event.kind->changes) {
      if (each.stay == nullptr) break;
      line += std::string(", ") + each.stay + (each.begins ? " begins" : " ends");
      if (each.onward) line += " at " + catalog_.name_of(catalog_.onward(event));
    }
    const auto show = [&](const char* detail, std::uint64_t value, const std::string* name) {
      line += std::string(", ") + detail + (name != nullptr ? *name : std::to_string(value));
    };
    catalog_.for_each_detail(event, show);
    if (event.kind->asked != nullptr && catalog_.subject) {
      const std::optional<std::uint64_t> subject = catalog_.subject(event);
      if (subject) line += ", about " + std::to_string(*subject);
    }
    lines.push_back(line);
  }

  std::vector<std::string> lines;

 private:
  const trace_catalog& catalog_;
};

/// What a recording tells.
std::vector<std::string> told_by(const std::string& path) {
  recorded_run run(path);
  told_text told(run.catalog());
  observer_list<trace_event> observers;
  observers.attach(told);
  run.tell(observers);
  return told.lines;
}

TEST(event_recording, tells_what_the_machine_told_over_many_blocks) {
  const scratch_directory here;
  ultracomputer machine(small_machine(), 3);
  told_text seen(machine.trace().catalog);
  event_files files;
  files.events = here.path("run.tbe");
  event_observation recording(files, machine);
  machine.observers().attach(seen);
  machine.step(5000);
  machine.observers().detach(seen);
  recording.finish(false);
  ASSERT_GT(seen.lines.size(), 40000U);
  EXPECT_EQ(told_by(here.path("run.tbe")), seen.lines);
}

constexpr event_detail number_detail{"number", 3, 17};
constexpr event_detail named_detail{"named", 40, 4};

event_kind kind_of(std::size_t number) {
  static constexpr std::array<const char*, 8> names{"a", "b", "c", "d", "e", "f", "g", "h"};
  event_kind kind;
  kind.name = names.at(number);
  kind.order = static_cast<unsigned>(number);
  kind.has_address = number % 2 == 0;
  kind.has_value = number % 3 == 0;
  kind.details = {&number_detail, number % 2 == 0 ? &named_detail : nullptr};
  kind.asked = number % 4 == 0 ? &named_detail : nullptr;
  if (number % 2 == 1) kind.changes = {stay_change{"there", number % 4 == 1, false, true}};
  return kind;
}

/// Any events, in no order, of which a few fields repeat.
class random_events {
 public:
  explicit random_events(std::size_t tracks) : tracks_(tracks) {
    for (std::size_t i = 0; i < kinds_.size(); ++i) kinds_[i] = kind_of(i);
  }

  trace_event next() {
    trace_event event;
    event.kind = &kinds_[draw(kinds_.size())];
    event.track = static_cast<track_id>(draw(tracks_));
    event.cycle = draw(2) == 0 ? 1000 : draw(~std::uint64_t{0});
    event.last = draw(2) == 0 ? event.cycle : draw(~std::uint64_t{0});
    if (draw(8) != 0) event.identity = identity();
    if (draw(4) == 0) event.parent = identity();
    event.address = word();
    event.value = word();
    event.details = word();
    return event;
  }

 private:
  std::uint64_t draw(std::uint64_t bound) { return random_() % bound; }
  std::uint64_t word() { return draw(2) == 0 ? draw(3) : random_(); }
  trace_identity identity() {
    const auto origin = static_cast<std::uint32_t>(draw(70000));
    return draw(2) == 0 ? trace_identity::reference(origin % 4, draw(4))
                        : trace_identity::message(origin, draw(std::uint64_t{1} << 39));
  }

  std::mt19937_64 random_{7};
  std::size_t tracks_;
  std::array<event_kind, 8> kinds_;
};

trace_catalog catalog_of(std::uint32_t tracks) {
  trace_catalog catalog("machine", "pe");
  catalog.add({"group", "unit", tracks, {{"part", {{"there"}, {"link", true}}}}});
  catalog.origins = 4;
  catalog.set_names(named_detail, {"first", "second"});
  catalog.onward = [tracks](const trace_event& event) {
    return static_cast<track_id>((static_cast<std::uint32_t>(event.track) + event.value) % tracks);
  };
  catalog.subject = [](const trace_event& event) -> std::optional<std::uint64_t> {
    if (event.address % 2 == 0) return std::nullopt;
    return event.address;
  };
  return catalog;
}

TEST(event_recording, holds_any_event_of_machines_of_any_size) {
  for (const std::uint32_t tracks : {1U, 256U, 257U, 70000U}) {
    const scratch_directory here;
    const trace_catalog catalog = catalog_of(tracks);
    told_text seen(catalog);
    random_events events(tracks);
    const auto recording = open_recording(here.path("r"), {}, catalog, {});
    for (int i = 0; i < 40000; ++i) {
      const trace_event event = events.next();
      recording->on_event(event);
      seen.on_event(event);
    }
    recording->finish(false);
    EXPECT_EQ(told_by(here.path("r")), seen.lines) << tracks;
  }
}

TEST(event_recording, keeps_what_the_machine_held_and_how_the_run_ended) {
  const scratch_directory here;
  const trace_catalog catalog = catalog_of(3);
  trace_start start;
  start.now = 17;
  start.levels = {{static_cast<track_id>(2), "there", 5}};
  start.pairs = {{trace_identity::reference(1, 2), trace_identity::message(3, 4)}};
  open_recording(here.path("r"), {"..90", "group", "0..3"}, catalog, start)->finish(true);
  recorded_run run(here.path("r"));
  EXPECT_EQ(run.filter().window, "..90");
  EXPECT_EQ(run.filter().tracks, "group");
  EXPECT_EQ(run.filter().origins, "0..3");
  EXPECT_EQ(run.start().now, 17U);
  ASSERT_EQ(run.start().levels.size(), 1U);
  EXPECT_EQ(run.start().levels[0].count, 5U);
  ASSERT_EQ(run.start().pairs.size(), 1U);
  EXPECT_EQ(run.start().pairs[0].parent, trace_identity::message(3, 4));
  EXPECT_EQ(run.catalog().machine(), "machine");
  EXPECT_EQ(run.catalog().part_of(track_id{}).signals.at(1).name, "link");
  EXPECT_TRUE(run.tell({}).partial);
}

/// Of a kind that tells a level: its track has the value from then on.
trace_event level_at(cycle_t cycle, std::uint32_t track, std::uint64_t value,
                     const event_kind& kind) {
  trace_event event;
  event.kind = &kind;
  event.track = static_cast<track_id>(track);
  event.cycle = event.last = cycle;
  event.value = value;
  return event;
}

/// What a file begins with, as "track kind value" each.
std::vector<std::string> levels_at_start(const std::string& path) {
  recorded_run run(path);
  std::vector<std::string> all;
  for (const trace_start::level& each : run.start().levels) {
    all.push_back(run.catalog().name_of(each.track) + " " + each.stay + " " +
                  std::to_string(each.count));
  }
  return all;
}

TEST(event_recording, of_a_window_begins_with_the_levels_before_it) {
  const scratch_directory here;
  const trace_catalog catalog = catalog_of(3);
  event_kind kind = kind_of(0);
  kind.name = "there";
  ASSERT_TRUE(tells_level(kind));
  trace_start start;
  start.levels = {{static_cast<track_id>(1), "there", 4}, {static_cast<track_id>(2), "there", 6}};
  const auto recording = open_recording(here.path("r"), {"100..", "", ""}, catalog, start);
  recording->on_event(level_at(10, 0, 7, kind));
  recording->on_event(level_at(20, 0, 9, kind));
  recording->on_event(level_at(30, 1, 0, kind));
  recording->on_event(level_at(100, 0, 2, kind));
  recording->finish(false);
  const std::vector<std::string> expected{catalog.name_of(static_cast<track_id>(0)) + " there 9",
                                          catalog.name_of(static_cast<track_id>(2)) + " there 6"};
  EXPECT_EQ(levels_at_start(here.path("r")), expected);
}

TEST(event_recording, is_refused_if_any_of_it_is_missing) {
  const scratch_directory here;
  const trace_catalog catalog = catalog_of(3);
  random_events events(3);
  const auto recording = open_recording(here.path("r"), {}, catalog, {});
  for (int i = 0; i < 20; ++i) recording->on_event(events.next());
  recording->finish(false);
  const std::string whole = here.read("r");
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    EXPECT_THROW(told_by(here.write("cut", whole.substr(0, size))), input_error) << size;
  }
}

/// A recording that is told of cycles in which a few random events happen.
class kept_case {
 public:
  kept_case(kept_cycles cycles, trace_catalog& catalog) : catalog_(catalog), text_(catalog) {
    recording_ = open_kept_recording(here_.path("r"), cycles, {}, catalog, {});
  }

  /// Cycles up to `last`, each with an event of each of the first kinds. Its number is the cycle.
  void run_to(cycle_t last, std::size_t kinds) {
    while (now_ < last) {
      recording_->on_event(++now_);
      for (std::size_t i = 0; i < kinds; ++i) {
        trace_event event;
        event.kind = &kinds_.at(i);
        event.cycle = event.last = now_;
        event.identity = trace_identity::reference(1, now_ % 1000);
        event.value = now_;
        event.details =
            number_detail.put(now_ % 100000) |
            named_detail.put(catalog_.value_of(named_detail, "late" + std::to_string(i)));
        recording_->on_event(event);
        text_.on_event(event);
      }
    }
  }
  kept_recording& recording() { return *recording_; }
  std::string path() const { return here_.path("r"); }
  std::size_t files() const { return here_.files(); }
  /// The last lines that the machine told.
  std::vector<std::string> last_lines(std::size_t count) const {
    return {text_.lines.end() - static_cast<std::ptrdiff_t>(count), text_.lines.end()};
  }
  const std::vector<std::string>& lines() const { return text_.lines; }

 private:
  scratch_directory here_;
  trace_catalog& catalog_;
  told_text text_;
  std::array<event_kind, 4> kinds_{kind_of(0), kind_of(1), kind_of(2), kind_of(5)};
  std::unique_ptr<kept_recording> recording_;
  cycle_t now_ = 0;
};

TEST(kept_recording, has_the_last_cycles_and_at_most_two_blocks_more) {
  trace_catalog catalog = catalog_of(3);
  kept_case told({5000, 0, ""}, catalog);
  told.run_to(60000, 4);
  told.recording().finish(false);
  const std::vector<std::string> kept = told_by(told.path());
  EXPECT_GE(kept.size(), 4 * 5000U);
  EXPECT_LE(kept.size(), 4 * 5000U + 2 * 16384U);
  EXPECT_EQ(kept, told.last_lines(kept.size()));
  recorded_run run(told.path());
  EXPECT_EQ(run.filter().window, "55001..");
  EXPECT_LT(run.start().now, 55000U);
  EXPECT_GT(run.start().now, 45000U);
  EXPECT_FALSE(told.recording().outcome().fired);
}

TEST(kept_recording, begins_with_what_the_machine_held) {
  const scratch_directory here;
  ultracomputer machine(small_machine(), 3);
  held_stays held(machine.trace().catalog, machine.trace().start);
  testing::event_collector seen;
  event_files files;
  files.events = here.path("run.tbe");
  files.kept.before = 300;
  event_observation recording(files, machine);
  machine.observers().attach(seen);
  machine.step(5000);
  machine.observers().detach(seen);
  recording.finish(false);
  recorded_run run(here.path("run.tbe"));
  testing::event_collector kept;
  observer_list<trace_event> observers;
  observers.attach(kept);
  run.tell(observers);
  ASSERT_LT(kept.events.size(), seen.events.size() / 2);
  for (std::size_t i = 0; i + kept.events.size() < seen.events.size(); ++i) {
    held.follow(seen.events[i]);
  }
  const trace_start expected = held.start(run.start().now + 1);
  const auto text = [&](const trace_start& start) {
    std::string all;
    for (const trace_start::level& each : start.levels) {
      all += run.catalog().name_of(each.track) + " " + each.stay + " " +
             std::to_string(each.count) + "\n";
    }
    for (const trace_start::pair& each : start.pairs) {
      all += to_string(each.joined) + " joined " + to_string(each.parent) + "\n";
    }
    return all;
  };
  EXPECT_GT(expected.levels.size(), 10U);
  EXPECT_EQ(text(run.start()), text(expected));
}

TEST(kept_recording, begins_with_the_levels_before_it) {
  const scratch_directory here;
  const trace_catalog catalog = catalog_of(3);
  event_kind kind = kind_of(0);
  kind.name = "there";
  const auto recording = open_kept_recording(here.path("r"), {10, 0, ""}, {}, catalog, {});
  // Enough that the first blocks, and with them the one value of track 2, are forgotten.
  recording->on_event(1);
  recording->on_event(level_at(1, 2, 5, kind));
  for (cycle_t cycle = 2; cycle <= 40000; ++cycle) {
    recording->on_event(cycle);
    recording->on_event(level_at(cycle, 0, cycle, kind));
  }
  recording->finish(false);
  const cycle_t begins = recorded_run(here.path("r")).start().now;
  ASSERT_GT(begins, 2U);
  const std::vector<std::string> expected{
      catalog.name_of(static_cast<track_id>(0)) + " there " + std::to_string(begins),
      catalog.name_of(static_cast<track_id>(2)) + " there 5"};
  EXPECT_EQ(levels_at_start(here.path("r")), expected);
}

TEST(kept_recording, of_a_trigger_has_its_name_when_its_cycles_are_over) {
  trace_catalog catalog = catalog_of(3);
  kept_case told({100, 10000, "cycle >= 30000"}, catalog);
  told.run_to(29999, 2);
  EXPECT_FALSE(told.recording().outcome().fired);
  // Kinds and names that come only after the trigger.
  told.run_to(35000, 3);
  EXPECT_TRUE(told.recording().outcome().fired);
  EXPECT_EQ(told.recording().outcome().cycle, 30000U);
  told.run_to(40000, 4);
  EXPECT_FALSE(told.recording().complete());
  EXPECT_FALSE(std::filesystem::exists(told.path()));
  const std::size_t events = told.lines().size();
  told.run_to(40001, 4);
  EXPECT_TRUE(told.recording().complete());
  EXPECT_TRUE(std::filesystem::exists(told.path()));
  told.run_to(41000, 4);
  told.recording().finish(true);
  EXPECT_EQ(told.files(), 1U);
  const std::vector<std::string> kept = told_by(told.path());
  ASSERT_LT(kept.size(), events);
  ASSERT_GT(kept.size(), 100 * 2 + 5000 * 3 + 5000 * 4U);
  EXPECT_EQ(kept, std::vector<std::string>(
                      told.lines().begin() + static_cast<std::ptrdiff_t>(events - kept.size()),
                      told.lines().begin() + static_cast<std::ptrdiff_t>(events)));
  recorded_run run(told.path());
  EXPECT_EQ(run.filter().window, "29900..40000");
  EXPECT_FALSE(run.tell({}).partial) << "what was asked for was there before the run ended so";
}

TEST(kept_recording, of_a_run_that_ends_before_its_cycles_are_over_is_partial) {
  trace_catalog catalog = catalog_of(3);
  kept_case told({100, never - 5, "cycle = 10"}, catalog);
  told.run_to(50, 2);
  told.recording().finish(true);
  recorded_run run(told.path());
  EXPECT_EQ(run.filter().window, "");
  const recorded_run::end end = run.tell({});
  EXPECT_TRUE(end.partial);
  EXPECT_EQ(end.events, 100U);
}

TEST(kept_recording, without_events_is_whole) {
  trace_catalog catalog = catalog_of(3);
  kept_case told({100, 0, ""}, catalog);
  told.recording().finish(false);
  EXPECT_EQ(told_by(told.path()).size(), 0U);
}

/// Throws at an event.
class failing_observer final : public observer<trace_event> {
 public:
  void on_event(const trace_event&) override { throw input_error("no room"); }
};

trace_event event_at(cycle_t cycle, const event_kind& kind) {
  trace_event event;
  event.cycle = event.last = cycle;
  event.kind = &kind;
  return event;
}

TEST(event_thread, what_an_observer_throws_reaches_who_reports) {
  const trace_catalog catalog = catalog_of(3);
  const event_kind kind = kind_of(0);
  event_thread thread(catalog);
  failing_observer failing;
  thread.observers().attach(failing);
  trace_recorder recorder;
  recorder.reset(catalog.tracks());
  recorder.give_to(thread);
  const auto report = [&] {
    for (cycle_t cycle = 1;; ++cycle) {
      recorder.add(event_at(cycle, kind));
      recorder.tell(cycle);
    }
  };
  EXPECT_THROW(report(), input_error);
  recorder.give_to_nobody();
  EXPECT_THROW(thread.finish(), input_error);
}

TEST(event_thread, names_are_there_before_their_events) {
  trace_catalog catalog = catalog_of(3);
  const event_kind kind = kind_of(2);
  event_thread thread(catalog);
  told_text told(thread.catalog());
  thread.observers().attach(told);
  trace_recorder recorder;
  recorder.reset(catalog.tracks());
  recorder.give_to(thread);
  for (cycle_t cycle = 1; cycle <= 10000; ++cycle) {
    trace_event event = event_at(cycle, kind);
    const std::string name = "name" + std::to_string(cycle / 1000);
    event.details = named_detail.put(catalog.value_of(named_detail, name));
    recorder.add(event);
    recorder.tell(cycle);
  }
  recorder.give_to_nobody();
  thread.finish();
  ASSERT_EQ(told.lines.size(), 10000U);
  for (cycle_t cycle = 1; cycle <= 10000; ++cycle) {
    EXPECT_NE(told.lines[cycle - 1].find("name" + std::to_string(cycle / 1000)), std::string::npos);
  }
}

TEST(event_thread, who_gives_up_waits_for_nothing) {
  const trace_catalog catalog = catalog_of(3);
  const event_kind kind = kind_of(0);
  trace_recorder recorder;
  recorder.reset(catalog.tracks());
  event_thread thread(catalog);
  recorder.give_to(thread);
  EXPECT_THROW(recorder.give_to(thread), error);
  for (cycle_t cycle = 1; cycle <= 5000; ++cycle) {
    recorder.add(event_at(cycle, kind));
    recorder.tell(cycle);
  }
}

}  // namespace
}  // namespace tributary
