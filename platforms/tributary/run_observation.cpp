// SPDX-License-Identifier: Apache-2.0
#include "run_observation.h"

#include <algorithm>

#include <CLI/CLI.hpp>

#include <tributary/base/error.h>

#include <run/checkpoint_file.h>
#include <ultracomputer/rtl_switches.h>

#include "output_folder.h"
#include "rtl_waveforms.h"

namespace tributary {
namespace {

void check_options(const observation_options& options) {
  const bool has_sink = !options.log.empty() || !options.vcd.empty() || !options.perfetto.empty();
  const event_filter_options& filter = options.filter;
  const bool has_filter = !filter.window.empty() || !filter.stages.empty() ||
                          !filter.switches.empty() || !filter.pes.empty();
  const bool window_only = filter.stages.empty() && filter.switches.empty() && filter.pes.empty();
  if (has_filter && !has_sink && !(window_only && !options.fst.empty())) {
    throw configuration_error(
        "--window, --stages, --switches and --pes choose events for --log, "
        "--vcd or --perfetto, --window also cycles for --fst; add one of these");
  }
  if (!options.record.empty() && !options.resume.empty()) {
    throw configuration_error(
        "--record needs the run from its first cycle, and --resume begins "
        "later; record the whole run");
  }
  if (options.checkpoint.empty() != (options.checkpoint_at == 0)) {
    throw configuration_error(
        "--checkpoint FILE and --checkpoint-at CYCLE (from 1 on) belong "
        "together; give both");
  }
}

/// The files that the options ask for, none twice: the last written would be all that is left.
std::vector<std::string> files_of(const observation_options& options) {
  std::vector<std::string> files;
  for (const std::string& path :
       {options.log, options.vcd, options.perfetto, options.record, options.checkpoint}) {
    if (path.empty()) continue;
    const bool is_device = path.rfind("/dev/", 0) == 0;
    if (!is_device && std::find(files.begin(), files.end(), path) != files.end()) {
      throw configuration_error(path + " is named by two options; give each a file of its own");
    }
    files.push_back(path);
  }
  return files;
}

/// Throws `configuration_error` for a checkpoint that a run of fixed length never comes to.
void check_checkpoint(const observation_options& options, const experiment& what) {
  const bool wanted = !options.checkpoint.empty() || !options.resume.empty();
  if (wanted && !describe_rtl(what.machine.network).empty()) {
    throw configuration_error(
        "--checkpoint and --resume cannot hold the state of RTL, and "
        "network.rtl is \"" +
        what.machine.network.rtl + "\"; run with network.rtl = none, or without checkpoints");
  }
  const run_config& run = what.run;
  if (run.until != run_end::cycles || options.checkpoint_at <= run.warmup + run.cycles) return;
  throw configuration_error("--checkpoint-at: " + std::to_string(options.checkpoint_at) +
                            " is after the run's last cycle, " +
                            std::to_string(run.warmup + run.cycles) + "; choose an earlier one");
}

machine_shape shape_of_experiment(const experiment& what) {
  return {what.machine.network.processing_elements, what.machine.network.stages()};
}

}  // namespace

void add_observation_options(CLI::App& command, observation_options& options) {
  command.add_option("--log", options.log, "Write the event log to FILE (.gz: compressed).")
      ->type_name("FILE");
  command.add_option("--vcd", options.vcd, "Write a value change dump to FILE.")->type_name("FILE");
  command.add_option("--perfetto", options.perfetto, "Write a Perfetto trace to FILE.")
      ->type_name("FILE");
  command
      .add_option("--fst", options.fst,
                  "Write the waveforms of these switches, which must be RTL, into the folder of "
                  "--out, or here: \"stage 1 switch 0\", or what network.rtl allows.")
      ->type_name("SWITCH")
      ->check(CLI::Validator(
          [](const std::string& text) {
            return text.empty() ? std::string("name a switch, as \"stage 0 switch 0\"")
                                : std::string();
          },
          ""));
  command.add_option("--window", options.filter.window, "Only events and signals in cycles A..B.")
      ->type_name("A..B");
  command
      .add_option("--stages", options.filter.stages,
                  "Only events at these stages: 0..3,7; pe and mm are the ends.")
      ->type_name("LIST");
  command.add_option("--switches", options.filter.switches, "Only events in these switches.")
      ->type_name("LIST");
  command.add_option("--pes", options.filter.pes, "Only requests of these elements.")
      ->type_name("LIST");
  command
      .add_option("--record", options.record,
                  "Write the trace of all requests to FILE (.gz: compressed), for replay.")
      ->type_name("FILE");
  command.add_option("--checkpoint-at", options.checkpoint_at, "Checkpoint after this cycle.")
      ->type_name("CYCLE");
  command.add_option("--checkpoint", options.checkpoint, "File of the checkpoint.")
      ->type_name("FILE");
  command.add_option("--resume", options.resume, "Begin from the checkpoint in FILE.")
      ->type_name("FILE");
}

run_observation::run_observation(const observation_options& options, const experiment& what,
                                 std::uint64_t seed)
    : options_(options),
      what_(what),
      seed_(seed),
      filter_(options.filter, shape_of_experiment(what)),
      checkpoint_done_(options.checkpoint.empty()) {
  check_options(options);
  check_checkpoint(options, what);
  for (const std::string& path : files_of(options)) check_writable(path);
  if (options.resume.empty()) return;
  const saved_run saved = read_checkpoint(options.resume, what, seed);
  if (!options.checkpoint.empty() && options.checkpoint_at <= saved.cycle) {
    throw configuration_error("--checkpoint-at: the run resumes after cycle " +
                              std::to_string(saved.cycle) + "; choose a later one");
  }
  resumed_state_ = saved.state;
}

std::vector<std::string> run_observation::write_waveforms_of(experiment& what) const {
  if (options_.fst.empty()) return {};
  return write_waveforms(what, seed_, options_.fst, options_.fst_folder, filter_.first_cycle(),
                         filter_.last_cycle());
}

run_hooks run_observation::hooks() {
  run_hooks hooks;
  hooks.begin = [this](machine& simulated) { open_sinks(simulated); };
  hooks.end = [this](machine& simulated, bool partial) { finish_sinks(simulated, partial); };
  hooks.resume = resumed_state_;
  hooks.checkpoint_cycle = options_.checkpoint_at;
  hooks.checkpoint = [this](const std::string& state) {
    write_checkpoint(options_.checkpoint, what_, seed_, options_.checkpoint_at, state);
    checkpoint_done_ = true;
  };
  return hooks;
}

std::vector<std::string> run_observation::warnings() const {
  if (filter_.first_cycle() <= last_cycle_) return {};
  return {"--window " + options_.filter.window + " begins after the run's last cycle, " +
          std::to_string(last_cycle_) + ", so the event files hold no events"};
}

void run_observation::open_sinks(machine& simulated) {
  if (!options_.log.empty()) sinks_.push_back(open_text_log(options_.log, filter_, simulated));
  if (!options_.vcd.empty()) sinks_.push_back(open_vcd(options_.vcd, filter_, simulated));
  if (!options_.perfetto.empty()) {
    sinks_.push_back(open_perfetto(options_.perfetto, filter_, simulated));
  }
  for (const std::unique_ptr<event_sink>& sink : sinks_) simulated.observers().attach(*sink);
  if (!options_.record.empty()) {
    recording_ = std::make_unique<trace_writer>(options_.record);
    simulated.interfaces().offers().attach(*recording_);
  }
}

void run_observation::finish_sinks(machine& simulated, bool partial) {
  last_cycle_ = simulated.now();
  for (const std::unique_ptr<event_sink>& sink : sinks_) {
    simulated.observers().detach(*sink);
    sink->finish(partial);
  }
  sinks_.clear();
  if (recording_ == nullptr) return;
  simulated.interfaces().offers().detach(*recording_);
  recording_->finish(partial);
  recording_.reset();
}

}  // namespace tributary
