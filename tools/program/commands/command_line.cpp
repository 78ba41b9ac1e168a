// SPDX-License-Identifier: Apache-2.0
// The options of every command. Only this file includes the parser, which takes long to compile.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <tributary/sim/error.h>
#include <tributary/sim/names.h>

#include <run/results.h>
#include <run/text_table.h>

#include "commands.h"
#include "completion.h"

namespace tributary {
namespace {

constexpr const char* examples = R"(Examples:
  tributary run polling --out results            the paper's polling experiment
  tributary run improved --set network.processing_elements=64 --seeds 1..5
  tributary run machine.json --set run.until=steady --log events.log
  tributary run fbcopy --perfetto trace.json     a block transfer of FLASH
  tributary run polling --series improved --events run.tbe
  tributary trace run.tbe --perfetto trace.json  of the events recorded
  tributary describe flash                       every parameter of a platform
  tributary describe workload.traffic hot_words  those of a group, and one
  tributary compare old/results.json new/results.json

Exit status: 0 done, 1 failed (compare: results differ), 2 wrong usage or run
file, 130 interrupted, with partial results.)";

/// Help in lines that fit the terminal. The parser of Debian 12 wraps nothing.
class wrapping_formatter : public CLI::Formatter {
 public:
  std::string make_description(const CLI::App* command) const override {
    return wrap_text(command->get_description(), line_width());
  }
  std::string make_subcommand(const CLI::App* command) const override {
    const std::string lines = wrap_text(command->get_description(), line_width(), column_width_);
    return fmt::format("  {:<{}}{}", command->get_name(), column_width_ - 2,
                       lines.substr(column_width_));
  }
  /// The parser indents these lines, and ends the last.
  std::string make_option_desc(const CLI::Option* option) const override {
    std::string lines = wrap_text(option->get_description(), line_width() - column_width_);
    if (!lines.empty()) lines.pop_back();
    return lines;
  }
};

/// An option with a value, of the type that the help names.
template <class Value>
CLI::Option* add_value(CLI::App& command, const char* name, Value& value, const char* type,
                       const char* description) {
  CLI::Option* option = command.add_option(name, value, description)->type_name(type);
  option->check(CLI::Validator(
      [type](const std::string& text) {
        return text.empty()
                   ? fmt::format("the value is empty; give {}, or leave the option out", type)
                   : std::string();
      },
      ""));
  return option->allow_extra_args(false);
}

void add_run_file_options(CLI::App& command, run_file_options& options) {
  command.add_option("FILE", options.file, "Run file, or name of a preset.")->required();
  add_value(command, "--set", options.sets, "NAME=VALUE",
            "NAME=VALUE: a parameter over the file; NAME=[V,V,...] varies it. Repeatable.");
  add_value(command, "--series", options.series, "NAME",
            "Only this series of the file. Repeatable.");
}

/// The files that show events.
void add_event_files(CLI::App& command, event_files& files) {
  add_value(command, "--log", files.log, "FILE", "Write the event log to FILE (.gz: compressed).");
  add_value(command, "--vcd", files.vcd, "FILE", "Write a value change dump to FILE.");
  add_value(command, "--perfetto", files.perfetto, "FILE",
            "Write a Perfetto trace to FILE: protobuf if it is called .pftrace, else JSON.");
}

/// Which events they show. `window_of`: what a window chooses from.
void add_event_filter(CLI::App& command, trace_filter_options& filter, const char* window_of) {
  add_value(command, "--window", filter.window, "A..B", window_of);
  add_value(command, "--trace", filter.tracks, "LIST",
            "Only events of these units and ports: stage.0-2,node.3.inbox.");
  add_value(command, "--origins", filter.origins, "LIST",
            "Only events about references and messages of these elements or nodes: 0..3,7; those "
            "about none are always shown.");
}

/// A number of cycles; the parser itself takes -1 for the largest.
CLI::Validator cycles_from(std::uint64_t least) {
  return {[least](const std::string& text) {
            const bool is_number = text.find_first_not_of("0123456789") == std::string::npos;
            const bool is_zero = text.find_first_not_of('0') == std::string::npos;
            if (is_number && (!is_zero || least == 0)) return std::string();
            return fmt::format("{} is no number of cycles; give a whole number from {} on", text,
                               least);
          },
          ""};
}

void add_observation_options(CLI::App& command, observation_options& options) {
  event_files& files = options.files;
  add_event_files(command, files);
  add_value(command, "--events", files.events, "FILE",
            "Record all events in FILE (.tbe), of which `tributary trace` makes the files above. "
            "Takes the least time of them.");
  add_value(command, "--keep-last", files.kept.before, "N",
            "Record only the last N cycles by --events: up to the end, a failure or --trace-on.")
      ->check(cycles_from(1));
  add_value(command, "--trace-on", files.kept.trigger, "CONDITION",
            "Record what leads to the first event that fulfils the condition, and what follows: "
            "\"event = delivered and latency > 500\".");
  add_value(command, "--keep-next", options.keep_next, "M",
            "Cycles to record after that event; N if not given.")
      ->check(cycles_from(0));
  add_value(command, "--fst", options.fst, "SWITCH",
            "Write the waveforms of these switches, which must be RTL, into the folder of --out, "
            "or here: \"stage 1 switch 0\", or what network.rtl allows.");
  add_event_filter(command, files.filter, "Only events and signals in cycles A..B.");
  add_value(command, "--record", files.record, "FILE",
            "Write the trace of all requests to FILE (.gz: compressed), for replay.");
  add_value(command, "--network-map", options.network_map, "FILE",
            "Write the network with how busy each link was to FILE: node-link JSON, which "
            "tributary-explore network-map draws.");
  add_value(command, "--checkpoint-at", options.checkpoint_at, "CYCLE",
            "Checkpoint after this cycle.");
  add_value(command, "--checkpoint", options.checkpoint, "FILE", "File of the checkpoint.");
  add_value(command, "--resume", options.resume, "FILE", "Begin from the checkpoint in FILE.");
}

void add_run(CLI::App& program, int& status) {
  CLI::App* command = program.add_subcommand(
      "run", "Simulate every point of a run file, and print its table of results.");
  auto options = std::make_shared<run_options>();
  add_run_file_options(*command, options->input);
  command
      ->add_option_function<std::string>(
          "--engine",
          [options](const std::string& name) {
            options->input.sets.push_back("run.engine=" + name);
          },
          "loop or systemc; the same as --set run.engine=NAME.")
      ->type_name("NAME");
  CLI::Option* seed =
      add_value(*command, "--seed", options->seed, "N", "Seed of all randomness; 1 if not given.");
  add_value(*command, "--seeds", options->seeds, "A..B", "Several seeds: 1..5 or 1,4,7..9.")
      ->excludes(seed);
  add_value(*command, "--out", options->out, "DIR", "Folder that gets results.json.");
  add_value(*command, "--threads", options->threads, "N",
            "Runs at a time; 0, as if not given: as many as there are processors. One where the "
            "engine is systemc.")
      ->check(CLI::Range(0, 1024));
  command->add_flag("--quiet", options->quiet, "No progress on stderr.");
  command->add_flag("--profile", options->profile,
                    "Tell on stderr which share of the time went into each block.");
  add_observation_options(*command, options->observation);
  command->callback([options, &status] {
    options->observation.fst_folder = options->out;
    status = run_command(*options);
  });
}

void add_describe(CLI::App& program, int& status) {
  CLI::App* command = program.add_subcommand(
      "describe", "Print every parameter with type, unit, range, default and description.");
  auto options = std::make_shared<describe_options>();
  command->add_option("NAME", options->words,
                      "Platform, or a run file or preset of it, the first of `tributary list` if "
                      "not given; then groups or parameters, all if none: network, hot_words.");
  add_value(*command, "--platform", options->platform, "NAME", "The platform as an option.");
  command->add_flag("--json", options->json, "Print JSON.");
  command->add_flag("--schema", options->schema,
                    "Print a JSON schema of the platform's run files, for editors.");
  command->callback([options, &status] { status = describe_command(*options); });
}

void add_validate_config(CLI::App& program, int& status) {
  CLI::App* command = program.add_subcommand(
      "validate-config",
      "Check a run file and print its resolved configuration: the values that all points share, "
      "then those of each point. Warnings go to stderr.");
  auto options = std::make_shared<run_file_options>();
  add_run_file_options(*command, *options);
  command->callback([options, &status] { status = validate_config_command(*options); });
}

void add_list(CLI::App& program, int& status) {
  CLI::App* command =
      program.add_subcommand("list", "List platforms, presets, workloads and programs.");
  command->callback([&status] { status = list_command(); });
}

void add_compare(CLI::App& program, int& status) {
  CLI::App* command = program.add_subcommand(
      "compare",
      "Print the statistics of two results side by side. Exit status 0: equal, 1: some differ, 2: "
      "they cannot be compared.");
  auto options = std::make_shared<compare_options>();
  command->add_option("RESULT", options->first, "results.json, or its folder.")->required();
  command->add_option("OTHER", options->second, "The same of the other.")->required();
  command->add_flag("--all", options->options.all, "Statistics that are equal too.");
  add_value(*command, "--statistic", options->options.statistics, "PATH",
            "Only statistics whose path begins so: interface.latency. Repeatable.");
  command->callback([options, &status] { status = compare_command(*options); });
}

void add_trace(CLI::App& program, int& status) {
  CLI::App* command = program.add_subcommand(
      "trace",
      "Make event logs, value change dumps and Perfetto traces of a recording of events, by `run "
      "--events`. Without an option for a file, print how many events of each kind are in it.");
  auto options = std::make_shared<trace_options>();
  command->add_option("FILE", options->recording, "The recording.")->required();
  add_event_files(*command, options->files);
  add_event_filter(
      *command, options->files.filter,
      "Only events in cycles A..B. Without these options, what those of the run chose.");
  command->callback([options, &status] { status = trace_command(*options); });
}

/// The commands and their options, as the parser knows them.
std::vector<completed_command> commands_of(const CLI::App& program) {
  std::vector<completed_command> commands;
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
    completed_command& added = commands.emplace_back();
    added.name = command->get_name();
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& name : option->get_lnames()) added.options.push_back("--" + name);
    }
  }
  return commands;
}

