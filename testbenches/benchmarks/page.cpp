// SPDX-License-Identifier: Apache-2.0
#include "page.h"

#include <fstream>
#include <string_view>
#include <thread>

#include <fmt/format.h>

#include "documentation/page_sections.h"

namespace tributary::benchmarks {
namespace {

std::string verdict(const goal_row& row) {
  if (!row.goal) return "";
  if (row.aimed_at) return "aimed at";
  const std::optional<bool> pass = row.pass();
  return !pass ? "" : (*pass ? "pass" : "**fail**");
}

std::string goal_text(const goal_row& row) {
  if (!row.goal) return "";
  return fmt::format("{} {:g}", row.at_least ? "≥" : "≤", *row.goal);
}

/// Three figures, enough for timings that repeat to a few per cent.
std::string number(double value) {
  return value >= 100 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

std::string range(const spread& values) {
  if (values.least == values.greatest) return "one run";
  return number(values.least) + " to " + number(values.greatest);
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.compare(0, 10, "model name") == 0 && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  return "a processor without a name";
}

std::string compiler_name() {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "g++ " __VERSION__;
#endif
}

/// As "1024K of level 2", of all caches of the first core but those for instructions only.
std::string caches() {
  const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index";
  const auto line_of = [](const std::string& path) {
    std::string line;
    std::ifstream file(path);
    std::getline(file, line);
    return line;
  };
  std::string text;
  for (unsigned i = 0;; ++i) {
    const std::string place = folder + std::to_string(i);
    const std::string level = line_of(place + "/level");
    if (level.empty()) return text.empty() ? "caches unknown" : text;
    if (line_of(place + "/type") == "Instruction") continue;
    text += (text.empty() ? "" : ", ") + line_of(place + "/size") + " of level " + level;
  }
}

std::string goals_section(const std::vector<goal_row>& rows) {
  std::string text =
      "## Goals\n\n| Goal | Measured | Range | Bound | | Unit |\n|---|---|---|---|---|---|\n";
  for (const goal_row& row : rows) {
    if (!row.goal) continue;
    text += fmt::format("| {}: {} | {} | {} | {} | {} | {} |\n", row.id, row.title,
                        number(row.measured.median), range(row.measured), goal_text(row),
                        verdict(row), row.unit);
  }
  return text +
         "\nBounds of rates and times depend on the machine. They are printed and not judged, "
         "as are bounds that are only aimed at.\n\n";
}

std::string rates_section(const std::vector<bench_case>& cases, const measurements& found,
                          const std::vector<goal_row>& rows) {
  std::string text =
      "## Compared with the plain loop\n\nMillion switch-cycles per CPU second. A switch-cycle is "
      "one "
      "switch simulated for one cycle, busy or idle. The ratio is taken pair by pair.\n\n"
      "| Case | Elements | Cycles | Library | Plain loop | Ratio | Range of the ratio |\n"
      "|---|---|---|---|---|---|---|\n";
  for (const bench_case& chosen : cases) {
    const pair_times& times = found.pairs.at(chosen.id);
    const auto rate = [&](const std::vector<double>& seconds) {
      return number(chosen.switch_cycles() / spread_of(seconds).median / 1e6);
    };
    spread ratio;
    for (const goal_row& row : rows) {
      if (row.id == "ratio." + chosen.id) ratio = row.measured;
    }
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", chosen.id,
                        chosen.machine.network.processing_elements, chosen.cycles, rate(times.ours),
                        rate(times.other), number(ratio.median), range(ratio));
  }
  return text + "\n";
}

std::string sizes_section(const std::vector<size_cost>& sizes) {
  if (sizes.empty()) return "";
  std::string text =
      "## Cost against size\n\n"
      "The improved design, each size in a process of its own, medians. Where the network's state "
      "outgrows the caches a switch-cycle takes longer; memory is linear in N log N.\n\n"
      "| Traffic | Elements | Switches | CPU ns per switch-cycle | Million switch-cycles per CPU "
      "second | CPU seconds per 1,000 cycles | Megabytes at most |\n"
      "|---|---|---|---|---|---|---|\n";
  for (const size_cost& each : sizes) {
    const double seconds = spread_of(each.seconds).median;
    const double cycles = static_cast<double>(each.cycles);
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", each.traffic, each.elements,
                        each.switch_cycles() / cycles, number(1e9 * seconds / each.switch_cycles()),
                        number(each.switch_cycles() / seconds / 1e6),
                        number(1000 * seconds / cycles), number(spread_of(each.megabytes).median));
  }
  return text + "\n";
}

std::string figure_rows(const std::vector<figure_time>& figures) {
  std::string text;
  for (const figure_time& each : figures) {
    text += fmt::format("| {} | {} | {} | {} |\n", each.name, each.points,
                        number(each.wall_seconds), number(each.cpu_seconds));
  }
  return text;
}

std::string figures_section(const bench_record& record) {
  if (record.figures.empty() && record.coordination.empty()) return "";
  return "## The paper's figures\n\nEach preset with one seed, on two threads: Figures 4 to 8 with "
         "10,000 measured cycles a point, 9 to 15 until a point ends by itself.\n\n"
         "| Preset | Points | Seconds | CPU seconds |\n|---|---|---|---|\n" +
         figure_rows(record.figures) + figure_rows(record.coordination) + "\n";
}

std::string others_section(const std::vector<goal_row>& rows) {
  std::string text;
  for (const goal_row& row : rows) {
    if (row.goal || row.id.rfind("ratio.", 0) == 0 || row.id.rfind("size.", 0) == 0) {
      continue;
    }
    text += fmt::format("| {}: {} | {} | {} | {} |\n", row.id, row.title,
                        number(row.measured.median), range(row.measured), row.unit);
  }
  if (text.empty()) return "";
  return "## Without a goal\n\n| What | Measured | Range | Unit |\n|---|---|---|---|\n" + text +
         "\n";
}

std::string machine_section(const bench_record& record) {
  return fmt::format(
      "- `./dev bench` on {}, {} cores shared with whatever else ran (load average at the start "
      "{:.2f}), caches {}, {}, -O3.\n"
      "- One run, interleaved: {} rounds{}; in each round every comparison once, the other side "
      "and "
      "then the library. Values are medians over the rounds of the CPU time of the simulating "
      "thread, ratios are taken round by round; the range is the least and the greatest and shows "
      "the noise. Figures are wall-clock time.\n",
      processor_name(), std::thread::hardware_concurrency(), record.load_average, caches(),
      compiler_name(), record.pairs,
      record.size_pairs == 0 ? ""
                             : fmt::format(", {} for the cost against size", record.size_pairs));
}

}  // namespace

std::string with_measurements(const std::string& page, const bench_record& record) {
  std::string measured =
      goals_section(record.rows) + rates_section(record.cases, record.found, record.rows) +
      sizes_section(record.sizes) + others_section(record.rows) + figures_section(record);
  measured.pop_back();  // the empty line behind the last section
  return documentation::with_section(documentation::with_section(page, "measured", measured),
                                     "machine", machine_section(record));
}

std::string terminal_table(const std::vector<goal_row>& rows) {
  std::string text;
  for (const goal_row& row : rows) {
    const std::string bound =
        row.goal ? fmt::format("{} {:g}", row.at_least ? "at least" : "at most", *row.goal) : "";
    const std::optional<bool> pass = row.pass();
    const char* end = !pass ? (row.aimed_at ? "aimed at" : "") : (*pass ? "pass" : "FAIL");
    text += fmt::format("{:28} {:>8} {:>18}  {:14} {:9} {}\n", row.id, number(row.measured.median),
                        "(" + range(row.measured) + ")", bound, end, row.unit);
  }
  return text;
}

}  // namespace tributary::benchmarks
