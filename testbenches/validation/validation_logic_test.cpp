// SPDX-License-Identifier: Apache-2.0
// The validation judges rightly: tolerances, deviations, kinds, what a failing row looks like.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>

#include <run/published.h>
#include <run/run_experiment.h>
#include <tributary/sim/atomic_file.h>
#include <tributary/sim/error.h>

#include "checks.h"
#include "measured_rows.h"
#include "report.h"
#include "selection.h"
#include "support/scratch_directory.h"

namespace tributary::validation {
namespace {

const std::string root = TRIBUTARY_SOURCE_DIR;
const locations where{root + "/platforms/ultracomputer/presets", root};

claims repository_claims() {
  return claims(root + "/testbenches/validation/expected.json", where.presets);
}

claims flash_claims() {
  return claims(root + "/testbenches/validation/flash_expected.json",
                root + "/platforms/flash/presets", "flash");
}

claims smp_claims() {
  return claims(root + "/testbenches/validation/smp_expected.json", root + "/platforms/smp/presets",
                "smp");
}

claims data_parallel_claims() {
  return claims(root + "/testbenches/validation/data_parallel_expected.json",
                root + "/platforms/data_parallel/presets", "data_parallel");
}

claims cluster_claims() {
  return claims(root + "/testbenches/validation/cluster_expected.json", "", "cluster");
}

std::vector<planned_row> rows_of_all() {
  return all_checks(repository_claims(), flash_claims(), smp_claims(), data_parallel_claims(),
                    cluster_claims());
}

row finished(const std::string& id, row_kind kind, const expectation& expected, double measured) {
  row made;
  made.id = id;
  made.kind = kind;
  made.unit = "cycles";
  made.expected = expected;
  made.measured = measured;
  return made;
}

expectation from_json(const std::string& text) {
  return repository_claims().expectation_of(json_document::from_text(text, "test").root());
}

struct judged_values {
  const char* expectation;
  std::vector<double> hold;
  std::vector<double> fail;
};

TEST(expectation, holds_within_its_range_widened_by_its_tolerance) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  constexpr double endless = std::numeric_limits<double>::infinity();
  const std::vector<judged_values> cases = {
      {R"({"expected": 100, "tolerance": {"relative": 0.02}})", {98, 102}, {97.99, 102.01}},
      {R"({"expected": 24})", {24}, {24.0001}},
      {R"({"expected": {"at_least": 0}})", {0}, {none, endless}},
      {R"({"expected": {"above": 0}})", {0.001}, {0}},
      {R"({"expected": {"below": 0.001}})", {0}, {0.001}},
      {R"({"expected": {"from": 100, "to": 200}, "tolerance": {"relative": 0.02}})",
       {98, 204},
       {97.9, 204.1}},
      {R"({"expected": {"published": "C2.over_minimum"}})", {10, 100}, {9.9}}};
  for (const judged_values& each : cases) {
    const expectation wanted = from_json(each.expectation);
    for (const double value : each.hold) EXPECT_TRUE(wanted.holds(value)) << each.expectation;
    for (const double value : each.fail) EXPECT_FALSE(wanted.holds(value)) << each.expectation;
    EXPECT_TRUE(finished("X", row_kind::published, wanted, none).failed()) << each.expectation;
  }
}

TEST(expectation, the_deviation_is_relative_to_the_nearer_end) {
  EXPECT_DOUBLE_EQ(*expectation::exactly(50).deviation(51), 0.02);
  EXPECT_DOUBLE_EQ(*expectation::exactly(50).deviation(49), -0.02);
  EXPECT_DOUBLE_EQ(*expectation::exactly(0).deviation(0.5), 0.5);
  const expectation range = from_json(R"({"expected": {"from": 100, "to": 200}})");
  EXPECT_DOUBLE_EQ(*range.deviation(150), 0);
  EXPECT_DOUBLE_EQ(*range.deviation(90), -0.1);
  EXPECT_DOUBLE_EQ(*range.deviation(220), 0.1);
  EXPECT_FALSE(expectation().deviation(1).has_value());
}

TEST(expectation, a_published_number_is_read_with_its_tolerance_and_not_typed_again) {
  const expectation wanted = from_json(R"({"expected": {"published": "C2"}})");
  EXPECT_EQ(*wanted.low, 306);
  EXPECT_EQ(*wanted.high, 306);
  EXPECT_EQ(wanted.relative, 0.03);
  const json_document typed =
      json_document::from_file(root + "/testbenches/validation/expected.json");
  for (const json_member& each : typed.root().find("families")->as_object()) {
    const json_value* expected = each.value.find("expected");
    if (expected == nullptr || expected->find("published") == nullptr) continue;
    EXPECT_EQ(each.value.find("tolerance"), nullptr) << each.key;
  }
}

TEST(row, a_value_that_is_only_shown_neither_passes_nor_fails) {
  EXPECT_FALSE(finished("X", row_kind::published, {}, 1).pass().has_value());
  expectation shown = expectation::exactly(1.34);
  shown.judged = false;
  EXPECT_FALSE(finished("X", row_kind::published, shown, 2).pass().has_value());
}

TEST(row, ids_are_selected_by_whole_parts) {
  EXPECT_TRUE(selects("C1", "C1"));
  EXPECT_TRUE(selects("C1", "C1.lone.4"));
  EXPECT_FALSE(selects("C1", "C10.latency.16"));
  EXPECT_FALSE(selects("C1.lone.4", "C1.lone"));
  EXPECT_TRUE(selects("X.improved", "X.improved.64"));
  EXPECT_FALSE(selects("X.improved", "X.improved_coupled"));
}

TEST(selection, an_id_that_is_none_is_refused_with_those_there_are) {
  try {
    select_rows(rows_of_all(), {"C4", "C12.uncontestd"});
    FAIL() << "accepted";
  } catch (const error& problem) {
    const std::string message = problem.what();
    EXPECT_NE(message.find("no row C12.uncontestd"), std::string::npos) << message;
    EXPECT_NE(message.find("did you mean C12.uncontested?"), std::string::npos) << message;
    EXPECT_NE(message.find(" C10, "), std::string::npos) << message;
    EXPECT_EQ(message.find("C10.latency"), std::string::npos) << message;
  }
}

TEST(selection, rows_are_left_out_by_their_ids_too) {
  const std::vector<planned_row> rows = rows_of_all();
  const std::size_t all = select_rows(rows, {"flash"}).size();
  const std::size_t table = select_rows(rows, {"flash.T6.11"}).size();
  EXPECT_EQ(table, 112U);  // 9 columns of 3 locks and 4 sizes, 4 sizes of acquisitions
  EXPECT_EQ(select_rows(rows, {"flash"}, {"flash.T6.11"}).size(), all - table);
  EXPECT_THROW(select_rows(rows, {}, {"flash.T6.13"}), error);
}

TEST(report, a_failing_row_is_shown_as_failing_everywhere) {
  const std::vector<row> rows{finished("X.good", row_kind::published, expectation::exactly(10), 10),
                              finished("X.bad", row_kind::published, expectation::exactly(10), 11),
                              finished("X", row_kind::calibration, expectation::exactly(10), 10)};
  EXPECT_EQ(surprises({}, rows), std::vector<std::string>{"X.bad fails"});
  EXPECT_TRUE(surprises({}, {rows[0], rows[2]}).empty());

  const json_value json = to_json(rows, {}, {});
  const json_value& bad = json.find("rows")->as_array().at(1);
  EXPECT_FALSE(bad.find("pass")->as_boolean());
  EXPECT_DOUBLE_EQ(bad.find("deviation")->as_number(), 0.1);

  const std::string page = to_page(rows, {}, {{"X", "Title", "Section"}}, {});
  EXPECT_NE(page.find("| 10 |  | 11 | +10.00 % | **FAIL** |"), std::string::npos) << page;
  EXPECT_NE(page.find("nothing fitted to it | 1 of 2 | 1 | 0 | 0 | 0 |"), std::string::npos)
      << page;
  const std::string terminal = to_terminal(rows, {});
  EXPECT_NE(terminal.find("FAIL          X.bad"), std::string::npos) << terminal;
  EXPECT_NE(terminal.find("- X.bad fails"), std::string::npos) << terminal;
}

TEST(report, an_undecided_row_and_one_that_was_not_measured_count_for_nothing) {
  std::vector<row> rows{
      finished("X.hollow", row_kind::published, expectation::exactly(10), 11),
      finished("X.slow", row_kind::published, expectation::exactly(10), 0),
      finished("X.hollow_and_right", row_kind::published, expectation::exactly(10), 10)};
  rows[0].state = rows[2].state = row_state::undecided;
  rows[1].state = row_state::not_measured;
  EXPECT_TRUE(surprises({}, rows).empty());
  for (const row& each : rows) EXPECT_FALSE(each.pass().has_value()) << each.id;
  const tally count = count_by_kind(rows)[row_kind::published];
  EXPECT_EQ(count.passed + count.failed + count.shown, 0U);
  EXPECT_EQ(count.undecided, 2U);
  EXPECT_EQ(count.not_measured, 1U);

  const std::string page = to_page(rows, {}, {{"X", "Title", "Section"}}, {});
  EXPECT_NE(page.find("| 10 |  | 11 |  | undecided |"), std::string::npos) << page;
  EXPECT_NE(page.find("| 10 |  |  |  | not measured |"), std::string::npos) << page;
  EXPECT_NE(page.find("fitted to it | 0 of 0 | 0 | 2 | 1 | 0 |"), std::string::npos) << page;
  const json_value json = to_json(rows, {}, {});
  const auto& written = json.find("rows")->as_array();
  EXPECT_EQ(written.at(0).find("state")->as_string(), "undecided");
  EXPECT_EQ(written.at(1).find("state")->as_string(), "not measured");
  EXPECT_TRUE(written.at(1).find("measured")->is_null());
  EXPECT_TRUE(written.at(0).find("pass")->is_null());
}

TEST(report, a_line_of_many_sizes_becomes_a_matrix) {
  std::vector<row> rows;
  for (int size = 4; size <= 2048; size *= 2) {
    rows.push_back(finished("X.line." + std::to_string(size), row_kind::published,
                            expectation::exactly(6), size == 8 ? 7 : 6));
  }
  const std::string page = to_page(rows, {}, {{"X", "Title", "Section"}}, {});
  EXPECT_NE(page.find("| PEs | 4 | 8 | 16 |"), std::string::npos) << page;
  EXPECT_NE(page.find("| X.line | 6 (6) | **7 (6)** | 6 (6) |"), std::string::npos) << page;
}

TEST(report, calibration_is_counted_apart_from_what_is_published) {
  const std::vector<row> rows{
      finished("X.fitted", row_kind::calibration, expectation::exactly(10), 10)};
  auto counts = count_by_kind(rows);
  EXPECT_EQ(counts[row_kind::calibration].passed, 1U);
  EXPECT_EQ(counts[row_kind::published].passed, 0U);
}

TEST(report, every_row_has_the_members_that_its_readers_know) {
  const json_value json =
      to_json({finished("X", row_kind::published, expectation::exactly(1), 1)}, {}, {});
  const json_value& one = json.find("rows")->as_array().at(0);
  for (const char* key : {"id", "kind", "source", "configuration", "expected", "tolerance",
                          "origin", "measured", "deviation", "pass"}) {
    EXPECT_NE(one.find(key), nullptr) << key;
  }
}

TEST(formulas, uniform_transit_is_the_bare_path_without_load) {
  EXPECT_DOUBLE_EQ(uniform_transit(10, 2, 0), 11);
  EXPECT_DOUBLE_EQ(uniform_transit(10, 2, 0.15), (1 + 0.6 / 2.8) * 10 + 1);
}

TEST(formulas, a_power_of_the_size_is_fitted) {
  const power_fit line = fit_power({64, 128, 256}, {3 * 8.0, 3 * 16.0, 3 * 32.0});
  EXPECT_NEAR(line.exponent, 1, 1e-12);
  EXPECT_NEAR(line.r_squared, 1, 1e-12);
  // Logarithms to base 2 at 0, 1, 2: 0, 2, 1 lie around a line of slope 1/2.
  const power_fit bent = fit_power({1, 2, 4}, {1, 4, 2});
  EXPECT_NEAR(bent.exponent, 0.5, 1e-12);
  EXPECT_NEAR(bent.r_squared, 0.25, 1e-12);
  EXPECT_NEAR(fit_power({16, 2048}, {0.5, 0.5}).exponent, 0, 1e-12);
}

TEST(formulas, the_hot_module_bounds_the_load) {
  EXPECT_DOUBLE_EQ(hot_spot_load(1024, 0, 4), 0.25);
  EXPECT_DOUBLE_EQ(hot_spot_load(1024, 1, 4), 0.25 / 1024);
}

TEST(claims, every_row_has_an_id_of_its_own_in_a_check_with_a_title) {
  const claims all = repository_claims();
  const claims flash = flash_claims();
  std::vector<check_title> titles = all.checks();
  const claims smp = smp_claims();
  const claims data_parallel = data_parallel_claims();
  const claims cluster = cluster_claims();
  for (const check_title& each : flash.checks()) titles.push_back(each);
  for (const check_title& each : smp.checks()) titles.push_back(each);
  for (const check_title& each : data_parallel.checks()) titles.push_back(each);
  for (const check_title& each : cluster.checks()) titles.push_back(each);
  std::set<std::string> ids;
  for (const planned_row& each : all_checks(all, flash, smp, data_parallel, cluster)) {
    const std::string& id = each.shape.id;
    EXPECT_TRUE(ids.insert(id).second) << id << " twice";
    EXPECT_EQ(std::count_if(titles.begin(), titles.end(),
                            [&](const check_title& title) { return selects(title.id, id); }),
              1)
        << id;
    EXPECT_FALSE(each.points.empty() && each.shape.configuration.is_null()) << each.shape.id;
    EXPECT_FALSE(each.shape.source.empty()) << each.shape.id;
  }
  EXPECT_GT(ids.size(), 200U);
}

std::vector<publication> repository_publications() {
  return publications_in(root + "/testbenches/validation/claims.json");
}

bool is_judged(const row& each) {
  return each.expected.judged && (each.expected.low || each.expected.high);
}

TEST(claims, every_judged_row_says_whence_its_bound_is) {
  for (const planned_row& each : rows_of_all()) {
    const row& shape = each.shape;
    if (!is_judged(shape)) continue;
    EXPECT_TRUE(is_origin(shape.origin)) << shape.id << ": \"" << shape.origin << "\"";
  }
}

TEST(claims, each_rests_on_judged_rows_of_its_own) {
  const std::vector<planned_row> rows = rows_of_all();
  std::map<std::string, std::string> taken;
  for (const publication& one : repository_publications()) {
    for (const published_claim& claim : one.claims) {
      SCOPED_TRACE(claim.id);
      EXPECT_EQ(claim.cause.empty(), claim.fails.empty());
      for (const std::string& name : claim.fails) {
        row failing;
        failing.id = name;
        EXPECT_TRUE(claim.is_about(failing)) << name;
        EXPECT_TRUE(std::any_of(rows.begin(), rows.end(), [&](const planned_row& each) {
          return each.shape.id == name && is_judged(each.shape);
        })) << name;
      }
      for (const std::string& name : claim.rows) {
        published_claim only;
        only.rows = {name};
        std::size_t judged = 0;
        for (const planned_row& each : rows) {
          if (!only.is_about(each.shape) || !is_judged(each.shape)) continue;
          ++judged;
          EXPECT_TRUE(taken.emplace(each.shape.id, claim.id).second)
              << each.shape.id << " is " << taken[each.shape.id] << "'s";
          EXPECT_TRUE(each.shape.kind == row_kind::published ||
                      each.shape.kind == row_kind::calibration ||
                      each.shape.kind == row_kind::input)
              << each.shape.id << " is " << name_of(each.shape.kind);
        }
        EXPECT_GT(judged, 0U) << name;
      }
    }
  }
}

TEST(claims, every_judged_row_of_a_publication_is_one_of_its_claims) {
  std::vector<published_claim> all;
  for (const publication& one : repository_publications()) {
    all.insert(all.end(), one.claims.begin(), one.claims.end());
  }
  for (const planned_row& each : rows_of_all()) {
    if (each.shape.kind != row_kind::published || !is_judged(each.shape)) continue;
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const published_claim& claim) {
      return claim.is_about(each.shape);
    })) << each.shape.id;
  }
}

