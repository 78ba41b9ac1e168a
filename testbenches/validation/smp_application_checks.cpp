// SPDX-License-Identifier: Apache-2.0
// Rows of applications on SMP nodes: Table 2 and Figures 6 and 7 of Falsafi and Wood (T2, A and W
// of their specification, sections 7.5 and 13); at level Q unless they say level B.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "checks.h"
#include "family.h"

namespace tributary::validation {
namespace {

using rows_t = std::vector<planned_row>;
using points_t = std::vector<point>;
using sets_t = std::vector<std::string>;
using times_t = std::vector<double>;

constexpr const char* application_time = "workload.samples.time.mean";

// --- machines ------------------------------------------------------------------------------------

/// An application of Table 2.
struct application {
  const char* name;
  const char* preset;
  /// Costs of interrupts that the table prints bold: Fixed is faster than Floating.
  std::vector<int> bold;
  /// The greatest cost of interrupts that is measured without --full: above it, or if it is 0, runs
  /// take minutes.
  int short_up_to;
  /// What makes it small enough for level B.
  sets_t small = {};
};

const application em3d{
    "em3d",
    "em3d",
    {200, 2000, 20000},
    20000,
    {"workload.program.em3d.graph_nodes=9600", "workload.program.em3d.iterations=1"}};
const application gauss{"gauss", "gauss", {}, 200, {"workload.program.gauss.equations=160"}};
const application tomcatv{
    "tomcatv",
    "tomcatv",
    {},
    20000,
    {"workload.program.tomcatv.iterations=1", "workload.program.tomcatv.points=240"}};
const application barnes{
    "barnes", "barnes_stache", {20000}, 0, {"workload.program.barnes.bodies=512"}};
const application appbt{"appbt", "appbt", {20000}, 200};

const std::vector<int> interrupts{200, 2000, 20000};

point at(const claims& smp, const std::string& preset, const std::string& series,
         const sets_t& sets) {
  point made;
  made.platform = smp.platform();
  made.preset = preset + ".json";
  made.of_series(series);
  made.with(sets);
  return made;
}

/// With one or two processors a node.
point on_table_2(const claims& smp, const application& of, const char* series, int interrupt,
                 const sets_t& more = {}) {
  point made = at(smp, of.preset, series, {fmt::format("node.costs.interrupt={}", interrupt)});
  made.with(more);
  return made;
}

/// Whatever interrupts cost (W36).
point fixed_of(const claims& smp, const application& of, const sets_t& more = {}) {
  return on_table_2(smp, of, "Fixed", 200, more);
}

/// A row that is a number out of the times of machines.
planned_row row_of(planned_row row, points_t points,
                   const std::function<double(const times_t&)>& number) {
  row.points = std::move(points);
  row.measure = [number](const point_results& found) {
    times_t times;
    for (const point_result* each : found) times.push_back(each->mean(application_time));
    return number(times);
  };
  return row;
}

planned_row ratio_row(planned_row row, const point& of, const point& by) {
  return row_of(std::move(row), {of, by}, [](const times_t& time) { return time[0] / time[1]; });
}

planned_row in_full(planned_row row) {
  row.only_full = true;
  return row;
}

// --- Table 2 -------------------------------------------------------------------------------------

/// Of three costs of interrupts, those at which the other one of Floating and Fixed is faster than
/// in Table 2.
planned_row wrong_side(const claims& smp, const application& of) {
  points_t points{fixed_of(smp, of)};
  for (const int interrupt : interrupts) {
    points.push_back(on_table_2(smp, of, "Floating", interrupt));
  }
  planned_row row = row_of(smp[fmt::format("smp.T2.{}.faster", of.name)].row(), points,
                           [bold = of.bold](const times_t& time) {
                             double count = 0;
                             for (std::size_t i = 0; i < interrupts.size(); ++i) {
                               const bool is_bold =
                                   std::find(bold.begin(), bold.end(), interrupts[i]) != bold.end();
                               if ((time[i + 1] < time[0]) == is_bold) ++count;
                             }
                             return count;
                           });
  row.only_full = interrupts.back() > of.short_up_to;
  return row;
}

/// Table 2: times by those of two processors under Fixed, and how they grow with interrupts.
void add_table_2(const claims& smp, const application& of, rows_t& rows) {
  for (const auto& [id, series] :
       {std::pair<const char*, const char*>{"single", "Single"}, {"floating", "Floating"}}) {
    for (const int interrupt : interrupts) {
      rows.push_back(ratio_row(smp[fmt::format("smp.T2.{}.{}.{}", of.name, id, interrupt)].row(),
                               on_table_2(smp, of, series, interrupt), fixed_of(smp, of)));
      rows.back().only_full = interrupt > of.short_up_to;
    }
    rows.push_back(ratio_row(smp[fmt::format("smp.W27.{}.{}", of.name, id)].row(),
                             on_table_2(smp, of, series, 20000), on_table_2(smp, of, series, 200)));
    rows.back().only_full = interrupts.back() > of.short_up_to;
  }
  rows.push_back(wrong_side(smp, of));
}

/// Floating's times with interrupts of 100 and 1 us.
points_t growth_of(const claims& smp, const application& of, const sets_t& more = {}) {
  return {on_table_2(smp, of, "Floating", 20000, more), on_table_2(smp, of, "Floating", 200, more)};
}

/// How much interrupts of 100 us slow Floating down (A7, A8, W28).
void add_growths(const claims& smp, rows_t& rows) {
  const auto growth = [](const times_t& time, std::size_t i) {
    return time[2 * i] / time[2 * i + 1];
  };
  points_t points = growth_of(smp, appbt);
  for (const application* each : {&barnes, &em3d, &gauss, &tomcatv}) {
    for (const point& one : growth_of(smp, *each)) points.push_back(one);
  }
  const auto greatest_from = [growth](const times_t& time, std::size_t first) {
    double most = 0;
    for (std::size_t i = first; 2 * i < time.size(); ++i) most = std::max(most, growth(time, i));
    return most;
  };
  rows.push_back(in_full(row_of(smp["smp.A7"].row(), points, [greatest_from](const times_t& time) {
    return greatest_from(time, 0);
  })));
  rows.push_back(in_full(row_of(smp["smp.A8"].row(), points, [=](const times_t& time) {
    return growth(time, 0) / greatest_from(time, 1);
  })));
  for (const auto& [id, spins] :
       {std::pair<const char*, const char*>{"spinning", "true"}, {"resting", "false"}}) {
    const std::string set = std::string("workload.program.appbt.spin_locks=") + spins;
    rows.push_back(
        in_full(row_of(smp[std::string("smp.W28.") + id].row(), growth_of(smp, appbt, {set}),
                       [growth](const times_t& time) { return growth(time, 0); })));
  }
}

// --- Figure 6 ------------------------------------------------------------------------------------

/// A machine of Figure 6, with interrupts of 1 us.
point on_figure_6(const claims& smp, const application& of, const char* series, int processors) {
  return at(smp, std::string(of.name) + "_processors", series,
            {fmt::format("node.processors={}", processors)});
}

void add_figure_6(const claims& smp, rows_t& rows) {
  for (const application* each : {&appbt, &barnes, &em3d, &gauss, &tomcatv}) {
    const std::string name = each->name;
    const point single = on_table_2(smp, *each, "Single", 200);
    if (each != &em3d) {
      rows.push_back(ratio_row(smp["smp.A1." + name].row(), single, fixed_of(smp, *each)));
      rows.back().only_full = each->short_up_to == 0;
    }
    rows.push_back(
        ratio_row(smp["smp.W30." + name].row(), single, on_table_2(smp, *each, "Floating", 200)));
    rows.back().only_full = each->short_up_to == 0;
  }
  for (const application* each : {&appbt, &barnes}) {
    const auto on = [&](const char* series, int size) {
      return on_figure_6(smp, *each, series, size);
    };
    const std::string id = std::string("smp.A3.") + each->name;
    rows.push_back(in_full(ratio_row(smp[id + ".ahead"].row(), on("Floating", 4), on("Fixed", 4))));
    rows.push_back(
        in_full(row_of(smp[id + ".dominates"].row(),
                       {on("Floating", 3), on("Fixed", 3), on("Floating", 2), on("Fixed", 2)},
                       [](const times_t& time) { return time[0] / time[1] * time[3] / time[2]; })));
  }
  for (const int size : {4, 5}) {
    rows.push_back(ratio_row(smp[fmt::format("smp.W17.{}", size)].row(),
                             on_figure_6(smp, em3d, "Fixed", size),
                             on_figure_6(smp, em3d, "Floating", size)));
  }
  rows.push_back(in_full(ratio_row(smp["smp.W29"].row(), on_figure_6(smp, gauss, "Floating", 4),
                                   on_figure_6(smp, gauss, "Fixed", 4))));
}

// --- Figure 7: what pays -------------------------------------------------------------------------

constexpr int most_processors = 10;
/// Of two gaps, where Floating is not ahead at both costs of interrupts.
constexpr double no_gap = 1;

/// Cost by time of Single and of nodes with 2 to 10 processors, relative to Single.
struct cost_curves {
  std::vector<double> fixed;
  std::vector<double> floating;

