// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "checks.h"

namespace tributary::validation {
namespace {

using rows_t = std::vector<planned_row>;

void append(rows_t& rows, rows_t more) {
  for (planned_row& each : more) rows.push_back(std::move(each));
}

double mean_latency(const point_results& at) { return at[0]->latency(); }
double latency_ratio(const point_results& at) { return at[0]->latency() / at[1]->latency(); }
double latency_reduction(const point_results& at) { return 1 - latency_ratio(at); }
double excess(const point_result& at) { return at.latency() - at.least_round_trip(); }

constexpr std::array<const char*, 10> ordinals{"first", "second",  "third",  "fourth", "fifth",
                                               "sixth", "seventh", "eighth", "ninth",  "tenth"};

std::string stage_suffix(std::size_t stage_from_memory) {
  return std::string(ordinals.at(stage_from_memory)) + "_from_memory";
}

// --- C1 to C4: mean latencies --------------------------------------------------------------------

/// Of the least and the greatest latency the one that is further from the claim.
double furthest_latency(const point_result& at, double expected) {
  const double least = at.mean("interface.latency.min");
  const double greatest = at.mean("interface.latency.max");
  return std::fabs(least - expected) > std::fabs(greatest - expected) ? least : greatest;
}

rows_t lone_requests(const family& claim) {
  rows_t rows;
  for (const double n : claim.numbers("sizes")) {
    planned_row each =
        claim.row_with(id_text(n), 2 * std::log2(n) + claim.number("memory_latency"));
    each.points = {claim.on("baseline").elements(n)};
    each.measure = [expected = *each.shape.expected.low](const point_results& at) {
      return furthest_latency(*at[0], expected);
    };
    rows.push_back(each);
  }
  return rows;
}

planned_row latency_of(const family& claim) {
  planned_row row = claim.row();
  row.points = {claim.on(claim.text("design"))};
  row.measure = mean_latency;
  return row;
}

/// A number computed from the latencies of the family's two designs.
planned_row compared(const family& claim, double (*measure)(const point_results&)) {
  planned_row row = claim.row();
  const std::vector<std::string> designs = claim.texts("designs");
  for (const std::string& each : designs) row.points.push_back(claim.on(each));
  row.measure = measure;
  return row;
}

double over_least(const point_results& at) { return at[0]->latency() / at[0]->least_round_trip(); }

/// Latency of the design over that of uniform traffic.
planned_row over_uniform(const claims& all, const family& claim) {
  planned_row row = claim.row();
  row.points = {claim.on(claim.text("design")), all["C1.uniform"].on("baseline")};
  row.measure = latency_ratio;
  return row;
}

/// By size: latency of the switch that does not combine over that of the built one.
rows_t without_combining(const family& claim) {
  rows_t rows;
  for (const double n : claim.numbers("sizes")) {
    rows.push_back(claim.row(id_text(n)));
    rows.back().points = {claim.on("no_combining").elements(n), claim.on("baseline").elements(n)};
    rows.back().measure = latency_ratio;
  }
  return rows;
}

rows_t latencies(const claims& all) {
  rows_t rows = lone_requests(all["C1.lone"]);
  planned_row uniform = all["C1.uniform"].row();
  uniform.points = {all["C1.uniform"].on("baseline")};
  uniform.measure = mean_latency;
  rows.push_back(uniform);
  rows.push_back(latency_of(all["C2"]));
  planned_row over_minimum = latency_of(all["C2.over_minimum"]);
  over_minimum.measure = over_least;
  rows.push_back(over_minimum);
  for (planned_row& each : without_combining(all["C2.without_combining"])) {
    rows.push_back(std::move(each));
  }
  rows.push_back(latency_of(all["C2.first_cycles"]));
  rows.push_back(latency_of(all["C3"]));
  rows.push_back(latency_of(all["C3.first_cycles"]));
  rows.push_back(compared(all["C3.reduction"], latency_reduction));
  rows.push_back(over_uniform(all, all["C3.over_uniform"]));
  rows.push_back(latency_of(all["C4"]));
  for (const char* id : {"C4.reduction", "C4.total_reduction"}) {
    rows.push_back(compared(all[id], latency_reduction));
  }
  rows.push_back(over_uniform(all, all["C4.over_uniform"]));
  return rows;
}

// --- C5, C6: where requests combine --------------------------------------------------------------

/// One row a stage of the family, with its combining rate; `shape_of` makes the row of a name.
template <class Shape>
rows_t rates(const family& claim, Shape&& shape_of) {
  rows_t rows;
  for (const double stage : claim.numbers("stages_from_memory")) {
    const auto index = static_cast<unsigned>(stage) - 1;
    planned_row each = shape_of(claim.text("check") + "." + stage_suffix(index));
    each.points = {claim.on(claim.text("design"))};
    each.measure = [index](const point_results& at) { return at[0]->combining_rate(index); };
    rows.push_back(each);
  }
  return rows;
}

rows_t published_rates(const family& claim) {
  return rates(claim, [&](const std::string& id) { return claim.published_row(id); });
}

rows_t shown_rates(const family& claim) {
  return rates(claim, [&](const std::string& id) {
    planned_row shown = claim.row();
    shown.shape.id = id;
    return shown;
  });
}

/// Mean entries of a combining queue on the way to the polled word. Of a stage's queues, one in
/// N / 2^d is on it, d stages before the last.
double hot_queue_entries(const point_result& at, unsigned stage_from_memory) {
  const double elements = std::ldexp(1.0, static_cast<int>(at.stages()));
  return at.from_memory(stage_from_memory, "queue_occupancy") * elements /
         std::ldexp(1.0, static_cast<int>(stage_from_memory));
}

rows_t queue_entries(const family& claim) {
  rows_t rows;
  for (const double stage : claim.numbers("stages_from_memory")) {
    const auto index = static_cast<unsigned>(stage) - 1;
    planned_row each = claim.row(stage_suffix(index));
    each.points = {claim.on(claim.text("design"))};
    each.measure = [index](const point_results& at) { return hot_queue_entries(*at[0], index); };
    rows.push_back(each);
  }
  return rows;
}

/// Cycles on the way to memory beyond one a stage, of the first design over the second.
double queueing_ratio(const point_results& at) {
  const auto queueing = [](const point_result& each) {
    return each.mean("network.transit.mean") - each.stages();
  };
  return queueing(*at[0]) / queueing(*at[1]);
}

rows_t stages(const claims& all) {
  rows_t rows = published_rates(all["C5.maximal"]);
  append(rows, published_rates(all["C5.nearly_maximal"]));
  append(rows, published_rates(all["C5.idle"]));
  const family three_slots = all["C5.type_a_three_slots"];
  rows.push_back(three_slots.row());
  rows.back().points = {three_slots.on(three_slots.text("design"))};
  rows.back().measure = [](const point_results& at) { return at[0]->combining_rate(0); };
  append(rows, queue_entries(all["C5.queues_full"]));
  append(rows, queue_entries(all["C5.queues_nearly_empty"]));
  append(rows, published_rates(all["C6.maximal"]));
  append(rows, published_rates(all["C6.quarter"]));
  append(rows, published_rates(all["C6.idle"]));
  rows.push_back(compared(all["C6.queueing"], queueing_ratio));
  return rows;
}

// --- C7: a tenth of the traffic to one word
// -------------------------------------------------------

/// By size: the latency with a tenth of the traffic to one word, over the least one; and that with
/// all of it, over that with a tenth.
rows_t tenth_and_whole(const claims& all) {
  rows_t rows;
  const family slightly = all["C7.over_least"];
  const auto tenth = [](const family& claim, double n) {
    return claim.on("baseline").elements(n).with("workload.traffic.hot_spot=0.1");
  };
  for (const double n : slightly.numbers("sizes")) {
    rows.push_back(slightly.row(id_text(n)));
    rows.back().points = {tenth(slightly, n)};
    rows.back().measure = over_least;
  }
  const family greater = all["C7.greater"];
  for (const double n : greater.numbers("sizes")) {
    rows.push_back(greater.row(id_text(n)));
    rows.back().points = {greater.on("baseline").elements(n), tenth(greater, n)};
    rows.back().measure = latency_ratio;
  }
  return rows;
}

rows_t hot_tenth(const claims& all) {
  rows_t rows;
  const family claim = all["C7"];
  for (const double n : claim.numbers("sizes")) {
    const point tenth = claim.on("baseline").elements(n).with("workload.traffic.hot_spot=0.1");
    const point whole = claim.on("baseline").elements(n);
    planned_row ratio = claim.row(id_text(n));
    ratio.points = {tenth, whole};
    ratio.measure = [](const point_results& at) { return excess(*at[0]) / excess(*at[1]); };
    rows.push_back(ratio);
    for (const auto& [suffix, where] : {std::pair("at_10", tenth), std::pair("at_100", whole)}) {
      planned_row shown = all["C7.excess"].row(suffix);
      shown.shape.id = "C7." + id_text(n) + ".excess_" + suffix;
      shown.points = {where};
      shown.measure = [](const point_results& at) { return excess(*at[0]); };
      rows.push_back(shown);
    }
  }
  rows.push_back(compared(all["C7.five_percent"], latency_ratio));
  rows.back().points.at(0).with("workload.traffic.hot_spot=0.05");
  rows.back().points.at(1).with("workload.traffic.hot_spot=0");
  return rows;
}

// --- C8: several requests outstanding ------------------------------------------------------------

rows_t several_outstanding(const family& claim) {
  rows_t rows;
  for (const double hot : claim.numbers("hot_spots")) {
    for (const double outstanding : claim.numbers("outstanding")) {
      planned_row each = claim.row("hot_" + id_text(hot) + ".outstanding_" + id_text(outstanding));
      each.shape.id = "C8." + each.shape.id.substr(claim.id().size() + 1);
      for (const char* design : {"improved", "wait_buffer_100"}) {
        each.points.push_back(claim.on(design)
                                  .with("workload.traffic.hot_spot=" + id_text(hot))
                                  .with("interface.outstanding=" + id_text(outstanding)));
      }
      each.measure = latency_reduction;
      rows.push_back(each);
    }
  }
  return rows;
}

// --- C9: slow memory -----------------------------------------------------------------------------

std::vector<point> fast_and_modern(const claims& all, double n) {
  return {all["C9.fast"].on("wait_buffer_100").elements(n),
          all["C9.fast"].on("improved").elements(n),
          all["C9.modern"].on("wait_buffer_100").elements(n),
          all["C9.modern"].on("improved").elements(n)};
}

/// Cycles saved by adaptive queues: with modern memory beyond those with fast.
double saved_beyond(const point_results& at) {
  const double fast = at[0]->latency() - at[1]->latency();
  const double modern = at[2]->latency() - at[3]->latency();
  return modern - fast;
}

/// Geometric mean over sizes of the ratio of latencies; four points a size, `first` of them taken.
double mean_ratio(const point_results& at, std::size_t first) {
  double logarithms = 0;
  for (std::size_t i = 0; i < at.size(); i += 4) {
    logarithms += std::log(at[i + first]->latency() / at[i + first + 1]->latency());
  }
  return std::exp(logarithms / (static_cast<double>(at.size()) / 4));
}

rows_t modern_memory(const claims& all) {
  rows_t rows;
  std::vector<point> every_size;
  for (const double n : all["C9.saved"].numbers("sizes")) {
    planned_row saved = all["C9.saved"].row(id_text(n));
    saved.points = fast_and_modern(all, n);
    saved.measure = saved_beyond;
    every_size.insert(every_size.end(), saved.points.begin(), saved.points.end());
    rows.push_back(saved);
  }
  const family at_size = all["C9.ratio_at"];
  for (const double n : all["C9.saved"].numbers("sizes")) {
    rows.push_back(at_size.row(id_text(n)));
    rows.back().points = fast_and_modern(all, n);
    rows.back().measure = [](const point_results& at) {
      return mean_ratio(at, 2) - mean_ratio(at, 0);
    };
  }
  planned_row larger = all["C9.ratio"].row();
  larger.points = every_size;
  larger.measure = [](const point_results& at) { return mean_ratio(at, 2) - mean_ratio(at, 0); };
  rows.push_back(larger);
  for (const auto& [id, first] : {std::pair("C9.ratio.fast", 0), std::pair("C9.ratio.modern", 2)}) {
    planned_row shown = all[id].row();
    shown.points = every_size;
    shown.measure = [start = static_cast<std::size_t>(first)](const point_results& at) {
      return mean_ratio(at, start);
    };
    rows.push_back(shown);
  }
  return rows;
}

// --- C10: aggressive switches --------------------------------------------------------------------

/// Combining rate of a stage by the number of requests outstanding; with fewer than "judged_from"
/// it is only shown.
rows_t rates_by_outstanding(const family& claim) {
  rows_t rows;
  const auto stage = static_cast<unsigned>(claim.number("stage_from_memory")) - 1;
  for (const double outstanding : claim.numbers("outstanding")) {
    planned_row each = claim.row(id_text(outstanding));
    if (claim.has("judged_from")) {
      each.shape.expected.judged = outstanding >= claim.number("judged_from");
    }
    each.points = {
        claim.on(claim.text("design")).with("interface.outstanding=" + id_text(outstanding))};
    each.measure = [stage](const point_results& at) { return at[0]->combining_rate(stage); };
    rows.push_back(each);
  }
  return rows;
}

double latency_over_least_of_others(const point_results& at) {
  double least = at[1]->latency();
  for (std::size_t i = 2; i < at.size(); ++i) least = std::min(least, at[i]->latency());
  return at[0]->latency() / least;
}

rows_t aggressive(const claims& all) {
  rows_t rows;
  const family latency = all["C10.latency"];
  for (const double n : latency.numbers("sizes")) {
    rows.push_back(latency.row(id_text(n)));
    for (const char* design : {"aggressive", "baseline", "wait_buffer_100", "improved"}) {
      rows.back().points.push_back(latency.on(design).elements(n));
    }
    rows.back().measure = latency_over_least_of_others;
  }
  const family combining = all["C10.combining"];
  for (const double n : combining.numbers("sizes")) {
    rows.push_back(combining.row(id_text(n)));
    rows.back().points = {combining.on("aggressive").elements(n),
                          combining.on("improved").elements(n)};
    rows.back().measure = [](const point_results& at) {
      return at[0]->total_combining_rate() / at[1]->total_combining_rate();
    };
  }
  append(rows, shown_rates(all["C10.near_processors"]));
  for (const char* id : {"C10.outstanding", "C10.outstanding_improved"}) {
    append(rows, rates_by_outstanding(all[id]));
  }
  return rows;
}

}  // namespace

std::vector<planned_row> published_checks(const claims& all) {
  rows_t rows = latencies(all);
  append(rows, stages(all));
  append(rows, hot_tenth(all));
  append(rows, tenth_and_whole(all));
  for (const char* id : {"C8.no_effect", "C8.shown", "C8.gain"}) {
    append(rows, several_outstanding(all[id]));
  }
  append(rows, modern_memory(all));
  append(rows, aggressive(all));
  return rows;
}

}  // namespace tributary::validation
