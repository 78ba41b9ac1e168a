// SPDX-License-Identifier: Apache-2.0
#include "goals.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>

#include <tributary/sim/error.h>
#include <tributary/sim/json_document.h>

namespace tributary::benchmarks {
namespace {

constexpr std::string_view bench_schema = "tributary.bench/1";

// Thresholds of goals G1 and G4.
constexpr double least_rate = 10;
constexpr double aimed_rate = 40;
constexpr double least_scaling = 0.7;
constexpr double most_polling_seconds = 0.5;
constexpr double most_figure_seconds = 180;
constexpr double most_coordination_seconds = 3600;
constexpr const char* of_10000_cycles = "of 10,000 measured cycles";

// Of 65,536 elements: memory, and the rate beside that of 1,024, which is aimed at only.
constexpr double most_megabytes = 4294.967296;  // 4 GiB
constexpr double aimed_large_rate = 0.5;

// Goal G12, first half: handlers that are dispatched, in millions per CPU second.
constexpr double least_dispatches = 1;
/// The same of 128 nodes, whose state is not in the caches, over that of 2.
constexpr double least_node_scaling = 0.5;

/// Bounds of goal G9 at a size.
struct elaboration_bounds {
  double seconds;
  double megabytes;
};
constexpr std::array<elaboration_bounds, 2> elaboration_goals{{{0.3, 50}, {1.5, 200}}};
/// How far from linear in N log N passes as linear: timings of milliseconds vary by that much.
constexpr double most_growth = 1.25;

bool begins_with(const std::string& text, std::string_view beginning) {
  return text.compare(0, beginning.size(), beginning) == 0;
}

const pair_times& times_of(const measurements& found, const std::string& id) {
  const auto at = found.pairs.find(id);
  if (at == found.pairs.end()) throw error("case " + id + " was not measured");
  return at->second;
}

/// Quotients of two lists, pair by pair.
std::vector<double> quotients(const std::vector<double>& over, const std::vector<double>& under) {
  if (over.size() != under.size()) throw error("one side was measured more often than the other");
  std::vector<double> result;
  for (std::size_t i = 0; i < over.size(); ++i) result.push_back(over[i] / under[i]);
  return result;
}

/// Million switch-cycles per CPU second.
std::vector<double> rates(const bench_case& chosen, const std::vector<double>& seconds) {
  std::vector<double> result;
  result.reserve(seconds.size());
  for (const double each : seconds) result.push_back(chosen.switch_cycles() / each / 1e6);
  return result;
}

std::vector<double> differences(const std::vector<double>& of, const std::vector<double>& less) {
  if (of.size() != less.size()) throw error("one side was measured more often than the other");
  std::vector<double> result;
  for (std::size_t i = 0; i < of.size(); ++i) result.push_back(of[i] - less[i]);
  return result;
}

/// What a contest is judged by, pair by pair.
std::vector<double> judged_values(const contest& chosen, const pair_times& times) {
  if (chosen.judged == comparison::speed) return quotients(times.other, times.ours);
  if (chosen.judged == comparison::cost) return quotients(times.ours, times.other);
  std::vector<double> extra = differences(times.ours, times.other);
  if (chosen.judged == comparison::overhead) return quotients(extra, times.unit);
  for (double& seconds : extra) seconds *= 1e9 / chosen.items;
  return extra;
}

const char* const rate_unit = "million switch-cycles per CPU second";

void add_rates(const std::vector<bench_case>& cases, const measurements& found,
               std::vector<goal_row>& rows) {
  std::vector<double> smallest;
  std::vector<double> largest;
  for (const bench_case& chosen : cases) {
    if (!begins_with(chosen.id, "uniform.")) continue;
    const std::string size = chosen.id.substr(std::string_view("uniform.").size());
    largest = rates(chosen, times_of(found, chosen.id).ours);
    if (smallest.empty()) smallest = largest;
    const std::string title = "uniform load 0.2, next to nothing combines, " + size + " elements";
    rows.push_back({"G1.rate." + size, title, rate_unit, spread_of(largest), true, least_rate});
    rows.push_back(
        {"G1.aimed." + size, title, rate_unit, spread_of(largest), true, aimed_rate, true});
  }
  if (smallest.empty()) return;
  rows.push_back({"G1.scaling", "rate at 2048 elements over the rate at 64", "1",
                  spread_of(quotients(largest, smallest)), true, least_scaling});
}

void add_polling(const std::vector<bench_case>& cases, const measurements& found,
                 std::vector<goal_row>& rows) {
  for (const bench_case& chosen : cases) {
    if (!begins_with(chosen.id, "polling.")) continue;
    rows.push_back(
        {"G4." + chosen.id,
         "10,000 cycles of " + std::to_string(chosen.machine.network.processing_elements) +
             " polling elements, " + chosen.id.substr(std::string_view("polling.").size()),
         "CPU seconds", spread_of(times_of(found, chosen.id).ours), false, most_polling_seconds});
  }
}

double n_log_n(const elaboration_cost& cost) {
  return cost.elements * std::log2(static_cast<double>(cost.elements));
}

/// What `large` takes per N log N over what `small` does, less what `least` takes in any case.
std::vector<double> growth(const elaboration_cost& least, const elaboration_cost& small,
                           const elaboration_cost& large,
                           std::vector<double> elaboration_cost::*figure) {
  std::vector<double> times = quotients(differences(large.*figure, least.*figure),
                                        differences(small.*figure, least.*figure));
  for (double& each : times) each *= n_log_n(small) / n_log_n(large);
  return times;
}

goal_row figures_row(const std::string& id, const std::string& title, const std::string& length,
                     const std::vector<figure_time>& figures) {
  double seconds = 0;
  std::size_t points = 0;
  for (const figure_time& each : figures) {
    seconds += each.wall_seconds;
    points += each.points;
  }
  goal_row row;
  row.id = id;
  row.title =
      title + ", " + std::to_string(points) + " points " + length + ", one seed, two threads";
  row.unit = "seconds";
  row.measured = {seconds, seconds, seconds};
  row.at_least = false;
  return row;
}

void add_figures(const std::vector<figure_time>& figures, std::vector<goal_row>& rows) {
  if (figures.empty()) return;
  rows.push_back(figures_row("G4.figures", "Figures 4 to 8", of_10000_cycles, figures));
  rows.back().goal = most_figure_seconds;
}

const size_cost& cost_of(const std::vector<size_cost>& costs, std::uint32_t elements) {
  for (const size_cost& each : costs) {
    if (each.traffic == "uniform" && each.elements == elements) return each;
  }
  throw error("uniform load at " + std::to_string(elements) + " elements was not measured");
}

std::vector<double> scaled(std::vector<double> values, double by) {
  for (double& each : values) each *= by;
  return values;
}

/// Millions of `items` per CPU second, round by round.
std::vector<double> per_second(const node_cost& cost, double items) {
  std::vector<double> result;
  for (const double seconds : cost.seconds) result.push_back(items / seconds / 1e6);
  return result;
}

goal_row scaling_of_nodes(const node_cost& small, const node_cost& large) {
  const auto handlers = [](const node_cost& of) {
    return per_second(of, static_cast<double>(of.dispatches));
  };
  return {"nodes.scaling",
          "handlers begun a CPU second by " + std::to_string(large.nodes) +
              " FLASH nodes that copy pages in a ring, over those by " +
              std::to_string(small.nodes),
          "1",
          spread_of(quotients(handlers(large), handlers(small))),
          true,
          least_node_scaling};
}

void add_ratios(const std::vector<bench_case>& cases, const measurements& found,
                std::vector<goal_row>& rows) {
  for (const bench_case& chosen : cases) {
    const pair_times& times = times_of(found, chosen.id);
    rows.push_back({"ratio." + chosen.id, "speed over the plain loop's, " + chosen.id, "1",
                    spread_of(quotients(times.other, times.ours)), true, std::nullopt});
  }
}

}  // namespace

bool goal_row::absolute() const { return unit != "1" && unit != "times" && unit != "megabytes"; }

std::optional<bool> goal_row::pass() const {
  if (!goal || aimed_at || absolute()) return std::nullopt;
  return at_least ? measured.median >= *goal : measured.median <= *goal;
}

std::vector<goal_row> judge(const std::vector<bench_case>& cases, const measurements& found,
                            const std::vector<figure_time>& figures) {
  std::vector<goal_row> rows;
  add_rates(cases, found, rows);
  add_polling(cases, found, rows);
  add_figures(figures, rows);
  add_ratios(cases, found, rows);
  return rows;
}

std::vector<goal_row> judge(const std::vector<contest>& contests, const measurements& found) {
  std::vector<goal_row> rows;
  for (const contest& each : contests) {
    const pair_times& times = times_of(found, each.id);
    const bool at_least = each.judged == comparison::speed;
    rows.push_back({each.id, each.title, each.judged == comparison::extra_time ? "CPU ns" : "times",
                    spread_of(judged_values(each, times)), at_least, each.goal});
    if (!each.least) continue;
    rows.push_back(rows.back());
    rows.back().id += ".least";
    rows.back().at_least = true;
    rows.back().goal = each.least;
  }
  return rows;
}

std::vector<goal_row> judge(const std::vector<elaboration_cost>& costs) {
  std::vector<goal_row> rows;
  if (costs.empty()) return rows;
  for (std::size_t i = 0; i < elaboration_goals.size(); ++i) {
    const elaboration_cost& at = costs.at(i + 1);
    const std::string size = std::to_string(at.elements);
    const std::string title = "elaboration of a network of " + size + " with every socket bound";
    rows.push_back({"G9.seconds." + size, title, "CPU seconds", spread_of(at.seconds), false,
                    elaboration_goals[i].seconds});
    rows.push_back({"G9.megabytes." + size, title + ", greatest resident set", "megabytes",
                    spread_of(at.megabytes), false, elaboration_goals[i].megabytes});
  }
  const std::string title = " of elaboration per N log N, " + std::to_string(costs[2].elements) +
                            " compared with " + std::to_string(costs[1].elements);
  rows.push_back({"G9.growth.seconds", "CPU seconds" + title, "times",
                  spread_of(growth(costs[0], costs[1], costs[2], &elaboration_cost::seconds)),
                  false, most_growth});
  rows.push_back({"G9.growth.megabytes", "megabytes" + title, "times",
                  spread_of(growth(costs[0], costs[1], costs[2], &elaboration_cost::megabytes)),
                  false, most_growth});
  return rows;
}

std::vector<goal_row> judge(const std::vector<size_cost>& costs) {
  std::vector<goal_row> rows;
  if (costs.empty()) return rows;
  for (const size_cost& each : costs) {
    const std::string at = "." + each.traffic + "." + std::to_string(each.elements);
    const std::string title = each.traffic + " traffic, " + std::to_string(each.elements) +
                              " elements in a process of its own, ";
    rows.push_back({"size.nanoseconds" + at, title + "per switch-cycle", "CPU ns",
                    spread_of(scaled(each.seconds, 1e9 / each.switch_cycles())), false,
                    std::nullopt});
    rows.push_back({"size.megabytes" + at, title + "greatest resident set", "megabytes",
                    spread_of(each.megabytes), false, std::nullopt});
    if (each.elements == 65536) rows.back().goal = most_megabytes;
  }
  const size_cost& small = cost_of(costs, 1024);
  const size_cost& large = cost_of(costs, 65536);
  rows.push_back({"size.rate", "rate at 65536 elements over the rate at 1024, uniform load 0.2",
                  "1",
                  spread_of(scaled(quotients(small.seconds, large.seconds),
                                   large.switch_cycles() / small.switch_cycles())),
                  true, aimed_large_rate, true});
  return rows;
}

std::vector<goal_row> judge(const std::vector<node_cost>& costs) {
  std::vector<goal_row> rows;
  const node_cost* smallest = nullptr;  // of those that copy pages
  const node_cost* largest = nullptr;
  for (const node_cost& each : costs) {
    const std::string size = std::to_string(each.nodes);
    const spread dispatches = spread_of(per_second(each, static_cast<double>(each.dispatches)));
    if (each.traffic == node_traffic::loads) {
      rows.push_back({"G12.dispatches",
                      size + " FLASH nodes whose processors load words, handlers begun",
                      "million per CPU second", dispatches, true, least_dispatches});
      continue;
    }
    if (smallest == nullptr) smallest = &each;
    largest = &each;
    const std::string title = size + " FLASH nodes that copy pages in a ring, ";
    rows.push_back({"nodes.dispatches." + size, title + "handlers begun", "million per CPU second",
                    dispatches, true, std::nullopt});
    rows.push_back({"nodes.rate." + size, title + "cycles of a node", "million per CPU second",
                    spread_of(per_second(each, each.node_cycles())), true, std::nullopt});
  }
  if (smallest != largest) rows.push_back(scaling_of_nodes(*smallest, *largest));
  return rows;
}

goal_row full_figures_row(const std::vector<figure_time>& figures) {
  return figures_row("G4.figures.full",
                     "Figures 4 to 8 with all of Figure 7's hot spots and up to 32 outstanding",
                     of_10000_cycles, figures);
}

goal_row coordination_row(const std::vector<figure_time>& figures, figure_grid grid) {
  const std::string length = "each until it ends by itself";
  if (grid == figure_grid::timed) {
    return figures_row("G8.figures", "Figures 9 to 15 up to 64 elements", length, figures);
  }
  goal_row row =
      figures_row("G8.figures.full", "Figures 9 to 15 up to 512 elements, barriers up to 2,048",
                  length, figures);
  row.goal = most_coordination_seconds;
  return row;
}

bool all_pass(const std::vector<goal_row>& rows) {
  return std::all_of(rows.begin(), rows.end(),
                     [](const goal_row& row) { return row.pass().value_or(true); });
}

std::string to_json(const std::vector<goal_row>& rows) {
  json_value list = json_value::make_array();
  for (const goal_row& row : rows) {
    json_value one = json_value::make_object();
    one.set("id", json_value(row.id));
    one.set("what", json_value(row.title));
    one.set("unit", json_value(row.unit));
    one.set("measured", json_value(row.measured.median));
    one.set("least", json_value(row.measured.least));
    one.set("greatest", json_value(row.measured.greatest));
    one.set("goal", row.goal ? json_value(*row.goal) : json_value());
    one.set("bound", row.goal ? json_value(row.at_least ? "at least" : "at most") : json_value());
    const std::optional<bool> pass = row.pass();
    one.set("pass", pass ? json_value(*pass) : json_value());
    list.push_back(std::move(one));
  }
  json_value document = json_value::make_object();
  document.set("schema", json_value(std::string(bench_schema)));
  document.set("rows", std::move(list));
  return document.to_text() + "\n";
}

}  // namespace tributary::benchmarks
