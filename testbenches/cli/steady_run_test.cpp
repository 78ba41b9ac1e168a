// SPDX-License-Identifier: Apache-2.0
// Runs that end when something is known: the rate of a counter, enough events, a warm-up that
// lasts.
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tributary/sim/error.h>

#include <run/experiment.h>
#include <run/result_table.h>
#include <run/run_experiment.h>
#include <support/scratch_directory.h>
#include "support/text_checks.h"

namespace tributary {
namespace {

using testing::begins_with;
using testing::contains;
using testing::message_of;

using texts = std::vector<std::string>;

/// Readers and, a quarter of them, writers on a machine of eight, watched by their grants.
constexpr const char* locks = R"({
  "network.processing_elements": 8,
  "workload": {"kind": "program", "program": {"name": "readers_writers",
    "readers_writers": {"expected_writers": 2, "work": 2, "delay": 20}}},
  "run": {"until": "steady", "watch": "workload.marks.reader_grant.count", "half_width": 0.05,
          "warmup": 200, "batch": 100, "maximum_cycles": 400000}})";

class steady_run_test : public ::testing::Test {
 protected:
  experiment_file file(const std::string& text, const texts& sets = {}) const {
    return load_experiments(directory_.write("run.json", text), sets);
  }
  experiment only(const texts& sets = {}) const { return file(locks, sets).experiments.at(0); }
  run_result run(const texts& sets = {}, std::uint64_t seed = 1) const {
    return run_experiment(only(sets), seed);
  }
  static std::uint64_t count(const run_result& result, const std::string& mark) {
    return static_cast<std::uint64_t>(result.value("workload.marks." + mark + ".count"));
  }
  static std::uint64_t measured(const run_result& result) {
    return static_cast<std::uint64_t>(result.value("machine.cycles"));
  }

 private:
  testing::scratch_directory directory_;
};

TEST_F(steady_run_test, the_rate_of_a_counter_is_watched) {
  const run_result result = run();
  const double rate = result.value("run.rate");
  EXPECT_TRUE(result.steady);
  EXPECT_EQ(result.value("run.steady"), 1.0);
  EXPECT_TRUE(result.warnings.empty()) << result.warnings.front();
  // It ends with a batch, so the batches hold all that was measured.
  EXPECT_DOUBLE_EQ(rate, result.value("workload.marks.reader_grant.rate"));
  EXPECT_DOUBLE_EQ(rate, static_cast<double>(count(result, "reader_grant")) /
                             static_cast<double>(measured(result)));
  EXPECT_LE(result.value("run.reached_half_width"), 0.05 * rate);
  EXPECT_GE(result.value("run.batches"), 20.0);
  // A longer run of another seed has that rate too.
  const run_result longer = run({"run.half_width=0.01"}, 2);
  EXPECT_GT(measured(longer), measured(result));
  EXPECT_NEAR(longer.value("run.rate"), rate, 0.1 * rate);
}

TEST_F(steady_run_test, every_counter_of_the_machine_can_be_watched) {
  for (const std::string path : {"memory.served", "workload.references", "interface.accepted",
                                 "network.stage.0.arrived", "workload.marks.writer_grant.count"}) {
    const run_result result = run({"run.watch=" + path});
    EXPECT_EQ(result.value("run.steady"), 1.0) << path;
    EXPECT_NEAR(result.value("run.rate") * static_cast<double>(measured(result)),
                result.value(path), 0.01)
        << path;
  }
}

TEST_F(steady_run_test, without_a_counter_the_mean_latency_is_watched) {
  const run_result result = run({"run.watch="});
  EXPECT_EQ(result.value("run.steady"), 1.0);
  EXPECT_THROW(result.value("run.rate"), error);
  EXPECT_LE(result.value("run.reached_half_width"), 0.05 * result.value("interface.latency.mean"));
}

TEST_F(steady_run_test, it_goes_on_until_the_least_count) {
  const run_result plain = run();
  const std::uint64_t writers = count(plain, "writer_grant");
  const std::string of = "run.least_of=workload.marks.writer_grant.count";
  const run_result same = run({of, "run.least_count=" + std::to_string(writers)});
  EXPECT_EQ(measured(same), measured(plain));
  const run_result longer = run({of, "run.least_count=" + std::to_string(writers + 100)});
  EXPECT_GE(count(longer, "writer_grant"), writers + 100);
  EXPECT_GT(measured(longer), measured(plain));
  EXPECT_EQ(longer.value("run.steady"), 1.0);
  // Not before the end of a batch, and with the first batch that has it.
  EXPECT_LE(measured(longer) - measured(plain),
            2 * static_cast<std::uint64_t>(longer.value("run.batch_length")) + measured(plain));
}

