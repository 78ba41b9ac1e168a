// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <tributary/sim/atomic_file.h>
#include <tributary/sim/error.h>

#include <run/block_times.h>
#include <run/published.h>
#include <run/result_table.h>
#include <run/results.h>
#include <run/run_experiment.h>
#include <run/sealed_json.h>
#include <run/text_table.h>

#include "commands.h"
#include "interruption.h"
#include "output_folder.h"
#include "progress_display.h"
#include "say.h"
#include "seed_list.h"

namespace tributary {
namespace {

using all_results = std::vector<std::vector<run_result>>;

std::vector<std::uint64_t> seeds_of(const run_options& options) {
  if (!options.seeds.empty()) return parse_seeds(options.seeds, "--seeds");
  const std::vector<std::uint64_t> seeds =
      parse_seeds(options.seed.empty() ? "1" : options.seed, "--seed");
  if (seeds.size() == 1) return seeds;
  throw configuration_error("--seed takes one seed; give several by --seeds " + options.seed);
}

/// All results are kept until the last run has ended.
void check_runs(std::size_t points, std::size_t seeds) {
  constexpr std::size_t most_runs = 1000000;
  if (points * seeds <= most_runs) return;
  throw configuration_error(
      {"--seeds", "",
       fmt::format("{} seeds of {} points are {} runs", seeds, points, points * seeds),
       fmt::format("1 to {} runs", most_runs), "give fewer seeds or vary fewer values"});
}

/// The sinks of the only run, or none. Throws `configuration_error` if there are several runs.
std::unique_ptr<run_observation> observation_of(const run_options& options,
                                                const experiment_file& file,
                                                const std::vector<std::uint64_t>& seeds) {
  const std::size_t runs = file.experiments.size() * seeds.size();
  if (options.observation.any() && runs > 1) {
    throw configuration_error(fmt::format(
        "event files, recordings and checkpoints are of one run, and {} asks for {}; choose a "
        "point by --series NAME, --set PARAMETER=VALUE and --seed N",
        file.path, runs));
  }
  // Without any option it still notices filters that choose nothing.
  if (runs != 1) return nullptr;
  return std::make_unique<run_observation>(options.observation, file.experiments.front(),
                                           seeds.front());
}

/// The tables that the file asks for; without any, the platform's usual one by all that varies.
std::vector<table_layout> tables_of(const experiment_file& file) {
  if (!file.tables.empty()) return file.tables;
  table_layout usual = file.experiments.front().machine->usual_table();
  usual.rows = file.varied;
  usual.columns = file.series.empty() ? "" : "series";
  return {usual};
}

std::vector<published_number> published_of(const experiment_file& file) {
  std::vector<std::string> ids;
  for (const table_layout& table : file.tables) {
    ids.insert(ids.end(), table.published.begin(), table.published.end());
  }
  return load_published(file.path, ids);
}

void print_heading(const experiment_file& file) {
  if (!file.title.empty()) fmt::print("{}\n", file.title);
  if (!file.description.empty()) fmt::print("{}", wrap_text(file.description, line_width(), 2));
  fmt::print("\n");
  std::fflush(stdout);
}

/// Which switches are RTL, of each point that has any; once if all points have the same.
void print_rtl(const experiment_file& file) {
  std::vector<std::string> lines;
  bool all_the_same = true;
  const std::string first = file.experiments.front().machine->rtl();
  for (const experiment& each : file.experiments) {
    const std::string rtl = each.machine->rtl();
    all_the_same = all_the_same && rtl == first;
    if (!rtl.empty()) lines.push_back(fmt::format("RTL in {}: {}\n", each.name(), rtl));
  }
  if (lines.empty()) return;
  if (all_the_same) lines = {fmt::format("RTL: {}\n", first)};
  fmt::print("{}\n", fmt::join(lines, ""));
}

void print_tables(const experiment_file& file, const all_results& results,
                  const std::vector<published_number>& published) {
  for (const table_layout& layout : tables_of(file)) {
    std::vector<published_number> beside;
    for (const published_number& number : published) {
      for (const std::string& id : layout.published) {
        if (number.id == id) beside.push_back(number);
      }
    }
    fmt::print("{}\n", result_table(layout, file, results, beside));
  }
}

void print_run_warnings(const experiment_file& file, const all_results& results) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    for (const run_result& result : results[i]) {
      for (const std::string& text : result.warnings) {
        if (text == result.undrained) continue;  // an error, no warning
        say(fmt::format("tributary: warning: {}, seed {}: {}\n", file.experiments[i].name(),
                        result.seed, text));
      }
    }
  }
}

/// Says of every run that could not be drained that it failed; returns whether there is any.
bool print_undrained(const experiment_file& file, const all_results& results) {
  bool found = false;
  for (std::size_t i = 0; i < results.size(); ++i) {
    for (const run_result& run : results[i]) {
      if (run.undrained.empty()) continue;
      found = true;
      say(fmt::format(
          "tributary: {}, seed {}: {}; the results are those measured before it, and a machine "
          "that is stuck is a bug: keep the run file and report it\n",
          file.experiments[i].name(), run.seed, run.undrained));
    }
  }
  return found;
}