published_claim claim_on(std::vector<std::string> rows, std::vector<std::string> fails = {}) {
  published_claim claim;
  claim.id = "P.claim";
  claim.rows = std::move(rows);
  claim.fails = std::move(fails);
  return claim;
}

TEST(claims, an_origin_is_one_of_a_few_words_and_has_a_reason) {
  for (const char* good :
       {"exact", "exact: an ordering", "rounding: 7 is 6.5 to 7.5", "chosen: x"}) {
    EXPECT_TRUE(is_origin(good)) << good;
  }
  for (const char* bad : {"", "chosen", "chosen:", "chosen: ", "guessed: x"}) {
    EXPECT_FALSE(is_origin(bad)) << bad;
  }
}

TEST(claims, have_the_status_of_their_weakest_row) {
  const expectation ten = expectation::exactly(10);
  std::vector<row> rows{finished("X", row_kind::published, ten, 10),
                        finished("X.fitted", row_kind::calibration, ten, 10),
                        finished("X.given", row_kind::input, ten, 10),
                        finished("X.wrong", row_kind::published, ten, 11),
                        finished("X.slow", row_kind::published, ten, 0),
                        finished("X.shown", row_kind::published, {}, 3)};
  rows[4].state = row_state::not_measured;
  const auto status = [&](const std::vector<std::string>& names) {
    return claim_on(names).status(rows);
  };
  EXPECT_EQ(status({"X"}), claim_status::reproduced);
  EXPECT_EQ(status({"X", "X.shown"}), claim_status::reproduced);
  EXPECT_EQ(status({"X", "X.given"}), claim_status::input);
  EXPECT_EQ(status({"X", "X.given", "X.fitted"}), claim_status::calibrated);
  EXPECT_EQ(status({"X", "X.slow"}), claim_status::undecided);
  EXPECT_EQ(status({"X.shown"}), claim_status::undecided);
  EXPECT_EQ(status({"X.*"}), claim_status::not_reproduced);
  EXPECT_EQ(status({}), claim_status::not_modelled);
}