TEST_F(steady_run_test, the_warm_up_lasts_until_its_count) {
  const run_result plain = run();
  const texts rotations{"run.warmup_of=workload.marks.rotation.count", "run.warmup_count=7"};
  const run_result result = run(rotations);
  const std::uint64_t warmup = result.cycles - measured(result);
  EXPECT_EQ(plain.cycles - measured(plain), 200U);
  EXPECT_GT(warmup, 200U);
  EXPECT_EQ((warmup - 200) % 100, 0U);
  // The machine as it was then, and a batch earlier.
  const auto rotations_after = [&](std::uint64_t cycles) {
    return count(run({"run.until=cycles", "run.warmup=0", "run.cycles=" + std::to_string(cycles)}),
                 "rotation");
  };
  EXPECT_GE(rotations_after(warmup), 7U);
  EXPECT_LT(rotations_after(warmup - 100), 7U);
  // Where the workload's end ends the run there is no warm-up.
  texts finished = rotations;
  for (const char* set : {"run.until=finished", "run.maximum_cycles=1000"}) finished.push_back(set);
  EXPECT_EQ(measured(run(finished)), 1000U);
}

TEST_F(steady_run_test, one_that_is_not_steady_says_what_is_missing) {
  const texts few{"run.maximum_cycles=5000"};
  texts narrow = few;
  narrow.emplace_back("run.half_width=0.000001");
  texts many = few;
  many.emplace_back("run.half_width=0.9");
  many.emplace_back("run.least_of=workload.marks.writer_grant.count");
  many.emplace_back("run.least_count=1000000");
  texts both = many;
  both.emplace_back("run.half_width=0.000001");
  const auto only_warning = [&](const texts& sets) {
    const run_result result = run(sets);
    EXPECT_FALSE(result.steady);
    EXPECT_EQ(result.value("run.steady"), 0.0);
    EXPECT_EQ(measured(result), 5000U);
    EXPECT_EQ(result.warnings.size(), 1U);
    return result.warnings.empty() ? "" : result.warnings.front();
  };
  EXPECT_EQ(only_warning(narrow),
            "the rate of workload.marks.reader_grant.count was not steady after "
            "run.maximum_cycles = 5000");
  const std::string missing = only_warning(many);
  EXPECT_TRUE(begins_with(missing, "workload.marks.writer_grant.count was "));
  EXPECT_TRUE(
      contains(missing, ", not run.least_count = 1000000, after run.maximum_cycles = 5000"));
  const std::string all = only_warning(both);
  EXPECT_TRUE(contains(all, "not steady, and workload.marks.writer_grant.count"));
}

TEST_F(steady_run_test, what_never_happens_is_not_steady) {
  const run_result result =
      run({"workload.program.readers_writers.expected_writers=0",
           "run.watch=workload.marks.writer_grant.count", "run.maximum_cycles=20000"});
  EXPECT_EQ(result.value("run.rate"), 0.0);
  EXPECT_EQ(result.value("run.reached_half_width"), 0.0);
  EXPECT_EQ(result.value("run.steady"), 0.0);
}

TEST_F(steady_run_test, a_program_without_an_end_is_known_as_such) {
  EXPECT_TRUE(only().warnings().empty());
  const texts found = only({"run.until=finished", "run.watch="}).warnings();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(contains(found[0], "never finishes"));
  EXPECT_TRUE(only({"run.until=finished", "run.watch=", "workload.program.name=supersteps"})
                  .warnings()
                  .empty());
}

TEST_F(steady_run_test, settings_that_do_nothing_are_told_of) {
  const std::string grants = "workload.marks.grant.count";
  const texts goals{"run.least_of=" + grants, "run.least_count=1", "run.warmup_of=" + grants,
                    "run.warmup_count=1", "workload.program.name=supersteps"};
  const auto keys_warned_of = [&](const std::string& until) {
    texts sets = goals;
    sets.push_back("run.until=" + until);
    texts keys;
    for (const std::string& text : only(sets).warnings()) {
      keys.push_back(text.substr(0, text.find(' ')));
      EXPECT_TRUE(contains(text, " does nothing: "));
    }
    return keys;
  };
  EXPECT_EQ(keys_warned_of("steady"), texts());
  EXPECT_EQ(keys_warned_of("cycles"), (texts{"run.watch", "run.least_of"}));
  EXPECT_EQ(keys_warned_of("finished"), (texts{"run.watch", "run.least_of", "run.warmup_of"}));
}

