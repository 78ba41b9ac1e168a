// SPDX-License-Identifier: Apache-2.0
// Everything that can be wrong with what a user gives: one line that says what, where and what to
// do, the right exit status, and nothing left half-written.
#include "program_fixture.h"

#include <cstdlib>

#include <sys/wait.h>

namespace tributary {
namespace {

class bad_input_test : public program_fixture {
 protected:
  /// Runs a run file with this text.
  void expect_refused(const std::string& text, const std::vector<std::string>& parts) {
    write("run.json", text);
    expect_complaint({"run", "run.json", "--out", "out"}, 2, parts);
    EXPECT_FALSE(exists("out"));
  }
};

TEST_F(bad_input_test, unknown_key_is_answered_with_the_nearest_name) {
  expect_refused("{\n  \"network\": {\"slotz\": 4}\n}",
                 {"run.json, line 2, column 15", "network.slotz", "network.slots"});
}

TEST_F(bad_input_test, unknown_key_at_the_top) {
  expect_refused(R"({"netwrok": {"slots": 4}})", {"netwrok", "did you mean network?"});
  expect_refused(R"({"varry": {}})", {"varry", "did you mean vary?"});
}

TEST_F(bad_input_test, wrong_type) {
  expect_refused(R"({"network": {"slots": "4"}})", {"network.slots", "\"4\"", "1 to 64"});
  expect_refused(R"({"network": {"slots": 4.5}})", {"network.slots", "4.5"});
  expect_refused(R"({"network": 4})", {"network"});
  expect_refused("[1]", {"run.json"});
}

TEST_F(bad_input_test, out_of_range) {
  expect_refused(R"({"network": {"slots": 65}})", {"network.slots", "65", "1 to 64"});
  expect_refused(R"({"workload": {"traffic": {"hot_spot": 1.5}}})", {"hot_spot", "1.5"});
}

TEST_F(bad_input_test, too_many_processing_elements) {
  expect_refused(R"({"network": {"processing_elements": 65537}})",
                 {"network.processing_elements", "65537", "65536"});
}

TEST_F(bad_input_test, no_power_of_two) {
  expect_refused(R"({"network": {"processing_elements": 1000}})", {"1000", "512", "1024"});
}

TEST_F(bad_input_test, duplicate_key) {
  expect_refused("{\"network\": {\"slots\": 4,\n\"slots\": 5}}", {"slots", "line 2"});
}

TEST_F(bad_input_test, broken_json_is_located) {
  expect_refused("{\n  \"network\": {\"slots\": }\n}", {"run.json, line 2, column 24"});
  expect_refused("", {"run.json"});
  expect_refused("{} x", {"run.json, line 1, column 4"});
}

TEST_F(bad_input_test, missing_file_is_answered_with_the_nearest_preset) {
  expect_complaint({"run", "poling"}, 2, {"poling", "preset polling"});
  expect_complaint({"run", "nowhere/at_all.json"}, 2, {"nowhere/at_all.json"});
}

TEST_F(bad_input_test, run_file_that_is_a_folder) { expect_complaint({"run", "."}, 2, {"."}); }

TEST_F(bad_input_test, settings_on_the_command_line) {
  write("run.json", R"({"network": {"processing_elements": 4}})");
  expect_complaint({"run", "run.json", "--set", "network.slotz=4"}, 2,
                   {"--set", "network.slotz", "network.slots"});
  expect_complaint({"run", "run.json", "--set", "network.slots=many"}, 2, {"--set", "many"});
  expect_complaint({"run", "run.json", "--set", "network.slots"}, 2, {"--set"});
  expect_complaint({"run", "run.json", "--set", "network.slots=[]"}, 2, {"network.slots"});
  expect_complaint({"run", "run.json", "--set", "network.slots=[4,"}, 2, {"network.slots"});
  expect_complaint({"run", "run.json", "--set", "network.slots=[4,65]"}, 2, {"65", "1 to 64"});
}

TEST_F(bad_input_test, impossible_combination_of_parameters) {
  // A type A queue is ready only with a slot for each of its two writers.
  expect_refused(R"({"network": {"queue_type": "A", "slots": 1}})", {"slots"});
  expect_refused(R"({"vary": {"network.slots": [4, 1]}, "network": {"queue_type": "A"}})",
                 {"network.slots = 1", "slots"});
}

TEST_F(bad_input_test, an_impossible_combination_is_blamed_on_who_asked_for_it) {
  write("run.json", "{\n  \"network.slots\": 1\n}");
  const std::vector<std::string> wide{"run", "run.json", "--set", "network.processing_elements=3"};
  expect_complaint(wide, 2, {"tributary: --set: network.processing_elements: 3 is not"});
  expect_complaint(
      {"run", "run.json", "--set", "network.queue_type=A"}, 2,
      {"run.json, line 2, column 20: network.slots: 1 with", "network.queue_type = \"A\" (--set)"});
  expect_complaint({"run", "run.json", "--set", "network.processing_elements=[4,6]"}, 2,
                   {"tributary: --set", "(network.processing_elements = 6)", "6 is not"});
}

TEST_F(bad_input_test, a_value_that_is_varied_twice) {
  expect_refused("{\"vary\": {\n  \"network.slots\": [4, 5, 4]}}",
                 {"run.json, line 2, column 27", "network.slots", "4 is there twice"});
  write("run.json", "{}");
  expect_complaint({"run", "run.json", "--set", "network.slots=[4,4]"}, 2,
                   {"--set", "network.slots", "4 is there twice"});
}

TEST_F(bad_input_test, suspicious_settings_are_warned_of) {
  write("run.json", R"({"network": {"processing_elements": 4, "slots": 2},
                        "run": {"warmup": 10, "cycles": 100}})");
  const program_outcome outcome = run({"run", "run.json", "--quiet"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.err.find("warning: network.slots = 2"), std::string::npos) << outcome.err;
}

TEST_F(bad_input_test, reserved_keys) {
  expect_refused(R"({"platform": "ultracomputr"})", {"platform", "ultracomputr", "ultracomputer"});
  expect_refused(R"({"title": 4})", {"title", "4"});
  expect_refused(R"({"vary": {"network.slots": []}})", {"vary.network.slots"});
  expect_refused(R"({"vary": {"network.slotz": [4]}})", {"network.slotz", "network.slots"});
  expect_refused(R"({"series": {}})", {"series"});
  expect_refused(R"({"series": [{"network.slots": 4}]})", {"series.0.name"});
  expect_refused(R"({"series": [{"name": "a"}, {"name": "a"}]})", {"series.1.name", "twice"});
  expect_refused(R"({"table": {"rows": "network.slotz", "value": "x"}})",
                 {"table.rows", "network.slots"});
  expect_refused(R"({"table": {"rwos": "series"}})", {"table.rwos", "rows"});
  expect_refused(R"({"table": {"rows": "network.slots"}})", {"table.value"});
}

TEST_F(bad_input_test, extends_nothing_or_itself) {
  expect_refused(R"({"extends": "missing.json"})", {"extends", "missing.json"});
  write("other.json", R"({"extends": "run.json"})");
  expect_refused(R"({"extends": "other.json"})", {"extends", "itself"});
  expect_refused(R"({"extends": "run.json"})", {"extends", "itself"});
  expect_refused(R"({"series": [{"name": "a", "extends": "missing.json"}]})",
                 {"series.0.extends", "missing.json"});
}

TEST_F(bad_input_test, unknown_statistic_in_a_table) {
  write("run.json", R"({"network.processing_elements": 4, "run.cycles": 100,
                        "table": {"value": "interface.latncy.mean"}})");
  expect_complaint({"run", "run.json", "--quiet", "--out", "out"}, 2,
                   {"run.json: table.value", "interface.latency.mean"});
  EXPECT_FALSE(exists("out"));
  expect_refused(R"({"table": {"value": "network.stag.*.combining_rate"}})",
                 {"table.value", "network.stag.*.combining_rate"});
}

TEST_F(bad_input_test, results_outlive_a_table_that_cannot_be_made) {
  write("run.json", R"({"network.processing_elements": 4, "run.cycles": 100,
                        "table": {"value": "run.batches"}})");  // only of until = steady
  EXPECT_NE(run({"run", "run.json", "--quiet", "--out", "out"}).status, 0);
  EXPECT_TRUE(exists("out/results.json"));
}