TEST(claims, only_what_is_not_expected_is_a_surprise) {
  const expectation ten = expectation::exactly(10);
  const std::vector<row> rows{finished("X.right", row_kind::published, ten, 10),
                              finished("X.wrong", row_kind::published, ten, 11)};
  const auto surprised = [&](const published_claim& claim) {
    return surprises({{"P", "A publication", {claim}}}, rows);
  };
  EXPECT_EQ(surprised(claim_on({"X.*"})), std::vector<std::string>{"X.wrong fails"});
  EXPECT_TRUE(surprised(claim_on({"X.*"}, {"X.wrong"})).empty());
  EXPECT_TRUE(surprised(claim_on({"X.*"}, {"X.wrong", "X.not_measured_now"})).empty());
  const std::vector<std::string> both = surprised(claim_on({"X.*"}, {"X.right"}));
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[0].find("X.right holds now"), 0U) << both[0];
  EXPECT_EQ(both[1], "X.wrong fails");
}

TEST(claims, a_publication_counts_each_once_and_the_checks_without_rows) {
  published_claim modelled = claim_on({"X.right"});
  modelled.check = "X";
  published_claim missing = claim_on({});
  missing.check = "X";
  published_claim other = claim_on({});
  other.check = "Y";
  const publication one{"P", "A publication", {modelled, missing, other}};
  const std::vector<row> rows{
      finished("X.right", row_kind::published, expectation::exactly(10), 10)};
  auto counts = one.count(rows);
  EXPECT_EQ(counts[claim_status::reproduced], 1U);
  EXPECT_EQ(counts[claim_status::not_modelled], 2U);
  EXPECT_EQ(count_checks(one).all, 2U);
  EXPECT_EQ(count_checks(one).without_rows, 1U);
  EXPECT_NE(
      to_page(rows, {one}, {}, {}).find("| A publication | 3 | 1 | 0 | 0 | 0 | 0 | 2 | 1 of 2 |"),
      std::string::npos);
}

