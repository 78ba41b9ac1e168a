// SPDX-License-Identifier: Apache-2.0
// A machine that cannot be drained: its results are kept where that is asked for.
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <tributary/sim/atomic_file.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

#include <run/comparison.h>
#include <run/experiment.h>
#include <run/result_table.h>
#include <run/results.h>
#include <run/run_experiment.h>
#include <run/sealed_json.h>

namespace tributary {
namespace {

/// A machine of the usual platform that says that it is stuck, or breaks, in its drain check.
class stuck_machine final : public simulation {
 public:
  stuck_machine(std::unique_ptr<simulation> real, bool breaks)
      : real_(std::move(real)), breaks_(breaks) {}

  cycle_t now() const override { return real_->now(); }
  void run_until(cycle_t last) override { real_->run_until(last); }
  bool finished() const override { return real_->finished(); }
  bool drain(const std::function<bool()>&) override {
    if (breaks_) throw simulation_error("wrong bytes");
    throw drain_error("stuck");
  }
  const counter* find_workload_counter(std::string_view path) const override {
    return real_->find_workload_counter(path);
  }
  void reset_statistics() override { real_->reset_statistics(); }
  statistics_tree statistics() const override { return real_->statistics(); }
  machine_trace trace() override { return real_->trace(); }
  std::string save() const override { return real_->save(); }
  void restore(const std::string& state) override { real_->restore(state); }

 private:
  std::unique_ptr<simulation> real_;
  bool breaks_;
};

class stuck_model final : public platform_model {
 public:
  explicit stuck_model(bool breaks) : breaks_(breaks) {}

  std::unique_ptr<platform_model> clone() const override {
    return std::make_unique<stuck_model>(*this);
  }
  std::string platform() const override { return usual_.machine->platform(); }
  std::string processors_parameter() const override {
    return usual_.machine->processors_parameter();
  }
  std::uint64_t program_cycle() const override { return usual_.machine->program_cycle(); }
  void bind(parameter_set& parameters) override { usual_.machine->bind(parameters); }
  void validate() const override { usual_.machine->validate(); }
  std::uint64_t size() const override { return usual_.machine->size(); }
  std::string size_unit() const override { return "switch"; }
  table_layout usual_table() const override { return usual_.machine->usual_table(); }
  std::unique_ptr<simulation> make(engine_kind engine, std::uint64_t seed) const override {
    return std::make_unique<stuck_machine>(usual_.machine->make(engine, seed), breaks_);
  }
  bool is_known_before_run(const std::string& statistic) const override {
    return usual_.machine->is_known_before_run(statistic);
  }

 private:
  experiment usual_;
  bool breaks_;
};

experiment small(experiment any) {
  parameter_set::of(any).set("network.processing_elements", "4", "the test");
  any.run.warmup = 0;
  any.run.cycles = 3000;
  return any;
}

experiment usual_experiment() { return small(experiment()); }

experiment stuck_experiment(bool breaks = false) {
  experiment stuck;
  stuck.machine = machine_choice(std::make_unique<stuck_model>(breaks));
  return small(std::move(stuck));
}

TEST(undrained_run, ends_with_an_error) {
  EXPECT_THROW(run_experiment(stuck_experiment(), 1), simulation_error);
  EXPECT_THROW(run_all({stuck_experiment()}, {1}, 1), simulation_error);
}

TEST(undrained_run, is_kept_where_that_is_asked_for) {
  batch_hooks hooks;
  hooks.keep_undrained = true;
  const auto results = run_all({stuck_experiment()}, {1, 2}, 1, hooks);
  ASSERT_EQ(results.at(0).size(), 2U);
  for (const run_result& each : results[0]) {
    EXPECT_EQ(each.undrained, "stuck");
    EXPECT_EQ(each.warnings, std::vector<std::string>{"stuck"});
    EXPECT_EQ(each.cycles, 3000U);
    EXPECT_FALSE(each.partial);
    EXPECT_GT(each.value("interface.latency.count"), 0);
    EXPECT_EQ(each.value("run.drained"), 0);
  }
  const run_result whole = run_experiment(usual_experiment(), 1);
  EXPECT_THROW(whole.value("run.drained"), error);
}

using all_runs = std::vector<std::vector<run_result>>;

/// Two seeds of one point, of which the second may be undrained.
all_runs two_seeds(bool undrained) {
  run_hooks hooks;
  hooks.keep_undrained = true;
  all_runs runs(1);
  runs[0].push_back(run_experiment(usual_experiment(), 1, hooks));
  const experiment second = undrained ? stuck_experiment() : usual_experiment();
  runs[0].push_back(run_experiment(second, 2, hooks));
  for (run_result& run : runs[0]) run.settled = true;  // which has the same mark
  return runs;
}

experiment_file one_point() {
  experiment_file file;
  file.experiments.push_back(usual_experiment());
  return file;
}

bool is_marked(const all_runs& runs) {
  table_layout layout;
  layout.value = "machine.cycles";
  return result_table(layout, one_point(), runs, {}).find("\u25cb") != std::string::npos;
}

TEST(undrained_run, is_marked_in_tables) {
  EXPECT_TRUE(is_marked(two_seeds(true)));
  EXPECT_FALSE(is_marked(two_seeds(false)));
}

measured_file written(const char* name, const all_runs& runs) {
  const std::string path = testing::TempDir() + "undrained_run_test_" + name;
  write_file_atomically(path, sealed_text(results_to_json(one_point(), {1, 2}, runs, false)));
  measured_file file = load_results(path);
  std::remove(path.c_str());
  return file;
}

TEST(undrained_run, is_told_by_a_comparison_if_it_is_any_seed) {
  const measured_file whole = written("whole", two_seeds(false));
  const measured_file undrained = written("undrained", two_seeds(true));
  EXPECT_NE(compare_results(whole, undrained, {}).text.find("run.drained"), std::string::npos);
  EXPECT_EQ(compare_results(whole, whole, {}).text.find("run.drained"), std::string::npos);
}

TEST(undrained_run, a_machine_that_breaks_while_it_is_drained_is_not_kept) {
  run_hooks hooks;
  hooks.keep_undrained = true;
  try {
    run_experiment(stuck_experiment(true), 1, hooks);
    FAIL() << "nothing was thrown";
  } catch (const simulation_error& problem) {
    EXPECT_STREQ(problem.what(), "wrong bytes");
  }
}

}  // namespace
}  // namespace tributary
