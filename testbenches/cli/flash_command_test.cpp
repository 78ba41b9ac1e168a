// SPDX-License-Identifier: Apache-2.0
// The platform flash behind the command line, and that each platform is asked for its own things.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <tributary/sim/json_document.h>
#include <tributary/sim/parameters.h>

#include <flash/flash_model.h>
#include <platforms.h>
#include <run/experiment.h>
#include <ultracomputer/ultracomputer_model.h>

#include "program_fixture.h"

namespace tributary {
namespace {

const std::string presets = std::string(TRIBUTARY_SOURCE_DIR) + "/platforms/flash/presets/";

class flash_command_test : public program_fixture {
 protected:
  void expect_success(const std::vector<std::string>& arguments) {
    const program_outcome outcome = run(arguments);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
  }

  /// A number of the summary of the point `at` of results.json in `folder`.
  double value(const std::string& folder, const std::string& path, std::size_t at = 0) const {
    const json_document results = json_document::from_text(read(folder + "/results.json"), folder);
    const json_value& point = results.root().find("points")->as_array().at(at);
    return point.find("summary")->find(path)->find("mean")->as_number();
  }

  static std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
      ++found;
    }
    return found;
  }
};

TEST_F(flash_command_test, copies_a_page) {
  expect_success({"run", "fbcopy", "--out", "out", "--quiet"});
  expect_success({"run", "fbcopy", "--quiet", "--record", "recorded"});
  EXPECT_EQ(value("out", "transfer.completed"), 1);
  EXPECT_EQ(value("out", "transfer.bytes"), 4096);
  EXPECT_EQ(value("out", "transfer.wrong_bytes"), 0);
  EXPECT_EQ(value("out", "transfer.busy.mean"), 1484);
  EXPECT_EQ(value("out", "network.payload"), 4096);
  const json_document results = json_document::from_text(read("out/results.json"), "out");
  EXPECT_EQ(results.root().find("platform")->as_string(), "flash");
}

TEST_F(flash_command_test, a_processor_that_polls_does_not_lengthen_the_next_request) {
  expect_success({"run", "fbcopy", "--set", "workload.poll=100", "--set", "workload.count=3",
                  "--out", "out", "--quiet"});
  EXPECT_EQ(value("out", "transfer.completed"), 3);
  EXPECT_EQ(value("out", "transfer.command.max"), 131);
  EXPECT_EQ(value("out", "transfer.wrong_bytes"), 0);
}

/// The lines of a log that are events.
std::vector<std::string> events_in(const std::string& log) {
  std::istringstream lines(log);
  std::vector<std::string> events;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind('#', 0) != 0) events.push_back(line);
  }
  return events;
}

TEST_F(flash_command_test, a_run_that_is_resumed_goes_on_as_if_it_had_not_been_interrupted) {
  expect_success({"run", "fbcopy", "--log", "whole.log", "--out", "whole", "--quiet"});
  const std::vector<std::string> whole = events_in(read("whole.log"));
  for (const std::string cycle : {"1", "133", "1500"}) {
    expect_success({"run", "fbcopy", "--checkpoint", "c", "--checkpoint-at", cycle, "--quiet"});
    expect_success(
        {"run", "fbcopy", "--resume", "c", "--log", "rest.log", "--out", "rest", "--quiet"});
    const std::vector<std::string> rest = events_in(read("rest.log"));
    ASSERT_LT(rest.size(), whole.size() + 1) << cycle;
    EXPECT_TRUE(std::equal(rest.rbegin(), rest.rend(), whole.rbegin())) << cycle;
    EXPECT_TRUE(read("rest/results.json") == read("whole/results.json")) << cycle;
  }
  const program_outcome other = run({"run", "ring", "--set", "nodes=4", "--resume", "c"});
  EXPECT_EQ(other.status, 2);
  EXPECT_NE(other.err.find("another configuration"), std::string::npos) << other.err;
}

TEST_F(flash_command_test, the_same_seed_gives_the_same_bytes) {
  for (const std::string out : {"a", "b"}) {
    expect_success({"run", "ring", "--set", "workload.pattern=random", "--seeds", "1..3", "--out",
                    out, "--quiet"});
  }
  EXPECT_EQ(read("a/results.json"), read("b/results.json"));
  EXPECT_NE(value("a", "transfer.time.mean", 2), value("a", "transfer.time.mean", 3));
}

