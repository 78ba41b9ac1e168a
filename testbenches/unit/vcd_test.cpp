// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "machine_run.h"

namespace tributary {
namespace {

using testing::scratch_directory;
using testing::small_machine;

/// A value change dump as IEEE 1364 section 18.2 has it, read strictly: values by full name at the
/// end of every time. Unknown values are "x".
class parsed_vcd {
 public:
  explicit parsed_vcd(const std::string& text) : stream_(text) {
    std::string word;
    while (stream_ >> word) {
      if (word == "$scope") {
        const std::vector<std::string> what = until_end();
        EXPECT_EQ(what.size(), 2U);
        scopes_.push_back(what.back());
      } else if (word == "$upscope") {
        until_end();
        EXPECT_FALSE(scopes_.empty());
        if (!scopes_.empty()) scopes_.pop_back();
      } else if (word == "$var") {
        declare(until_end());
      } else if (word == "$comment" || word == "$timescale") {
        sections_[word] = until_end();
      } else if (word == "$enddefinitions") {
        until_end();
        EXPECT_TRUE(scopes_.empty());
        defined_ = true;
      } else if (word == "$dumpvars" || word == "$end") {
        EXPECT_TRUE(defined_);
      } else {
        change(word);
      }
    }
  }

  const std::vector<std::string>& section(const std::string& word) { return sections_[word]; }
  bool has(const std::string& name) const { return changes_.count(name) != 0; }
  std::size_t signals() const { return changes_.size(); }
  cycle_t first() const { return first_; }
  cycle_t last() const { return time_; }

  /// The value at the end of a time, in binary.
  std::string at(const std::string& name, cycle_t time) const {
    const auto found = changes_.find(name);
    if (found == changes_.end()) return "no such name";
    auto after = found->second.upper_bound(time);
    return after == found->second.begin() ? "before" : std::prev(after)->second;
  }
  std::size_t number(const std::string& name, cycle_t time) const {
    const std::string text = at(name, time);
    if (text.find_first_not_of("01") != std::string::npos || text.empty()) {
      ADD_FAILURE() << name << " at " << time << " is " << text;
      return 0;
    }
    return std::stoul(text, nullptr, 2);
  }

 private:
  std::vector<std::string> until_end() {
    std::vector<std::string> words;
    for (std::string word; stream_ >> word && word != "$end";) words.push_back(word);
    return words;
  }
  void declare(const std::vector<std::string>& words) {
    ASSERT_EQ(words.size(), 4U);
    EXPECT_EQ(words[0], "wire");
    std::string name;
    for (const std::string& scope : scopes_) name += scope + ".";
    EXPECT_TRUE(names_.emplace(words[2], name + words[3]).second) << "twice: " << words[2];
    widths_[words[2]] = std::stoul(words[1]);
    changes_[name + words[3]];
  }
  void change(const std::string& word) {
    EXPECT_TRUE(defined_);
    if (word[0] == '#') {
      const cycle_t next = std::stoull(word.substr(1));
      if (!timed_) first_ = next;
      EXPECT_TRUE(!timed_ || next > time_) << word;
      time_ = next;
      timed_ = true;
      return;
    }
    const bool vector = word[0] == 'b';
    std::string code = word.substr(1);
    if (vector) stream_ >> code;
    ASSERT_EQ(names_.count(code), 1U) << word;
    EXPECT_EQ(widths_[code] == 1, !vector);
    const std::string value = vector ? word.substr(1) : word.substr(0, 1);
    EXPECT_LE(value.size(), widths_[code]);
    changes_[names_[code]][time_] = value;
  }

