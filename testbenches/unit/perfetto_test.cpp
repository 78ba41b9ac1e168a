// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <flash/flash_machine.h>
#include <tributary/magic/node_events.h>
#include <tributary/sim/json_document.h>

#include "machine_run.h"

namespace tributary {
namespace {

using testing::scratch_directory;
using testing::small_machine;

using row = std::pair<std::uint64_t, std::uint64_t>;  // process and thread

struct shown_slice {
  row where;
  std::string asked;  // "fetch_add" of "fetch_add 3.17"
  std::string name;   // "3.17", or the whole name if that is one word
  std::string kind;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool open = false;
};

struct arrow {
  std::string name;
  row from;
  row to;
  std::uint64_t tail = 0;
  std::uint64_t head = 0;
};

/// A trace as a viewer reads it.
struct parsed_trace {
  std::map<std::uint64_t, std::string> tracks;
  std::map<row, std::string> rows;
  std::vector<shown_slice> slices;
  std::map<std::uint64_t, arrow> arrows;
  bool partial = false;

  /// The slice of a row around a time; null if there is none.
  const shown_slice* around(const row& where, std::uint64_t time) const {
    for (const shown_slice& each : slices) {
      if (each.where == where && each.begin <= time && time < each.end) return &each;
    }
    return nullptr;
  }
};

row row_of(const json_value& event) {
  return {event.find("pid")->as_unsigned(), event.find("tid")->as_unsigned()};
}

void read_event(const json_value& event, parsed_trace& trace) {
  const std::string phase = event.find("ph")->as_string();
  const std::string name = event.find("name")->as_string();
  if (phase == "M") {
    const json_value& arguments = *event.find("args");
    const bool fresh =
        name == "process_name"
            ? trace.tracks
                  .emplace(event.find("pid")->as_unsigned(), arguments.find("name")->as_string())
                  .second
            : name != "thread_name" ||
                  trace.rows.emplace(row_of(event), arguments.find("name")->as_string()).second;
    EXPECT_TRUE(fresh) << event.to_text(0);
    return;
  }
  const std::uint64_t time = event.find("ts")->as_unsigned();
  if (phase == "X") {
    const std::size_t space = name.rfind(' ');
    const bool has_two = space != std::string::npos;
    trace.slices.push_back({row_of(event), has_two ? name.substr(0, space) : "",
                            has_two ? name.substr(space + 1) : name, event.find("cat")->as_string(),
                            time, time + event.find("dur")->as_unsigned(),
                            event.find("args")->find("open") != nullptr});
    return;
  }
  if (phase == "t") return;  // on the way of an arrow
  arrow& here = trace.arrows[event.find("id")->as_unsigned()];
  here.name = name;
  if (phase == "s") {
    here.from = row_of(event);
    here.tail = time;
  } else {
    ASSERT_EQ(phase, "f");
    EXPECT_EQ(event.find("bp")->as_string(), "e");
    here.to = row_of(event);
    here.head = time;
  }
}

parsed_trace parse(const std::string& text) {
  parsed_trace trace;
  const json_document parsed = json_document::from_text(text, "trace");
  const json_value& document = parsed.root();
  for (const json_value& event : document.find("traceEvents")->as_array()) {
    read_event(event, trace);
  }
  trace.partial = document.find("otherData")->find("partial")->as_boolean();
  return trace;
}

event_files perfetto_in(const scratch_directory& folder, const trace_filter_options& options) {
  event_files files;
  files.perfetto = folder.path("t.json");
  files.filter = options;
  return files;
}

struct traced_run {
  std::string text;
  std::vector<trace_event> events;
};

traced_run trace_run(std::uint64_t cycles, const trace_filter_options& options = {},
                     bool drain = true, const ultracomputer_config& config = small_machine()) {
  const scratch_directory here;
  ultracomputer machine(config, 5);
  testing::event_collector seen;
  event_observation sink(perfetto_in(here, options), machine);
  machine.observers().attach(seen);
  machine.step(cycles);
  if (drain) machine.drain();
  sink.finish(!drain);
  return {here.read("t.json"), std::move(seen.events)};
}

/// Where requests combine cycles after they were inserted.
ultracomputer_config systolic_machine() {
  ultracomputer_config config = small_machine();
  config.network.switches.microarchitecture = queue_microarchitecture::systolic;
  return config;
}

void expect_rows_without_overlap(const parsed_trace& trace) {
  std::map<row, std::map<std::uint64_t, std::uint64_t>> busy;
  for (const shown_slice& each : trace.slices) {
    EXPECT_EQ(trace.tracks.count(each.where.first), 1U);
    ASSERT_EQ(trace.rows.count(each.where), 1U);
    EXPECT_NE(trace.rows.at(each.where).find(each.kind), std::string::npos);
    EXPECT_LT(each.begin, each.end);
    EXPECT_FALSE(each.open);
    EXPECT_TRUE(busy[each.where].emplace(each.begin, each.end).second);
  }
  for (const auto& [where, slices] : busy) {
    std::uint64_t end = 0;
    for (const auto& [begin, ends] : slices) {
      EXPECT_GE(begin, end) << trace.rows.at(where);
      end = ends;
    }
  }
}

TEST(perfetto, every_slice_has_a_named_row_and_overlaps_no_other) {
  expect_rows_without_overlap(parse(trace_run(300).text));
  expect_rows_without_overlap(parse(trace_run(300, {}, true, systolic_machine()).text));
}

void expect_stays(const traced_run& run) {
  const parsed_trace trace = parse(run.text);
  std::multiset<std::tuple<std::string, std::string, std::string, std::uint64_t>> shown;
  for (const shown_slice& each : trace.slices) {
    shown.emplace(trace.tracks.at(each.where.first) + " " + trace.rows.at(each.where), each.kind,
                  each.name, each.begin);
  }
  std::multiset<std::tuple<std::string, std::string, std::string, std::uint64_t>> expected;
  std::map<trace_identity, trace_identity> second;
  const auto expect = [&](const std::string& track, const char* kind, trace_identity identity,
                          cycle_t begin) {
    // The lane of a row is the viewer's affair: it is looked up.
    for (const auto& each : shown) {
      if (std::get<1>(each) == kind && std::get<2>(each) == to_string(identity) &&
          std::get<3>(each) == begin && std::get<0>(each).rfind(track, 0) == 0) {
        expected.insert(each);
        return;
      }
    }
    ADD_FAILURE() << to_string(identity) << " is not shown as " << kind << " at " << track
                  << " from " << begin;
  };
  const omega_tracks tracks(4, 16);
  for (const trace_event& event : run.events) {
    const omega_tracks::place where = tracks.place_of(event.track);
    const std::string port =
        fmt::format("stage.{}.switch.{} {}.{} ", where.stage, where.switch_index,
                    where.is_input ? "input" : "output", where.port);
    if (event.kind == &request_events::accepted) {
      expect(fmt::format("element.{} ", where.switch_index), "request", event.identity,
             event.cycle);
    } else if (event.kind->joins) {
      second[event.parent] = event.identity;
      expect(port, "combined", event.identity, event.cycle);
    } else if (event.kind == &request_events::inserted) {
      expect(port, "waiting", event.identity, event.cycle);
    } else if (event.kind == &request_events::departed) {
      const auto found = second.find(event.identity);
      if (found == second.end()) continue;
      expect(port, "wait_buffer", found->second, event.cycle);
      second.erase(found);
    } else if (event.kind == &request_events::served) {
      expect(fmt::format("module.{} ", where.switch_index), "service", event.identity, event.cycle);
    } else if (event.kind->parts) {
      expect(port, "brought it", event.parent, event.cycle);
      expect(port, "decombined", event.identity, event.cycle);
    }
  }
  std::size_t replies = 0;
  for (const shown_slice& each : trace.slices) replies += each.kind == "waiting_replies" ? 1 : 0;
  EXPECT_GT(replies, 500U);
  EXPECT_GT(expected.size(), 1000U);
  EXPECT_EQ(shown.size(), expected.size() + replies);
}

TEST(perfetto, slices_are_the_stays_of_requests) { expect_stays(trace_run(300)); }

TEST(perfetto, slices_in_systolic_queues_are_the_stays_of_requests) {
  expect_stays(trace_run(300, {}, true, systolic_machine()));
}

/// What elements ask for, by the request; a load that joins an addition carries the addition on.
std::map<std::string, std::string> asked_in(const std::vector<trace_event>& events) {
  std::map<std::string, std::string> asked;
  for (const trace_event& event : events) {
    if (event.kind != &request_events::accepted) continue;
    const form kind = request_events::form_of(event);
    asked[to_string(event.identity)] = kind == form::add ? "fetch_add" : "load";
  }
  return asked;
}

TEST(perfetto, slices_are_called_by_what_was_asked_for) {
  for (const ultracomputer_config& config : {small_machine(), systolic_machine()}) {
    const traced_run run = trace_run(300, {}, true, config);
    const std::map<std::string, std::string> asked = asked_in(run.events);
    std::map<std::string, std::size_t> counted;
    for (const shown_slice& each : parse(run.text).slices) {
      EXPECT_EQ(each.asked, asked.at(each.name)) << each.kind << ' ' << each.name;
      ++counted[each.asked];
    }
    EXPECT_GT(counted["fetch_add"], 300U);
    EXPECT_GT(counted["load"], 50U);
  }
}

void expect_arrows(const traced_run& run) {
  const parsed_trace trace = parse(run.text);
  std::multiset<std::tuple<std::string, std::string, std::string, std::uint64_t>> shown;
  for (const auto& [number, each] : trace.arrows) {
    const shown_slice* from = trace.around(each.from, each.tail);
    const shown_slice* to = trace.around(each.to, each.head);
    ASSERT_NE(from, nullptr) << number;
    ASSERT_NE(to, nullptr) << number;
    EXPECT_EQ(each.from.first, each.to.first);
    EXPECT_EQ(each.tail, each.head);
    shown.emplace(each.name, from->name, to->name, each.tail);
  }
  std::multiset<std::tuple<std::string, std::string, std::string, std::uint64_t>> expected;
  for (const trace_event& event : run.events) {
    const std::string identity = to_string(event.identity);
    const std::string parent = to_string(event.parent);
    if (event.kind->joins) expected.emplace("combined", identity, parent, event.cycle);
    if (event.kind->parts) expected.emplace("decombined", parent, identity, event.cycle);
  }
  EXPECT_GT(expected.size(), 100U);
  EXPECT_EQ(shown, expected);
}

TEST(perfetto, arrows_join_the_pairs_and_their_responses) {
  expect_arrows(trace_run(300));
  expect_arrows(trace_run(300, {}, true, systolic_machine()));
}

TEST(perfetto, shows_what_the_filter_admits) {
  trace_filter_options options;
  options.window = "100..120";
  options.tracks = "stage.2.switch.0-3";
  const parsed_trace trace = parse(trace_run(300, options).text);
  EXPECT_FALSE(trace.slices.empty());
  for (const auto& [number, name] : trace.tracks) {
    EXPECT_EQ(name.compare(0, 15, "stage.2.switch."), 0) << name;
    EXPECT_LT(name.at(15), '4') << name;
  }
  for (const shown_slice& each : trace.slices) {
    EXPECT_LE(each.begin, 120U);
    EXPECT_GE(each.end, 100U);
  }
  for (const auto& [number, each] : trace.arrows) {
    EXPECT_NE(trace.around(each.from, each.tail), nullptr);
    EXPECT_NE(trace.around(each.to, each.head), nullptr);
  }
}

TEST(perfetto, arrows_of_chosen_elements_have_both_ends) {
  trace_filter_options options;
  options.origins = "3";
  const parsed_trace trace = parse(trace_run(300, options).text);
  EXPECT_FALSE(trace.arrows.empty());
  for (const auto& [number, each] : trace.arrows) {
    const shown_slice* from = trace.around(each.from, each.tail);
    const shown_slice* to = trace.around(each.to, each.head);
    ASSERT_NE(from, nullptr);
    ASSERT_NE(to, nullptr);
    EXPECT_TRUE(from->name.compare(0, 2, "3.") == 0 || to->name.compare(0, 2, "3.") == 0);
  }
}

TEST(perfetto, an_interrupted_run_ends_its_slices_and_says_so) {
  const traced_run run = trace_run(100, {}, false);
  const parsed_trace trace = parse(run.text);
  EXPECT_TRUE(trace.partial);
  EXPECT_FALSE(parse(trace_run(100).text).partial);
  std::size_t open = 0;
  for (const shown_slice& each : trace.slices) {
    open += each.open ? 1 : 0;
    if (each.open) {
      EXPECT_EQ(each.end, run.events.back().cycle + 1);
    }
  }
  EXPECT_GT(open, 0U);
}

/// Two intervals that overlap and one within, on every element.
void marked_walk(program_context& c) {
  for (std::uint64_t i = 0; i < 3; ++i) {
    c.begin("acquire");
    c.fetch_add(c.shared_address(0), 1);
    c.begin("held");
    c.end("acquire");
    c.delay(5);
    c.begin("within");
    c.load(c.shared_address(c.rank()));
    c.end("within");
    c.end("held");
  }
  c.begin("rest");
  c.delay(1000);
  c.end("rest");
}

std::string trace_programs(std::uint64_t cycles, const trace_filter_options& options = {},
                           std::uint64_t unseen = 0) {
  const scratch_directory here;
  ultracomputer machine(small_machine(), 5, make_program(marked_walk));
  machine.step(unseen);
  event_observation sink(perfetto_in(here, options), machine);
  machine.step(cycles);
  sink.finish(false);
  return here.read("t.json");
}

using spans_of_rows = std::map<std::string, std::vector<shown_slice>>;

/// Slices of programs by track and row.
spans_of_rows spans_of(const parsed_trace& trace) {
  spans_of_rows spans;
  for (const shown_slice& each : trace.slices) {
    if (each.kind != "program") continue;
    spans[trace.tracks.at(each.where.first) + ", " + trace.rows.at(each.where)].push_back(each);
  }
  return spans;
}

/// The names of slices in the order in which they ended.
std::string names_of(const std::vector<shown_slice>& slices) {
  std::string names;
  for (const shown_slice& each : slices) names += each.name + " ";
  return names;
}

TEST(perfetto, intervals_of_programs_are_spans_beside_the_requests) {
  const parsed_trace trace = parse(trace_programs(900));
  const spans_of_rows spans = spans_of(trace);
  EXPECT_EQ(spans.size(), 2U * 16U);
  for (const auto& [where, slices] : spans) {
    for (std::size_t i = 1; i < slices.size(); ++i) {
      EXPECT_GE(slices[i].begin, slices[i - 1].end) << where;
    }
  }
  // Held begins while acquire has not ended; within comes when the first row is free again.
  const std::vector<shown_slice>& first = spans.at("element.3, program");
  const std::vector<shown_slice>& second = spans.at("element.3, program 2");
  EXPECT_EQ(names_of(first), "acquire within acquire within acquire within rest ");
  EXPECT_EQ(names_of(second), "held held held ");
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(second[i].begin, first[2 * i].end);
    EXPECT_EQ(second[i].begin + 5, first[2 * i + 1].begin);
    EXPECT_EQ(second[i].end, first[2 * i + 1].end);
    EXPECT_FALSE(second[i].open);
  }
  EXPECT_TRUE(first.back().open) << "it has not ended";
  EXPECT_EQ(first.back().end, trace.slices.back().end);
}

TEST(perfetto, spans_obey_the_filter) {
  trace_filter_options pes;
  pes.tracks = "element.2,element.5-6";
  for (const auto& [where, slices] : spans_of(parse(trace_programs(900, pes)))) {
    EXPECT_TRUE(where.rfind("element.2,", 0) == 0 || where.rfind("element.5,", 0) == 0 ||
                where.rfind("element.6,", 0) == 0)
        << where;
  }
  EXPECT_EQ(spans_of(parse(trace_programs(900, pes))).size(), 2U * 3U);

  trace_filter_options window;
  window.window = "60..90";
  const spans_of_rows within = spans_of(parse(trace_programs(900, window)));
  EXPECT_FALSE(within.empty());
  for (const auto& [where, slices] : within) {
    for (const shown_slice& each : slices) {
      EXPECT_LE(each.begin, 90U) << where;
      EXPECT_GE(each.end, 60U) << where;
    }
  }
  trace_filter_options inside;
  inside.tracks = "stage.0-1";  // elements are in no stage
  EXPECT_TRUE(spans_of(parse(trace_programs(900, inside))).empty());
}

TEST(perfetto, intervals_that_were_open_before_the_trace_are_not_shown) {
  const spans_of_rows spans = spans_of(parse(trace_programs(2000, {}, 50)));
  EXPECT_FALSE(spans.empty());
  for (const auto& [where, slices] : spans) {
    for (const shown_slice& each : slices) EXPECT_GT(each.begin, 50U) << where;
  }
}

TEST(perfetto, the_same_run_gives_the_same_bytes) {
  EXPECT_EQ(trace_run(200).text, trace_run(200).text);
  EXPECT_EQ(trace_programs(200), trace_programs(200));
}

// --- the protobuf form ---------------------------------------------------------------------------

// What it says is compared with the JSON form by testbenches/explore/test_perfetto_forms.py.

std::string protobuf_of(std::uint64_t cycles, bool drain) {
  const scratch_directory here;
  ultracomputer machine(small_machine(), 5);
  event_files files;
  files.perfetto = here.path("t.pftrace");
  event_observation sink(files, machine);
  machine.step(cycles);
  if (drain) machine.drain();
  sink.finish(!drain);
  return here.read("t.pftrace");
}

TEST(perfetto, the_protobuf_form_is_the_same_for_the_same_run) {
  for (const bool drain : {true, false}) {
    const std::string bytes = protobuf_of(200, drain);
    const std::size_t size_of_json = trace_run(200, {}, drain).text.size();
    EXPECT_EQ(bytes, protobuf_of(200, drain));
    EXPECT_EQ(bytes.front(), '\n');  // field 1 of a trace, a packet
    EXPECT_LT(bytes.size(), size_of_json / 2);
    EXPECT_GT(bytes.size(), size_of_json / 10);
    const std::string last = drain ? "false" : "true";
    EXPECT_EQ(bytes.substr(bytes.size() - last.size()), last);  // `partial`
  }
}

// --- misses of FLASH's caches --------------------------------------------------------------------

/// Runs a program on nodes with caches, and tells what the trace and the machine's statistics have.
struct missing_run {
  missing_run(std::uint32_t nodes, void (*body)(program_context&)) {
    const scratch_directory here;
    flash_config config;
    config.machine.nodes = nodes;
    config.machine.node.memory.bytes = std::uint64_t{1} << 20;
    config.machine.node.caches.present = true;
    flash_machine machine(config, 3, make_program(body));
    testing::event_collector seen;
    event_observation sink(perfetto_in(here, {}), machine);
    machine.observers().attach(seen);
    machine.run_until(1'000'000);
    EXPECT_TRUE(machine.finished());
    sink.finish(false);
    trace = parse(here.read("t.json"));
    events = std::move(seen.events);
    const statistics_tree statistics = machine.statistics();
    for (const flat_statistic& each : statistics.flatten()) {
      if (each.path.find(".line_interface.requests.") != std::string::npos) requests += each.value;
      if (each.path.find(".cache.refused") != std::string::npos) refusals += each.value;
    }
  }
  /// Slices of a node's caches.
  std::vector<shown_slice> misses(std::uint32_t node) const {
    const std::string begin = fmt::format("node.{}, caches access", node);
    std::vector<shown_slice> found;
    for (const shown_slice& each : trace.slices) {
      const std::string where =
          trace.tracks.at(each.where.first) + ", " + trace.rows.at(each.where);
      if (where.compare(0, begin.size(), begin) == 0) found.push_back(each);
    }
    return found;
  }

