// SPDX-License-Identifier: Apache-2.0
// FLASH's rows of applications: SV36 to SV44 and SV49, by the numbers of the synchronization
// specification, and Tables 6.10 to 6.12, on runs of the presets `water`, `barnes` and `ocean`.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <tributary/sim/error.h>
#include <tributary/sim/json_document.h>

#include "flash_checks.h"

namespace tributary::validation {
namespace {

using rows_t = std::vector<planned_row>;
using number_of = std::function<double(const point_result&)>;

/// Microseconds of a cycle of the processor.
constexpr double cycle = 0.0025;

double sampled(const point_result& at, const std::string& what) {
  return at.mean("workload.samples." + what);
}

double acquisitions(const point_result& at) {
  return sampled(at, "acquire.count") + sampled(at, "hand_off.count");
}

double contended_percent(const point_result& at) {
  return 100 * sampled(at, "hand_off.count") / acquisitions(at);
}

double milliseconds(const point_result& at) { return sampled(at, "time.mean") * cycle / 1000; }

/// The mean of a sample, in microseconds.
number_of microseconds(const std::string& what) {
  return [what](const point_result& at) { return sampled(at, what + ".mean") * cycle; };
}

/// In locks and barriers, of the program's time: "mean" or "max" of the processes.
number_of synchronization_percent(const std::string& which) {
  return [which](const point_result& at) {
    return 100 * sampled(at, "synchronization." + which) / sampled(at, "time.mean");
  };
}

/// A statistic of each node.
std::vector<double> of_nodes(const point_result& at, const std::string& statistic) {
  std::vector<double> values;
  for (unsigned i = 0; i < sampled(at, "time.count"); ++i) {
    values.push_back(at.mean("node." + std::to_string(i) + "." + statistic));
  }
  return values;
}

double sum_of_nodes(const point_result& at, const std::string& statistic) {
  const std::vector<double> values = of_nodes(at, statistic);
  return std::accumulate(values.begin(), values.end(), 0.0);
}

double mean_miss(const point_result& at) {
  return sum_of_nodes(at, "cache.miss_latency.sum") / sum_of_nodes(at, "cache.miss_latency.count") *
         cycle;
}

constexpr const char* occupancy = "protocol_processor.occupancy";

double mean_occupancy(const point_result& at) {
  return sum_of_nodes(at, occupancy) / sampled(at, "time.count");
}

/// Of the protocol processor that handlers occupy longest.
double greatest_occupancy(const point_result& at) {
  const std::vector<double> all = of_nodes(at, occupancy);
  return *std::max_element(all.begin(), all.end());
}

/// The family's preset on so many nodes; `series`: whose locks or barriers it has.
point application_on(const family& claim, const std::string& series, double nodes) {
  return claim.on(claim.text("design")).of_series(series).with("nodes=" + id_text(nodes));
}

/// A row for each of the family's "processors", whose published values are its "values"; runs from
/// "full_from" processors on are left to --full.
rows_t by_processors(const family& claim, const number_of& number) {
  const std::vector<double> sizes = claim.numbers("processors");
  const std::vector<double> values = claim.numbers("values");
  rows_t rows;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    planned_row row = claim.row_with(id_text(sizes[i]), values.at(i));
    row.points = {application_on(claim, claim.text("series"), sizes[i])};
    row.only_full = sizes[i] >= claim.number("full_from");
    row.measure = [number](const point_results& at) { return number(*at[0]); };
    rows.push_back(std::move(row));
  }
  return rows;
}

/// A column of Tables 6.10 to 6.12.
struct table_column {
  const char* name;  ///< in the claims
  const char* unit;
  const char* what;
  number_of number;
};

const table_column& column_named(const std::string& name) {
  static const std::vector<table_column> columns{
      {"time", "ms", "time", milliseconds},
      {"synchronization", "%", "share of synchronization, mean", synchronization_percent("mean")},
      {"most_synchronization", "%", "share of synchronization, most",
       synchronization_percent("max")},
      {"miss", "us", "mean miss of the caches", mean_miss},
      {"occupancy", "%", "protocol processors, mean occupancy",
       [](const point_result& at) { return 100 * mean_occupancy(at); }},
      {"most_occupancy", "%", "protocol processors, greatest occupancy",
       [](const point_result& at) { return 100 * greatest_occupancy(at); }},
      {"acquire", "us", "mean acquisition of a free lock", microseconds("acquire")},
      {"hand_off", "us", "mean hand-over", microseconds("hand_off")},
      {"contended", "%", "locks that another holds up", contended_percent},
      {"acquisitions", "acquisitions", "acquisitions", acquisitions},
      {"last_arrival", "us", "mean time between the last two arrivals",
       microseconds("last_arrival")},
      {"all_arrivals", "us", "mean time from first to last arrival", microseconds("all_arrivals")},
      {"fall_through_median", "us", "median fall-through", microseconds("fall_through_median")},
      {"fall_through", "us", "mean fall-through", microseconds("fall_through")},
      {"release", "us", "mean release", microseconds("release")},
      {"barriers", "barriers", "barriers",
       [](const point_result& at) { return sampled(at, "release.count"); }}};
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [&](const table_column& each) { return each.name == name; });
  if (found == columns.end()) throw input_error("Tables 6.10 to 6.12 have no column " + name);
  return *found;
}

