// SPDX-License-Identifier: Apache-2.0
// C11, C12: barriers and readers and writers (FG 4), in the panels of Figures 9 to 15.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include <tributary/algorithms/memory_place.h>
#include <tributary/algorithms/readers_writers_lock.h>
#include <tributary/sim/error.h>
#include <ultracomputer/ultracomputer.h>

#include "checks.h"

namespace tributary::validation {
namespace {

using rows_t = std::vector<planned_row>;

void append(rows_t& rows, rows_t more) {
  for (planned_row& each : more) rows.push_back(std::move(each));
}

/// A panel of a figure: its preset with settings, and what it draws.
class panel {
 public:
  panel(const claims& all, const std::string& name) {
    const json_value* data = all["figures"].member("panels").find(name);
    if (data == nullptr) throw input_error("expected.json has no panel " + name);
    const family entry(all, name, *data);
    at_.preset = entry.text("preset") + ".json";
    at_.with(entry.texts("set"));
    if (entry.has("seeds")) at_.seeded(entry.member("seeds").as_unsigned());
    statistic_ = entry.text("statistic");
    if (entry.has("full_from")) full_from_ = entry.number("full_from");
  }

  point at(const std::string& series, double size) const {
    point made = at_;
    return made.of_series(series).elements(size);
  }
  const std::string& statistic() const { return statistic_; }
  /// Whether a machine of that size is measured for that claim on demand only: from the panel's or
  /// the claim's "full_from" on.
  bool only_full(double size, const family& claim) const {
    return (full_from_ > 0 && size >= full_from_) ||
           (claim.has("full_from") && size >= claim.number("full_from"));
  }

