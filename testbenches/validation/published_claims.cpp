// SPDX-License-Identifier: Apache-2.0
#include "published_claims.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <tributary/sim/error.h>

namespace tributary::validation {
namespace {

constexpr const char* claims_schema = "tributary.claims/1";
constexpr std::array<const char*, 6> claim_members{"place", "check", "says",
                                                   "rows",  "fails", "cause"};

class claims_file {
 public:
  explicit claims_file(const std::string& path) : document_(json_document::from_file(path)) {
    if (member(document_.root(), "schema") != json_value(claims_schema)) {
      throw input_error(document_.source_name() + ": these are no claims of schema " +
                        claims_schema);
    }
  }

  std::vector<publication> read() const {
    std::vector<publication> all;
    for (const json_member& each : member(document_.root(), "publications").as_object()) {
      publication one{each.key, member(each.value, "title").as_string(), {}};
      for (const json_member& claim : member(each.value, "claims").as_object()) {
        one.claims.push_back(read_claim(claim.key, claim.value));
      }
      all.push_back(std::move(one));
    }
    return all;
  }

 private:
  published_claim read_claim(const std::string& id, const json_value& data) const {
    check_members(data);
    published_claim claim;
    claim.id = id;
    claim.place = member(data, "place").as_string();
    claim.says = member(data, "says").as_string();
    if (const json_value* check = data.find("check")) claim.check = check->as_string();
    if (const json_value* cause = data.find("cause")) claim.cause = cause->as_string();
    claim.rows = texts_in(member(data, "rows"));
    if (const json_value* fails = data.find("fails")) claim.fails = texts_in(*fails);
    return claim;
  }

  static std::vector<std::string> texts_in(const json_value& list) {
    std::vector<std::string> texts;
    for (const json_value& each : list.as_array()) texts.push_back(each.as_string());
    return texts;
  }

  void check_members(const json_value& claim) const {
    for (const json_member& each : claim.as_object()) {
      if (std::find(claim_members.begin(), claim_members.end(), each.key) != claim_members.end()) {
        continue;
      }
      throw input_error(document_.place(each.value) + ": a claim has no \"" + each.key +
                        "\" (allowed: " + fmt::format("{}", fmt::join(claim_members, ", ")) + ")");
    }
  }

  const json_value& member(const json_value& object, const std::string& key) const {
    const json_value* found = object.find(key);
    if (found != nullptr) return *found;
    throw input_error(document_.place(object) + ": \"" + key + "\" is missing; add it");
  }

  json_document document_;
};

}  // namespace

std::string name_of(claim_status status) {
  switch (status) {
    case claim_status::reproduced:
      return "reproduced";
    case claim_status::calibrated:
      return "calibrated";
    case claim_status::input:
      return "input";
    case claim_status::not_reproduced:
      return "not reproduced";
    case claim_status::undecided:
      return "undecided";
    case claim_status::not_modelled:
      return "not yet modelled";
  }
  throw error("no such status of a claim");
}

bool published_claim::is_about(const row& each) const {
  return std::any_of(rows.begin(), rows.end(), [&](const std::string& name) {
    const std::size_t group = name.rfind(".*");
    return group == std::string::npos ? name == each.id
                                      : each.id.compare(0, group + 1, name, 0, group + 1) == 0;
  });
}

claim_status published_claim::status(const std::vector<row>& measured) const {
  if (rows.empty()) return claim_status::not_modelled;
  bool decided = false;
  bool open = false;
  std::set<row_kind> kinds;
  for (const row& each : measured) {
    if (!is_about(each)) continue;
    if (each.failed()) return claim_status::not_reproduced;
    decided = decided || each.pass().has_value();
    open = open || each.state != row_state::measured;
    if (each.pass()) kinds.insert(each.kind);
  }
  if (open || !decided) return claim_status::undecided;
  if (kinds.count(row_kind::calibration) != 0) return claim_status::calibrated;
  return kinds.count(row_kind::input) != 0 ? claim_status::input : claim_status::reproduced;
}

std::map<claim_status, std::size_t> publication::count(const std::vector<row>& measured) const {
  std::map<claim_status, std::size_t> counts;
  for (const published_claim& each : claims) ++counts[each.status(measured)];
  return counts;
}

std::vector<publication> publications_in(const std::string& path) {
  return claims_file(path).read();
}

check_count count_checks(const publication& of) {
  std::map<std::string, bool> has_rows;
  for (const published_claim& each : of.claims) {
    if (each.check.empty()) continue;
    bool& known = has_rows[each.check];
    known = known || !each.rows.empty();
  }
  const auto without = std::count_if(has_rows.begin(), has_rows.end(),
                                     [](const auto& each) { return !each.second; });
  return {has_rows.size(), static_cast<std::size_t>(without)};
}

std::vector<std::string> surprises(const std::vector<publication>& all,
                                   const std::vector<row>& measured) {
  std::set<std::string> known;
  for (const publication& each : all) {
    for (const published_claim& claim : each.claims) {
      known.insert(claim.fails.begin(), claim.fails.end());
    }
  }
  std::vector<std::string> found;
  for (const row& each : measured) {
    if (!each.pass()) continue;
    const bool expected_to_fail = known.count(each.id) != 0;
    if (each.failed() && !expected_to_fail) found.push_back(each.id + " fails");
    if (!each.failed() && expected_to_fail) {
      found.push_back(each.id + " holds now; take it out of \"fails\" in claims.json");
    }
  }
  return found;
}

}  // namespace tributary::validation