TEST_F(flash_command_test, compare_knows_its_results) {
  expect_success({"run", "fbcopy", "--out", "a", "--quiet"});
  expect_success({"run", "fbcopy", "--set", "block_transfer.chunk=2", "--out", "b", "--quiet"});
  EXPECT_EQ(run({"compare", "a", "a"}).status, 0);
  const program_outcome differ = run({"compare", "a", "b", "--statistic", "transfer.busy"});
  EXPECT_EQ(differ.status, 1);
  EXPECT_NE(differ.out.find("parameter block_transfer.chunk: 4 | 2"), std::string::npos);
  EXPECT_NE(differ.out.find("transfer.busy.mean"), std::string::npos);
}

TEST_F(flash_command_test, every_preset_runs) {
  for (const std::string name :
       {"fbcopy", "faster_pp", "chunk_sizes", "unaligned", "remote_home", "ring"}) {
    expect_success({"run", name, "--out", name, "--quiet"});
    EXPECT_EQ(value(name, "transfer.wrong_bytes"), 0) << name;
  }
}

TEST_F(flash_command_test, describe_takes_a_platform_or_a_run_file) {
  experiment any("flash");
  const std::vector<parameter_description> parameters = parameter_set::of(any).describe();
  write("mine.json", R"({"platform": "flash", "nodes": 4})");
  const std::string text = run({"describe", "flash"}).out;
  for (const parameter_description& each : parameters) {
    EXPECT_NE(text.find("  " + each.name + " "), std::string::npos);
    EXPECT_NE(each.description, "") << each.name;
  }
  EXPECT_EQ(run({"describe", "--platform", "flash"}).out, text);
  EXPECT_EQ(run({"describe", "fbcopy"}).out, text);
  EXPECT_EQ(run({"describe", "mine.json"}).out, text);
  EXPECT_EQ(run({"describe"}).out, run({"describe", "ultracomputer"}).out);
  expect_complaint({"describe", "flsh"}, 2, {"flsh", "did you mean flash?"});
}

TEST_F(flash_command_test, a_run_file_is_of_one_platform) {
  write("flash.json", R"({"platform": "flash", "nodes": 4})");
  write("plain.json", R"({"nodes": 4})");
  write("inherits.json", R"({"extends": "flash.json", "workload.count": 2})");
  write("names.json", R"({"platform": "flash", "extends": "plain.json"})");
  write("other.json", R"({"platform": "ultracomputer", "extends": "flash.json"})");
  write("series.json", R"({"series": [{"name": "x", "extends": "flash.json"}]})");
  EXPECT_EQ(run({"validate-config", "inherits.json"}).status, 0);
  EXPECT_EQ(run({"validate-config", "names.json"}).status, 0);
  expect_complaint({"validate-config", "plain.json"}, 2, {"plain.json", "nodes"});
  expect_complaint({"validate-config", "other.json"}, 2, {"extends", "platform flash"});
  expect_complaint({"validate-config", "series.json"}, 2, {"series.0.extends", "platform flash"});
  write("bad.json", R"({"platform": "flash", "network.slots": 4})");
  expect_complaint({"validate-config", "bad.json"}, 2, {"bad.json", "network.slots"});
}

TEST_F(flash_command_test, what_the_platform_does_not_offer_is_refused) {
  expect_complaint({"run", "fbcopy", "--vcd", "x"}, 2,
                   {"--vcd", "flash", "--log, --perfetto, --record"});
  expect_complaint({"run", "fbcopy", "--fst", "stage 0"}, 2, {"--fst", "flash"});
  expect_complaint({"run", "fbcopy", "--log", "x", "--stages", "1"}, 2, {"--stages", "--nodes"});
  expect_complaint({"run", "fbcopy", "--log", "x", "--nodes", "2"}, 2, {"--nodes", "last, 1"});
  expect_complaint({"run", "fbcopy", "--nodes", "1"}, 2, {"--nodes", "--log"});
  expect_complaint({"run", "baseline", "--log", "x", "--nodes", "1"}, 2, {"--nodes", "--stages"});
  expect_complaint({"run", "fbcopy", "--set", "run.until=steady"}, 2, {"run.until", "steady"});
  expect_complaint({"run", "fbcopy", "--set", "run.occupancy_window=9"}, 2,
                   {"run.occupancy_window"});
}

