// SPDX-License-Identifier: Apache-2.0
#include "smp_simulation.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <tributary/sim/checkpoint.h>
#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>
#include <tributary/sim/state_archive.h>
#include <tributary/smp/smp_machine.h>

#ifdef TRIBUTARY_WITH_SYSTEMC
#include "smp_platform.h"
#endif

namespace tributary {
namespace {

/// First in a checkpoint; the number changes with the layout of what follows.
constexpr const char* checkpoint_layout = "tributary.smp_checkpoint/4";

std::string config_text(smp_config config) { return parameter_set::of(config).resolved_json(); }

/// The nodes in an engine. Throws what `smp_machine` throws, and `configuration_error` if the build
/// lacks the engine.
std::unique_ptr<smp_nodes> make_nodes(engine_kind engine, const smp_machine_config& config,
                                      const protocol_maker& protocols, std::uint64_t seed) {
  require_engine(engine);
#ifdef TRIBUTARY_WITH_SYSTEMC
  if (engine == engine_kind::systemc) {
    return std::make_unique<smp_platform>(config, protocols, seed);
  }
#endif
  return std::make_unique<smp_machine>(config, protocols, seed);
}

/// How much of the time in which its program has something to do a processor computes.
double share_of_computing(const protocol_role& role, std::uint32_t processor, cycle_t last) {
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < processor_duties; ++i) {
    const auto duty = static_cast<processor_duty>(i);
    if (duty == processor_duty::resting || duty == processor_duty::serving_resting) continue;
    all += role.cycles_at(processor, duty, last);
  }
  const std::uint64_t own = role.cycles_at(processor, processor_duty::computing, last);
  return all == 0 ? 0 : static_cast<double>(own) / static_cast<double>(all);
}

}  // namespace

smp_simulation::smp_simulation(const smp_config& config, std::uint64_t seed, engine_kind engine)
    : smp_simulation((config.validate(), config), seed, engine,
                     [&](const address_map& map) { return config.programs(map); }) {}

smp_simulation::smp_simulation(const smp_config& config, std::uint64_t seed,
                               std::unique_ptr<program> own_program, engine_kind engine)
    : smp_simulation(config, seed, engine,
                     [&](const address_map&) { return config.drafted(std::move(own_program)); }) {}

smp_simulation::smp_simulation(const smp_config& config, std::uint64_t seed, engine_kind engine,
                               const make_function& make)
    : config_((config.validate_machine(), config)),
      seed_(seed),
      machine_(make_nodes(engine, config_.resolved_machine(), config_.protocols(), seed)),
      addresses_(config_.regions(), config_.machine.nodes),
      programs_(config_.resolved_choice().program.run, make(addresses_), config_.processor,
                addresses_, seed),
      elements_(programs_) {
  const std::uint32_t computing = config_.machine.node.computing();
  for (std::uint32_t i = 0; i < config_.machine.elements(); ++i) {
    smp_node& node = machine_->node(i / computing);
    elements_.add(i, node.clockwork(), node.port(i % computing));
    elements_.serve_own_interrupts(i, node, i % computing);
    node.warm(i % computing, i % computing * config_.warm_bytes(), config_.warm_bytes());
  }
}

void smp_simulation::run_until(cycle_t last) {
  while (now() < last && !finished()) {
    const cycle_t impatient = std::max(programs_.patient_until(), now()) + 1;
    machine_->run_until(std::min(last, impatient), [this] { return finished(); });
    check_progress();
  }
}

/// Names what no handler has answered, beside the programs that wait for it.
void smp_simulation::check_progress() {
  try {
    programs_.check_progress(now());
  } catch (const simulation_error& stuck) {
    throw simulation_error(stuck.what() + machine_->open_requests());
  }
}

/// Programs that do not get on are found by `check_progress`; here, messages that stay behind them.
bool smp_simulation::drain(const std::function<bool()>& cancelled) {
  constexpr std::uint64_t step = 1000;
  constexpr std::uint64_t patience = 1000000;
  programs_.stop();
  for (std::size_t i = 0; i < machine_->size(); ++i) machine_->node(i).stop_programs(now());
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

std::string smp_simulation::save() const {
  return seal_checkpoint(checkpoint_layout, config_text(config_), seed_,
                         save_state(machine_->save(), programs_.save(), measured_from_));
}

void smp_simulation::restore(const std::string& state) {
  std::string machine;
  std::string programs;
  restore_state(open_checkpoint(checkpoint_layout, config_text(config_), seed_, state), machine,
                programs, measured_from_);
  // Programs first: the machine's agendas know for what they wait.
  programs_.restore(programs);
  machine_->restore(machine);
}

void smp_simulation::reset_statistics() {
  measured_from_ = now();
  machine_->reset_statistics();
  programs_.reset_statistics();
}

double smp_simulation::computing() const {
  double all = 0;
  for (std::size_t i = 0; i < machine_->size(); ++i) {
    for (std::uint32_t p = 0; p < config_.machine.node.computing(); ++p) {
      all += share_of_computing(machine_->node(i).role(), p, now());
    }
  }
  return all / static_cast<double>(machine_->size());
}

double smp_simulation::handling(cycle_t cycles) const {
  double all = 0;
  for (std::size_t i = 0; i < machine_->size(); ++i) {
    all += static_cast<double>(machine_->node(i).processing().busy());
  }
  return cycles == 0 ? 0 : all / static_cast<double>(cycles * machine_->size());
}

statistics_tree smp_simulation::statistics() const {
  statistics_tree tree;
  const cycle_t cycles = now() - measured_from_;
  statistics_group& whole = tree.group("machine");
  whole.add("cycles", cycles, "cycles", "Cycles measured, after the warm-up.");
  whole.add("costup", config_.costup(), "", "Cost of a node by that of one with one processor.");
  whole.add("cost_time", config_.costup() * static_cast<double>(cycles), "cycles",
            "Cost by time: relative to the machine with one processor a node, cost-performance; "
            "below 1 the further processors pay.");
  whole.add("computing", computing(), "processors",
            "Processors of a node that compute at a time, while their programs have something to "
            "do: what is left of a node beside communication.");
  whole.add("handling", handling(cycles), "",
            "Share of the cycles in which a node runs handlers, on average over nodes.");
  programs_.report(tree.group("workload"));
  machine_->report(tree.root());
  const std::uint32_t computing = config_.machine.node.computing();
  for (std::uint32_t i = 0; i < config_.machine.elements(); ++i) {
    programs_.report_element(
        i, tree.group(fmt::format("node.{}.program.{}", i / computing, i % computing)));
  }
  return tree;
}

machine_trace smp_simulation::trace() {
  const std::uint32_t computing = config_.machine.node.computing();
  return {machine_->catalog(),
          machine_->recorder(),
          machine_->held(),
          elements_.offers(),
          programs_.intervals(),
          [this, computing](std::uint32_t element) {
            return machine_->node(element / computing).track(element % computing);
          },
          1};
}

}  // namespace tributary