TEST(claims, a_file_that_misses_something_is_named) {
  const testing::scratch_directory folder;
  const auto refused = [&](const std::string& text, const std::string& word) {
    const std::string path = folder.write("claims.json", text);
    try {
      publications_in(path);
      ADD_FAILURE() << "accepted " << text;
    } catch (const input_error& problem) {
      EXPECT_NE(std::string(problem.what()).find(word), std::string::npos) << problem.what();
      EXPECT_NE(std::string(problem.what()).find(path), std::string::npos) << problem.what();
    }
  };
  refused(R"({"schema": "tributary.claims/0"})", "tributary.claims/1");
  refused(R"({"schema": "tributary.claims/1"})", "publications");
  refused(R"({"schema": "tributary.claims/1", "publications": {"P": {"title": "T", "claims":
          {"P.a": {"place": "P 1", "rows": []}}}}})",
          "says");
  refused(R"({"schema": "tributary.claims/1", "publications": {"P": {"title": "T", "claims":
          {"P.a": {"place": "P 1", "says": "s", "rows": [], "casue": "c"}}}}})",
          "casue");
}

TEST(claims, calibration_is_what_something_was_fitted_to_and_nothing_else) {
  const std::set<std::string> fitted{
      "flash.V1",        "flash.V2",   "flash.V22.command",     "flash.V22.envelope",
      "flash.V22.total", "flash.V26",  "flash.V26.invocations", "flash.V39.UU",
      "flash.V43",       "flash.SV47", "flash.SV48.vector",     "flash.SV48.processor"};
  for (const planned_row& each : rows_of_all()) {
    const std::string& id = each.shape.id;
    EXPECT_EQ(each.shape.kind == row_kind::calibration,
              (id.compare(0, 2, "C4") == 0 && id != "C4.sockets") || fitted.count(id) == 1 ||
                  selects("C10.outstanding", id) || selects("flash.SV10", id) ||
                  selects("flash.SV12.cached", id) || selects("flash.SV14", id) ||
                  selects("flash.SV19.fitted", id) || selects("flash.SV21", id) ||
                  selects("flash.SV22", id) || selects("flash.SV24", id) ||
                  selects("flash.SV37.fitted", id) || selects("flash.SV40.fitted", id) ||
                  selects("flash.SV41.fitted", id) || selects("flash.SV46", id) ||
                  selects("smp.W1", id) ||
                  // At level B nothing is fitted to saturation.
                  (selects("smp.W15", id) && !selects("smp.W15.bus", id)) ||
                  (selects("smp.W16", id) && !selects("smp.W16.bus", id)) ||
                  // Of appbt everything is.
                  selects("smp.T2.appbt", id) || selects("smp.W27.appbt", id) ||
                  selects("smp.A3.appbt", id) || selects("smp.A7", id) || selects("smp.A8", id) ||
                  selects("smp.W28", id) || id == "smp.W30.appbt" || selects("smp.A1", id) ||
                  selects("smp.A9", id) || id == "smp.W31.fixed.200" || id == "smp.W32.fixed.200" ||
                  selects("data_parallel.K13", id) || selects("data_parallel.K16", id) ||
                  id == "data_parallel.K20" || id == "smp.T2.em3d.single.200" ||
                  id == "smp.T2.gauss.single.200" || id == "smp.T2.tomcatv.single.200" ||
                  id == "smp.T2.barnes.single.200" || id == "cluster.T01.min" ||
                  selects("cluster.T02", id) || selects("cluster.T07", id) ||
                  id == "cluster.T08.min" || id == "cluster.T08.max" || id == "cluster.T09.min" ||
                  id == "cluster.T11.min" || id == "cluster.T11.max" || id == "cluster.T12.step" ||
                  id == "cluster.T13.token.min" || id == "cluster.T56.32" ||
                  selects("cluster.T57", id) ||
                  (selects("cluster.T13", id) && !selects("cluster.T13.token", id)))
        << id;
  }
}