TEST_F(steady_run_test, the_least_count_may_come_after_the_last_batch) {
  const auto most = [](std::uint64_t cycles) {
    return "run.maximum_cycles=" + std::to_string(cycles);
  };
  const auto up_to = [&](std::uint64_t cycles, std::uint64_t writers) {
    return run({most(cycles), "run.half_width=0.9", "run.batch=200",
                "run.least_of=workload.marks.writer_grant.count",
                "run.least_count=" + std::to_string(writers)});
  };
  // 40 batches of 200 cycles are 20 of 400: the last ends with cycle 8000.
  const std::uint64_t at_batch = count(up_to(8000, 1000000), "writer_grant");
  const run_result too_few = up_to(8399, 1000000);
  const std::uint64_t at_maximum = count(too_few, "writer_grant");
  ASSERT_EQ(too_few.value("run.batch_length"), 400.0);
  ASSERT_GT(at_maximum, at_batch);
  const run_result enough = up_to(8399, at_maximum);
  EXPECT_EQ(measured(enough), 8399U);
  EXPECT_TRUE(enough.steady);
  EXPECT_EQ(enough.value("run.steady"), 1.0);
  EXPECT_TRUE(enough.warnings.empty()) << enough.warnings.front();
  const run_result one_less = up_to(8399, at_maximum + 1);
  EXPECT_FALSE(one_less.steady);
  ASSERT_EQ(one_less.warnings.size(), 1U);
  EXPECT_TRUE(begins_with(one_less.warnings[0], "workload.marks.writer_grant.count was "));
}

TEST_F(steady_run_test, a_cut_point_of_figure_9_is_not_steady) {
  const std::string preset = TRIBUTARY_SOURCE_DIR "/platforms/ultracomputer/presets/figure9.json";
  const experiment_file all = load_experiments(
      preset, {"network.processing_elements=16", "workload.program.supersteps.body=intense",
               "run.maximum_cycles=[200, 1500, 1000000]"});
  const std::vector<std::vector<run_result>> results = run_all(all.experiments, {1}, 1);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const run_result& result = results[i].at(0);
    const bool cut = i % 3 != 2;
    EXPECT_EQ(result.cycles == 200 || result.cycles == 1500, cut) << all.experiments[i].name();
    EXPECT_EQ(result.steady, !cut) << all.experiments[i].name();
    EXPECT_EQ(result.value("run.steady"), cut ? 0.0 : 1.0) << all.experiments[i].name();
    EXPECT_EQ(result.warnings.size(), cut ? 1U : 0U) << all.experiments[i].name();
    EXPECT_THROW(result.value("run.batches"), error);
  }
  table_layout layout = all.tables.at(0);
  layout.rows = {"run.maximum_cycles"};
  const std::string table = result_table(layout, all, results, {});
  const std::string mark = "\u25cb";
  std::size_t marks = 0;
  for (std::size_t at = table.find(mark); at != std::string::npos; at = table.find(mark, at + 1)) {
    ++marks;
  }
  // Of 200 cycles, in which nobody has crossed twice, of 1500, and in the legend.
  EXPECT_EQ(marks, 2 * all.series.size() + 1) << table;
  EXPECT_TRUE(contains(table, "-" + mark));
}

TEST_F(steady_run_test, only_runs_that_wait_say_whether_it_was_reached) {
  EXPECT_THROW(run({"run.until=cycles"}).value("run.steady"), error);
  const texts rotations{"run.until=cycles", "run.warmup_of=workload.marks.rotation.count",
                        "run.warmup_count=1"};
  EXPECT_EQ(run(rotations).value("run.steady"), 1.0);
}