TEST_F(bad_input_test, output_folder_that_cannot_be) {
  write("run.json", R"({"network.processing_elements": 4})");
  write("file", "");
  expect_complaint({"run", "run.json", "--out", "file"}, 1, {"file", "folder"});
  expect_complaint({"run", "run.json", "--out", "/dev/full"}, 1, {"/dev/full"});
  expect_complaint({"run", "run.json", "--out", "/proc/results"}, 1, {"/proc/results"});
}

TEST_F(bad_input_test, output_folder_without_permission) {
  obey_permissions();
  write("run.json", R"({"network.processing_elements": 4})");
  std::filesystem::create_directory(folder() / "work" / "closed");
  std::filesystem::permissions(folder() / "work" / "closed", std::filesystem::perms::owner_read);
  expect_complaint({"run", "run.json", "--out", "closed"}, 1, {"closed", "Permission denied"});
}

TEST_F(bad_input_test, full_disk_under_an_event_file) {
  write("run.json", R"({"network.processing_elements": 4, "run.cycles": 100})");
  for (const std::string option : {"--log", "--vcd", "--perfetto", "--record"}) {
    expect_complaint({"run", "run.json", "--quiet", option, "/dev/full", "--out", "out"}, 1,
                     {"/dev/full"});
    EXPECT_TRUE(names_in("out").empty());
  }
}

