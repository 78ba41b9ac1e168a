// SPDX-License-Identifier: Apache-2.0
#include "row.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <tributary/sim/error.h>

namespace tributary::validation {
namespace {

constexpr std::array<std::pair<row_kind, const char*>, 6> kind_names{
    {{row_kind::published, "published"},
     {row_kind::calibration, "calibration"},
     {row_kind::input, "input"},
     {row_kind::formula, "formula"},
     {row_kind::peer, "peer"},
     {row_kind::regression, "regression"}}};

double fraction_of(double distance, double end) {
  return end == 0 ? distance : distance / std::fabs(end);
}

}  // namespace

std::string name_of(row_kind kind) {
  for (const auto& [each, name] : kind_names) {
    if (each == kind) return name;
  }
  throw error("no such kind of row");
}

row_kind row_kind_named(const std::string& name) {
  for (const auto& [kind, each] : kind_names) {
    if (name == each) return kind;
  }
  throw error(
      "\"" + name +
      "\" is no kind of row (allowed: published, calibration, input, formula, peer, regression)");
}

bool is_origin(const std::string& text) {
  const std::string word = text.substr(0, text.find(':'));
  const bool known = std::count(tolerance_origins.begin(), tolerance_origins.end(), word) == 1;
  return known && (word == "exact" || word.size() + 2 < text.size());
}

std::string number_text(double value) { return fmt::format("{:.5g}", value); }

expectation expectation::exactly(double value) {
  expectation wanted;
  wanted.low = wanted.high = value;
  return wanted;
}

bool expectation::holds(double measured) const {
  if (!std::isfinite(measured)) return false;
  const auto slack = [&](double end) { return relative * std::fabs(end) + absolute; };
  if (strict) {
    return (!low || measured > *low - slack(*low)) && (!high || measured < *high + slack(*high));
  }
  return (!low || measured >= *low - slack(*low)) && (!high || measured <= *high + slack(*high));
}

std::optional<double> expectation::deviation(double measured) const {
  if (!low && !high) return std::nullopt;
  if (low && measured < *low) return fraction_of(measured - *low, *low);
  if (high && measured > *high) return fraction_of(measured - *high, *high);
  return std::isfinite(measured) ? 0.0 : measured;
}

std::string expectation::text() const {
  if (!low && !high) return "shown";
  std::string words;
  if (low == high) {
    words = number_text(*low);
  } else if (low && high) {
    words = number_text(*low) + " to " + number_text(*high);
  } else if (low) {
    words = (strict ? "> " : "≥ ") + number_text(*low);
  } else {
    words = (strict ? "< " : "≤ ") + number_text(*high);
  }
  if (relative != 0) words += fmt::format(" ± {:g} %", 100 * relative);
  if (absolute != 0) words += fmt::format(" ± {:g}", absolute);
  return words;
}

json_value expectation::expected_json() const {
  if (!low && !high) return json_value();
  if (low == high) return json_value(*low);
  json_value range = json_value::make_object();
  if (low && high) {
    range.set("from", json_value(*low));
    range.set("to", json_value(*high));
  } else if (low) {
    range.set(strict ? "above" : "at_least", json_value(*low));
  } else {
    range.set(strict ? "below" : "at_most", json_value(*high));
  }
  return range;
}

json_value expectation::tolerance_json() const {
  json_value tolerance = json_value::make_object();
  if (relative != 0) tolerance.set("relative", json_value(relative));
  if (absolute != 0) tolerance.set("absolute", json_value(absolute));
  return tolerance;
}

std::string name_of(row_state state) {
  switch (state) {
    case row_state::measured:
      return "measured";
    case row_state::undecided:
      return "undecided";
    case row_state::not_measured:
      return "not measured";
  }
  throw error("no such state of a row");
}

std::optional<bool> row::pass() const {
  if (state != row_state::measured) return std::nullopt;
  const bool shown_only = !expected.judged || (!expected.low && !expected.high);
  if (shown_only) return std::nullopt;
  return expected.holds(measured);
}

bool selects(const std::string& name, const std::string& id) {
  return id == name || (id.size() > name.size() && id.compare(0, name.size(), name) == 0 &&
                        id[name.size()] == '.');
}

}  // namespace tributary::validation