  parsed_trace trace;
  std::vector<trace_event> events;
  double requests = 0;
  double refusals = 0;
};

TEST(perfetto, a_miss_is_a_span_from_the_request_to_the_first_word) {
  const missing_run run(2, [](program_context& c) {
    if (c.rank() != 0) return;
    for (const std::uint32_t home : {0U, 1U}) {
      const std::uint64_t address = c.shared_address(mm_id{home}, 8);
      c.load(address);
      c.store(address, 1);
      c.load(address);  // hits
    }
  });
  const std::vector<shown_slice> spans = run.misses(0);
  ASSERT_EQ(spans.size(), 4U);
  EXPECT_TRUE(run.misses(1).empty());
  const char* const asked[] = {"line_read", "line_upgrade", "line_read", "line_upgrade"};
  std::vector<std::uint64_t> cycles;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    EXPECT_EQ(spans[i].asked, asked[i]);
    EXPECT_EQ(spans[i].kind, "access");
    EXPECT_FALSE(spans[i].open);
    EXPECT_GE(spans[i].begin, i == 0 ? 1 : spans[i - 1].end);
    cycles.push_back(spans[i].end - spans[i].begin);
  }
  // The read of the own memory: 28 cycles in all (V1), of which 5 pass before the request; the
  // controller's clock begins its first cycle up to one earlier.
  EXPECT_EQ(cycles, (std::vector<std::uint64_t>{24, 27, 100, 104}));
}

