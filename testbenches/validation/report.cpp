// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "claims_page.h"

namespace tributary::validation {
namespace {

constexpr const char* schema = "tributary.validation/2";

std::string measured_text(const row& each) {
  return each.state == row_state::not_measured ? "" : number_text(each.measured);
}

std::string deviation_text(const row& each) {
  if (each.state != row_state::measured) return "";
  const std::optional<double> deviation = each.expected.deviation(each.measured);
  if (!deviation) return "";
  if (*deviation == 0) return "0";
  const double end = each.expected.low ? *each.expected.low : *each.expected.high;
  const bool absolute = each.expected.low == each.expected.high && end == 0;
  return absolute ? fmt::format("{:+.4g}", *deviation) : fmt::format("{:+.2f} %", 100 * *deviation);
}

std::string verdict(const row& each) {
  if (each.state != row_state::measured) return name_of(each.state);
  if (!each.pass()) return "shown";
  return *each.pass() ? "pass" : "FAIL";
}

json_value row_json(const row& each, const row_notes& notes) {
  json_value object = json_value::make_object();
  object.set("id", json_value(each.id));
  object.set("kind", json_value(name_of(each.kind)));
  object.set("what", json_value(each.what));
  object.set("source", json_value(each.source));
  object.set("configuration", each.configuration);
  object.set("unit", json_value(each.unit));
  object.set("expected", each.expected.expected_json());
  object.set("tolerance", each.expected.tolerance_json());
  object.set("origin", json_value(each.origin));
  object.set("state", json_value(name_of(each.state)));
  const bool known = each.state != row_state::not_measured;
  object.set("measured", known ? json_value(each.measured) : json_value());
  std::optional<double> deviation;
  if (known) deviation = each.expected.deviation(each.measured);
  object.set("deviation", deviation ? json_value(*deviation) : json_value());
  const std::optional<bool> pass = each.pass();
  object.set("pass", pass ? json_value(*pass) : json_value());
  const std::string note = notes.of(each.id);
  if (!note.empty()) object.set("note", json_value(note));
  return object;
}

json_value summary_json(const std::vector<row>& rows) {
  json_value summary = json_value::make_object();
  for (const auto& [kind, count] : count_by_kind(rows)) {
    json_value object = json_value::make_object();
    object.set("passed", json_value(count.passed));
    object.set("failed", json_value(count.failed));
    object.set("undecided", json_value(count.undecided));
    object.set("not_measured", json_value(count.not_measured));
    object.set("shown", json_value(count.shown));
    summary.set(name_of(kind), object);
  }
  return summary;
}

constexpr std::array<std::pair<row_kind, const char*>, 6> kinds{
    {{row_kind::published, "a number or an ordering of a publication, nothing fitted to it"},
     {row_kind::calibration, "an input was fitted to it"},
     {row_kind::input, "goes in and comes out again"},
     {row_kind::formula, "a closed formula of others"},
     {row_kind::peer, "agreement with another program: a cross-check"},
     {row_kind::regression, "agreement with ourselves: counted as nothing"}}};

std::string summary_table(const std::vector<row>& rows) {
  std::string text =
      "| Kind | Meaning | Hold | Fail | Undecided | Not measured | Only shown |\n"
      "|---|---|---|---|---|---|---|\n";
  auto counts = count_by_kind(rows);
  for (const auto& [kind, meaning] : kinds) {
    const tally& count = counts[kind];
    text += fmt::format("| {} | {} | {} of {} | {} | {} | {} | {} |\n", name_of(kind), meaning,
                        count.passed, count.passed + count.failed, count.failed, count.undecided,
                        count.not_measured, count.shown);
  }
  return text;
}

/// Measured, expected in brackets where a number is; in italics where it decides nothing.
std::string matrix_cell(const row& each) {
  std::string text = measured_text(each);
  if (each.expected.low && each.expected.low == each.expected.high) {
    text += " (" + number_text(*each.expected.low) + ")";
  }
  if (each.failed()) return " **" + text + "** |";
  if (each.state == row_state::undecided) return " *" + text + "* |";
  return " " + text + " |";
}

/// Rows "check.line.size" as a matrix, where a line has many sizes: measured, expected in brackets.
std::string matrix(const std::string& check, const std::vector<row>& rows) {
  constexpr std::size_t many = 8;
  std::vector<std::pair<std::string, std::vector<const row*>>> lines;
  for (const row& each : rows) {
    const std::size_t dot = each.id.rfind('.');
    if (!selects(check, each.id) || dot == std::string::npos) continue;
    const std::string line = each.id.substr(0, dot);
    const bool is_size = each.id.find_first_not_of("0123456789", dot + 1) == std::string::npos;
    if (line == check || !is_size) continue;
    if (lines.empty() || lines.back().first != line) lines.emplace_back(line, 0);
    lines.back().second.push_back(&each);
  }
  std::string text;
  for (const auto& [line, cells] : lines) {
    if (cells.size() < many) continue;
    if (text.empty()) {
      text = "| PEs |";
      std::string rule = "\n|---|";
      for (const row* each : cells) {
        text += " " + each->id.substr(line.size() + 1) + " |";
        rule += "---|";
      }
      text += rule + "\n";
    }
    text += "| " + line + " |";
    for (const row* each : cells) {
      text += matrix_cell(*each);
    }
    text += "\n";
  }
  return text.empty()
             ? text
             : "Measured (expected), bold where it fails, italic where it is undecided:\n\n" +
                   text + "\n";
}

/// The versions that measured rows, and how many each.
std::map<std::string, std::size_t> count_by_version(const std::vector<row>& rows) {
  std::map<std::string, std::size_t> counts;
  for (const row& each : rows) {
    if (each.state != row_state::not_measured) ++counts[each.version];
  }
  return counts;
}

std::string version_table(const std::vector<row>& rows) {
  std::string text = "\n| Measured with | Rows |\n|---|---|\n";
  for (const auto& [version, count] : count_by_version(rows)) {
    text += fmt::format("| {} | {} |\n", version, count);
  }
  return text;
}

std::string versions_of(const std::string& check, const std::vector<row>& rows) {
  std::vector<row> own;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(own),
               [&](const row& each) { return selects(check, each.id); });
  std::vector<std::string> versions;
  for (const auto& each : count_by_version(own)) versions.push_back(each.first);
  return versions.empty() ? "" : fmt::format(" Measured with {}.", fmt::join(versions, ", "));
}

std::string check_section(const check_title& check, const std::vector<row>& rows,
                          const row_notes& notes) {
  std::string text = fmt::format("\n## {}: {}\nSource: {}.{}\n\n", check.id, check.title,
                                 check.section, versions_of(check.id, rows));
  text += matrix(check.id, rows);
  text += "| Row | Kind | What | Unit | Expected | Origin | Measured | Deviation | |\n";
  text += "|---|---|---|---|---|---|---|---|---|\n";
  std::string remarks;
  for (const row& each : rows) {
    if (!selects(check.id, each.id)) continue;
    const std::string note = notes.of(each.id);
    text += fmt::format("| {}{} | {} | {} ({}) | {} | {} | {} | {} | {} | {} |\n", each.id,
                        note.empty() ? "" : " *", name_of(each.kind), each.what, each.source,
                        each.unit, each.expected.text(), each.origin, measured_text(each),
                        deviation_text(each), each.failed() ? "**FAIL**" : verdict(each));
    if (!note.empty()) remarks += fmt::format("- \\* {}: {}\n", each.id, note);
  }
  for (const auto& [id, note] : notes.of_groups(check.id, rows)) {
    remarks += fmt::format("- {}: {}\n", id, note);
  }
  return remarks.empty() ? text : text + "\nNotes:\n" + remarks;
}

constexpr const char* introduction =
    R"(<!-- Generated by ./dev validate from testbenches/validation; edits here are lost. -->
# Validation
What the publications claim, each claim once, and what measuring it afresh makes of it.

)";

