// SPDX-License-Identifier: Apache-2.0
// ./dev bench: the speed goals, and the opponents beside them.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>
#include <CLI/CLI.hpp>

#include <tributary/sim/atomic_file.h>
#include <tributary/sim/error.h>

#include "contest.h"
#include "documentation/page_sections.h"
#include "elaboration.h"
#include "figures.h"
#include "goals.h"
#include "measurement.h"
#include "node_rates.h"
#include "page.h"
#include "probe.h"
#include "sizes.h"

namespace {

using namespace tributary::benchmarks;

struct choices {
  std::string json;
  std::string page;
  std::string only;
  unsigned pairs = 5;
  bool figures = true;
  bool sizes = true;
  bool full = false;
};

/// The largest network takes a quarter of a minute.
constexpr unsigned most_size_pairs = 3;

std::vector<bench_case> all_cases() {
  std::vector<bench_case> cases;
  for (const unsigned elements : {64U, 256U, 1024U, 2048U}) cases.push_back(uniform_case(elements));
  cases.push_back(hot_case(1024));
  for (const std::string& design : designs()) cases.push_back(polling_case(design));
  return cases;
}

template <class T>
void append(std::vector<T>& all, std::vector<T> more) {
  std::move(more.begin(), more.end(), std::back_inserter(all));
}

std::vector<contest> all_contests() {
  std::vector<contest> contests = observation_contests();
  append(contests, thread_contests());
  append(contests, program_contests());
  append(contests, coherence_contests());
  append(contests, barrier_contests());
  append(contests, application_contests());
  append(contests, smp_contests());
  append(contests, message_contests());
  append(contests, network_contests());
#ifdef TRIBUTARY_BENCHMARKS_OF_RTL
  append(contests, rtl_contests());
#endif
#ifdef TRIBUTARY_BENCHMARKS_OF_MODELS
  append(contests, cluster_contests());
  append(contests, module_contests());
  append(contests, node_contests());
  append(contests, socket_contests());
#endif
  return contests;
}

std::vector<size_cost> simulate_sizes(unsigned times) {
  std::puts("simulating 64 to 65,536 elements ...");
  std::vector<size_cost> costs = size_cases();
  measure_by_probe(TRIBUTARY_MACHINE_PROBE, times, costs);
  return costs;
}

std::vector<node_cost> simulate_nodes(unsigned times) {
  std::puts("simulating 2 to 128 FLASH nodes ...");
  return measure_nodes(times);
}

std::vector<elaboration_cost> elaborate(unsigned times) {
#ifdef TRIBUTARY_BENCHMARKS_OF_MODELS
  std::puts("elaborating ...");
  std::vector<elaboration_cost> costs{{2, {}, {}}, {1024, {}, {}}, {4096, {}, {}}};
  measure_by_probe(TRIBUTARY_ELABORATION_PROBE, times, costs);
  return costs;
#else
  static_cast<void>(times);
  return {};
#endif
}

template <class T>
void keep_only(std::vector<T>& all, const std::string& beginning) {
  const auto other = [&](const T& each) {
    return each.id.compare(0, beginning.size(), beginning) != 0;
  };
  all.erase(std::remove_if(all.begin(), all.end(), other), all.end());
}

void print(const std::vector<goal_row>& rows) {
  std::fputs(("\n" + terminal_table(rows)).c_str(), stdout);
}

/// A part of the run; what it shows is no record.
int run_only(const choices& chosen) {
  std::vector<bench_case> cases = all_cases();
  std::vector<contest> contests = all_contests();
  keep_only(cases, chosen.only);
  keep_only(contests, chosen.only);
  const bool sizes = chosen.only.rfind("size", 0) == 0;
  const bool nodes = chosen.only.rfind("nodes", 0) == 0 ||
                     std::string("G12.dispatches").rfind(chosen.only, 0) == 0;
  if (cases.empty() && contests.empty() && !sizes && !nodes) {
    throw tributary::error("nothing that is measured begins with '" + chosen.only + "'");
  }
  const measurements found = measure(cases, contests, chosen.pairs);
  std::vector<goal_row> rows = judge(cases, found, {});
  append(rows, judge(contests, found));
  if (sizes) append(rows, judge(simulate_sizes(chosen.pairs)));
  if (nodes) append(rows, judge(simulate_nodes(chosen.pairs)));
  print(rows);
  return all_pass(rows) ? 0 : 1;
}

/// Behind all else, as it takes longest.
void time_coordination(bool full, bench_record& record) {
  const figure_grid grid = full ? figure_grid::full : figure_grid::timed;
  std::printf("timing Figures 9 to 15 up to %s elements ...\n", full ? "512" : "64");
  record.coordination = time_coordination(TRIBUTARY_PRESET_DIRECTORY, grid);
  record.rows.push_back(coordination_row(record.coordination, grid));
}

int run(const choices& chosen) {
  if (!chosen.only.empty()) return run_only(chosen);
  bench_record record;
  getloadavg(&record.load_average, 1);
  record.pairs = chosen.pairs;
  record.cases = all_cases();
  const std::vector<contest> contests = all_contests();
  record.found = measure(record.cases, contests, chosen.pairs);
  if (chosen.figures) {
    std::puts("timing Figures 4 to 8 ...");
    record.figures = time_figures(TRIBUTARY_PRESET_DIRECTORY, figure_grid::timed);
  }
  record.rows = judge(record.cases, record.found, record.figures);
  if (chosen.full) {
    std::puts("timing the full grid of Figures 4 to 8 ...");
    record.rows.push_back(
        full_figures_row(time_figures(TRIBUTARY_PRESET_DIRECTORY, figure_grid::full)));
  }
  append(record.rows, judge(contests, record.found));
  append(record.rows, judge(elaborate(chosen.pairs)));
  append(record.rows, judge(simulate_nodes(chosen.pairs)));
  if (chosen.sizes) {
    record.size_pairs = std::min(chosen.pairs, most_size_pairs);
    record.sizes = simulate_sizes(record.size_pairs);
  }
  append(record.rows, judge(record.sizes));
  if (chosen.figures) time_coordination(chosen.full, record);
  print(record.rows);
  if (!chosen.json.empty()) tributary::write_file_atomically(chosen.json, to_json(record.rows));
  if (!chosen.page.empty()) {
    tributary::write_file_atomically(
        chosen.page, with_measurements(tributary::documentation::read_page(chosen.page), record));
  }
  return all_pass(record.rows) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Measures the library's speed in one interleaved run with a plain loop.");
  choices chosen;
  app.add_option("--json", chosen.json, "Write the rows to this file");
  app.add_option("--page", chosen.page, "Write what was measured to this page");
  app.add_option("--pairs", chosen.pairs, "Rounds")->check(CLI::Range(1U, 99U));
  app.add_option(
      "--only", chosen.only,
      "Measure only what begins with this, as G6, uniform, size or nodes, and write no file");
  app.add_flag("--figures,!--no-figures", chosen.figures,
               "Time Figures 4 to 8 and 9 to 15 (default)");
  app.add_flag("--sizes,!--no-sizes", chosen.sizes, "Measure 64 to 65,536 elements (default)");
  app.add_flag(
      "--full", chosen.full,
      "Time full grids of the figures: Figures 4 to 8 as well, 9 to 15 up to 512 elements");
  CLI11_PARSE(app, argc, argv);
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // progress, where it goes to a file too
  try {
    int none = 1;
    benchmark::Initialize(&none, argv);
    return run(chosen);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "tributary_benchmarks: %s\n", problem.what());
    return 2;
  }
}
