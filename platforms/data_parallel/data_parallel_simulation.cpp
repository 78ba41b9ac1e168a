// SPDX-License-Identifier: Apache-2.0
#include "data_parallel_simulation.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <tributary/sim/checkpoint.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>
#include <tributary/sim/state_archive.h>

namespace tributary {
namespace {

/// First in a checkpoint; the number changes with the layout of what follows.
constexpr const char* checkpoint_layout = "tributary.data_parallel_checkpoint/2";

std::string config_text(data_parallel_config config) {
  return parameter_set::of(config).resolved_json();
}

}  // namespace

data_parallel_simulation::data_parallel_simulation(const data_parallel_config& config,
                                                   std::uint64_t seed)
    : data_parallel_simulation(config, seed,
                               [](const data_parallel_config& own) { return own.programs(); }) {}

data_parallel_simulation::data_parallel_simulation(const data_parallel_config& config,
                                                   std::uint64_t seed,
                                                   std::unique_ptr<program> own_program)
    : data_parallel_simulation(config, seed, [&](const data_parallel_config& own) {
        return own.acting(std::move(own_program));
      }) {}

data_parallel_simulation::data_parallel_simulation(const data_parallel_config& config,
                                                   std::uint64_t seed, const make_function& make)
    : config_((config.validate(), config)),
      seed_(seed),
      machine_(make_data_parallel_machine(config_, seed)),
      addresses_(config_.regions(), config_.nodes),
      programs_(config_.run, make(config_), config_.processor, addresses_, seed),
      elements_(programs_),
      account_(config_.resolved_account()),
      round_trips_(config_.resolved_round_trips()) {
  machine_->join(elements_);
  if (!config_.account.enabled) return;
  machine_->attach(account_, elements_);
  if (config_.resolved_round_trips().enabled) machine_->attach(round_trips_);
}

data_parallel_simulation::~data_parallel_simulation() {
  machine_->detach(account_);
  machine_->detach(round_trips_);
}

void data_parallel_simulation::run_until(cycle_t last) {
  while (now() < last && !finished()) {
    const cycle_t impatient = std::max(programs_.patient_until(), now()) + 1;
    const cycle_t look = std::max(machine_->watch_at(), now() + 1);
    run_parked(std::min({last, impatient, look}));
    programs_.check_progress(now());
    machine_->watch();
    if (programs_.finished() && machine_->is_stuck()) {
      throw simulation_error(fmt::format(
          "the programs have ended, and messages that they sent wait for ever: nobody takes them "
          "from an interface, in cycle {}",
          now()));
    }
  }
}

/// Polls of a flag in a cache are not simulated one by one: on a slow network there is little else.
void data_parallel_simulation::run_parked(cycle_t last) {
  const auto ends = [this] { return finished(); };
  if (!config_.has_caches()) {
    machine_->engine().run_until(last, ends);
    return;
  }
  elements_.let_park(config_.processor.turnaround, config_.caches.hit);
  try {
    machine_->engine().run_until(last, ends);
  } catch (...) {
    elements_.end_parking();
    throw;
  }
  elements_.end_parking();
}

bool data_parallel_simulation::drain(const std::function<bool()>& cancelled) {
  constexpr std::uint64_t step = 1000;
  constexpr std::uint64_t patience = 1000000;
  programs_.stop();
  const cycle_t ended = now();
  while (!finished()) {
    if (cancelled && cancelled()) return false;
    run_until(now() + step);
    if (!finished() && now() - ended > patience + step) {
      throw drain_error(fmt::format(
          "drain check: the programs ended by cycle {}, and messages stay until cycle {}", ended,
          now()));
    }
  }
  return true;
}

std::string data_parallel_simulation::save() const {
  return seal_checkpoint(checkpoint_layout, config_text(config_), seed_,
                         save_state(machine_->engine().save(), programs_.save(), account_,
                                    round_trips_, measured_from_));
}

void data_parallel_simulation::restore(const std::string& state) {
  std::string machine;
  std::string programs;
  restore_state(open_checkpoint(checkpoint_layout, config_text(config_), seed_, state), machine,
                programs, account_, round_trips_, measured_from_);
  // Programs first: the machine's agendas know for what they wait.
  programs_.restore(programs);
  machine_->engine().restore(machine);
}

void data_parallel_simulation::reset_statistics() {
  measured_from_ = now();
  machine_->engine().reset_statistics();
  programs_.reset_statistics();
  account_.reset();
  round_trips_.reset();
}

statistics_tree data_parallel_simulation::statistics() const {
  statistics_tree tree;
  statistics_group& whole = tree.group("machine");
  whole.add("cycles", now() - measured_from_, "cycles", "Cycles measured, after the warm-up.");
  machine_->report_handlers(whole);
  if (config_.account.enabled) {
    communication_account all = account_;
    machine_->complete(all);
    all.report(tree.group("account"));
    if (config_.resolved_round_trips().enabled) {
      round_trips_.report(tree.group("account").group("round_trips"));
    }
  }
  programs_.report(tree.group("workload"));
  machine_->engine().report(tree.root());
  for (std::uint32_t i = 0; i < config_.nodes; ++i) {
    programs_.report_element(i, tree.group(fmt::format("node.{}.program", i)));
  }
  return tree;
}

machine_trace data_parallel_simulation::trace() {
  return {machine_->engine().catalog(),
          machine_->engine().recorder(),
          machine_->engine().held(),
          elements_.offers(),
          programs_.intervals(),
          [this](std::uint32_t element) { return machine_->track(element); },
          1};
}

}  // namespace tributary
