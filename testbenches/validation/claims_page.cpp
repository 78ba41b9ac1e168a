// SPDX-License-Identifier: Apache-2.0
#include "claims_page.h"

#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tributary::validation {
namespace {

constexpr std::array<claim_status, 6> statuses{
    claim_status::reproduced,     claim_status::calibrated, claim_status::input,
    claim_status::not_reproduced, claim_status::undecided,  claim_status::not_modelled};

std::string rows_text(const published_claim& claim) {
  std::vector<std::string> marked;
  for (const std::string& each : claim.rows) marked.push_back("`" + each + "`");
  return fmt::format("{}", fmt::join(marked, ", "));
}

/// The rows of the claim that fail, with what they measured.
std::string failing_rows(const published_claim& claim, const std::vector<row>& rows) {
  std::vector<std::string> failing;
  for (const row& each : rows) {
    if (!claim.is_about(each) || !each.failed()) continue;
    failing.push_back(fmt::format("`{}` measures {}, expected {}", each.id,
                                  number_text(each.measured), each.expected.text()));
  }
  return fmt::format("{}", fmt::join(failing, "; "));
}

template <class Visit>
void for_each_claim(const std::vector<publication>& all, const std::vector<row>& rows,
                    Visit&& visit) {
  for (const publication& each : all) {
    for (const published_claim& claim : each.claims) visit(each, claim, claim.status(rows));
  }
}

}  // namespace

std::string claims_summary(const std::vector<publication>& all, const std::vector<row>& rows) {
  std::string text = "| Publication | Claims |";
  std::string rule = "\n|---|---|";
  for (const claim_status each : statuses) {
    text += " " + name_of(each) + " |";
    rule += "---|";
  }
  text += " Checks without a row |" + rule + "---|\n";
  for (const publication& each : all) {
    auto counts = each.count(rows);
    text += fmt::format("| {} | {} |", each.title, each.claims.size());
    for (const claim_status status : statuses) text += fmt::format(" {} |", counts[status]);
    const check_count checks = count_checks(each);
    text += fmt::format(" {} of {} |\n", checks.without_rows, checks.all);
  }
  return text;
}

std::string claims_counts(const std::vector<publication>& all, const std::vector<row>& rows) {
  std::string text = "claims by publication:\n";
  for (const publication& each : all) {
    text += fmt::format("{:<8} {}:", each.id, each.claims.size());
    const char* separator = " ";
    for (const auto& [status, count] : each.count(rows)) {
      text += fmt::format("{}{} {}", separator, count, name_of(status));
      separator = ", ";
    }
    text += '\n';
  }
  return text;
}

std::string claims_not_reproduced(const std::vector<publication>& all,
                                  const std::vector<row>& rows) {
  std::string text;
  for_each_claim(all, rows,
                 [&](const publication&, const published_claim& claim, claim_status status) {
                   if (status != claim_status::not_reproduced) return;
                   text += fmt::format("- **{}** ({}): {}.\n  - Fails: {}.\n  - Cause: {}\n",
                                       claim.id, claim.place, claim.says, failing_rows(claim, rows),
                                       claim.cause.empty() ? "not known." : claim.cause);
                 });
  return text.empty() ? "None.\n" : text;
}

std::string claims_tables(const std::vector<publication>& all, const std::vector<row>& rows) {
  std::string text;
  for (const publication& each : all) {
    text +=
        fmt::format("\n### {}\n\n| Claim | Place | What | Status | Rows |\n|---|---|---|---|---|\n",
                    each.title);
    for (const published_claim& claim : each.claims) {
      text += fmt::format("| {} | {} | {} | {} | {} |\n", claim.id, claim.place, claim.says,
                          name_of(claim.status(rows)), rows_text(claim));
    }
  }
  return text;
}

json_value claims_json(const std::vector<publication>& all, const std::vector<row>& rows) {
  json_value list = json_value::make_array();
  for_each_claim(all, rows,
                 [&](const publication& where, const published_claim& claim, claim_status status) {
                   json_value object = json_value::make_object();
                   object.set("id", json_value(claim.id));
                   object.set("publication", json_value(where.id));
                   object.set("place", json_value(claim.place));
                   object.set("says", json_value(claim.says));
                   object.set("check", json_value(claim.check));
                   object.set("status", json_value(name_of(status)));
                   json_value names = json_value::make_array();
                   for (const std::string& each : claim.rows) names.push_back(json_value(each));
                   object.set("rows", names);
                   if (!claim.cause.empty()) object.set("cause", json_value(claim.cause));
                   list.push_back(object);
                 });
  return list;
}

}  // namespace tributary::validation
