// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <utility>

#include <tributary/sim/error.h>

#include "checks.h"

namespace tributary::validation {
namespace {

using rows_t = std::vector<planned_row>;

bool contains(const std::vector<double>& list, double value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

/// The table of the contract: a row of latencies a design, a column a size.
rows_t table(const claims& all) {
  rows_t rows;
  const family claim = all["M"];
  const std::vector<double> sizes = claim.numbers("sizes");
  for (const json_member& line : claim.member("table").as_object()) {
    const family design = all["M." + line.key];
    const std::vector<json_value>& expected = line.value.as_array();
    for (std::size_t i = 0; i < expected.size(); ++i) {
      planned_row each = design.row_with(id_text(sizes.at(i)), expected[i].as_number());
      // The way of drawing the starts was chosen by these.
      if (design.has("fitted") && contains(design.numbers("fitted"), sizes[i])) {
        each.shape.kind = row_kind::calibration;
      }
      each.points = {design.on(design.text("design")).elements(sizes.at(i))};
      each.measure = [](const point_results& at) { return at[0]->latency(); };
      rows.push_back(each);
    }
  }
  return rows;
}

/// The table's value for a design and a size.
double table_value(const claims& all, const std::string& design, double size) {
  const family claim = all["M"];
  const json_value* line = claim.member("table").find(design);
  const std::vector<double> sizes = claim.numbers("sizes");
  const auto at = std::find(sizes.begin(), sizes.end(), size) - sizes.begin();
  if (line == nullptr) throw error("the contract's table has no design " + design);
  return line->as_array().at(static_cast<std::size_t>(at)).as_number();
}

/// Greatest deviation of one seed's latency from the mean over seeds, at any of the points.
double greatest_spread(const point_results& at) {
  double greatest = 0;
  for (const point_result* where : at) {
    const double mean = where->latency();
    for (const double latency : where->each("interface.latency.mean")) {
      greatest = std::max(greatest, std::fabs(latency - mean) / mean);
    }
  }
  return greatest;
}

rows_t spreads(const claims& all) {
  rows_t rows;
  for (const json_member& line : all["M"].member("table").as_object()) {
    const family design = all["M." + line.key];
    planned_row each = all[design.text("spread")].row();
    each.shape.id = "M.seeds." + line.key;
    for (const double n : all[design.text("spread")].numbers("sizes")) {
      each.points.push_back(design.on(design.text("design")).elements(n));
    }
    each.measure = greatest_spread;
    rows.push_back(each);
  }
  return rows;
}

double least_of_seeds(const point_result& at) {
  const std::vector<double> latencies = at.each("interface.latency.mean");
  return *std::min_element(latencies.begin(), latencies.end());
}

double greatest_of_seeds(const point_result& at) {
  const std::vector<double> latencies = at.each("interface.latency.mean");
  return *std::max_element(latencies.begin(), latencies.end());
}

/// How the latency of sizes with several steady states depends on the start: over many seeds whose
/// starts are independent, and with all elements starting together. Shown beside the table's value.
rows_t distributions(const claims& all) {
  const std::vector<std::pair<const char*, double (*)(const point_result&)>> figures{
      {"mean", [](const point_result& at) { return at.latency(); }},
      {"least", least_of_seeds},
      {"greatest", greatest_of_seeds}};
  rows_t rows;
  const family claim = all["M.distribution"];
  for (const json_member& line : claim.member("sizes").as_object()) {
    const std::string& design = line.key;
    for (const json_value& size : line.value.as_array()) {
      const double n = size.as_number();
      const double expected = table_value(all, design, n);
      const std::string name = design + "." + id_text(n);
      for (const auto& [figure, measure] : figures) {
        planned_row each = claim.row_with(name + "." + figure, expected);
        each.points = {claim.on(design).elements(n)};
        each.measure = [one = measure](const point_results& at) { return one(*at[0]); };
        rows.push_back(each);
      }
      planned_row together = all["M.together"].row_with("", expected);
      together.shape.id = claim.id() + "." + name + ".together";
      together.points = {all["M.together"].on(design).elements(n)};
      together.measure = [](const point_results& at) { return at[0]->latency(); };
      rows.push_back(together);
    }
  }
  return rows;
}

/// Combining rates by stage from memory. A stage of which nothing combines gets its own tolerance.
rows_t rates(const claims& all, const std::string& id) {
  rows_t rows;
  const family claim = all[id];
  const std::vector<double> expected = claim.numbers("rates");
  for (unsigned stage = 0; stage < expected.size(); ++stage) {
    const std::string suffix = id_text(stage + 1.0) + "_from_memory";
    planned_row each = claim.row_with(suffix, expected[stage]);
    if (expected[stage] == 0) each.shape.expected = all["M.zero"].row().shape.expected;
    each.points = {claim.on(claim.text("design"))};
    each.measure = [stage](const point_results& at) { return at[0]->combining_rate(stage); };
    rows.push_back(each);
  }
  return rows;
}

/// The figures of the paragraph below the table: each a design with some settings.
rows_t paragraph(const claims& all) {
  rows_t rows;
  for (const std::string& id : all["M"].texts("paragraph")) {
    const family claim = all[id];
    planned_row each = claim.row();
    each.points = {claim.on(claim.text("design"))};
    each.measure = [](const point_results& at) { return at[0]->latency(); };
    rows.push_back(each);
  }
  planned_row nothing = all["M.slots.2"].row();
  nothing.points = {all["M.slots.2"].on(all["M.slots.2"].text("design"))};
  nothing.measure = [](const point_results& at) { return at[0]->total_combining_rate(); };
  rows.push_back(nothing);
  return rows;
}

}  // namespace

std::vector<planned_row> contract_checks(const claims& all) {
  rows_t rows = table(all);
  for (const rows_t& more : {spreads(all), rates(all, "M.rates.wait_buffer_100"),
                             rates(all, "M.rates.improved"), paragraph(all)}) {
    rows.insert(rows.end(), more.begin(), more.end());
  }
  // The contract's values come from starts drawn in one sequence (docs/cycle-contract.md).
  for (planned_row& each : rows) {
    for (point& where : each.points) where.with(all["M"].texts("set"));
  }
  const rows_t independent = distributions(all);
  rows.insert(rows.end(), independent.begin(), independent.end());
  return rows;
}

}  // namespace tributary::validation