TEST(claims, every_note_belongs_to_a_row) {
  const std::vector<planned_row> rows = rows_of_all();
  const json_document notes = json_document::from_file(root + "/testbenches/validation/notes.json");
  for (const json_member& note : notes.root().as_object()) {
    EXPECT_NO_THROW(select_rows(rows, {note.key})) << note.key;
  }
}

/// published.json, by its text.
const json_value& published_numbers() {
  static const json_document document =
      json_document::from_file(root + "/platforms/ultracomputer/published.json");
  return *document.root().find("numbers");
}

published_number published(const std::string& id) {
  return load_published(where.presets + "/any.json", {id}).front();
}

experiment experiment_at(const point& at) {
  return load_experiments(where.presets + "/" + at.preset, at.sets).experiments.at(0);
}

TEST(published, every_number_is_measured_where_it_was_published) {
  const std::vector<planned_row> rows = rows_of_all();
  for (const json_member& each : published_numbers().as_object()) {
    SCOPED_TRACE(each.key);
    const std::string id = each.key == "C1" ? "C1.uniform" : each.key;
    const planned_row& row = *std::find_if(rows.begin(), rows.end(),
                                           [&](const planned_row& r) { return r.shape.id == id; });
    // Of a reduction from A to B the validation has B first.
    std::vector<std::string> operands;
    if (const json_value* rule = each.value.find("rule")) {
      const json_member& only = rule->as_object().at(0);
      for (const json_value& operand : only.value.as_array()) {
        operands.push_back(operand.as_string());
      }
      if (only.key == "reduction") std::swap(operands.at(0), operands.at(1));
      if (only.key == "ratio_to_published") operands.resize(1);
    } else {
      operands = {each.key};
    }
    ASSERT_EQ(row.points.size(), operands.size());
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const published_number operand = published(operands[i]);
      const experiment measured = experiment_at(row.points[i]);
      EXPECT_TRUE(operand.holds_at(measured)) << operands[i];
      EXPECT_NO_THROW(measured.machine->statistics().find(operand.statistic));
    }
    EXPECT_EQ(row.shape.kind == row_kind::calibration, published(each.key).calibrated);
    EXPECT_EQ(row.shape.source, each.value.find("source")->as_string());
    EXPECT_EQ(row.shape.unit, each.value.find("unit")->as_string());
  }
}

TEST(published, derived_numbers_follow_from_those_they_name) {
  std::size_t derived = 0;
  for (const json_member& each : published_numbers().as_object()) {
    const json_value* rule = each.value.find("rule");
    if (rule == nullptr) continue;
    ++derived;
    const json_member& only = rule->as_object().at(0);
    const double first = *published(only.value.as_array().at(0).as_string()).value;
    const double second = *published(only.value.as_array().at(1).as_string()).value;
    expectation wanted;
    static_cast<accepted_range&>(wanted) = published(each.key).accepted;
    EXPECT_TRUE(wanted.holds(only.key == "reduction" ? 1 - second / first : first / second))
        << each.key;
    EXPECT_TRUE(only.key == "reduction" || only.key == "ratio" || only.key == "ratio_to_published");
    EXPECT_TRUE(published(each.key).at.empty());
  }
  EXPECT_EQ(derived, 6U);
}

TEST(published, a_number_of_another_machine_does_not_hold) {
  const published_number polling = published("C4");
  const auto holds = [&](const std::string& set) {
    std::vector<std::string> sets{"network.processing_elements=2048"};
    if (!set.empty()) sets.push_back(set);
    return polling.holds_at(experiment_at({"improved.json", sets, {1}}));
  };
  EXPECT_TRUE(holds(""));
  EXPECT_TRUE(holds("run.cycles=20000"));
  EXPECT_FALSE(holds("memory.interval=40"));
  EXPECT_FALSE(holds("network.slots=6"));
  EXPECT_FALSE(holds("workload.traffic.hot_spot=0.5"));
  EXPECT_FALSE(holds("network.processing_elements=1024"));
}

TEST(published, numbers_of_flash_are_measured_where_they_were_published) {
  const std::vector<planned_row> rows = rows_of_all();
  const json_document document = json_document::from_file(root + "/platforms/flash/published.json");
  std::size_t measured = 0;
  for (const json_member& each : document.root().find("numbers")->as_object()) {
    SCOPED_TRACE(each.key);
    const published_number number =
        load_published(root + "/platforms/flash/presets/any.json", {each.key}).front();
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const planned_row& r) {
      return selects("flash." + each.key, r.shape.id);
    });
    // Numbers that only another one is derived from.
    if (row == rows.end()) continue;
    ++measured;
    EXPECT_EQ(row->shape.unit, number.unit);
    EXPECT_EQ(row->shape.source, number.source);
    EXPECT_FALSE(number.calibrated && row->shape.kind == row_kind::published);
    if (number.statistic.empty()) continue;
    const point& first = row->points.at(0);
    const experiment_file file = load_experiments(where.preset_of(first), first.sets);
    const experiment& at =
        *std::find_if(file.experiments.begin(), file.experiments.end(),
                      [&](const experiment& one) { return one.series == first.series; });
    EXPECT_TRUE(number.holds_at(at));
    EXPECT_NO_THROW(run_experiment(at, 1).value(number.statistic));
  }
  EXPECT_GT(measured, 40U);
}

