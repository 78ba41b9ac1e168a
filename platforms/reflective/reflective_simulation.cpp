// SPDX-License-Identifier: Apache-2.0
#include "reflective_simulation.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <tributary/sim/checkpoint.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>
#include <tributary/sim/state_archive.h>

namespace tributary {
namespace {

/// First in a checkpoint; the number changes with the layout of what follows.
constexpr const char* checkpoint_layout = "tributary.reflective_checkpoint/1";

std::string config_text(reflective_config config) {
  return parameter_set::of(config).resolved_json();
}

}  // namespace

reflective_simulation::reflective_simulation(const reflective_config& config, std::uint64_t seed)
    : reflective_simulation(config, seed, make_reflective_collectives(config.program)) {}

reflective_simulation::reflective_simulation(const reflective_config& config, std::uint64_t seed,
                                             std::unique_ptr<program> own_program)
    : config_((config.validate(), config)),
      seed_(seed),
      ring_(config_.ring, config_.nodes, agenda_),
      addresses_(config_.regions(), config_.nodes),
      programs_(config_.run, std::move(own_program), reflective_config::processor(), addresses_,
                seed),
      elements_(programs_) {
  for (std::uint32_t i = 0; i < config_.nodes; ++i) elements_.add(i, agenda_, ring_.port(i));
  ring_.trace(trace_scope(catalog_, nullptr));
  recorder_.reset(catalog_.tracks());
}

void reflective_simulation::run_until(cycle_t last) {
  observe();
  while (now() < last && !finished()) {
    const cycle_t impatient = std::max(programs_.patient_until(), now()) + 1;
    simulate(std::min(last, impatient));
    programs_.check_progress(now());
  }
}

void reflective_simulation::simulate(cycle_t last) {
  while (now() < last && !finished()) {
    const cycle_t next = std::min(agenda_.next_wakeup(), last);
    try {
      agenda_.advance_to(next);
    } catch (...) {
      recorder_.tell(next);  // what led there
      throw;
    }
    recorder_.tell(next);
  }
}

/// Lets the ring report while somebody observes. Tracks come in the same order as in the catalog
/// that sinks know.
void reflective_simulation::observe() {
  if (observed_ == recorder_.observed()) return;
  observed_ = recorder_.observed();
  recorder_.reset(catalog_.tracks());
  trace_catalog same(catalog_.machine(), catalog_.origin());
  ring_.trace(trace_scope(same, observed_ ? &recorder_ : nullptr));
}

bool reflective_simulation::show(current_activity* activity) {
  agenda_.show(activity);
  return true;
}

bool reflective_simulation::drain(const std::function<bool()>& cancelled) {
  constexpr std::uint64_t step = 1000000;
  programs_.stop();
  while (!finished()) {
    if (cancelled && cancelled()) return false;
    if (agenda_.next_wakeup() == never) {
      throw drain_error(fmt::format(
          "drain check: nothing is to happen after cycle {}, and the ring is not idle", now()));
    }
    run_until(now() + step);
  }
  return true;
}

void reflective_simulation::reset_statistics() {
  measured_from_ = now();
  ring_.reset_statistics();
  programs_.reset_statistics();
}

/// What programs sampled, in microseconds.
void reflective_simulation::report_times(statistics_tree& tree) const {
  const std::vector<flat_statistic> all = tree.flatten();
  const auto add = [&](const std::string& end, const std::string& description) {
    const std::string path = "workload.samples.operation." + end;
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const flat_statistic& each) { return each.path == path; });
    const double cycles = found == all.end() ? 0 : found->value;
    tree.group("operation")
        .add(end, cycles * static_cast<double>(config_.clock.period) / 1e6, "us",
             "From the last begin to the last end: " + description);
  };
  add("mean", "mean of the repetitions.");
  add("min", "the least.");
  add("max", "the greatest.");
}

statistics_tree reflective_simulation::statistics() const {
  statistics_tree tree;
  const cycle_t cycles = now() - measured_from_;
  tree.group("machine").add("cycles", cycles, "cycles", "Cycles measured, after the warm-up.");
  programs_.report(tree.group("workload"));
  report_times(tree);
  ring_.report(tree.group(ring_.name()), cycles);
  tree.group(ring_.name())
      .add("throughput", ring_.throughput(config_.clock.period), "MB/s",
           "Words of 4 bytes that all nodes have, from the first on the ring to the last.");
  for (std::uint32_t i = 0; i < config_.nodes; ++i) {
    programs_.report_element(i, tree.group(fmt::format("node.{}.program", i)));
  }
  return tree;
}

machine_trace reflective_simulation::trace() {
  trace_start start;
  start.now = now();
  trace_catalog same(catalog_.machine(), catalog_.origin());
  ring_.trace(trace_scope(same, observed_ ? &recorder_ : nullptr, &start));
  return {catalog_,
          recorder_,
          start,
          elements_.offers(),
          programs_.intervals(),
          [this](std::uint32_t element) { return ring_.bus_track(element); },
          1};
}

std::string reflective_simulation::save() const {
  return seal_checkpoint(
      checkpoint_layout, config_text(config_), seed_,
      save_state(agenda_.save(), ring_.save(), programs_.save(), measured_from_));
}

void reflective_simulation::restore(const std::string& state) {
  std::string clockwork;
  std::string ring;
  std::string programs;
  restore_state(open_checkpoint(checkpoint_layout, config_text(config_), seed_, state), clockwork,
                ring, programs, measured_from_);
  // Programs first: the agenda knows for what they wait.
  programs_.restore(programs);
  ring_.restore(ring);
  agenda_.restore(clockwork);
}

}  // namespace tributary
