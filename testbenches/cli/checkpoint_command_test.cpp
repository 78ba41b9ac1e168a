// SPDX-License-Identifier: Apache-2.0
// A run that is checkpointed and resumed: the same trace from there, and refusals.
#include "program_fixture.h"

#include <cstddef>
#include <cstdint>
#include <sstream>

#include <tributary/sim/state_archive.h>

#include <run/results.h>

namespace tributary {
namespace {

class checkpoint_command_test : public program_fixture {
 protected:
  void SetUp() override {
    program_fixture::SetUp();
    write("run.json", R"({"network": {"processing_elements": 16, "adaptive_limit": 2},
      "workload.traffic.hot_spot": 0.7, "run": {"warmup": 300, "cycles": 700}})");
  }
  void make_checkpoint(const std::string& cycle) {
    const program_outcome outcome = run({"run", "run.json", "--checkpoint", "c", "--checkpoint-at",
                                         cycle, "--log", "whole.log", "--out", "whole"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
  }
  /// Events of a log from a cycle on.
  static std::string from_cycle(const std::string& log, unsigned long cycle) {
    std::istringstream lines(log);
    std::string kept;
    for (std::string line; std::getline(lines, line);) {
      if (line.rfind('#', 0) != 0 && std::stoul(line) >= cycle) kept += line + "\n";
    }
    return kept;
  }
};

TEST_F(checkpoint_command_test, resumed_run_continues_with_the_same_trace_and_results) {
  for (const unsigned long cycle : {1UL, 150UL, 300UL, 777UL, 1000UL}) {
    make_checkpoint(std::to_string(cycle));
    const program_outcome outcome =
        run({"run", "run.json", "--resume", "c", "--log", "rest.log", "--out", "rest"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    // Compared by ==, for nobody wants to read the logs.
    EXPECT_TRUE(from_cycle(read("rest.log"), 0) == from_cycle(read("whole.log"), cycle + 1))
        << cycle;
    EXPECT_TRUE(read("rest/results.json") == read("whole/results.json")) << cycle;
  }
}

TEST_F(checkpoint_command_test, steady_runs_and_programs_resume_too) {
  for (const std::vector<std::string>& settings :
       {std::vector<std::string>{"--set", "run.until=steady", "--set", "run.batch=20"},
        std::vector<std::string>{"--set", "workload.kind=program", "--set", "run.until=finished"},
        std::vector<std::string>{"--set", "workload.kind=open_loop"},
        std::vector<std::string>{
            "--set", "workload.kind=program",
            "--set", "workload.program.name=readers_writers",
            "--set", "workload.program.readers_writers.lock=mcs_writer_preference",
            "--set", "workload.program.readers_writers.expected_writers=2",
            "--set", "run.until=steady",
            "--set", "run.batch=20",
            "--set", "run.watch=workload.marks.grant.count",
            "--set", "run.least_of=workload.marks.writer_grant.count",
            "--set", "run.least_count=20",
            "--set", "run.warmup_of=workload.marks.rotation.count",
            "--set", "run.warmup_count=2",
            "--set", "run.half_width=0.2"},
        // The checkpoint of cycle 400 lies within a window, at the end of one, and in a steady run.
        std::vector<std::string>{"--set", "run.occupancy_window=37"},
        std::vector<std::string>{"--set", "run.occupancy_window=50"},
        std::vector<std::string>{"--set", "run.until=steady", "--set", "run.batch=20", "--set",
                                 "run.occupancy_window=700"}}) {
    std::vector<std::string> first{"run", "run.json", "--checkpoint", "c", "--checkpoint-at",
                                   "400", "--out",    "whole"};
    std::vector<std::string> second{"run", "run.json", "--resume", "c", "--out", "rest"};
    first.insert(first.end(), settings.begin(), settings.end());
    second.insert(second.end(), settings.begin(), settings.end());
    const program_outcome whole = run(first);
    ASSERT_EQ(whole.status, 0) << whole.err;
    const program_outcome rest = run(second);
    ASSERT_EQ(rest.status, 0) << rest.err;
    EXPECT_TRUE(read("rest/results.json") == read("whole/results.json")) << settings[1];
  }
}

TEST_F(checkpoint_command_test, another_configuration_or_seed_is_refused) {
  make_checkpoint("500");
  expect_complaint({"run", "run.json", "--resume", "c", "--set", "network.slots=5"}, 2,
                   {"network.slots was 4 and is now 5"});
  expect_complaint({"run", "run.json", "--resume", "c", "--seed", "2"}, 2, {"--seed 1"});
}

TEST_F(checkpoint_command_test, another_version_is_refused) {
  make_checkpoint("500");
  const std::string magic = "tributary checkpoint 1\n";
  const std::size_t content_at = magic.size() + save_state(std::uint64_t{0}).size();
  std::string content = read("c").substr(content_at);
  const std::string version = program_version();
  const std::size_t at = content.find(version);
  ASSERT_NE(at, std::string::npos);
  std::string other = version;
  other.back() = other.back() == '9' ? '8' : '9';
  content.replace(at, version.size(), other);
  // FNV-1a, which the file begins with: the file is whole, and of a program that is not this one.
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char byte : content) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
  write("other", magic + save_state(hash) + content);
  expect_complaint({"run", "run.json", "--resume", "other"}, 2,
                   {"of version " + other, "version " + version});
}

TEST_F(checkpoint_command_test, checkpoint_before_the_resumed_cycle_is_refused) {
  make_checkpoint("500");
  expect_complaint(
      {"run", "run.json", "--resume", "c", "--checkpoint", "d", "--checkpoint-at", "500"}, 2,
      {"--checkpoint-at", "after cycle 500"});
  EXPECT_FALSE(exists("d"));
}

TEST_F(checkpoint_command_test, damaged_or_foreign_file_is_refused) {
  make_checkpoint("500");
  const std::string whole = read("c");
  write("cut", whole.substr(0, whole.size() / 2));
  expect_complaint({"run", "run.json", "--resume", "cut"}, 1, {"cut", "damaged"});
  std::string changed = whole;
  changed[whole.size() / 2] = static_cast<char>(changed[whole.size() / 2] ^ 1);
  write("changed", changed);
  expect_complaint({"run", "run.json", "--resume", "changed"}, 1, {"changed", "damaged"});
  expect_complaint({"run", "run.json", "--resume", "run.json"}, 1, {"no checkpoint"});
  write("empty", "");
  expect_complaint({"run", "run.json", "--resume", "empty"}, 1, {"no checkpoint"});
  expect_complaint({"run", "run.json", "--resume", "missing"}, 1, {"missing"});
}

TEST_F(checkpoint_command_test, checkpoint_after_the_end_is_noticed) {
  expect_complaint({"run", "run.json", "--quiet", "--checkpoint", "c", "--checkpoint-at", "5000"},
                   2, {"--checkpoint-at"});
  EXPECT_FALSE(exists("c"));
}

}  // namespace
}  // namespace tributary