 private:
  point at_;
  std::string statistic_;
  double full_from_ = 0;
};

/// The panels of a claim with the suffix of each in its rows.
std::vector<std::pair<std::string, panel>> panels_of(const claims& all, const family& claim) {
  std::vector<std::pair<std::string, panel>> panels;
  for (const json_member& each : claim.member("panels").as_object()) {
    panels.emplace_back(each.key, panel(all, each.value.as_string()));
  }
  return panels;
}

/// "MCS, improved" in an id: mcs_improved.
std::string slug(const std::string& series) {
  std::string made;
  for (const char letter : series) {
    if (letter == ',') continue;
    made +=
        letter == ' ' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return made;
}

// --- One size: series compared -------------------------------------------------------------------

using comparison = double (*)(const std::vector<double>&);

/// How the numbers of a claim's series are compared, by the claim's "measure".
comparison comparison_named(const std::string& name) {
  static const std::map<std::string, comparison> known{
      {"ratio", [](const std::vector<double>& of) { return of[0] / of[1]; }},
      {"over_least",
       [](const std::vector<double>& of) {
         return of[0] / *std::min_element(of.begin() + 1, of.end());
       }},
      {"over_greatest",
       [](const std::vector<double>& of) {
         return of[0] / *std::max_element(of.begin() + 1, of.end());
       }},
      {"ratio_of_ratios",
       [](const std::vector<double>& of) { return (of[0] / of[1]) / (of[2] / of[3]); }}};
  const auto found = known.find(name);
  if (found == known.end()) throw error("there is no measure " + name);
  return found->second;
}

/// A row a panel and size.
rows_t compared(const claims& all, const family& claim) {
  rows_t rows;
  const comparison compare = comparison_named(claim.text("measure"));
  for (const auto& drawn : panels_of(all, claim)) {
    for (const double size : claim.numbers("sizes")) {
      planned_row each = claim.row(drawn.first + "." + id_text(size));
      for (const std::string& series : claim.texts("series")) {
        each.points.push_back(drawn.second.at(series, size));
      }
      each.only_full = drawn.second.only_full(size, claim);
      each.measure = [compare, path = drawn.second.statistic()](const point_results& at) {
        std::vector<double> values;
        for (const point_result* one : at) values.push_back(one->mean(path));
        return compare(values);
      };
      rows.push_back(std::move(each));
    }
  }
  return rows;
}

// --- Many sizes: a series by itself --------------------------------------------------------------

/// A row a panel and series, from all sizes; `measure` gets the sizes and the numbers there.
template <class Measure>
rows_t over_sizes(const claims& all, const family& claim, Measure measure) {
  rows_t rows;
  const std::vector<double> sizes = claim.numbers("sizes");
  for (const auto& drawn : panels_of(all, claim)) {
    for (const std::string& series : claim.texts("series")) {
      planned_row each = claim.row(drawn.first + "." + slug(series));
      for (const double size : sizes) {
        each.points.push_back(drawn.second.at(series, size));
        each.only_full = each.only_full || drawn.second.only_full(size, claim);
      }
      each.measure = [sizes, measure, path = drawn.second.statistic()](const point_results& at) {
        std::vector<double> values;
        for (const point_result* one : at) values.push_back(one->mean(path));
        return measure(sizes, values);
      };
      rows.push_back(std::move(each));
    }
  }
  return rows;
}

double exponent(const std::vector<double>& sizes, const std::vector<double>& values) {
  return fit_power(sizes, values).exponent;
}

double r_squared(const std::vector<double>& sizes, const std::vector<double>& values) {
  return fit_power(sizes, values).r_squared;
}

double growth(const std::vector<double>& /*sizes*/, const std::vector<double>& values) {
  return values.back() / values.front();
}

// --- Other rows ----------------------------------------------------------------------------------

/// Responses of the network for each access that memory performs for it: 1 where nothing combines.
double responses_per_access(const point_result& at) {
  double combined = 0;
  for (unsigned stage = 0; stage < at.stages(); ++stage)
    combined += at.from_memory(stage, "combined");
  return 1 + combined / at.mean("memory.served");
}

rows_t responses(const claims& all, const family& claim) {
  rows_t rows;
  for (const auto& drawn : panels_of(all, claim)) {
    for (const std::string& series : claim.texts("series")) {
      for (const double size : claim.numbers("sizes")) {
        planned_row each = claim.row(drawn.first + "." + slug(series) + "." + id_text(size));
        each.points = {drawn.second.at(series, size)};
        each.only_full = drawn.second.only_full(size, claim);
        each.measure = [](const point_results& at) { return responses_per_access(*at[0]); };
        rows.push_back(std::move(each));
      }
    }
  }
  return rows;
}

/// References of an element that alone acquires a lock, once.
double references_of_acquire(readers_writers_algorithm algorithm, bool writes) {
  ultracomputer_config config;
  config.network.processing_elements = 2;
  ultracomputer machine(config, 1, make_program([&](program_context& element) {
                          if (element.rank() != 0) return;
                          const auto lock = make_readers_writers_lock(algorithm, element, {});
                          writes ? lock->acquire_write() : lock->acquire_read();
                        }));
  machine.run_until(10000);
  if (!machine.finished()) throw error("an uncontested acquire has not ended");
  return machine.statistics().find("workload.references");
}

rows_t uncontested(const family& claim) {
  rows_t rows;
  for (const auto& [name, writes] : {std::pair("reader", false), std::pair("writer", true)}) {
    planned_row each = claim.row(name);
    json_value configuration = json_value::make_object();
    configuration.set("network.processing_elements", json_value(2));
    configuration.set("acquires", json_value(name));
    each.shape.configuration = configuration;
    each.measure = [role = writes](const point_results& /*none*/) {
      return references_of_acquire(readers_writers_algorithm::centralized, role);
    };
    rows.push_back(std::move(each));
  }
  return rows;
}

}  // namespace

power_fit fit_power(const std::vector<double>& sizes, const std::vector<double>& values) {
  double mean_x = 0;
  double mean_y = 0;
  const auto count = static_cast<double>(sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    mean_x += std::log(sizes[i]) / count;
    mean_y += std::log(values.at(i)) / count;
  }
  double xx = 0;
  double xy = 0;
  double yy = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double x = std::log(sizes[i]) - mean_x;
    const double y = std::log(values[i]) - mean_y;
    xx += x * x;
    xy += x * y;
    yy += y * y;
  }
  return {xy / xx, yy == 0 ? 1 : xy * xy / (xx * yy)};
}

std::vector<planned_row> coordination_checks(const claims& all) {
  rows_t rows;
  for (const std::string& id : all["figures"].texts("claims")) {
    const family claim = all[id];
    const std::string measure = claim.text("measure");
    if (measure == "exponent") {
      append(rows, over_sizes(all, claim, exponent));
    } else if (measure == "r_squared") {
      append(rows, over_sizes(all, claim, r_squared));
    } else if (measure == "growth") {
      append(rows, over_sizes(all, claim, growth));
    } else if (measure == "responses") {
      append(rows, responses(all, claim));
    } else {
      append(rows, compared(all, claim));
    }
  }
  append(rows, uncontested(all["C12.uncontested"]));
  return rows;
}

}  // namespace tributary::validation
