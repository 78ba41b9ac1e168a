// SPDX-License-Identifier: Apache-2.0
#include "run_experiment.h"

#include <algorithm>
#include <memory>

#include <tributary/base/error.h>
#include <tributary/base/state_archive.h>

#include "batch_means.h"
#include "occupancy_record.h"

namespace tributary {
namespace {

/// One machine on its way through warm-up, measurement and drain check.
class measurement {
 public:
  measurement(const experiment& what, std::uint64_t seed, const run_hooks& hooks)
      : run_(what.run),
        hooks_(hooks),
        machine_(what.machine->make(what.run.engine, seed)),
        batches_(what.run.batch),
        occupancy_(what.run.occupancy_window) {
    run_.validate();
    // Some hundredths of a second of simulation.
    chunk_ = std::clamp<std::uint64_t>((std::uint64_t{1} << 20) / what.machine->size(), 16, 8192);
  }

  run_result run(std::uint64_t seed) {
    if (!hooks_.resume.empty()) restore(hooks_.resume);
    if (hooks_.begin) hooks_.begin(*machine_);
    try {
      simulate();
    } catch (const simulation_error&) {
      // What led there is what somebody wants to see.
      if (hooks_.end) hooks_.end(*machine_, true);
      throw;
    }
    if (hooks_.end) hooks_.end(*machine_, !ended_);
    run_result result;
    result.seed = seed;
    result.cycles = machine_->now();
    result.partial = !ended_;
    result.statistics = machine_->statistics();
    report(result);
    if (run_.drain && ended_) drain(result);
    return result;
  }

 private:
  bool cancelled() const { return hooks_.cancel != nullptr && hooks_.cancel->load(); }
  std::uint64_t measured() const { return machine_->now() - measured_from_; }

  void simulate() {
    while (!cancelled()) {
      if (machine_->now() == occupancy_.window_end()) occupancy_.end_window(*machine_->occupancy());
      begin_measurement();
      take_batch();
      if (hooks_.checkpoint_cycle != 0 && machine_->now() == hooks_.checkpoint_cycle) {
        hooks_.checkpoint(save());
      }
      if (at_end()) {
        ended_ = true;
        return;
      }
      advance();
    }
  }

  void begin_measurement() {
    if (measuring_ || machine_->now() < run_.cycles_before()) return;
    measuring_ = true;
    measured_from_ = machine_->now();
    if (measured_from_ > 0) {
      occupancy_.before_reset(machine_->occupancy());
      machine_->reset_statistics();
    }
    batch_from_ = measured_from_;
  }

  void take_batch() {
    if (!measuring_ || run_.until != run_end::steady) return;
    if (machine_->now() != batch_from_ + batches_.length()) return;
    const average& latency = *machine_->latency();
    batches_.add(latency.sum() - batch_sum_, latency.count() - batch_count_);
    batch_from_ = machine_->now();
    batch_sum_ = latency.sum();
    batch_count_ = latency.count();
    is_steady_ = batches_.steady(run_.half_width, run_.confidence);
  }

  bool at_end() const {
    if (machine_->finished()) return true;
    if (!measuring_) return false;
    return is_steady_ || measured() >= run_.most_cycles();
  }

  /// To the next cycle at which something has to be looked at.
  void advance() {
    const cycle_t now = machine_->now();
    cycle_t stop = now + chunk_;
    stop = std::min(stop, measuring_ ? measured_from_ + run_.most_cycles() : run_.cycles_before());
    if (measuring_ && run_.until == run_end::steady) {
      stop = std::min(stop, batch_from_ + batches_.length());
    }
    stop = std::min(stop, occupancy_.window_end());
    if (hooks_.checkpoint_cycle > now) stop = std::min(stop, hooks_.checkpoint_cycle);
    machine_->run_until(stop);
    if (hooks_.progress) hooks_.progress({machine_->now() - now, fraction_done()});
  }

  double fraction_done() const {
    // When a workload finishes is its own affair; maximum_cycles is only patience.
    if (run_.until == run_end::finished) return 0.0;
    if (run_.until == run_end::steady && measuring_) {
      const interval_estimate now = batches_.estimate(run_.confidence);
      const double ratio = run_.half_width * now.mean / now.half_width;
      // The half-width shrinks with the square root of the length.
      return ratio > 0 ? std::min(ratio * ratio, 0.99) : 0.0;
    }
    return static_cast<double>(machine_->now()) /
           static_cast<double>(run_.cycles_before() + run_.most_cycles());
  }

  void report(run_result& result) const {
    occupancy_.report(machine_->occupancy(), machine_->now(), result.statistics);
    if (run_.until == run_end::steady) report_steadiness(result);
    if (result.partial) return;
    if (run_.until == run_end::finished && !machine_->finished()) {
      result.warnings.push_back("the workload had not finished after run.maximum_cycles = " +
                                std::to_string(run_.maximum_cycles));
    }
    if (run_.until != run_end::finished && machine_->finished()) {
      result.warnings.push_back("the workload finished in cycle " +
                                std::to_string(machine_->now()) +
                                ", before the run's length; run.until = finished measures all of "
                                "it");
    }
    if (machine_->latency() != nullptr && machine_->latency()->count() == 0) {
      result.warnings.emplace_back("no request was answered in the measured cycles");
    }
  }

  void report_steadiness(run_result& result) const {
    const interval_estimate known = batches_.estimate(run_.confidence);
    statistics_group& group = result.statistics.group("run");
    group.add("batches", static_cast<std::uint64_t>(batches_.batches()), "batches",
              "Batches from which the mean latency is estimated.");
    group.add("batch_length", batches_.length(), "cycles", "Length of these batches.");
    group.add("half_width", known.half_width, "cycles",
              "Half-width of the confidence interval of the mean latency (batch means).");
    if (!is_steady_ && !result.partial) {
      result.warnings.push_back("the mean latency was not steady after run.maximum_cycles = " +
                                std::to_string(run_.maximum_cycles));
    }
  }

  void drain(run_result& result) {
    if (machine_->drain([this] { return cancelled(); })) return;
    result.partial = true;
    result.warnings.emplace_back("interrupted before the drain check had ended");
  }

  std::string save() const {
    return save_state(save_state(measuring_, is_steady_, measured_from_, batch_from_, batch_sum_,
                                 batch_count_, batches_, occupancy_),
                      machine_->save());
  }

  void restore(const std::string& state) {
    std::string own;
    std::string machine;
    restore_state(state, own, machine);
    restore_state(own, measuring_, is_steady_, measured_from_, batch_from_, batch_sum_,
                  batch_count_, batches_, occupancy_);
    machine_->restore(machine);
  }

  const run_config& run_;
  const run_hooks& hooks_;
  std::unique_ptr<simulation> machine_;
  std::uint64_t chunk_ = 1;
  bool ended_ = false;

  // What a checkpoint holds beside the machine.
  bool measuring_ = false;
  bool is_steady_ = false;
  cycle_t measured_from_ = 0;
  cycle_t batch_from_ = 0;
  std::uint64_t batch_sum_ = 0;
  std::uint64_t batch_count_ = 0;
  batch_means batches_;
  occupancy_record occupancy_;
};

}  // namespace

run_result run_experiment(const experiment& what, std::uint64_t seed, const run_hooks& hooks) {
  return measurement(what, seed, hooks).run(seed);
}

}  // namespace tributary
