// SPDX-License-Identifier: Apache-2.0
#include "run_experiment.h"

#include <algorithm>
#include <exception>
#include <limits>
#include <memory>
#include <thread>

#include <fmt/format.h>

#include <tributary/sim/error.h>
#include <tributary/sim/state_archive.h>

#include "batch_means.h"
#include "occupancy_record.h"
#include "program_times.h"
#include "settling.h"

namespace tributary {
namespace {

/// One machine on its way through warm-up, measurement and drain check.
class measurement {
 public:
  measurement(const experiment& point, std::uint64_t seed, const run_hooks& hooks)
      : run_(point.run),
        hooks_(hooks),
        machine_(point.machine->make(point.run.engine, seed)),
        warmup_look_(point.run.cycles_before()),
        batches_(point.run.batch),
        occupancy_(point.run.occupancy_window),
        settling_(point.run.cycles),
        program_cycle_(point.machine->program_cycle()) {
    run_.validate();
    check_counter("run.watch", run_.watch);
    check_counter("run.least_of", run_.least_of);
    check_counter("run.warmup_of", run_.warmup_of);
    if (run_.threads == 0) {
      const std::size_t processors = std::max(1U, std::thread::hardware_concurrency());
      const std::size_t own = std::max<std::size_t>(1, processors / hooks.runs_at_a_time);
      machine_->use_threads(own, thread_use::while_faster);
    } else {
      machine_->use_threads(run_.threads);
    }
    if (hooks_.activity != nullptr && !machine_->show(hooks_.activity)) {
      throw configuration_error("this machine's engine does not show which block is at work");
    }
    // Some hundredths of a second of simulation.
    chunk_ = std::clamp<std::uint64_t>((std::uint64_t{1} << 20) / point.machine->size(), 16, 8192);
  }

  run_result run(std::uint64_t seed) {
    if (!hooks_.resume.empty()) restore(hooks_.resume);
    if (hooks_.begin) hooks_.begin(*machine_);
    try {
      simulate();
    } catch (const simulation_error& problem) {
      const std::string other = end_failed();
      if (other.empty()) throw;
      throw simulation_error(fmt::format("{}\nIn addition: {}", problem.what(), other));
    } catch (...) {
      // It may be a file's problem, which its end would tell again.
      static_cast<void>(end_failed());
      throw;
    }
    if (hooks_.end) hooks_.end(*machine_, !ended_);
    run_result result;
    result.seed = seed;
    result.cycles = machine_->now();
    result.partial = !ended_;
    result.statistics = machine_->statistics();
    result.steady = got_there();
    report(result);
    report_program_times(program_cycle_, result.statistics);
    if (run_.drain && ended_) drain(result);
    return result;
  }

 private:
  /// What led to a failure is what somebody wants to see. Returns why it cannot be seen, if so.
  std::string end_failed() const {
    try {
      if (hooks_.end) hooks_.end(*machine_, true);
    } catch (const std::exception& problem) {
      return problem.what();
    }
    return "";
  }

  bool cancelled() const { return hooks_.cancel != nullptr && hooks_.cancel->load(); }
  std::uint64_t measured() const { return machine_->now() - measured_from_; }
  /// The cycle after which a warm-up that waits for a counter is given up.
  cycle_t warmup_limit() const { return run_.cycles_before() + run_.maximum_cycles; }

  /// Whether the run reached what it waits for.
  bool got_there() const {
    if (run_.until == run_end::steady) return is_steady_;
    if (run_.until == run_end::finished) return machine_->finished();
    return !gave_up_warming();
  }
  bool waits() const { return run_.until != run_end::cycles || !run_.warmup_of.empty(); }

  bool gave_up_warming() const {
    return !measuring_ && !run_.warmup_of.empty() && !machine_->finished();
  }

  void check_counter(const std::string& key, const std::string& path) const {
    if (path.empty()) return;
    try {
      machine_->count_at(path);
    } catch (const error& problem) {
      throw configuration_error({key, "", problem.what(), "the path of a counter",
                                 "name one that the machine has before its first cycle, as the "
                                 "marks that its program declares"});
    }
  }

  void simulate() {
    while (!cancelled()) {
      if (machine_->now() == occupancy_.window_end()) occupancy_.end_window(*machine_->occupancy());
      begin_measurement();
      take_batch();
      while (at_slice_end()) settling_.end_slice(*machine_->latency(), machine_->backlog());
      if (hooks_.checkpoint_cycle != 0 && machine_->now() == hooks_.checkpoint_cycle) {
        hooks_.checkpoint(save());
      }
      if (at_end()) {
        decide_at_maximum();
        ended_ = true;
        return;
      }
      advance();
    }
  }

  void begin_measurement() {
    if (measuring_ || !is_warm()) return;
    measuring_ = true;
    measured_from_ = machine_->now();
    if (measured_from_ > 0) {
      occupancy_.before_reset(machine_->occupancy());
      machine_->reset_statistics();
    }
    batch_from_ = measured_from_;
  }

