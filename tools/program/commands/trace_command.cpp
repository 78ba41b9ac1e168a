// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <tributary/sim/observer.h>
#include <tributary/trace/recorded_run.h>
#include <tributary/trace/sink.h>

#include "commands.h"
#include "interruption.h"
#include "output_folder.h"
#include "say.h"

namespace tributary {
namespace {

struct interrupted_conversion {};

/// Counts what the filter admits.
class event_counter final : public observer<trace_event> {
 public:
  explicit event_counter(trace_filter filter) : filter_(std::move(filter)) {}

  void on_event(const trace_event& event) override {
    if (filter_.admits(event)) ++counts_[event.kind->name];
  }
  void print() const {
    fmt::print("{:<24}{:>12}\n", "event", "number");
    for (const auto& [name, count] : counts_) fmt::print("{:<24}{:>12}\n", name, count);
  }

 private:
  trace_filter filter_;
  std::map<std::string_view, std::uint64_t> counts_;
};

/// Ends the conversion when the user wishes so, so that no half-written file stays.
class interruption_check final : public observer<trace_event> {
 public:
  void on_event(const trace_event&) override {
    if (interrupted_.load(std::memory_order_relaxed)) throw interrupted_conversion();
  }

 private:
  const std::atomic<bool>& interrupted_ = watch_for_interruption();
};

/// What the user asks for now, or else what was asked for in the run.
trace_filter_options filter_of(const trace_filter_options& now, const trace_filter_options& then) {
  const auto either = [](const std::string& first, const std::string& second) {
    return first.empty() ? second : first;
  };
  return {either(now.window, then.window), either(now.tracks, then.tracks),
          either(now.origins, then.origins)};
}

using sink_list = std::vector<std::unique_ptr<trace_sink>>;

sink_list open_sinks(const event_files& files, const recorded_run& run,
                     const trace_filter& filter) {
  sink_list sinks;
  if (!files.log.empty()) sinks.push_back(open_event_log(files.log, filter, run.catalog()));
  if (!files.vcd.empty()) {
    sinks.push_back(open_vcd(files.vcd, filter, run.catalog(), run.start()));
  }
  if (!files.perfetto.empty())
    sinks.push_back(open_perfetto(files.perfetto, filter, run.catalog()));
  return sinks;
}

void warn_of_window(const std::string& window, cycle_t last) {
  if (read_window(window).first <= last) return;
  say(
      fmt::format("tributary: warning: --window {} begins after the last event, in cycle {}, so "
                  "nothing is shown\n",
                  window, last));
}

void convert(recorded_run& run, const event_files& files, const trace_filter_options& options,
             interruption_check& check) {
  const sink_list sinks = open_sinks(files, run, trace_filter(options, run.catalog()));
  observer_list<trace_event> told;
  told.attach(check);
  for (const std::unique_ptr<trace_sink>& sink : sinks) told.attach(*sink);
  const recorded_run::end end = run.tell(told);
  for (const std::unique_ptr<trace_sink>& sink : sinks) sink->finish(end.partial);
  warn_of_window(options.window, end.last);
}

void print_summary(recorded_run& run, const std::string& path, const trace_filter_options& options,
                   interruption_check& check) {
  event_counter counter(trace_filter(options, run.catalog()));
  observer_list<trace_event> told;
  told.attach(check);
  told.attach(counter);
  const recorded_run::end end = run.tell(told);
  const trace_catalog& machine = run.catalog();
  fmt::print("{}: {} of {} {}s, recorded by tributary {}\n", path, machine.machine(),
             machine.origins, machine.origin(), run.version());
  fmt::print("{} events, the last in cycle {}; the run began after cycle {}{}\n\n", end.events,
             end.last, run.start().now, end.partial ? " and was interrupted" : "");
  counter.print();
  warn_of_window(options.window, end.last);
}

}  // namespace

int trace_command(const trace_options& options) {
  interruption_check check;  // before there is a file
  const event_files& files = options.files;
  check_output_files({files.log, files.vcd, files.perfetto}, options.recording);
  recorded_run run(options.recording);
  const trace_filter_options filter = filter_of(files.filter, run.filter());
  try {
    if (files.shows_events()) {
      convert(run, files, filter, check);
    } else {
      print_summary(run, options.recording, filter, check);
    }
  } catch (const interrupted_conversion&) {
    say("tributary: interrupted; no file was written\n");
    return interrupted;
  }
  return success;
}

}  // namespace tributary