TEST_F(bad_input_test, full_disk_under_standard_output) {
  write("run.json", R"({"network.processing_elements": 4, "run.cycles": 100})");
  const std::string program =
      std::string("cd ") + (folder() / "work").string() + " && " + TRIBUTARY_PROGRAM;
  for (const std::string arguments :
       {"list", "describe", "validate-config run.json", "run run.json --quiet"}) {
    const std::string command = program + " " + arguments + " >/dev/full 2>err";
    const int state = std::system(command.c_str());
    ASSERT_TRUE(WIFEXITED(state));
    EXPECT_EQ(WEXITSTATUS(state), 1) << arguments;
    EXPECT_EQ(read("err").rfind("tributary: ", 0), 0U) << arguments;
  }
}

TEST_F(bad_input_test, two_event_files_of_one_name) {
  write("run.json", R"({"network.processing_elements": 4, "run.cycles": 100})");
  expect_complaint({"run", "run.json", "--quiet", "--log", "x", "--vcd", "x"}, 2, {"x", "two"});
}

TEST_F(bad_input_test, dimensionless_ranges_have_no_unit) {
  const program_outcome outcome = run({"run", "improved", "--set", "workload.traffic.hot_spot=2"});
  EXPECT_NE(outcome.err.find("2 is out of range (allowed: 0 to 1);"), std::string::npos)
      << outcome.err;
}

TEST_F(bad_input_test, event_file_in_no_folder) {
  write("run.json", R"({"network.processing_elements": 4, "run.cycles": 100})");
  expect_complaint({"run", "run.json", "--quiet", "--log", "nowhere/log"}, 1, {"nowhere/log"});
}

TEST_F(bad_input_test, traces) {
  const std::string replay =
      R"({"network.processing_elements": 4, "workload": {"kind": "trace",
          "trace": {"file": "t.trace"}}})";
  expect_refused(replay, {"t.trace"});
  write("t.trace", "# tributary-trace 1\n12 0 load\n# end 1\n");
  expect_refused(replay, {"t.trace:2"});
  write("t.trace", "# tributary-trace 1\n");
  expect_refused(replay, {"t.trace"});
  write("t.trace", "nonsense\n");
  expect_refused(replay, {"t.trace:1"});
}

TEST_F(bad_input_test, truncated_trace) {
  write("run.json", R"({"network.processing_elements": 4, "run.cycles": 100})");
  ASSERT_EQ(run({"run", "run.json", "--record", "t.gz"}).status, 0);
  const std::string whole = read("t.gz");
  ASSERT_GT(whole.size(), 20U);
  write("t.gz", whole.substr(0, whole.size() - 12));
  expect_complaint(
      {"run", "run.json", "--set", "workload.kind=trace", "--set", "workload.trace.file=t.gz"}, 2,
      {"t.gz"});
}