void add_completion(CLI::App& program, int& status) {
  CLI::App* command = program.add_subcommand(
      "completion",
      "Print a script by which a shell completes commands, options, presets and parameters.");
  auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "bash, zsh or fish.")
      ->required()
      ->check(CLI::IsMember(completing_shells()));
  command->callback([shell, &program, &status] {
    fmt::print("{}", completion_of(*shell, commands_of(program)));
    status = success;
  });
}

/// Says which command was meant, which the parser does not.
void check_command(const CLI::App& program, int count, char** arguments) {
  if (count < 2 || arguments[1][0] == '-') return;
  const std::string name = arguments[1];
  std::vector<std::string> known;
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == name) return;
    known.push_back(command->get_name());
  }
  throw configuration_error({name, "", "there is no such command",
                             fmt::format("{}", fmt::join(known, ", ")),
                             did_you_mean(name, known, "see tributary --help")});
}

}  // namespace

int run_command_line(int count, char** arguments) {
  CLI::App program(
      "Cycle-level models of multiprocessor communication: combining networks, node controllers.",
      "tributary");
  program.formatter(std::make_shared<wrapping_formatter>());  // commands inherit it
  program.set_version_flag("--version", "tributary " + program_version());
  program.require_subcommand(1);
  int status = success;
  add_run(program, status);
  add_describe(program, status);
  add_validate_config(program, status);
  add_list(program, status);
  add_compare(program, status);
  add_trace(program, status);
  add_completion(program, status);
  program.footer(examples);  // after the commands, which would inherit it
  check_command(program, count, arguments);
  try {
    program.parse(count, arguments);
  } catch (const CLI::Success& asked) {
    return program.exit(asked);
  } catch (const CLI::ParseError& problem) {
    return complain((std::string(problem.what()) + "; see tributary --help").c_str(), usage_error);
  }
  return status;
}

}  // namespace tributary
