// SPDX-License-Identifier: Apache-2.0
#include "page.h"

#include <fstream>
#include <string_view>
#include <thread>

#include <fmt/format.h>

namespace tributary::benchmarks {
namespace {

std::string verdict(const goal_row& row) {
  if (!row.goal) return "";
  if (row.aimed_at) return "aimed at";
  return *row.pass() ? "pass" : "**fail**";
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

std::string goals_section(const std::vector<goal_row>& rows) {
  std::string text =
      "## Goals\n\n| Goal | Measured | Range | Bound | | Unit |\n|---|---|---|---|---|---|\n";
  for (const goal_row& row : rows) {
    if (!row.goal) continue;
    text += fmt::format("| {}: {} | {} | {} | {} | {} | {} |\n", row.id, row.what,
                        number(row.measured.median), range(row.measured), goal_text(row),
                        verdict(row), row.unit);
  }
  return text + "\nA bound that is only aimed at passes and fails nothing.\n\n";
}

std::string rates_section(const std::vector<bench_case>& cases, const measurements& found,
                          const std::vector<goal_row>& rows) {
  std::string text =
      "## Beside the plain loop\n\nMillion switch-cycles per CPU second. A switch-cycle is one "
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
      "## Cost against size\n\n![CPU time per switch-cycle, CPU time per 1,000 cycles and memory "
      "against the number of processing elements](images/cost_against_size.svg)\n\n"
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

std::string micro_section(const measurements& found) {
  if (found.micro.empty()) return "";
  std::string text = "## Small costs\n\n| Step | CPU ns | Range |\n|---|---|---|\n";
  for (const micro_times& each : found.micro) {
    const spread times = spread_of(each.nanoseconds);
    text += fmt::format("| {} | {} | {} |\n", each.name, number(times.median), range(times));
  }
  return text + "\n";
}

std::string others_section(const std::vector<goal_row>& rows) {
  std::string text;
  for (const goal_row& row : rows) {
    if (row.goal || row.id.rfind("ratio.", 0) == 0 || row.id.rfind("size.", 0) == 0) {
      continue;
    }
    text += fmt::format("| {}: {} | {} | {} | {} |\n", row.id, row.what,
                        number(row.measured.median), range(row.measured), row.unit);
  }
  if (text.empty()) return "";
  return "## Without a goal\n\n| What | Measured | Range | Unit |\n|---|---|---|---|\n" + text +
         "\n";
}

const char* const loop_method =
    "- Statistics are on in all of it: counters per stage, latency mean and histogram. No observer "
    "is attached unless a row says so.\n"
    "- Uniform cases: improved design, open loop, 0.2 requests per element and cycle (modules "
    "accept at most 0.25), up to 64 outstanding, 2,000 cycles of warm-up (500 in the rows of G5, "
    "G10 and G11, which are half as long). Polling cases: 2,048 "
    "elements, every request to one word, turnaround 10; the plain loop simulates a tenth of the "
    "cycles, and its time is scaled up.\n"
    "- The plain loop is `testbenches/benchmarks/plain_omega.cpp`: the same machine and traffic "
    "written by hand, a struct a switch and fetch-and-add only, on a generator of its own. A test "
    "holds it to the library's latencies and combining rates, so the two do the same work. It has "
    "one operation where the library has all.\n";

const char* const contest_method =
    "- G5 compares the SystemC platform (elements, network and memory, one clocked process each) "
    "with the loop over the same cores.\n"
    "- G6: the signal-level model is `testbenches/benchmarks/signal_omega.cpp`: a module a switch "
    "with two clocked methods around a `switch_column` core, an `sc_signal` for each message "
    "and ready bit. Elements and memory modules are the library's arrays on both sides. A test "
    "holds it to the loop's counters and latencies, cycle for cycle. It simulates fewer cycles, "
    "and its time is scaled up; warm-up of both is 250 cycles.\n"
    "- G8: a program on each element loads one word and awaits it, again and again, beside the "
    "polling elements of G4, which have no program: the same requests in the same cycles (a test "
    "compares the traces), so the ratio of the speeds is that of the references per second. The "
    "words that programs have seen are kept for checkpoints, as by default.\n"
    "- G9: a process for each elaboration of a `combining_network` whose sockets are all bound. "
    "The resident set is the whole process's, 9 MB of which are there without a network; growth is "
    "taken less what a network of 2 needs, and within 25 % passes as linear in N log N.\n"
    "- G10: `G10.engine` has approximately timed initiators at every processor-side socket and "
    "the platform's network and memories; the engine alone is the platform of G5. "
    "`sockets.both` has a `combining_network`, with a `memory_module` behind each of its other "
    "sockets, so that a request crosses two interfaces. A test holds both to the loop's latencies. "
    "`G10.pair` is what a transaction of `G10.engine` takes more than a request of the engine, in "
    "units of a bare pair's: an initiator and a target with payload event queues, four phases, "
    "nothing between. `G10.b_transport` is a read through a network to a `memory_module`, less a "
    "read of that memory by itself.\n"
    "- G11: the opponent of `G11.counters` is compiled from the same sources with every line that "
    "counts taken out (`testbenches/benchmarks/bare.cmake`), and cannot be observed at all; a test "
    "holds the two to the same queues. `G11.trace` records every message as `--record` does; "
    "`G11.events` tells an observer that does nothing every event of every hop, about 28 of a "
    "message at 64 elements; an event log (`--log`) writes a line for each of them. Files go to "
    "/dev/null.\n";

std::string size_method(unsigned pairs) {
  if (pairs == 0) return "";
  return fmt::format(
      "- Cost against size: uniform load as above with 200 cycles of warm-up, polling with 1,200; "
      "{} rounds. The time is that of the cycles after the warm-up, the resident set that of the "
      "whole process. The rows `size.*` have the ranges.\n"
      "- What did not help a large network, tried at 65,536 and 1,024 elements on a machine that "
      "others used too: fetching the heads of queues ahead of their departure takes up to a tenth "
      "off the time of the first and adds 15 % to that of the second; huge pages take a tenth off "
      "the user time and give it back as system time; records of 32 bytes instead of 48 for "
      "outstanding requests save 7 % of the memory and no time at 65,536.\n"
      "- One network runs on one thread. In a prototype two threads each moved half of the ports "
      "of every stage, with a barrier of 0.17 µs after each, all else on one thread. In its least "
      "disturbed cycles it was 0.97 times as fast as one thread at 1,024 elements and 1.3 times at "
      "4,096, and that without counters and with one lock for all partners; the runs of 16,384 and "
      "more were too disturbed to decide anything. Under 1.5 it is not worth its code: several "
      "runs side by side use all cores (`--threads`).\n",
      pairs);
}

std::string method_section(const bench_record& record) {
  return fmt::format(
             "## How it is measured\n\n"
             "- `./dev bench` on {}, {} cores shared with whatever else ran, {}, -O3.\n"
             "- One run, interleaved: {} rounds; in each round every comparison once, the other "
             "side and then the library. Values are medians over the rounds of the CPU time of the "
             "simulating thread, ratios are taken round by round; the range is the least and the "
             "greatest and shows the noise. Figures are wall-clock time.\n",
             processor_name(), std::thread::hardware_concurrency(), compiler_name(), record.pairs) +
         loop_method + size_method(record.size_pairs) + contest_method +
         "- G12: FLASH nodes in their default configuration, statistics on, no observer. "
         "`G12.dispatches`: each processor loads a word of its own node again and again, a handler "
         "with one access to memory each. The others: nodes on a hypercube, each of which copies "
         "pages of 4 KB to the next by fbcopy and polls the flag every 100 cycles; a handler sends "
         "up to four lines. A node-cycle is one node simulated for one cycle, busy or idle. "
         "`G12.modules` has a module a node and one for the network, joined by TLM-2.0 sockets. "
         "The second half of G12, remote reads over three nodes, needs coherence, which does not "
         "exist yet.\n";
}

}  // namespace

std::string performance_page(const bench_record& record) {
  return "# Performance\n\nWritten by `./dev bench`; do not edit. The rows are also in "
         "build/bench/bench.json ([schema](formats/results.md)).\n\n" +
         goals_section(record.rows) + rates_section(record.cases, record.found, record.rows) +
         sizes_section(record.sizes) + others_section(record.rows) + figures_section(record) +
         micro_section(record.found) + method_section(record);
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