  /// Of times in the order of `on_figure_7`, from one on.
  cost_curves(const times_t& time, std::size_t from) {
    const double single = time[from++];
    for (std::vector<double>* each : {&fixed, &floating}) {
      for (int n = 2; n <= most_processors; ++n) {
        each->push_back((1 + 0.3 * (n - 1)) * time[from++] / single);
      }
    }
  }

  static double least(const std::vector<double>& of) {
    return *std::min_element(of.begin(), of.end());
  }
  /// Of the most cost-effective nodes, Floating's by Fixed's.
  double best() const { return least(floating) / least(fixed); }
  /// Of as many processors, Floating by Fixed, the greatest.
  double closest() const {
    double most = 0;
    for (std::size_t i = 0; i < fixed.size(); ++i) most = std::max(most, floating[i] / fixed[i]);
    return most;
  }
  double floating_with(int processors) const {
    return floating[static_cast<std::size_t>(processors - 2)];
  }
};

points_t on_figure_7(const claims& smp, const application& of, int interrupt) {
  const std::string preset = std::string(of.name) + "_cost";
  const sets_t costly{fmt::format("node.costs.interrupt={}", interrupt)};
  points_t points{at(smp, preset, "Single", costly)};
  for (int n = 2; n <= most_processors; ++n) {
    points.push_back(at(smp, preset, fmt::format("Fixed-{}", n), {"node.costs.interrupt=200"}));
  }
  for (int n = 2; n <= most_processors; ++n) {
    points.push_back(at(smp, preset, fmt::format("Floating-{}", n), costly));
  }
  return points;
}

/// A row about the curves with interrupts of one cost.
planned_row curves_row(const claims& smp, const std::string& id, const application& of,
                       int interrupt, const std::function<double(const cost_curves&)>& number) {
  return in_full(row_of(smp[id].row(), on_figure_7(smp, of, interrupt),
                        [number](const times_t& time) { return number(cost_curves(time, 0)); }));
}

/// What a second processor pays for (A9, A10, A11, W31, W32).
void add_second_processor(const claims& smp, const application& of, rows_t& rows) {
  const std::string name = of.name;
  const auto add = [&](const std::string& id, const char* series, int interrupt, double costup) {
    const point other = on_table_2(smp, of, series, interrupt);
    rows.push_back(row_of(smp[id].row(),
                          {series == std::string("Fixed") ? fixed_of(smp, of) : other,
                           on_table_2(smp, of, "Single", interrupt)},
                          [costup](const times_t& time) { return costup * time[0] / time[1]; }));
    rows.back().only_full = interrupt > of.short_up_to;
  };
  add("smp.A9." + name, "Fixed", 200, 1.3);
  add("smp.A10." + name, "Fixed", 2000, 1.3);
  rows.push_back(ratio_row(smp["smp.A11." + name].row(), on_table_2(smp, of, "Single", 200),
                           on_table_2(smp, of, "Floating", 200)));
  rows.back().only_full = of.short_up_to == 0;
  for (const int interrupt : {200, 2000}) {
    const std::string check = name == "barnes" ? "smp.W31" : "smp.W32";
    add(fmt::format("{}.fixed.{}", check, interrupt), "Fixed", interrupt, 1.3);
    if (name == "barnes") continue;
    add(fmt::format("{}.floating.{}", check, interrupt), "Floating", interrupt, 1.3);
  }
}

void add_figure_7(const claims& smp, rows_t& rows) {
  const auto add = [&](const std::string& id, const application& of, int interrupt,
                       const std::function<double(const cost_curves&)>& number) {
    rows.push_back(curves_row(smp, id, of, interrupt, number));
  };
  for (const application* each : {&barnes, &tomcatv}) {
    add_second_processor(smp, *each, rows);
    const std::string name = each->name;
    add("smp.A12." + name, *each, 200, &cost_curves::best);
    add("smp.A14." + name, *each, 2000, &cost_curves::best);
  }
  add("smp.A13.linear", tomcatv, 200, [](const cost_curves& found) {
    const double six = 1 + 0.3 * 5;
    return six / found.floating_with(6) / 6;
  });
  for (const int interrupt : {200, 2000}) {
    add(fmt::format("smp.A13.lower.{}", interrupt), tomcatv, interrupt, &cost_curves::closest);
  }
  add("smp.A13.levels_off", tomcatv, 200, [](const cost_curves& found) {
    const double early = found.floating_with(2) - found.floating_with(6);
    return std::abs(found.floating_with(6) - found.floating_with(10)) / early;
  });
  add("smp.A13.margin", tomcatv, 200, [](const cost_curves& found) {
    return std::abs(found.fixed.back() - found.floating.back()) /
           (found.fixed.front() - found.floating.front());
  });
  points_t both = on_figure_7(smp, tomcatv, 2000);
  const std::size_t second = both.size();
  for (const point& each : on_figure_7(smp, tomcatv, 200)) both.push_back(each);
  rows.push_back(in_full(row_of(smp["smp.A14.gap"].row(), both, [second](const times_t& time) {
    const double costly = cost_curves(time, 0).best();
    const double cheap = cost_curves(time, second).best();
    return costly < 1 && cheap < 1 ? (1 - costly) / (1 - cheap) : no_gap;
  })));
}

// --- Table 2 at level B --------------------------------------------------------------------------

/// Level B's ratio by level Q's of a smaller application, and the ratio itself.
void add_levels(const claims& smp, const application& of, rows_t& rows) {
  sets_t on_bus = of.small;
  on_bus.emplace_back("node.level=bus");
  std::sort(on_bus.begin(), on_bus.end());
  for (const auto& [id, series] :
       {std::pair<const char*, const char*>{"single", "Single"}, {"floating", "Floating"}}) {
    for (const int interrupt : interrupts) {
      const points_t bus{on_table_2(smp, of, series, interrupt, on_bus), fixed_of(smp, of, on_bus)};
      points_t all = bus;
      all.push_back(on_table_2(smp, of, series, interrupt, of.small));
      all.push_back(fixed_of(smp, of, of.small));
      const std::string suffix = fmt::format("{}.{}.{}", of.name, id, interrupt);
      rows.push_back(in_full(row_of(smp["smp.levels.T2"].row(suffix), all, [](const times_t& time) {
        return time[0] / time[1] * time[3] / time[2];
      })));
      rows.push_back(in_full(ratio_row(smp["smp.bus.T2"].row(suffix), bus[0], bus[1])));
    }
  }
}

}  // namespace

rows_t smp_application_checks(const claims& smp) {
  rows_t rows;
  for (const application* each : {&em3d, &gauss, &tomcatv, &barnes, &appbt}) {
    add_table_2(smp, *each, rows);
  }
  add_growths(smp, rows);
  add_figure_6(smp, rows);
  add_figure_7(smp, rows);
  for (const application* each : {&em3d, &gauss, &tomcatv, &barnes}) {
    add_levels(smp, *each, rows);
  }
  return rows;
}

}  // namespace tributary::validation