/// A row of the figures of coordination, by its id.
planned_row coordination_row(const std::string& id) {
  for (planned_row& each : coordination_checks(repository_claims())) {
    if (each.shape.id == id) return each;
  }
  throw error("there is no row " + id);
}

/// What a row makes of its statistic at its points, in their order.
double measured_of(const planned_row& row, const std::string& path,
                   const std::vector<double>& values) {
  std::vector<point_result> results;
  for (const double value : values) {
    results.emplace_back(4U, 2U);
    results.back().add({{path, "", value}});
  }
  point_results pointers;
  for (const point_result& each : results) pointers.push_back(&each);
  return row.measure(pointers);
}

TEST(coordination, series_are_compared_as_their_claims_say) {
  const std::string superstep = "workload.marks.superstep.interval.mean";
  EXPECT_DOUBLE_EQ(measured_of(coordination_row("C11.combining.mixed.64"), superstep, {800, 100}),
                   8);
  // Aggressive against no combining, baseline, improved and MCS: less is better.
  EXPECT_DOUBLE_EQ(measured_of(coordination_row("C11.aggressive_best.intense.1024"), superstep,
                               {300, 16000, 900, 450, 400}),
                   0.75);
  const std::string reader = "workload.marks.reader_grant.rate";
  EXPECT_DOUBLE_EQ(measured_of(coordination_row("C12.advantage_on_aggressive.I.64"), reader,
                               {0.8, 0.1, 0.4, 0.2}),
                   4);
  // MCS against the centralized designs: more is better.
  EXPECT_DOUBLE_EQ(measured_of(coordination_row("C12.writers_mcs_ahead.R.16"),
                               "workload.marks.writer_grant.rate", {0.4, 0.1, 0.2, 0.1}),
                   2);
  EXPECT_DOUBLE_EQ(measured_of(coordination_row("C12.writers_growth.I.mcs"),
                               "workload.marks.writer_grant.rate", {0.4, 0.1}),
                   0.25);
  EXPECT_NEAR(measured_of(coordination_row("C12.mixed_exponent.one.I.improved"), reader,
                          {1, 2, 4, 8, 16, 32}),
              1, 1e-12);
}

TEST(coordination, responses_are_counted_with_those_that_combining_saved) {
  const planned_row row = coordination_row("C12.writers_responses.I.mcs_improved.16");
  point_result at(2, 2);
  at.add({{"network.stage.0.combined", "", 10},
          {"network.stage.1.combined", "", 30},
          {"memory.served", "", 80}});
  EXPECT_DOUBLE_EQ(row.measure({&at}), 1.5);
}

TEST(coordination, what_takes_longest_is_measured_on_demand) {
  EXPECT_FALSE(coordination_row("C12.mixed_ahead.tenth.R.256").only_full);
  EXPECT_TRUE(coordination_row("C12.mixed_ahead.tenth.R.2048").only_full);
  EXPECT_FALSE(coordination_row("C12.mixed_exponent.one.R.improved").only_full);
  EXPECT_TRUE(coordination_row("C12.mixed_exponent.tenth.R.improved").only_full);
  EXPECT_FALSE(coordination_row("C11.combining.intense.2048").only_full);
}

TEST(coordination, each_point_is_one_of_its_preset) {
  std::map<std::string, std::multiset<std::string>> known;
  for (const planned_row& row : coordination_checks(repository_claims())) {
    for (const point& each : row.points) {
      point at = each;
      at.series.clear();
      std::multiset<std::string>& series = known[at.to_json().to_text(0)];
      if (series.empty()) {
        for (const experiment& one : load_experiments(where.preset_of(at), at.sets).experiments) {
          series.insert(one.series);
        }
      }
      EXPECT_EQ(series.count(each.series), 1U) << row.shape.id << ": " << each.series;
    }
  }
  EXPECT_GT(known.size(), 50U);
}

planned_row lone_request(double expected) {
  planned_row planned;
  planned.shape = finished("T.lone", row_kind::input, expectation::exactly(expected), 0);
  point machine;
  machine.preset = "baseline.json";
  machine.elements(16)
      .with("workload.kind=trace")
      .with("run.until=finished")
      .with("workload.trace.file=testbenches/validation/lone_requests.trace");
  planned.points = {machine};
  planned.measure = [](const point_results& at) { return at[0]->latency(); };
  return planned;
}

TEST(measurement, a_true_claim_holds_and_a_false_one_fails) {
  const std::vector<row> rows = measure({lone_request(10), lone_request(9)}, where, 2, nullptr);
  EXPECT_EQ(rows.at(0).measured, 10);
  EXPECT_FALSE(rows.at(0).failed());
  EXPECT_TRUE(rows.at(1).failed());
}

planned_row polling(unsigned elements) {
  planned_row planned = lone_request(10);
  planned.points[0] = point{"baseline.json", {}, {1}};
  planned.points[0].elements(elements).with("run.cycles=2000");
  return planned;
}

/// The row with what the file says of it.
row given(const std::string& file, row wanted) {
  measured_rows(file).give(wanted);
  return wanted;
}

