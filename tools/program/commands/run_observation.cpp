// SPDX-License-Identifier: Apache-2.0
#include "run_observation.h"

#include <memory>
#include <utility>

#include <fmt/format.h>

#include <tributary/network/switching/mapped_network.h>
#include <tributary/processor/program_events.h>
#include <tributary/sim/atomic_file.h>
#include <tributary/sim/error.h>
#include <tributary/trace/event_condition.h>

#include <run/checkpoint_file.h>

#include "output_folder.h"
#include "rtl_waveforms.h"

namespace tributary {
namespace {

void check_options(const observation_options& options) {
  const event_files& files = options.files;
  const trace_filter_options& filter = files.filter;
  const bool chooses_events = !filter.tracks.empty() || !filter.origins.empty();
  const bool shows_cycles = files.shows_events() || !options.fst.empty();
  const bool keeps = files.kept.before != 0;
  const std::pair<bool, const char*> mistakes[] = {
      {keeps && files.events.empty(),
       "--keep-last bounds the recording of --events; add --events FILE"},
      {keeps && !filter.window.empty(),
       "--keep-last and --window both choose the cycles that --events records; give one of them"},
      {!files.kept.trigger.empty() && !keeps,
       "--trace-on needs the number of cycles to keep before the event; add --keep-last N"},
      {options.keep_next && files.kept.trigger.empty(),
       "--keep-next counts cycles after the event of --trace-on; add --trace-on CONDITION"},
      {chooses_events && !files.shows_events(),
       "--trace and --origins choose events for --log, --vcd, --perfetto or --events; add one of "
       "these"},
      {!filter.window.empty() && !shows_cycles,
       "--window chooses cycles for --log, --vcd, --perfetto, --events or --fst; add one of these"},
      {!files.record.empty() && !options.resume.empty(),
       "--record needs the run from its first cycle, and --resume begins later; record the whole "
       "run"},
      {options.checkpoint.empty() != (options.checkpoint_at == 0),
       "--checkpoint FILE and --checkpoint-at CYCLE (from 1 on) belong together; give both"}};
  for (const auto& [is_made, message] : mistakes) {
    if (is_made) throw configuration_error(message);
  }
}

/// Refuses a filter that does not fit the machine.
void check_filter(const trace_filter_options& filter, const platform_model& machine) {
  if (filter.tracks.empty() && filter.origins.empty()) return;
  trace_filter(filter, machine.make(engine_kind::loop, 1)->trace().catalog);
}

/// Refuses a trigger that does not fit the machine and its workload.
void check_trigger(const std::string& trigger, const platform_model& machine) {
  if (trigger.empty()) return;
  const std::unique_ptr<simulation> simulated = machine.make(engine_kind::loop, 1);
  const machine_trace trace = simulated->trace();
  if (trace.intervals != nullptr) {  // whose events the catalog has then
    interval_trace(trace.recorder, trace.catalog, trace.track_of_element, trace.element_ratio);
  }
  event_condition("--trace-on", trigger, trace.catalog);
}

/// Refuses the map of a machine that has none.
void check_map(const std::string& path, const experiment& point) {
  if (path.empty() || point.machine->make(point.run.engine, 1)->mapped() != nullptr) return;
  throw configuration_error({"--network-map", "",
                             "this machine does not tell how busy each link is",
                             "platform cluster with network.kind = buffered or wormhole",
                             "leave it out, or run another file"});
}

/// The files that the options ask for.
std::vector<std::string> files_of(const observation_options& options) {
  const event_files& files = options.files;
  return {files.log,    files.vcd,           files.perfetto,    files.events,
          files.record, options.network_map, options.checkpoint};
}

/// Throws `configuration_error` for a checkpoint that a run of fixed length never comes to.
void check_checkpoint(const observation_options& options, const experiment& point) {
  if (!options.checkpoint.empty() || !options.resume.empty()) {
    point.machine->require_checkpoints(point.run.engine);
  }
  const run_config& run = point.run;
  if (run.until != run_end::cycles || options.checkpoint_at <= run.warmup + run.cycles) return;
  throw configuration_error("--checkpoint-at: " + std::to_string(options.checkpoint_at) +
                            " is after the run's last cycle, " +
                            std::to_string(run.warmup + run.cycles) + "; choose an earlier one");
}

}  // namespace

run_observation::run_observation(const observation_options& options, const experiment& point,
                                 std::uint64_t seed)
    : options_(options), point_(point), seed_(seed), checkpoint_done_(options.checkpoint.empty()) {
  window_ = read_window(options.files.filter.window);
  check_options(options);
  check_filter(options.files.filter, *point.machine);
  check_trigger(options.files.kept.trigger, *point.machine);
  options_.files.kept.after = options.keep_next.value_or(options.files.kept.before);
  check_checkpoint(options, point);
  check_map(options.network_map, point);
  check_output_files(files_of(options),
                     options.fst_folder.empty() ? "" : options.fst_folder + "/results.json");
  if (options.resume.empty()) return;
  const saved_run saved = read_checkpoint(options.resume, point, seed);
  if (!options.checkpoint.empty() && options.checkpoint_at <= saved.cycle) {
    throw configuration_error("--checkpoint-at: the run resumes after cycle " +
                              std::to_string(saved.cycle) + "; choose a later one");
  }
  resumed_state_ = saved.state;
}

std::vector<std::string> run_observation::write_waveforms_of(experiment& point) const {
  if (options_.fst.empty()) return {};
  return write_waveforms(point, seed_, options_.fst, options_.fst_folder, window_.first,
                         window_.last);
}

run_hooks run_observation::hooks() {
  run_hooks hooks;
  hooks.begin = [this](simulation& simulated) {
    if (options_.files.any()) files_.emplace(options_.files, simulated);
  };
  // The machine is faster when nobody observes it.
  hooks.look = [this](simulation& simulated) {
    if (files_ && files_->complete()) finish_files(simulated, false);
  };
  hooks.end = [this](simulation& simulated, bool partial) {
    finish_files(simulated, partial);
    write_map(simulated, partial);
  };
  hooks.resume = resumed_state_;
  hooks.checkpoint_cycle = options_.checkpoint_at;
  hooks.checkpoint = [this](const std::string& state) {
    write_checkpoint(options_.checkpoint, point_, seed_, options_.checkpoint_at, state);
    checkpoint_done_ = true;
  };
  return hooks;
}

std::vector<std::string> run_observation::warnings() const {
  if (window_.first <= last_cycle_) return {};
  return {"--window " + options_.files.filter.window + " begins after the run's last cycle, " +
          std::to_string(last_cycle_) + ", so the event files hold no events"};
}

std::string run_observation::trigger_text() const {
  if (!outcome_) return "";
  const event_files& files = options_.files;
  if (!outcome_->fired) {
    return fmt::format("--trace-on \"{}\" never held; {} has the last {} cycles of the run",
                       files.kept.trigger, files.events, files.kept.before);
  }
  return fmt::format(
      "--trace-on \"{}\" first held in cycle {}, at {}; {} has {} cycles before it and up to {} "
      "after it",
      files.kept.trigger, outcome_->cycle, outcome_->event, files.events, files.kept.before,
      files.kept.after);
}

void run_observation::write_map(const simulation& simulated, bool partial) const {
  if (options_.network_map.empty()) return;
  atomic_file file(options_.network_map);
  file.write(network_map(*simulated.mapped(), partial).to_text() + "\n");
  file.commit();
}

void run_observation::finish_files(const simulation& simulated, bool partial) {
  last_cycle_ = simulated.now();
  if (!files_) return;
  files_->finish(partial);
  if (!options_.files.kept.trigger.empty()) outcome_ = files_->outcome();
  files_.reset();
}

}  // namespace tributary
