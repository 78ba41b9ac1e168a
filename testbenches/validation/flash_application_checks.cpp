// SPDX-License-Identifier: Apache-2.0
// FLASH's rows of applications: SV36 to SV44 and SV49, by the numbers of the synchronization
// specification, on runs of the presets `water`, `barnes` and `ocean`.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

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

double hand_off(const point_result& at) { return sampled(at, "hand_off.mean") * cycle; }

double milliseconds(const point_result& at) { return sampled(at, "time.mean") * cycle / 1000; }

double fall_through(const point_result& at) {
  return sampled(at, "fall_through_median.mean") * cycle;
}

/// The family's preset on so many nodes; `series`: whose locks or barriers it has.
point application_on(const family& claim, const std::string& series, double nodes) {
  return claim.on(claim.text("design")).of_series(series).with("nodes=" + id_text(nodes));
}

/// A row for each of the family's "processors", whose published values are its "values"; runs from
/// "full_from" processors on take minutes.
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

/// A row for each of the family's "series" and "processors"; the member of the series' name has the
/// published values.
rows_t by_series(const family& claim, const number_of& number) {
  const std::vector<double> sizes = claim.numbers("processors");
  rows_t rows;
  for (const std::string& series : claim.texts("series")) {
    const std::vector<double> values = claim.numbers(series);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      planned_row row = claim.row_with(series + "." + id_text(sizes[i]), values.at(i));
      row.points = {application_on(claim, series, sizes[i])};
      row.only_full = true;
      row.measure = [number](const point_results& at) { return number(*at[0]); };
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

/// Of the protocol processors of that many nodes, that which handlers occupy longest.
double busiest(const point_result& at, double nodes) {
  double most = 0;
  for (unsigned i = 0; i < nodes; ++i) {
    const std::string node = "node." + std::to_string(i);
    most = std::max(most, at.mean(node + ".protocol_processor.occupancy"));
  }
  return most;
}

/// Whether a number rises from lock to lock in this order; it is given how many nodes there are.
rows_t rankings(const family& claim,
                const std::function<double(const point_result&, double)>& number) {
  rows_t rows;
  for (const double size : claim.numbers("processors")) {
    planned_row row = claim.row(id_text(size));
    for (const std::string& lock : claim.texts("order")) {
      row.points.push_back(application_on(claim, lock, size));
    }
    row.only_full = true;
    row.measure = [number, size](const point_results& at) {
      for (std::size_t i = 1; i < at.size(); ++i) {
        if (number(*at[i - 1], size) >= number(*at[i], size)) return 0.0;
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

/// Ocean's barriers: Table 6.12, and what the text says of it.
rows_t ocean_barriers(const claims& flash) {
  const std::pair<const char*, number_of> columns[] = {
      {"time", milliseconds},
      {"synchronization",
       [](const point_result& at) {
         return 100 * sampled(at, "synchronization.mean") / sampled(at, "time.mean");
       }},
      {"fall_through", fall_through},
      {"release", [](const point_result& at) { return sampled(at, "release.mean") * cycle; }}};
  rows_t rows;
  for (const auto& [column, number] : columns) {
    for (const char* grid : {"258", "514"}) {
      const std::string id = "flash.SV41.shown." + std::string(column) + "." + grid;
      for (planned_row& row : by_series(flash[id], number)) rows.push_back(std::move(row));
    }
  }
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
       {"flash.SV37.fitted", "flash.SV37.FLASH", "flash.SV37.MCS", "flash.SV37.LLSC",
        "flash.SV37.shown.FLASH", "flash.SV37.shown.MCS", "flash.SV37.shown.LLSC"}) {
    add(by_processors(flash[id], milliseconds));
  }
  const auto time = [](const point_result& at, double) { return milliseconds(at); };
  add(rankings(flash["flash.SV37.order"], time));
  add(by_processors(flash["flash.SV38"], contended_percent));
  add(by_processors(flash["flash.SV39.FLASH"], hand_off));
  add(by_processors(flash["flash.SV39.LLSC"], hand_off));
  add(by_processors(flash["flash.SV40.acquisitions"], acquisitions));
  for (const char* id : {"flash.SV40.fitted", "flash.SV40.shown.FLASH", "flash.SV40.shown.MCS",
                         "flash.SV40.shown.LLSC"}) {
    add(by_processors(flash[id], milliseconds));
  }
  add(rankings(flash["flash.SV40.order"], time));
  add(barnes_times(flash));
  add(rankings(flash["flash.SV49"], busiest));
  add(striping(flash["flash.SV44"]));
  for (const char* id : {"flash.SV41.FLASH", "flash.SV41.MCS", "flash.SV41.tournament"}) {
    add(by_processors(flash[id], fall_through));
  }
  add(by_processors(flash["flash.SV41.fitted"], milliseconds));
  add(ocean_barriers(flash));
  return rows;
}

}  // namespace tributary::validation