TEST(measurement, a_row_that_is_not_measured_has_its_last_value_of_the_same_configuration) {
  const testing::scratch_directory folder;
  const std::string file = folder.path("rows.json");
  row old = finished("X.old", row_kind::published, expectation::exactly(10), 10.5);
  old.version = "abc of 2026-01-01";
  old.configuration = json_value("of 4 nodes");
  row hollow = finished("X.hollow", row_kind::published, expectation::exactly(10),
                        std::numeric_limits<double>::quiet_NaN());
  hollow.state = row_state::undecided;
  row none = finished("X.none", row_kind::published, expectation::exactly(10), 0);
  none.state = row_state::not_measured;
  write_file_atomically(file, measured_rows::to_text({old, hollow, none}));

  row wanted = old;
  wanted.state = row_state::not_measured;
  wanted.version.clear();
  wanted.measured = 0;
  const row same = given(file, wanted);
  EXPECT_EQ(same.version, old.version);
  EXPECT_EQ(same.measured, 10.5);
  EXPECT_TRUE(same.failed());
  wanted.configuration = json_value("of 8 nodes");
  EXPECT_EQ(given(file, wanted).state, row_state::not_measured);
  wanted = old;
  wanted.state = row_state::not_measured;
  wanted.what = "something else";
  EXPECT_EQ(given(file, wanted).state, row_state::not_measured);
  wanted = hollow;
  wanted.state = row_state::not_measured;
  EXPECT_EQ(given(file, wanted).state, row_state::undecided);
  EXPECT_EQ(given(file, none).state, row_state::not_measured);
  // What was measured now stays, and a file that is not there has nothing.
  row now = old;
  now.measured = 10;
  EXPECT_EQ(given(file, now).measured, 10);
  EXPECT_EQ(given(folder.path("absent.json"), none).state, row_state::not_measured);
}

TEST(measurement, a_file_of_last_values_is_refused_with_the_place_of_what_is_wrong) {
  const testing::scratch_directory folder;
  const std::string file = folder.path("rows.json");
  const auto problem = [&](const std::string& text) -> std::string {
    write_file_atomically(file, text);
    try {
      static_cast<void>(measured_rows(file));
    } catch (const input_error& refused) {
      return refused.what();
    }
    return "read";
  };
  const std::string head = R"({"schema": "tributary.validation.measured/1")";
  EXPECT_NE(problem(R"({"schema": "another"})").find(file + ", line 1, column 12"),
            std::string::npos);
  EXPECT_NE(problem(head + "}").find("versions"), std::string::npos);
  EXPECT_NE(problem(head + R"(, "versions": {"v": {"X": [1]}}})").find("X"), std::string::npos);
  EXPECT_NE(problem(head + R"(, "versions": {"v": {"X": [1, "passed", "0"]}}})").find("measured"),
            std::string::npos);
  EXPECT_EQ(problem(head + R"(, "versions": {"v": {"X": [1, "measured", "0"]}}})"), "read");
}

TEST(report, a_check_names_the_versions_that_measured_it) {
  std::vector<row> rows{finished("X.a", row_kind::published, expectation::exactly(10), 10),
                        finished("X.b", row_kind::published, expectation::exactly(10), 10),
                        finished("Y", row_kind::published, expectation::exactly(10), 10)};
  rows[0].version = "one";
  rows[1].version = rows[2].version = "two";
  const std::string page = to_page(rows, {}, {{"X", "Title", "Section"}}, {});
  EXPECT_NE(page.find("Source: Section. Measured with one, two."), std::string::npos) << page;
  EXPECT_NE(page.find("| one | 1 |\n| two | 2 |"), std::string::npos) << page;
}

TEST(measurement, a_kept_run_is_not_made_again) {
  const testing::scratch_directory folder;
  const kept_runs kept(folder.path("runs"), "one");
  std::size_t runs = 0;
  const auto count = [&runs](std::size_t, std::size_t all, double) { runs = all; };
  const auto measured = [&](const std::vector<planned_row>& rows, const kept_runs& from) {
    runs = 0;
    return measure(rows, where, 1, count, true, &from).at(0).measured;
  };

  const double fresh = measured({polling(16)}, kept);
  EXPECT_EQ(runs, 1U);
  EXPECT_EQ(measured({polling(16)}, kept), fresh);
  EXPECT_EQ(runs, 0U);
  // Another machine, another seed and another program are other runs.
  measured({polling(8)}, kept);
  EXPECT_EQ(runs, 1U);
  planned_row seeded = polling(16);
  seeded.points[0].seeds = {1, 2};
  measured({seeded}, kept);
  EXPECT_EQ(runs, 1U);
  EXPECT_EQ(measured({polling(16)}, kept_runs(folder.path("runs"), "another")), fresh);
  EXPECT_EQ(runs, 1U);
  // FLASH's code is not in what names the program.
  planned_row flash = lone_request(10);
  flash.points[0] = point{"fbcopy.json", {}, {1}};
  flash.points[0].platform = "flash";
  flash.measure = [](const point_results&) { return 10.0; };
  for (int i = 0; i < 2; ++i) {
    measured({flash}, kept);
    EXPECT_EQ(runs, 1U);
  }
  // Of a trace only the name would be known again.
  measured({lone_request(10)}, kept);
  EXPECT_EQ(runs, 1U);
  measured({lone_request(10)}, kept);
  EXPECT_EQ(runs, 1U);
}

TEST(measurement, a_kept_run_is_what_was_measured) {
  const testing::scratch_directory folder;
  const kept_runs kept(folder.path("runs"), "one");
  run_outcome outcome;
  outcome.steady = false;
  outcome.seconds = 2.5;
  outcome.statistics = {{"a.b", "cycles", 1.0 / 3}, {"a.c", "", std::nan("")}};
  const json_value configuration = point{"baseline.json", {}, {1}}.to_json();
  kept.keep(configuration, 7, outcome);

  EXPECT_FALSE(kept.find(configuration, 8).has_value());
  const std::optional<run_outcome> found = kept.find(configuration, 7);
  ASSERT_TRUE(found.has_value());
  EXPECT_FALSE(found->steady);
  ASSERT_EQ(found->statistics.size(), 2U);
  EXPECT_EQ(found->statistics[0].path, "a.b");
  EXPECT_EQ(found->statistics[0].unit, "cycles");
  EXPECT_EQ(found->statistics[0].value, 1.0 / 3);
  EXPECT_TRUE(std::isnan(found->statistics[1].value));

  // What it took is known to every program, and to no other run.
  const kept_runs another(folder.path("runs"), "another");
  EXPECT_FALSE(another.find(configuration, 7).has_value());
  EXPECT_EQ(another.seconds_of(configuration, 7), 2.5);
  EXPECT_FALSE(another.seconds_of(configuration, 8).has_value());
}