TEST_F(steady_run_test, a_warm_up_that_does_not_end_is_given_up) {
  const run_result result = run({"run.warmup_of=workload.marks.rotation.count",
                                 "run.warmup_count=1000000", "run.maximum_cycles=3000"});
  EXPECT_EQ(result.cycles, 3200U);
  EXPECT_FALSE(result.steady);
  EXPECT_EQ(result.value("run.steady"), 0.0);
  ASSERT_EQ(result.warnings.size(), 1U);
  EXPECT_TRUE(contains(result.warnings[0], ", not run.warmup_count = 1000000, after"));
  // What it did until then can be seen.
  EXPECT_EQ(measured(result), 3200U);
  EXPECT_GT(count(result, "rotation"), 0U);
  // The same where a number of cycles is measured.
  const run_result other =
      run({"run.warmup_of=workload.marks.rotation.count", "run.warmup_count=1000000",
           "run.maximum_cycles=3000", "run.until=cycles"});
  EXPECT_EQ(other.cycles, 3200U);
  EXPECT_FALSE(other.steady);
  EXPECT_EQ(other.value("run.steady"), 0.0);
  EXPECT_EQ(other.warnings, result.warnings);
}

TEST_F(steady_run_test, a_counter_that_is_not_there_is_answered_with_the_nearest) {
  for (const std::string key : {"watch", "least_of", "warmup_of"}) {
    for (const std::string path :
         {"workload.marks.reader_grent.count", "workload.marks.reader_grant.rate"}) {
      texts sets{"run." + key + "=" + path};
      if (key != "watch") sets.push_back("run." + key.substr(0, key.find('_')) + "_count=1");
      const std::string refusal = message_of<configuration_error>([&] { run(sets); });
      EXPECT_TRUE(begins_with(refusal, "run." + key + ": no counter " + path));
      EXPECT_TRUE(contains(refusal, "did you mean workload.marks.reader_grant.count?"));
    }
  }
}

TEST_F(steady_run_test, windows_and_checkpoints_change_nothing) {
  const texts goals{"run.warmup_of=workload.marks.rotation.count", "run.warmup_count=9",
                    "run.least_of=workload.marks.writer_grant.count", "run.least_count=60",
                    "run.maximum_cycles=100000"};
  const experiment what = only(goals);
  const run_result plain = run_experiment(what, 3);
  texts with_windows = goals;
  with_windows.emplace_back("run.occupancy_window=37");
  EXPECT_EQ(run(with_windows, 3).cycles, plain.cycles);
  // As many windows as the longest warm-up and measurement may have.
  with_windows.back() = "run.occupancy_window=2";
  EXPECT_THROW(run(with_windows), configuration_error);
  const cycle_t begin = plain.cycles - measured(plain);
  // In the warm-up, in a cycle in which its counter is looked at, and in the measurement.
  for (const cycle_t cycle : {cycle_t{7}, cycle_t{300}, begin - 50, begin, begin + 1234}) {
    run_hooks hooks;
    std::string state;
    hooks.checkpoint_cycle = cycle;
    hooks.checkpoint = [&](const std::string& saved) { state = saved; };
    const run_result whole = run_experiment(what, 3, hooks);
    EXPECT_EQ(whole.statistics.to_json_text(), plain.statistics.to_json_text()) << cycle;
    run_hooks resumed;
    resumed.resume = state;
    const run_result rest = run_experiment(what, 3, resumed);
    EXPECT_EQ(rest.statistics.to_json_text(), plain.statistics.to_json_text()) << cycle;
    EXPECT_EQ(rest.steady, plain.steady);
  }
}

TEST_F(steady_run_test, the_table_marks_what_is_not_steady) {
  const experiment_file all =
      file(locks, {"run.maximum_cycles=[3000, 400000]", "run.half_width=0.05"});
  const std::vector<std::vector<run_result>> results = run_all(all.experiments, {1, 2}, 1);
  table_layout layout;
  layout.value = "workload.marks.reader_grant.rate";
  layout.rows = {"run.maximum_cycles"};
  const std::string table = result_table(layout, all, results, {});
  const auto line_of = [&](const std::string& beginning) {
    const std::size_t at = table.find("\n  " + beginning);
    return at == std::string::npos ? "" : table.substr(at + 1, table.find('\n', at + 1) - at - 1);
  };
  const std::string mark = "\u25cb";
  EXPECT_TRUE(contains(line_of("3000"), mark)) << table;
  EXPECT_EQ(line_of("400000").find(mark), std::string::npos) << table;
  EXPECT_TRUE(contains(line_of(mark), "not steady")) << table;
  const experiment_file steady = file(locks);
  const std::string without = result_table(layout, steady, run_all(steady.experiments, {1}, 1), {});
  EXPECT_EQ(without.find(mark), std::string::npos) << without;
}

}  // namespace
}  // namespace tributary