bool is_partial(const all_results& results, std::size_t seeds) {
  return std::any_of(results.begin(), results.end(), [seeds](const std::vector<run_result>& runs) {
    return runs.size() < seeds ||
           std::any_of(runs.begin(), runs.end(), [](const run_result& run) { return run.partial; });
  });
}

/// Throws `configuration_error` for a point whose engine does not show its blocks.
void check_profile(const experiment_file& file) {
  for (const experiment& each : file.experiments) {
    if (each.run.engine != engine_kind::systemc) continue;
    throw configuration_error(
        {"--profile", "", "run.engine is systemc, whose processes it does not see",
         "runs with run.engine = loop", "set run.engine = loop, which gives the same results"});
  }
}

/// The hooks of a run whose blocks are looked at, from the first cycle up to the drain check.
run_hooks profiled(run_hooks hooks, block_times& times) {
  current_activity& activity = times.add();
  hooks.activity = &activity;
  hooks.begin = [&, before = std::move(hooks.begin)](simulation& machine) {
    if (before) before(machine);
    times.begin(activity);
  };
  hooks.end = [&, after = std::move(hooks.end)](simulation& machine, bool partial) {
    times.end(activity);
    if (after) after(machine, partial);
  };
  return hooks;
}

/// Says what became of the trigger of a recording, if there is one.
void tell_trigger(const run_observation* observation) {
  const std::string text = observation == nullptr ? "" : observation->trigger_text();
  if (!text.empty()) say(fmt::format("tributary: {}\n", text));
}

all_results simulate(const experiment_file& file, const std::vector<std::uint64_t>& seeds,
                     const run_options& options, run_observation* observation) {
  progress_display display(file.experiments, seeds.size(),
                           options.quiet ? progress_style::silent : usual_progress_style());
  batch_hooks hooks;
  hooks.cancel = &watch_for_interruption();
  hooks.keep_undrained = true;  // what was measured before is worth keeping
  hooks.progress = [&](std::size_t job, const run_progress& step) { display.advanced(job, step); };
  hooks.finished = [&](std::size_t point, const run_result& run) { display.finished(point, run); };
  std::unique_ptr<block_times> times;
  if (options.profile) times = std::make_unique<block_times>();
  hooks.each = [&](std::size_t, std::uint64_t) {
    run_hooks own = observation == nullptr ? run_hooks() : observation->hooks();
    return times == nullptr ? own : profiled(std::move(own), *times);
  };
  all_results results;
  try {
    results = run_all(file.experiments, seeds, options.threads, hooks);
  } catch (...) {
    display.clear();
    tell_trigger(observation);
    if (times != nullptr) say(times->text());
    throw;
  }
  display.clear();
  display.tell_rate();
  if (times != nullptr) say(times->text());
  return results;
}

/// Returns the path of the file.
std::string write_results(const std::string& folder, const experiment_file& file,
                          const std::vector<std::uint64_t>& seeds, const all_results& results,
                          bool partial) {
  const std::string path = (std::filesystem::path(folder) / "results.json").string();
  write_file_atomically(path, sealed_text(results_to_json(file, seeds, results, partial)));
  return path;
}

}  // namespace

int run_command(const run_options& options) {
  const progress_style style = options.quiet ? progress_style::silent : usual_progress_style();
  experiment_file file = load_run_file(options.input, style);
  const std::vector<std::uint64_t> seeds = seeds_of(options);
  check_runs(file.experiments.size(), seeds.size());
  const std::vector<published_number> published = published_of(file);
  print_warnings(file);
  if (options.profile) check_profile(file);
  if (!options.out.empty()) prepare_output_folder(options.out);
  const std::unique_ptr<run_observation> observation = observation_of(options, file, seeds);
  std::vector<std::string> waveforms;
  if (observation != nullptr) {
    waveforms = observation->write_waveforms_of(file.experiments.front());
  }

  print_heading(file);
  print_rtl(file);
  const all_results results = simulate(file, seeds, options, observation.get());
  const bool partial = is_partial(results, seeds.size());
  print_run_warnings(file, results);
  // Here, as neither an interruption nor a table that cannot be made may hide it.
  const bool undrained = print_undrained(file, results);
  tell_trigger(observation.get());
  if (observation != nullptr) {
    for (const std::string& text : observation->warnings()) {
      say(fmt::format("tributary: warning: {}\n", text));
    }
  }
  // Before the tables: one that cannot be made must not cost what was measured. Nor must a disk
  // that is full by now cost the tables.
  std::string written;
  try {
    if (!options.out.empty()) written = write_results(options.out, file, seeds, results, partial);
  } catch (const input_error&) {
    print_tables(file, results, published);
    throw;
  }
  print_tables(file, results, published);
  for (const std::string& path : waveforms) fmt::print("Waveform: {}\n", path);
  if (!written.empty()) {
    fmt::print("Everything measured, with the configuration of each point: {}\n", written);
  }
  if (partial) {
    say("tributary: interrupted; results are partial and marked as such (*)\n");
    return interrupted;
  }
  if (undrained) return failure;
  if (observation != nullptr && !observation->checkpoint_done()) {
    throw configuration_error(
        "--checkpoint-at: the run ended before that cycle, so there is no "
        "checkpoint; choose an earlier one");
  }
  return success;
}

}  // namespace tributary