TEST(perfetto, a_stay_without_an_identity_is_called_by_its_kind) {
  const missing_run run(2, [](program_context& c) { c.fetch_add(c.shared_address({}, 8), 1); });
  std::size_t buffers = 0;
  for (const shown_slice& each : run.trace.slices) {
    EXPECT_NE(each.name, "-") << each.kind;
    if (each.kind != "in_use") continue;
    EXPECT_EQ(each.name, "in_use");
    ++buffers;
  }
  EXPECT_GT(buffers, 0U);
}

/// All nodes add to one word, so that many are refused and ask again.
TEST(perfetto, each_request_for_a_line_has_a_span_that_its_reply_ends) {
  const missing_run run(8, [](program_context& c) {
    for (int i = 0; i < 10; ++i) c.fetch_add(c.shared_address(mm_id{3}, 8), 1);
  });
  std::map<std::string, std::pair<cycle_t, cycle_t>> expected;  // by identity
  for (const trace_event& event : run.events) {
    const std::string identity = to_string(event.identity);
    if (event.kind == &node_events::line_request) {
      EXPECT_TRUE(expected.emplace(identity, std::make_pair(event.cycle, 0)).second) << identity;
    } else if (event.kind == &node_events::line_reply) {
      expected.at(identity).second = event.last;
    }
  }
  std::map<std::string, std::pair<cycle_t, cycle_t>> shown;
  for (std::uint32_t node = 0; node < 8; ++node) {
    for (const shown_slice& each : run.misses(node)) {
      EXPECT_FALSE(each.open) << each.name;
      shown[each.name] = {each.begin, each.end};
    }
  }
  EXPECT_EQ(shown, expected);
  EXPECT_EQ(static_cast<double>(shown.size()), run.requests);
  EXPECT_GT(run.refusals, 8);
}

}  // namespace
}  // namespace tributary