  /// Whether the warm-up is over. A counter is looked at in cycles that the configuration alone
  /// tells, so that checkpoints and windows of occupancy change nothing.
  bool is_warm() {
    if (machine_->now() < warmup_look_) return false;
    if (run_.warmup_of.empty() || run_.until == run_end::finished) return true;
    if (machine_->now() > warmup_look_) return false;
    warmup_look_ += run_.batch;
    return machine_->count_at(run_.warmup_of) >= run_.warmup_count;
  }

  /// Whether the run is one whose halves are compared.
  bool has_halves() const {
    return run_.until == run_end::cycles && machine_->latency().has_value();
  }
  bool at_slice_end() const {
    return measuring_ && has_halves() && measured() == settling_.slice_end();
  }

  void take_batch() {
    if (!measuring_ || run_.until != run_end::steady) return;
    if (machine_->now() != batch_from_ + batches_.length()) return;
    const sums all = watched();
    batches_.add(all.sum - batch_sum_, all.count - batch_count_);
    batch_from_ = machine_->now();
    batch_sum_ = all.sum;
    batch_count_ = all.count;
    decide();
  }
  void decide() { is_steady_ = batches_.steady(run_.half_width, run_.confidence) && has_least(); }

  /// The least count may have been reached after the last batch.
  void decide_at_maximum() {
    if (!measuring_ || run_.until != run_end::steady) return;
    if (measured() >= run_.most_cycles()) decide();
  }

  /// What the batches are differences of, over the measured cycles.
  struct sums {
    std::uint64_t sum;
    std::uint64_t count;
  };
  sums watched() const {
    if (!run_.watch.empty()) return {machine_->count_at(run_.watch), measured()};
    const average latency = *machine_->latency();
    return {latency.sum(), latency.count()};
  }

  bool has_least() const {
    return run_.least_of.empty() || machine_->count_at(run_.least_of) >= run_.least_count;
  }

  bool at_end() const {
    if (machine_->finished()) return true;
    if (!measuring_) return machine_->now() >= warmup_limit();
    return is_steady_ || measured() >= run_.most_cycles();
  }

  /// To the next cycle at which something has to be looked at.
  void advance() {
    const cycle_t now = machine_->now();
    cycle_t stop = now + chunk_;
    stop = std::min(stop, measuring_ ? measured_from_ + run_.most_cycles()
                                     : std::min(warmup_look_, warmup_limit()));
    if (measuring_ && run_.until == run_end::steady) {
      stop = std::min(stop, batch_from_ + batches_.length());
    }
    if (measuring_ && has_halves()) stop = std::min(stop, measured_from_ + settling_.slice_end());
    stop = std::min(stop, occupancy_.window_end());
    if (hooks_.checkpoint_cycle > now) stop = std::min(stop, hooks_.checkpoint_cycle);
    machine_->run_until(stop);
    if (hooks_.look) hooks_.look(*machine_);
    if (hooks_.progress) hooks_.progress({machine_->now() - now, fraction_done()});
  }

  double fraction_done() const {
    // When a workload finishes is its own affair; maximum_cycles is only patience.
    if (run_.until == run_end::finished) return 0.0;
    if (run_.until == run_end::steady && measuring_) {
      const interval_estimate now = batches_.estimate(run_.confidence);
      const double ratio = run_.half_width * now.mean / now.half_width;
      // The half-width shrinks with the square root of the length.
      const double done = ratio > 0 ? std::min(ratio * ratio, 0.99) : 0.0;
      return run_.least_of.empty() ? done : std::min(done, fraction_of_least());
    }
    return static_cast<double>(machine_->now()) /
           static_cast<double>(run_.cycles_before() + run_.most_cycles());
  }

  double fraction_of_least() const {
    return static_cast<double>(machine_->count_at(run_.least_of)) /
           static_cast<double>(run_.least_count);
  }

  void report(run_result& result) const {
    occupancy_.report(machine_->occupancy(), machine_->now(), result.statistics);
    if (waits()) {
      result.statistics.group("run").add(
          "steady", result.steady ? 1U : 0U, "",
          "1 if all was reached that the run waits for, 0 if it ended before, as by "
          "run.maximum_cycles.");
    }
    if (run_.until == run_end::steady) report_batches(result);
    if (has_halves()) report_halves(result);
    if (result.partial) return;
    if (gave_up_warming()) {
      result.warnings.push_back(not_reached("warmup", run_.warmup_of, run_.warmup_count));
    }
    if (run_.until == run_end::finished && !machine_->finished()) {
      result.warnings.push_back("the workload had not finished" + after_maximum());
    }
    if (run_.until != run_end::finished && machine_->finished()) {
      result.warnings.push_back(fmt::format(
          "the workload finished in cycle {}, before the run's length; run.until = finished "
          "measures all of it",
          machine_->now()));
    }
    if (machine_->latency() && machine_->latency()->count() == 0) {
      result.warnings.emplace_back("no request was answered in the measured cycles");
    }
  }

