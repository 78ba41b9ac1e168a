// SPDX-License-Identifier: Apache-2.0
// tributary_validation: measures the published numbers (./dev validate).
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <tributary/sim/atomic_file.h>
#include <tributary/sim/error.h>

#include "checks.h"
#include "measured_rows.h"
#include "published_claims.h"
#include "report.h"
#include "selection.h"

namespace {

using namespace tributary::validation;

struct options {
  std::vector<std::string> ids;
  std::vector<std::string> without;
  std::string json;
  std::string page;
  std::string last;
  std::string revision;
  std::string root = TRIBUTARY_SOURCE_DIR;
  std::string runs;
  std::string program;
  unsigned threads = 2;
  bool list = false;
  bool full = false;
};

/// A line on stderr that is kept up to date on a terminal; elsewhere one for each tenth.
class progress_line {
 public:
  void operator()(std::size_t done, std::size_t all, double fraction) {
    const double seconds = std::chrono::duration<double>(clock::now() - begin_).count();
    show(fmt::format("{} of {} runs, {:.0f} s, about {:.0f} s left", done, all, seconds,
                     seconds * (1 - fraction) / fraction),
         done == all, fraction);
  }
  /// Of the rows that no run file describes.
  void measuring(const std::string& row, std::size_t number, std::size_t of) {
    if (number == 1) shown_ = -1;
    show(fmt::format("measuring {} ({} of {})", row, number, of), number == of,
         static_cast<double>(number) / static_cast<double>(of));
  }

 private:
  void show(const std::string& text, bool is_last, double fraction) {
    if (terminal_) {
      fmt::print(stderr, "\r\x1b[Kvalidation: {}{}", text, is_last ? "\n" : "");
    } else if (is_last || fraction >= shown_ + 0.1) {
      fmt::print(stderr, "validation: {}\n", text);
      shown_ = fraction;
    }
  }

  using clock = std::chrono::steady_clock;
  clock::time_point begin_ = clock::now();
  bool terminal_ = isatty(2) != 0;
  double shown_ = 0;
};

void write(tributary::atomic_file& file, const std::string& text) {
  file.write(text);
  file.commit();
}

/// Every row of the plan: those of `now`, and the others as they were measured last.
std::vector<row> all_rows(const std::vector<planned_row>& plan, const std::vector<row>& now,
                          const measured_rows& last) {
  std::map<std::string, const row*> measured;
  for (const row& each : now) {
    if (each.state != row_state::not_measured) measured[each.id] = &each;
  }
  std::vector<row> all;
  for (const planned_row& each : plan) {
    const auto found = measured.find(each.shape.id);
    all.push_back(found != measured.end() ? *found->second : unmeasured(each));
    last.give(all.back());
  }
  return all;
}

int validate(const options& wanted) {
  const std::string folder = wanted.root + "/testbenches/validation";
  const locations where{wanted.root + "/platforms/ultracomputer/presets", wanted.root};
  const claims all(folder + "/expected.json", where.presets);
  const claims flash(folder + "/flash_expected.json", wanted.root + "/platforms/flash/presets",
                     "flash");
  const claims smp(folder + "/smp_expected.json", wanted.root + "/platforms/smp/presets", "smp");
  const claims data_parallel(folder + "/data_parallel_expected.json",
                             wanted.root + "/platforms/data_parallel/presets", "data_parallel");
  // Its rows have no presets.
  const claims cluster(folder + "/cluster_expected.json", "", "cluster");
  const row_notes notes(folder + "/notes.json");
  const std::vector<publication> publications = publications_in(folder + "/claims.json");
  const std::vector<planned_row> plan = all_checks(all, flash, smp, data_parallel, cluster);
  const std::vector<planned_row> chosen = select_rows(plan, wanted.ids, wanted.without);
  if (wanted.list) {
    for (const planned_row& each : chosen) {
      fmt::print("{:<40} {}\n", each.shape.id, each.shape.what);
    }
    return 0;
  }
  // Opened first, so that a place that cannot be written is noticed before anything is measured.
  std::optional<tributary::atomic_file> json;
  std::optional<tributary::atomic_file> page;
  if (!wanted.json.empty()) json.emplace(wanted.json);
  std::optional<tributary::atomic_file> last;
  const measured_rows before(wanted.last);
  if (!wanted.page.empty()) {
    page.emplace(wanted.page);
    last.emplace(wanted.last);
  }
  std::optional<kept_runs> kept;
  if (!wanted.runs.empty()) kept.emplace(wanted.runs, wanted.program);
  progress_line progress;
  std::vector<row> rows = measure(
      chosen, where, wanted.threads,
      [&](std::size_t done, std::size_t runs, double fraction) { progress(done, runs, fraction); },
      wanted.full, kept ? &*kept : nullptr,
      [&](const std::string& row, std::size_t number, std::size_t of) {
        progress.measuring(row, number, of);
      });
  for (row& each : rows) each.version = wanted.revision;
  if (json) write(*json, to_json(rows, publications, notes).to_text() + "\n");
  std::vector<check_title> titles = all.checks();
  for (check_title& each : flash.checks()) titles.push_back(std::move(each));
  for (check_title& each : smp.checks()) titles.push_back(std::move(each));
  for (check_title& each : data_parallel.checks()) titles.push_back(std::move(each));
  for (check_title& each : cluster.checks()) titles.push_back(std::move(each));
  if (page) {
    const std::vector<row> whole = all_rows(plan, rows, before);
    write(*last, measured_rows::to_text(whole));
    write(*page, to_page(whole, publications, titles, notes));
  }
  fmt::print("{}", to_terminal(rows, publications));
  return surprises(publications, rows).empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  options wanted;
  CLI::App program{
      "Measures the published numbers again.\n"
      "Exit status: 0 all is as expected, 1 a row fails that should hold or one holds that is\n"
      "known to fail, 2 usage or files."};
  program.add_option("ID", wanted.ids,
                     "Rows whose id begins with these parts, as C4 C12.uncontested");
  program.add_option("--without", wanted.without, "Leaves out rows whose id begins with these");
  program.add_option("--json", wanted.json, "Writes the rows to this file");
  CLI::Option* page = program.add_option("--page", wanted.page, "Writes the page to this file");
  CLI::Option* last = program.add_option(
      "--last", wanted.last,
      "Rows as they were measured last: the page has them where nothing is measured now, and the "
      "file gets what is");
  CLI::Option* revision = program.add_option("--revision", wanted.revision,
                                             "What the page says that the rows were measured with");
  page->needs(last)->needs(revision);
  program.add_option("--threads", wanted.threads, "Worker threads")->check(CLI::Range(1, 256));
  program.add_option("--root", wanted.root, "The repository");
  CLI::Option* by = program.add_option(
      "--program", wanted.program, "What simulates, as a digest: runs of another are not taken");
  program
      .add_option("--runs", wanted.runs,
                  "Keeps runs in this folder, and takes those that are there")
      ->needs(by);
  program.add_flag("--full", wanted.full, "Measures the rows that take longest, too");
  program.add_flag("--list", wanted.list, "Lists the rows and measures nothing");
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    return program.exit(problem) == 0 ? 0 : 2;
  }
  try {
    return validate(wanted);
  } catch (const std::exception& problem) {
    fmt::print(stderr, "tributary_validation: {}\n", problem.what());
    return 2;
  }
}