TEST_F(flash_command_test, its_counters_can_be_watched_though_transfers_end) {
  const program_outcome outcome =
      run({"run", "ring", "--quiet", "--set", "nodes=4", "--set", "run.until=steady", "--set",
           "run.watch=network.lane.0.messages"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("not steady: the run ended before"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.err.find("the workload finished in cycle"), std::string::npos) << outcome.err;
}

TEST_F(flash_command_test, transfers_that_cannot_be_are_refused) {
  const auto refused = [&](const std::vector<std::string>& sets,
                           const std::vector<std::string>& parts) {
    std::vector<std::string> arguments{"validate-config", "fbcopy"};
    for (const std::string& each : sets) arguments.insert(arguments.end(), {"--set", each});
    expect_complaint(arguments, 2, parts);
  };
  refused({"workload.destination=2"}, {"workload.destination", "no node 2"});
  refused({"workload.destination=0"}, {"workload.destination", "workload.source = 0"});
  refused({"workload.initiator=third"}, {"workload.initiator", "third"});
  refused({"workload.bytes=1000"}, {"workload.bytes", "multiples of 128"});
  refused({"node.memory.line_bytes=64", "workload.bytes=96"},
          {"workload.bytes", "multiples of 64"});
  refused({"workload.source_offset=4"}, {"workload.source_offset", "multiples of 8"});
  refused({"workload.bytes=16000000"}, {"workload.bytes", "node.memory.bytes"});
  refused({"nodes=129"}, {"nodes", "2 to 128"});
  refused({"block_transfer.page_bytes=1000"}, {"block_transfer.page_bytes", "power of two"});
}

TEST_F(flash_command_test, lines_that_do_not_fit_are_refused) {
  const std::string line = "node.memory.line_bytes=";
  const std::string payload = "network.payload_bytes=";
  const auto refused = [&](const std::vector<std::string>& sets,
                           const std::vector<std::string>& parts) {
    std::vector<std::string> arguments{"validate-config", "fbcopy"};
    for (const std::string& each : sets) arguments.insert(arguments.end(), {"--set", each});
    expect_complaint(arguments, 2, parts);
  };
  refused({line + "96"}, {"memory.line_bytes", "power of two", "32, 64, 128 or 256"});
  refused({line + "16"}, {"node.memory.line_bytes", "32 to 256"});
  refused({line + "512"}, {"node.memory.line_bytes", "32 to 256"});
  refused({line + "256", payload + "256", "node.memory.bytes=131200"},
          {"memory.bytes", "a multiple of 256"});
  refused({line + "256", payload + "256", "node.protocol_bytes=65664"},
          {"protocol_bytes", "memory.line_bytes = 256"});
  refused({line + "256"}, {payload.substr(0, payload.size() - 1), "256 to 65536", "shorter lines"});
  refused({payload + "64"}, {payload.substr(0, payload.size() - 1), "128 to 65536"});
  expect_success({"validate-config", "fbcopy", "--set", line + "64", "--set", payload + "64"});
}

TEST_F(flash_command_test, bytes_are_right_with_lines_of_any_length) {
  for (const char* const bytes : {"32", "64", "256"}) {
    expect_success({"run", "fbcopy", "--quiet", "--set", "workload.initiator=destination", "--set",
                    "workload.source_offset=8", "--set",
                    std::string("node.memory.line_bytes=") + bytes, "--set",
                    "network.payload_bytes=256", "--out", bytes});
    EXPECT_EQ(value(bytes, "transfer.bytes"), 4096) << bytes;
    EXPECT_EQ(value(bytes, "transfer.wrong_bytes"), 0) << bytes;
  }
}

TEST_F(flash_command_test, costs_come_one_by_one_or_from_a_whole_table) {
  const std::string name = "costs.block_transfer.setup";
  expect_success({"run", "fbcopy", "--set", name + "=333", "--out", "out", "--quiet"});
  EXPECT_EQ(value("out", "transfer.setup.mean"), 333);

  flash_config config;
  config.costs.table.block_transfer.setup = 433;
  write("costs.json", parameter_set::of(config.costs.table).resolved_json());
  expect_success({"run", "fbcopy", "--set", "costs.file=costs.json", "--out", "out", "--quiet"});
  EXPECT_EQ(value("out", "transfer.setup.mean"), 433);

  expect_complaint({"run", "fbcopy", "--set", "costs.file=costs.json", "--set", name + "=333"}, 2,
                   {name, "costs.json"});
  write("costs.json", R"({"block_transfer": {"setup": 1}})");
  expect_complaint({"run", "fbcopy", "--set", "costs.file=costs.json"}, 2, {"costs.json"});
  expect_complaint({"run", "fbcopy", "--set", "costs.file=nowhere.json"}, 2, {"nowhere.json"});
}

TEST_F(flash_command_test, the_log_has_every_event_of_the_window_and_the_nodes) {
  expect_success({"run", "fbcopy", "--log", "all", "--quiet"});
  expect_success(
      {"run", "fbcopy", "--log", "some", "--window", "500..600", "--nodes", "1", "--quiet"});
  const std::string all = read("all");
  EXPECT_EQ(all.rfind("# tributary-node-log 1\n", 0), 0U);
  EXPECT_EQ(count(all, "\thandled\tblock_transfer.transfer\t"), 8U);
  EXPECT_EQ(count(all, "\tselected\tblock_transfer.receive\t"), 32U);
  EXPECT_EQ(count(all, "\tsent\t"), count(all, "\tdeparted\t"));
  EXPECT_EQ(count(all, "\tdeparted\t"), count(all, "\tarrived\t"));
  EXPECT_EQ(count(all, "\tbuffer_taken\t"), count(all, "\tbuffer_freed\t"));
  EXPECT_NE(all.find("# end " + std::to_string(count(all, "\n") - 3)), std::string::npos);

  std::string expected;
  std::size_t at = 0;
  for (std::size_t end = all.find('\n'); end != std::string::npos; end = all.find('\n', at)) {
    const std::string line = all.substr(at, end + 1 - at);
    at = end + 1;
    if (line[0] == '#') continue;
    const std::uint64_t first = std::stoull(line);
    const std::string rest = line.substr(line.find('\t') + 1);
    const std::uint64_t last = std::stoull(rest);
    const bool is_node_1 = rest.compare(rest.find('\t') + 1, 2, "1\t") == 0;
    if (is_node_1 && first <= 600 && last >= 500) expected += line;
  }
  const std::string some = read("some");
  const std::size_t body = some.find('\n', some.find('\n') + 1) + 1;
  EXPECT_EQ(some.substr(body, some.rfind("# end") - body), expected);
  EXPECT_NE(expected, "");
}

TEST_F(flash_command_test, the_trace_follows_each_message_from_handler_to_handler) {
  expect_success({"run", "fbcopy", "--perfetto", "trace.json", "--quiet"});
  const json_document trace = json_document::from_text(read("trace.json"), "trace");
  std::vector<int> steps;
  std::size_t handlers = 0;
  for (const json_value& each : trace.root().find("traceEvents")->as_array()) {
    const std::string phase = each.find("ph")->as_string();
    if (phase == "X") handlers += each.find("cat")->as_string() == "handler" ? 1 : 0;
    if (phase != "s" && phase != "t" && phase != "f") continue;
    const std::size_t arrow = each.find("id")->as_unsigned();
    if (steps.size() < arrow) steps.resize(arrow, 0);
    // One beginning, the link on both sides, the end.
    const int expected = phase == "s" ? 0 : phase == "f" ? 3 : steps[arrow - 1];
    EXPECT_EQ(steps[arrow - 1]++, expected) << arrow;
  }
  EXPECT_EQ(steps, std::vector<int>(35, 4));
  EXPECT_EQ(handlers, 8U + 32U + 9U);
}

TEST(platforms_test, a_machine_is_a_value) {
  experiment one("flash");
  flash_in(one.machine).machine.nodes = 4;
  experiment other = one;
  flash_in(other.machine).machine.nodes = 8;
  EXPECT_EQ(flash_in(one.machine).machine.nodes, 4U);
  one = other;
  EXPECT_EQ(flash_in(one.machine).machine.nodes, 8U);
  EXPECT_THROW(ultracomputer_in(one.machine), error);
  EXPECT_THROW(flash_in((other = experiment()).machine), error);
  EXPECT_THROW(experiment("nowhere"), error);
}

TEST(platforms_test, each_has_presets_that_are_of_it) {
  for (const std::string& name : platform_names()) {
    EXPECT_EQ(machine_of(name)->platform(), name);
  }
  EXPECT_EQ(load_experiments(presets + "fbcopy.json").platform, "flash");
}

}  // namespace
}  // namespace tributary