TEST_F(bad_input_test, options) {
  write("run.json", R"({"network.processing_elements": 4, "run.cycles": 100})");
  expect_complaint({}, 2, {"subcommand"});
  expect_complaint({"rum"}, 2, {"rum"});
  expect_complaint({"run"}, 2, {"FILE"});
  expect_complaint({"run", "run.json", "--sed", "3"}, 2, {"--sed"});
  expect_complaint({"run", "run.json", "--seed", "x"}, 2, {"--seed", "x"});
  expect_complaint({"run", "run.json", "--seed", "-1"}, 2,
                   {"--seed", "-1", "0 to 18446744073709551615"});
  expect_complaint({"run", "run.json", "--seeds", "5..1"}, 2, {"--seeds", "5..1"});
  expect_complaint({"run", "run.json", "--seeds", "1,1"}, 2, {"--seeds", "1,1"});
  expect_complaint({"run", "run.json", "--seed", "1", "--seeds", "1..2"}, 2, {"--seed"});
  expect_complaint({"run", "run.json", "--threads", "-1"}, 2, {"--threads"});
  expect_complaint({"run", "run.json", "--window", "1..2"}, 2, {"--window", "--log"});
  expect_complaint({"run", "run.json", "--log", "l", "--window", "2..x"}, 2, {"--window", "2..x"});
  expect_complaint({"run", "run.json", "--log", "l", "--stages", "7"}, 2, {"--stages", "7"});
  expect_complaint({"run", "run.json", "--checkpoint", "c"}, 2, {"--checkpoint-at"});
  expect_complaint({"run", "run.json", "--seeds", "1..2", "--log", "l"}, 2, {"--seed"});
  expect_complaint({"run", "run.json", "--series", "a"}, 2, {"--series", "a"});
  expect_complaint({"describe", "ultra"}, 2, {"ultra", "ultracomputer"});
}

TEST_F(bad_input_test, results_that_are_none) {
  write("a.json", "{}");
  expect_complaint({"compare", "a.json", "a.json"}, 2, {"a.json", "schema"});
  expect_complaint({"compare", "b.json", "a.json"}, 2, {"b.json"});
  write("c.json", R"({"schema": "tributary.results/1"})");
  expect_complaint({"compare", "c.json", "c.json"}, 2, {"c.json", "version"});
}

TEST_F(bad_input_test, waveforms_of_what_is_not_there_or_not_rtl) {
  const std::vector<std::string> start{"run", "improved", "--set", "network.processing_elements=8"};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = start;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  expect_complaint(with({"--fst", "stage 3"}), 2, {"--fst", "stage 3", "S from 0 to 2"});
  expect_complaint(with({"--fst", "stage 1 switch 0"}), 2,
                   {"--fst", "stage 1 switch 0 is not RTL", "network.rtl"});
  expect_complaint(with({"--fst", "all", "--stages", "1"}), 2, {"--stages", "--log"});
#ifdef TRIBUTARY_RTL_WITHOUT_WAVEFORMS
  expect_complaint(with({"--set", "network.rtl=stage 1", "--fst", "stage 1 switch 0"}), 2,
                   {"without waveforms", "rtl-trace"});
#endif
}

TEST_F(bad_input_test, counters_to_reach) {
  const auto refused = [&](const std::string& goals, const std::vector<std::string>& parts) {
    expect_refused(R"({"network.processing_elements": 4, "run": )" + goals + "}", parts);
  };
  refused(R"({"until": "steady", "least_of": "memory.served"})",
          {"run.least_count", "run.least_of", "1 or more"});
  refused(R"({"until": "steady", "least_count": 5})", {"run.least_of", "run.least_count"});
  refused(R"({"warmup_of": "memory.served"})", {"run.warmup_count", "run.warmup_of"});
  refused(R"({"warmup_count": 5})", {"run.warmup_of", "run.warmup_count"});
  refused(R"({"warmup_count": -5})", {"run.warmup_count", "-5"});
  // Counters are known once the machine is built.
  write("run.json", R"({"network.processing_elements": 4,
                        "run": {"until": "steady", "watch": "memory.serves"}})");
  expect_complaint({"run", "run.json", "--quiet", "--out", "out"}, 2,
                   {"run.watch", "memory.serves", "did you mean memory.served?"});
  EXPECT_TRUE(names_in("out").empty());
}

TEST_F(bad_input_test, too_many_windows_of_occupancy_are_refused) {
  expect_complaint({"run", "baseline", "--set", "run.occupancy_window=9", "--set",
                    "run.warmup=1000", "--set", "run.cycles=1000000"},
                   2, {"run.occupancy_window", "100000", "at least 11", "run.cycles = 1000000"});
  expect_complaint(
      {"run", "baseline", "--set", "run.occupancy_window=100", "--set", "run.until=steady"}, 2,
      {"run.occupancy_window", "run.maximum_cycles", "at least 101"});
  EXPECT_EQ(run({"validate-config", "baseline", "--set", "run.occupancy_window=10", "--set",
                 "run.warmup=0", "--set", "run.cycles=1000000"})
                .status,
            0);
}

}  // namespace
}  // namespace tributary