/// A row for each number of a published table: "column.series.processors".
rows_t rows_of_table(const claims& flash, const std::string& id) {
  const family table = flash[id];
  const std::vector<double> sizes = table.numbers("processors");
  rows_t rows;
  for (const json_member& each : table.member("columns").as_object()) {
    const table_column& column = column_named(each.key);
    const family published(flash, id + "." + each.key, each.value);
    for (const std::string& series : table.texts("series")) {
      if (!published.has(series)) continue;
      const std::vector<double> values = published.numbers(series);
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        const std::string place = each.key + "." + series + "." + id_text(sizes[i]);
        planned_row row = table.row_with(place, values.at(i));
        row.shape.what += ": " + std::string(column.what) + ", by series and processors";
        row.shape.unit = column.unit;
        row.points = {application_on(table, series, sizes[i])};
        row.only_full = sizes[i] >= table.number("full_from");
        row.measure = [&column](const point_results& at) { return column.number(*at[0]); };
        rows.push_back(std::move(row));
      }
    }
  }
  return rows;
}

/// Whether a number rises from lock to lock in this order.
rows_t rankings(const family& claim, const number_of& number) {
  rows_t rows;
  for (const double size : claim.numbers("processors")) {
    planned_row row = claim.row(id_text(size));
    for (const std::string& lock : claim.texts("order")) {
      row.points.push_back(application_on(claim, lock, size));
    }
    row.only_full = true;
    row.measure = [number](const point_results& at) {
      for (std::size_t i = 1; i < at.size(); ++i) {
        if (number(*at[i - 1]) >= number(*at[i])) return 0.0;
      }
      return 1.0;
    };
    rows.push_back(std::move(row));
  }
  return rows;
}

/// What is saved where the locks do not all lie on node 0.
rows_t striping(const family& claim) {
  const std::vector<double> sizes = claim.numbers("processors");
  const std::vector<double> values = claim.numbers("values");
  rows_t rows;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    planned_row row = claim.row_with(id_text(sizes[i]), values.at(i));
    const point striped = application_on(claim, "LL/SC", sizes[i]);
    point central = striped;
    row.points = {striped, central.with("workload.program.water.placement=central")};
    row.only_full = true;
    row.measure = [](const point_results& at) {
      return 100 * (1 - milliseconds(*at[0]) / milliseconds(*at[1]));
    };
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Two runs, of which the row says how their times compare.
planned_row pair_of_times(const family& claim, const point& one, const point& other,
                          const std::function<double(double, double)>& compared) {
  planned_row row = claim.row();
  row.points = {one, other};
  row.only_full = true;
  row.measure = [compared](const point_results& at) {
    return compared(milliseconds(*at[0]), milliseconds(*at[1]));
  };
  return row;
}

rows_t barnes_times(const claims& flash) {
  const family gain = flash["flash.SV40.gain"];
  const family slower = flash["flash.SV40.slower"];
  return {
      pair_of_times(
          gain, application_on(gain, "FLASH", 128), application_on(gain, "MCS", 128),
          [](double with_flash, double with_mcs) { return 100 * (1 - with_flash / with_mcs); }),
      pair_of_times(slower, application_on(slower, "MCS", 64), application_on(slower, "MCS", 128),
                    [](double on_64, double on_128) { return on_128 > on_64 ? 1.0 : 0.0; })};
}

/// What the text says of Ocean's barriers.
rows_t ocean_barriers(const claims& flash) {
  rows_t rows;
  const family tail = flash["flash.SV42"];
  planned_row longest = tail.row();
  longest.points = {application_on(tail, "FLASH", 64)};
  longest.only_full = true;
  longest.measure = [](const point_results& at) {
    return sampled(*at[0], "fall_through.max") * cycle;
  };
  rows.push_back(std::move(longest));
  const family gain = flash["flash.SV43"];
  rows.push_back(pair_of_times(
      gain, application_on(gain, "FLASH", 64), application_on(gain, "MCS", 64),
      [](double with_flash, double with_mcs) { return 100 * (with_flash / with_mcs - 1); }));
  return rows;
}

}  // namespace

std::vector<planned_row> flash_application_checks(const claims& flash) {
  rows_t rows;
  const auto add = [&](rows_t more) {
    rows.insert(rows.end(), std::make_move_iterator(more.begin()),
                std::make_move_iterator(more.end()));
  };
  add(by_processors(flash["flash.SV36"], acquisitions));
  for (const char* id :
       {"flash.SV37.fitted", "flash.SV37.FLASH", "flash.SV37.MCS", "flash.SV37.LLSC"}) {
    add(by_processors(flash[id], milliseconds));
  }
  add(rankings(flash["flash.SV37.order"], milliseconds));
  add(by_processors(flash["flash.SV38"], contended_percent));
  add(by_processors(flash["flash.SV39.FLASH"], microseconds("hand_off")));
  add(by_processors(flash["flash.SV39.LLSC"], microseconds("hand_off")));
  add(by_processors(flash["flash.SV40.acquisitions"], acquisitions));
  add(by_processors(flash["flash.SV40.fitted"], milliseconds));
  add(rankings(flash["flash.SV40.order"], milliseconds));
  add(barnes_times(flash));
  add(rankings(flash["flash.SV49"], greatest_occupancy));
  add(striping(flash["flash.SV44"]));
  for (const char* id : {"flash.SV41.FLASH", "flash.SV41.MCS", "flash.SV41.tournament"}) {
    add(by_processors(flash[id], microseconds("fall_through_median")));
  }
  add(by_processors(flash["flash.SV41.fitted"], milliseconds));
  add(ocean_barriers(flash));
  for (const char* table : {"flash.T6.10.512", "flash.T6.10.1024", "flash.T6.11", "flash.T6.12.258",
                            "flash.T6.12.514"}) {
    add(rows_of_table(flash, table));
  }
  return rows;
}

}  // namespace tributary::validation