  std::istringstream stream_;
  std::vector<std::string> scopes_;
  std::map<std::string, std::vector<std::string>> sections_;
  std::map<std::string, std::string> names_;  // by code
  std::map<std::string, std::size_t> widths_;
  std::map<std::string, std::map<cycle_t, std::string>> changes_;
  bool defined_ = false;
  bool timed_ = false;
  cycle_t time_ = 0;
  cycle_t first_ = 0;
};

/// What the ports of a machine hold, by the names that the dump gives them.
std::map<std::string, std::size_t> contents_of(const ultracomputer& machine) {
  std::map<std::string, std::size_t> held;
  const std::size_t lines = machine.network().lines();
  for (std::size_t stage = 0; stage < machine.network().stages(); ++stage) {
    const switch_column& column = machine.network().column(stage);
    for (std::size_t port = 0; port < lines; ++port) {
      const std::string output =
          fmt::format("ultracomputer.stage_{}.switch_{}.output_{}.", stage, port / 2, port % 2);
      const std::size_t queues[] = {column.queue_of(port, 0), column.queue_of(port, 1)};
      for (unsigned i = 0; i < (queues[0] == queues[1] ? 1U : 2U); ++i) {
        held[output + "waiting"] += column.queues().size(queues[i]);
        held[output + "combined"] += column.queues().combined(queues[i]);
      }
      held[output + "wait_buffer"] = column.wait_buffers().size(port);
    }
    for (std::size_t line = 0; line < lines; ++line) {
      held[fmt::format("ultracomputer.stage_{}.switch_{}.input_{}.waiting_replies", stage,
                       line % (lines / 2), line / (lines / 2))] =
          column.reverse_queues().size(line);
    }
  }
  return held;
}

struct dumped_run {
  std::string text;
  std::map<cycle_t, std::map<std::string, std::size_t>> held;
  std::vector<trace_event> events;
};

/// Dumps `cycles` after `before` cycles without a dump.
dumped_run dump(const ultracomputer_config& config, std::uint64_t cycles,
                const trace_filter_options& options = {}, std::uint64_t before = 0,
                bool partial = false) {
  const scratch_directory here;
  dumped_run run;
  ultracomputer machine(config, 5);
  machine.step(before);
  testing::event_collector seen;
  event_files files;
  files.vcd = here.path("d.vcd");
  files.filter = options;
  event_observation sink(files, machine);
  machine.observers().attach(seen);
  for (std::uint64_t i = 0; i < cycles; ++i) {
    machine.step();
    run.held[machine.now()] = contents_of(machine);
  }
  sink.finish(partial);
  run.text = here.read("d.vcd");
  run.events = std::move(seen.events);
  return run;
}

void expect_contents(const parsed_vcd& parsed, const dumped_run& run) {
  std::size_t compared = 0;
  for (const auto& [cycle, held] : run.held) {
    for (const auto& [name, size] : held) {
      if (!parsed.has(name)) continue;
      ASSERT_EQ(parsed.number(name, cycle), size) << name << " in cycle " << cycle;
      ++compared;
    }
  }
  EXPECT_GT(compared, 1000U);
}

TEST(vcd, counts_are_those_of_the_machine) {
  for (const queue_type type : {queue_type::a, queue_type::b}) {
    ultracomputer_config config = small_machine();
    config.network.switches.type = type;
    config.network.switches.coupled = type == queue_type::a;
    const dumped_run run = dump(config, 300);
    parsed_vcd parsed(run.text);
    EXPECT_EQ(parsed.first(), 0U);
    EXPECT_LE(parsed.last(), 301U);
    // 4 stages of 8 switches of 2 x 6 and 2 x 4 values; 32 ends of 6.
    EXPECT_EQ(parsed.signals(), 4U * 8 * 20 + 32 * 6);
    expect_contents(parsed, run);
  }
}

TEST(vcd, counts_are_those_of_systolic_queues) {
  ultracomputer_config config = small_machine();
  config.network.switches.microarchitecture = queue_microarchitecture::systolic;
  const dumped_run run = dump(config, 300);
  parsed_vcd parsed(run.text);
  expect_contents(parsed, run);
  const auto joined = [](const trace_event& event) { return event.kind->joins; };
  EXPECT_GT(std::count_if(run.events.begin(), run.events.end(), joined), 50);
}

TEST(vcd, counts_begin_with_what_the_machine_holds) {
  const dumped_run run = dump(small_machine(), 100, {}, 150);
  parsed_vcd parsed(run.text);
  EXPECT_EQ(parsed.first(), 150U);
  expect_contents(parsed, run);
}

TEST(vcd, a_window_is_the_same_in_a_machine_that_began_at_it) {
  trace_filter_options options;
  options.window = "151..250";
  EXPECT_EQ(dump(small_machine(), 250, options).text,
            dump(small_machine(), 100, options, 150).text);
}

TEST(vcd, links_are_valid_when_something_leaves) {
  const dumped_run run = dump(small_machine(), 300);
  const parsed_vcd parsed(run.text);
  std::map<std::string, std::map<cycle_t, trace_identity>> expected;
  const omega_tracks tracks(4, 16);
  for (const trace_event& event : run.events) {
    if (event.kind->link == nullptr) continue;
    const omega_tracks::place where = tracks.place_of(event.track);
    std::string scope = fmt::format("stage_{}.switch_{}.{}_{}", where.stage, where.switch_index,
                                    where.is_input ? "input" : "output", where.port);
    if (where.stage == processor_side) scope = fmt::format("element_{}", where.switch_index);
    if (where.stage == 4) scope = fmt::format("module_{}", where.switch_index);
    const bool is_reply = event.kind->order >= request_events::replied.order;
    const std::string link =
        fmt::format("ultracomputer.{}.{}_", scope, is_reply ? "reply" : "request");
    expected[link][event.cycle] = event.identity;
  }
  EXPECT_GT(expected.size(), 100U);
  for (const auto& [link, messages] : expected) {
    for (cycle_t cycle = 1; cycle <= 300; ++cycle) {
      const auto message = messages.find(cycle);
      ASSERT_EQ(parsed.at(link + "valid", cycle), message == messages.end() ? "0" : "1")
          << link << " in cycle " << cycle;
      if (message == messages.end()) continue;
      EXPECT_EQ(parsed.number(link + "pe", cycle), message->second.origin());
      EXPECT_EQ(parsed.number(link + "sequence", cycle), message->second.sequence());
    }
  }
}

TEST(vcd, shows_what_the_filter_admits) {
  trace_filter_options options;
  options.window = "100..150";
  options.tracks = "stage.1-2.switch.3";
  const dumped_run run = dump(small_machine(), 300, options);
  parsed_vcd parsed(run.text);
  EXPECT_EQ(parsed.first(), 99U);
  EXPECT_LE(parsed.last(), 150U);
  EXPECT_EQ(parsed.signals(), 2U * 20);
  for (cycle_t cycle = 99; cycle <= 150; ++cycle) {
    for (const auto& [name, size] : run.held.at(cycle)) {
      if (!parsed.has(name)) continue;
      EXPECT_EQ(parsed.number(name, cycle), size) << name << " " << cycle;
    }
  }
}

TEST(vcd, origins_choose_whose_messages_links_show) {
  trace_filter_options options;
  options.tracks = "element.3,stage.0.switch";
  options.origins = "3";
  const parsed_vcd parsed(dump(small_machine(), 200, options).text);
  EXPECT_TRUE(parsed.has("ultracomputer.element_3.request_valid"));
  EXPECT_FALSE(parsed.has("ultracomputer.element_2.request_valid"));
  // Element 3 enters at switch 3 of the first stage, element 2 at switch 2.
  EXPECT_EQ(parsed.at("ultracomputer.stage_0.switch_3.input_0.reply_pe", 200), "11");
  EXPECT_EQ(parsed.at("ultracomputer.stage_0.switch_2.input_0.reply_pe", 200), "x");
}

TEST(vcd, a_window_without_events_is_a_dump_all_the_same) {
  trace_filter_options options;
  options.window = "5000..6000";
  const parsed_vcd late(dump(small_machine(), 10, options).text);
  EXPECT_EQ(late.first(), 4999U);
  ultracomputer_config config = small_machine();
  config.processor.start_window = 1;
  options.window = "1..1";
  const parsed_vcd first(dump(config, 100, options).text);
  EXPECT_EQ(first.first(), 0U);
  EXPECT_LE(first.last(), 1U);
}

TEST(vcd, the_same_run_gives_the_same_bytes) {
  const std::string text = dump(small_machine(), 200).text;
  EXPECT_EQ(dump(small_machine(), 200).text, text);
  EXPECT_EQ(text.find("partial"), std::string::npos);
  const std::string cut = dump(small_machine(), 200, {}, 0, true).text;
  EXPECT_NE(cut.find("$comment partial: the run was interrupted here $end"), std::string::npos);
}

}  // namespace
}  // namespace tributary