TEST(measurement, begins_with_the_run_that_took_longest_the_last_time) {
  const testing::scratch_directory folder;
  const kept_runs kept(folder.path("runs"), "one");
  const auto configuration = [](unsigned elements) {
    const planned_row row = polling(elements);
    return experiment_at(row.points[0]).configuration();
  };
  kept.keep(configuration(4), 1, {{}, true, 90});
  kept.keep(configuration(64), 1, {{}, true, 10});
  std::vector<double> fractions;
  const auto note = [&](std::size_t, std::size_t, double done) { fractions.push_back(done); };
  const kept_runs another(folder.path("runs"), "another");
  measure({polling(64), polling(4)}, where, 1, note, true, &another);
  ASSERT_EQ(fractions.size(), 2U);
  EXPECT_DOUBLE_EQ(fractions[0], 0.9);
}

TEST(measurement, a_folder_for_runs_that_cannot_be_made_is_named) {
  const testing::scratch_directory folder;
  const std::string file = folder.write("file", "");
  try {
    const kept_runs kept(file + "/runs", "one");
    FAIL() << "no error";
  } catch (const input_error& problem) {
    EXPECT_NE(std::string(problem.what()).find(file + "/runs: cannot make"), std::string::npos)
        << problem.what();
  }
}

TEST(measurement, a_row_sees_its_own_seeds_of_a_shared_point) {
  planned_row first = lone_request(10);
  planned_row second = lone_request(10);
  second.points[0].seeded(3);
  const auto seeds = [](const point_results& at) {
    return static_cast<double>(at[0]->each("interface.latency.mean").size());
  };
  first.measure = second.measure = seeds;
  const std::vector<row> rows = measure({first, second}, where, 1, nullptr);
  EXPECT_EQ(rows.at(0).measured, 1);
  EXPECT_EQ(rows.at(1).measured, 3);
}

TEST(measurement, a_point_that_cannot_run_is_named) {
  planned_row broken = lone_request(10);
  broken.points[0].with("memory.interval=none");
  EXPECT_THROW(measure({broken}, where, 1, nullptr), error);
}

/// Polling, whose mean latency is steady soon, and never within `cycles` if these are few.
planned_row steady_polling(unsigned cycles) {
  planned_row planned = lone_request(10);
  planned.points[0] = point{"baseline.json", {}, {1}};
  planned.points[0]
      .elements(16)
      .with("run.until=steady")
      .with("run.half_width=0.01")
      .with("run.maximum_cycles=" + std::to_string(cycles));
  return planned;
}

TEST(measurement, a_row_with_a_run_that_was_too_short_is_undecided) {
  planned_row both = steady_polling(1000000);
  both.points.push_back(steady_polling(2000).points[0]);
  const std::vector<row> rows =
      measure({steady_polling(1000000), steady_polling(2000), both}, where, 1, nullptr);
  EXPECT_EQ(rows.at(0).state, row_state::measured);
  EXPECT_TRUE(rows.at(0).failed());
  EXPECT_EQ(rows.at(1).state, row_state::undecided);
  EXPECT_EQ(rows.at(2).state, row_state::undecided);
}

TEST(measurement, a_row_on_demand_is_left_out_without_it) {
  planned_row slow = lone_request(10);
  slow.only_full = true;
  slow.points[0].with("memory.interval=none");  // would throw
  const std::vector<row> rows = measure({slow, lone_request(10)}, where, 1, nullptr, false);
  EXPECT_EQ(rows.at(0).state, row_state::not_measured);
  EXPECT_EQ(rows.at(1).state, row_state::measured);
  slow.points = lone_request(10).points;
  EXPECT_EQ(measure({slow}, where, 1, nullptr, true).at(0).measured, 10);
}

TEST(measurement, a_row_on_demand_is_taken_from_kept_runs_without_it) {
  const testing::scratch_directory folder;
  const kept_runs kept(folder.path("runs"), "one");
  planned_row slow = polling(16);
  slow.only_full = true;
  const auto state = [&](const planned_row& row) {
    return measure({row}, where, 1, nullptr, false, &kept).at(0).state;
  };
  EXPECT_EQ(state(slow), row_state::not_measured);
  measure({slow}, where, 1, nullptr, true, &kept);
  EXPECT_EQ(state(slow), row_state::measured);
  slow.points.push_back(polling(8).points[0]);
  EXPECT_EQ(state(slow), row_state::not_measured);
}

TEST(measurement, a_series_of_a_preset_is_a_point) {
  planned_row first = lone_request(10);
  first.points[0] = point{"figure4.json", {}, {1}};
  first.points[0].elements(16);
  EXPECT_THROW(measure({first}, where, 1, nullptr), error);
  first.points[0].of_series("no such");
  EXPECT_THROW(measure({first}, where, 1, nullptr), error);
  first.points[0].of_series("baseline");
  planned_row other = first;
  other.points[0].of_series("baseline, 10 %");
  const std::vector<row> rows = measure({first, other}, where, 1, nullptr);
  EXPECT_NE(rows.at(0).measured, rows.at(1).measured);
}

TEST(measurement, stages_count_from_the_memory) {
  planned_row planned = lone_request(0);
  planned.points[0] = point{"wait_buffer_100.json", {}, {1}};
  planned.points[0].elements(32);
  planned.measure = [](const point_results& at) {
    return at[0]->combining_rate(0) - at[0]->combining_rate(4);
  };
  EXPECT_GT(measure({planned}, where, 1, nullptr).at(0).measured, 0.4);
}

}  // namespace
}  // namespace tributary::validation