constexpr const char* meaning_of_statuses = R"(
| Status | Meaning |
|---|---|
| reproduced | every row behind it holds, and nothing was fitted to it |
| calibrated | an input of the model was fitted to it: no success |
| input | a published number that goes in and comes out again: no success |
| not reproduced | a row behind it fails; the cause stands below |
| undecided | a row was not measured, or its run reached its greatest length before its mean was steady |
| not yet modelled | no row measures it, though the model may have it |
)";

constexpr const char* conventions = R"(
## Rows
FG is the first publication, FLASH the second, spec the developers' working specification, whose
section 5 is [the cycle contract](cycle-contract.md). Latencies of the Ultracomputer are in network
cycles from the first switch accepting a request to its delivery; FLASH's cycles take 10 ns. Ranges
and bounds have a deviation of 0 inside. *Origin* says what the bound or the tolerance rests on.

)";

constexpr const char* reproduction = R"(
## How to reproduce
`./dev validate` measures again, writes `build/validation/validation.json` (schema
`tributary.validation/2`) and this page, and ends with status 1 if a row fails that should hold, or
a row holds that is expected to fail. `./dev validate C4 C12.uncontested` measures the rows whose id
begins with these parts. The longest rows need `--full`, unless their runs are kept from
before.

A row that is not measured keeps the value that was measured last (`docs/validation.json`), as long
as its sentence and its settings are the same. It does not notice that a preset or the code has
changed since: each check says with which versions its rows were measured.

