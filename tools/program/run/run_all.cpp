// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <exception>
#include <mutex>
#include <numeric>
#include <optional>
#include <thread>

#include <tributary/sim/error.h>

#include "run_experiment.h"

namespace tributary {
namespace {

/// The runs of a batch and the threads that work on them.
class batch {
 public:
  batch(const std::vector<experiment>& experiments, const std::vector<std::uint64_t>& seeds,
        const batch_hooks& hooks)
      : experiments_(experiments),
        seeds_(seeds),
        hooks_(hooks),
        results_(experiments.size() * seeds.size()),
        order_(results_.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(), [this](std::size_t a, std::size_t b) {
      return relative_cost(experiment_of(a)) > relative_cost(experiment_of(b));
    });
  }

  void run(unsigned threads) {
    std::vector<std::thread> helpers;
    at_a_time_ = std::max<std::size_t>(1, std::min<std::size_t>(threads, order_.size()));
    for (std::size_t i = 1; i < at_a_time_; ++i) {
      helpers.emplace_back([this] { work(); });
    }
    work();
    for (std::thread& helper : helpers) helper.join();
    if (failure_) std::rethrow_exception(failure_);
  }

  std::vector<std::vector<run_result>> results() {
    std::vector<std::vector<run_result>> all(experiments_.size());
    for (std::size_t job = 0; job < results_.size(); ++job) {
      if (results_[job]) all[job / seeds_.size()].push_back(std::move(*results_[job]));
    }
    return all;
  }

 private:
  const experiment& experiment_of(std::size_t job) const {
    return experiments_[job / seeds_.size()];
  }

  void watch_cancel() {
    if (hooks_.cancel != nullptr && hooks_.cancel->load()) stop_.store(true);
  }

  void work() {
    while (true) {
      watch_cancel();
      const std::size_t next = next_.fetch_add(1);
      if (next >= order_.size() || stop_.load()) return;
      run_job(order_[next]);
    }
  }

  void run_job(std::size_t job) {
    const std::uint64_t seed = seeds_[job % seeds_.size()];
    try {
      run_hooks hooks;
      if (hooks_.each) hooks = hooks_.each(job / seeds_.size(), seed);
      hooks.cancel = &stop_;
      hooks.keep_undrained = hooks_.keep_undrained;
      hooks.runs_at_a_time = at_a_time_;
      hooks.progress = [this, job](const run_progress& progress) {
        watch_cancel();
        if (!hooks_.progress) return;
        const std::lock_guard<std::mutex> lock(mutex_);
        hooks_.progress(job, progress);
      };
      results_[job] = run_experiment(experiment_of(job), seed, hooks);
      const std::lock_guard<std::mutex> lock(mutex_);
      // A workload can end, or a mean be steady, long before the cycles allowed.
      if (hooks_.progress) hooks_.progress(job, {0, 1.0});
      if (hooks_.finished) hooks_.finished(job / seeds_.size(), *results_[job]);
    } catch (const simulation_error& problem) {
      fail(job, std::make_exception_ptr(simulation_error(named(job, seed, problem.what()))));
    } catch (...) {
      fail(job, std::current_exception());
    }
  }

  std::string named(std::size_t job, std::uint64_t seed, const char* problem) const {
    return experiment_of(job).name() + ", seed " + std::to_string(seed) + ": " + problem;
  }

  void fail(std::size_t job, std::exception_ptr problem) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (failure_ && failed_job_ < job) return;
    failure_ = std::move(problem);
    failed_job_ = job;
    stop_.store(true);
  }

  const std::vector<experiment>& experiments_;
  const std::vector<std::uint64_t>& seeds_;
  const batch_hooks& hooks_;
  std::vector<std::optional<run_result>> results_;
  std::vector<std::size_t> order_;  // jobs, long ones first
  std::size_t at_a_time_ = 1;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::exception_ptr failure_;
  std::size_t failed_job_ = 0;
};

/// Whether only one machine can be alive at a time.
bool one_at_a_time(const std::vector<experiment>& experiments) {
  return std::any_of(experiments.begin(), experiments.end(), [](const experiment& each) {
    return each.run.engine == engine_kind::systemc;
  });
}

}  // namespace

double relative_cost(const experiment& point) {
  const run_config& run = point.run;
  return static_cast<double>(point.machine->size()) * static_cast<double>(run.warmup + run.cycles);
}

std::vector<std::vector<run_result>> run_all(const std::vector<experiment>& experiments,
                                             const std::vector<std::uint64_t>& seeds,
                                             unsigned threads, const batch_hooks& hooks) {
  batch all(experiments, seeds, hooks);
  if (one_at_a_time(experiments)) threads = 1;
  all.run(threads == 0 ? std::max(1U, std::thread::hardware_concurrency()) : threads);
  return all.results();
}

}  // namespace tributary