  void report_halves(run_result& result) const {
    const bool whole = !result.partial && measuring_ && !machine_->finished();
    std::vector<std::string> reasons;
    if (whole) reasons = settling_.reasons(measured_from_, machine_->latency()->max());
    result.settled = reasons.empty();
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    const char* const meaning =
        "0 if the machine had not come to rest: a latency above the warm-up, or halves of "
        "the measured cycles that differ.";
    // Without both drifts nothing speaks for rest either.
    const bool compared = whole && settling_.latency_drift() && settling_.backlog_drift();
    statistics_group& group = result.statistics.group("run");
    if (compared || !result.settled) {
      group.add("settled", result.settled ? 1U : 0U, "", meaning);
    } else {
      group.add("settled", unknown, "", meaning);
    }
    group.add("latency_drift", settling_.latency_drift().value_or(unknown), "1",
              "Mean latency in the second half of the measured cycles against the first, minus 1.");
    group.add("backlog_drift", settling_.backlog_drift().value_or(unknown), "1",
              "Requests asked for and not answered, second half against first, minus 1.");
    if (reasons.empty()) return;
    result.warnings.push_back(fmt::format(
        "not settled: {}; raise run.warmup, or set run.until = steady with run.maximum_cycles",
        fmt::join(reasons, ", and ")));
  }

  void report_batches(run_result& result) const {
    const interval_estimate known = batches_.estimate(run_.confidence);
    const bool rate = !run_.watch.empty();
    statistics_group& group = result.statistics.group("run");
    group.add("batches", static_cast<std::uint64_t>(batches_.batches()), "batches",
              "Batches from which the mean is estimated.");
    group.add("batch_length", batches_.length(), "cycles", "Length of these batches.");
    if (rate) group.add("rate", known.mean, "1/cycle", "Mean rate of run.watch, by batches.");
    group.add("reached_half_width", known.half_width, rate ? "1/cycle" : "cycles",
              "Half-width of the confidence interval of the mean latency, or of the rate of "
              "run.watch (batch means).");
    if (is_steady_ || result.partial || machine_->finished() || !measuring_) return;
    result.warnings.push_back(missing());
  }

  /// What the run had not reached.
  std::string missing() const {
    std::string text;
    if (!batches_.steady(run_.half_width, run_.confidence)) {
      text = run_.watch.empty() ? "the mean latency" : "the rate of " + run_.watch;
      text += " was not steady";
    }
    if (has_least()) return text + after_maximum();
    if (!text.empty()) text += ", and ";
    return text + not_reached("least", run_.least_of, run_.least_count);
  }
  std::string not_reached(const char* goal, const std::string& path, std::uint64_t count) const {
    return fmt::format("{} was {}, not run.{}_count = {},{}", path, machine_->count_at(path), goal,
                       count, after_maximum());
  }
  std::string after_maximum() const {
    return fmt::format(" after run.maximum_cycles = {}", run_.maximum_cycles);
  }

  void drain(run_result& result) {
    try {
      if (machine_->drain([this] { return cancelled(); })) return;
    } catch (const drain_error& problem) {
      if (!hooks_.keep_undrained) throw;
      result.undrained = problem.what();
      result.warnings.push_back(result.undrained);
      result.statistics.group("run").add("drained", 0U, "",
                                         "0 if the drain check failed, and only then there.");
      return;
    }
    result.partial = true;
    result.warnings.emplace_back("interrupted before the drain check had ended");
  }

  std::string save() const {
    return save_state(save_state(measuring_, is_steady_, measured_from_, warmup_look_, batch_from_,
                                 batch_sum_, batch_count_, batches_, occupancy_, settling_),
                      machine_->save());
  }

  void restore(const std::string& state) {
    std::string own;
    std::string machine;
    restore_state(state, own, machine);
    restore_state(own, measuring_, is_steady_, measured_from_, warmup_look_, batch_from_,
                  batch_sum_, batch_count_, batches_, occupancy_, settling_);
    machine_->restore(machine);
  }

  const run_config& run_;
  const run_hooks& hooks_;
  std::unique_ptr<simulation> machine_;
  std::uint64_t chunk_ = 1;
  bool ended_ = false;

  // What a checkpoint holds in addition to the machine.
  bool measuring_ = false;
  bool is_steady_ = false;
  cycle_t measured_from_ = 0;
  cycle_t warmup_look_;  ///< next cycle in which the end of the warm-up is considered
  cycle_t batch_from_ = 0;
  std::uint64_t batch_sum_ = 0;
  std::uint64_t batch_count_ = 0;
  batch_means batches_;
  occupancy_record occupancy_;
  settling settling_;

  std::uint64_t program_cycle_;
};

}  // namespace

run_result run_experiment(const experiment& point, std::uint64_t seed, const run_hooks& hooks) {
  return measurement(point, seed, hooks).run(seed);
}

}  // namespace tributary