The rows of `validation.json` name the preset of `platforms/ultracomputer/presets`, or of their own
platform, the parameters that a row changes and the seeds, so that any point can be run alone:
`tributary run improved --set network.processing_elements=2048 --seeds 1..3`. Rows of single blocks name
the parameters of these.

In `testbenches/validation` stand the claims (`claims.json`), expected values and tolerances
(`expected.json`, `flash_expected.json`, `smp_expected.json`, `data_parallel_expected.json`, `cluster_expected.json`) and notes (`notes.json`); the publications' numbers stand in
`published.json` of each platform. An Ultracomputer's run has 3,000 cycles of warm-up and 10,000 measured
cycles unless the row says otherwise; runs of C11 and C12 are as long as the presets of their figures
say, one series of which is a point.
)";

}  // namespace

row_notes::row_notes(const std::string& path) {
  const json_document document = json_document::from_file(path);
  for (const json_member& each : document.root().as_object()) {
    notes_.emplace_back(each.key, each.value.as_string());
  }
}

std::string row_notes::of(const std::string& id) const {
  for (const auto& [key, note] : notes_) {
    if (key == id) return note;
  }
  return {};
}

std::vector<std::pair<std::string, std::string>> row_notes::of_groups(
    const std::string& check, const std::vector<row>& rows) const {
  std::vector<std::pair<std::string, std::string>> found;
  for (const auto& each : notes_) {
    const bool is_row =
        std::any_of(rows.begin(), rows.end(), [&](const row& one) { return one.id == each.first; });
    if (!is_row && selects(check, each.first)) found.push_back(each);
  }
  return found;
}

std::map<row_kind, tally> count_by_kind(const std::vector<row>& rows) {
  std::map<row_kind, tally> counts;
  for (const row& each : rows) {
    tally& count = counts[each.kind];
    const std::optional<bool> pass = each.pass();
    if (each.state == row_state::undecided) {
      ++count.undecided;
    } else if (each.state == row_state::not_measured) {
      ++count.not_measured;
    } else {
      ++(!pass ? count.shown : *pass ? count.passed : count.failed);
    }
  }
  return counts;
}

json_value to_json(const std::vector<row>& rows, const std::vector<publication>& publications,
                   const row_notes& notes) {
  json_value list = json_value::make_array();
  for (const row& each : rows) list.push_back(row_json(each, notes));
  json_value document = json_value::make_object();
  document.set("schema", json_value(schema));
  document.set("version", json_value(TRIBUTARY_VERSION));
  document.set("summary", summary_json(rows));
  document.set("claims", claims_json(publications, rows));
  document.set("rows", list);
  return document;
}

std::string to_terminal(const std::vector<row>& rows,
                        const std::vector<publication>& publications) {
  std::string text = fmt::format("{:<14}{:<48}{:<12}{:>22}{:>12}{:>12}\n", "", "row", "kind",
                                 "expected", "measured", "deviation");
  for (const row& each : rows) {
    text += fmt::format("{:<14}{:<48}{:<12}{:>22}{:>12}{:>12}\n", verdict(each), each.id,
                        name_of(each.kind), each.expected.text(), measured_text(each),
                        deviation_text(each));
  }
  text += "\n" + claims_counts(publications, rows) + "\nrows by kind:\n";
  for (const auto& [kind, count] : count_by_kind(rows)) {
    text += fmt::format("{:<12} {} of {} hold, {} undecided, {} not measured, {} only shown\n",
                        name_of(kind), count.passed, count.passed + count.failed, count.undecided,
                        count.not_measured, count.shown);
  }
  text += "\nclaims that are not reproduced:\n" + claims_not_reproduced(publications, rows);
  const std::vector<std::string> unexpected = surprises(publications, rows);
  if (!unexpected.empty()) {
    text += fmt::format("\nnot as expected:\n- {}\n", fmt::join(unexpected, "\n- "));
  }
  return text;
}

std::string to_page(const std::vector<row>& rows, const std::vector<publication>& publications,
                    const std::vector<check_title>& checks, const row_notes& notes) {
  std::string text = introduction;
  text += "<!-- generated: claims -->\n" + claims_summary(publications, rows) + "<!-- end -->\n";
  text += meaning_of_statuses;
  text += "\n## Not reproduced\n" + claims_not_reproduced(publications, rows);
  text += "\n## Every claim\n" + claims_tables(publications, rows);
  text += conventions + summary_table(rows) + version_table(rows) + reproduction;
  for (const check_title& each : checks) text += check_section(each, rows, notes);
  return text;
}

}  // namespace tributary::validation
