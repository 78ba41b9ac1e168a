// SPDX-License-Identifier: Apache-2.0
#include "family.h"

#include <fmt/format.h>

#include <tributary/sim/error.h>

namespace tributary::validation {

std::string id_text(double number) { return fmt::format("{:g}", number); }

const json_value& family::member(const std::string& key) const {
  const json_value* found = data_->find(key);
  if (found == nullptr) {
    throw input_error(all_->place(*data_) + ": " + id_ + " has no \"" + key + "\"");
  }
  return *found;
}

std::string family::text(const std::string& key) const { return member(key).as_string(); }

std::vector<std::string> family::texts(const std::string& key) const {
  std::vector<std::string> list;
  if (!has(key)) return list;
  for (const json_value& each : member(key).as_array()) list.push_back(each.as_string());
  return list;
}

double family::number(const std::string& key) const { return member(key).as_number(); }

std::vector<double> family::numbers(const std::string& key) const {
  std::vector<double> list;
  for (const json_value& each : member(key).as_array()) list.push_back(each.as_number());
  return list;
}

planned_row family::row(const std::string& suffix) const {
  planned_row planned;
  planned.shape.id = suffix.empty() ? id_ : id_ + "." + suffix;
  planned.shape.kind = row_kind_named(text("kind"));
  planned.shape.what = text("what");
  planned.shape.source = text("source");
  planned.shape.unit = text("unit");
  planned.shape.expected = all_->expectation_of(*data_);
  const expectation& wanted = planned.shape.expected;
  if (has("origin")) planned.shape.origin = text("origin");
  const bool bounded = has("origin") || wanted.low || wanted.high;
  if (wanted.judged && bounded && !is_origin(planned.shape.origin)) {
    throw input_error(all_->place(*data_) + ": " + id_ + ": \"" + planned.shape.origin +
                      "\" is no origin of a bound (allowed: exact, or rounding, derived, "
                      "specification or chosen with a colon and the reason)");
  }
  return planned;
}

planned_row family::row_with(const std::string& suffix, double expected) const {
  planned_row planned = row(suffix);
  planned.shape.expected.low = planned.shape.expected.high = expected;
  return planned;
}

planned_row family::published_row(const std::string& id) const {
  planned_row planned = row();
  planned.shape.id = id;
  static_cast<accepted_range&>(planned.shape.expected) = all_->published(id);
  return planned;
}

planned_row family::published_member(const std::string& suffix) const {
  planned_row planned = row(suffix);
  static_cast<accepted_range&>(planned.shape.expected) =
      all_->published(text("published") + "." + suffix);
  return planned;
}

point family::on(const std::string& design) const {
  point made;
  made.platform = all_->platform();
  made.preset = design + ".json";
  made.with(texts("set"));
  if (has("seeds")) made.seeded(member("seeds").as_unsigned());
  return made;
}

claims::claims(const std::string& path, std::string presets, std::string platform)
    : document_(json_document::from_file(path)),
      presets_(std::move(presets)),
      platform_(std::move(platform)) {}

family claims::operator[](const std::string& id) const {
  const json_value* families = document_.root().find("families");
  const json_value* data = families == nullptr ? nullptr : families->find(id);
  if (data == nullptr) throw input_error(document_.source_name() + ": there is no family " + id);
  return {*this, id, *data};
}

std::vector<check_title> claims::checks() const {
  std::vector<check_title> titles;
  const json_value* checks = document_.root().find("checks");
  if (checks == nullptr) throw input_error(document_.source_name() + ": has no \"checks\"");
  for (const json_member& each : checks->as_object()) {
    const family entry(*this, each.key, each.value);
    titles.push_back({each.key, entry.text("title"), entry.text("section")});
  }
  return titles;
}

accepted_range claims::published(const std::string& id) const {
  return load_published(presets_ + "/any.json", {id}).front().accepted;
}

expectation claims::expectation_of(const json_value& data) const {
  expectation wanted;
  if (const json_value* range = data.find("expected")) {
    if (range->is_number()) {
      wanted.low = wanted.high = range->as_number();
    } else if (const json_value* id = range->find("published")) {
      static_cast<accepted_range&>(wanted) = published(id->as_string());
    } else {
      wanted.read_ends(*range);
    }
  }
  if (const json_value* tolerance = data.find("tolerance")) wanted.read_tolerance(*tolerance);
  if (const json_value* judged = data.find("judged")) wanted.judged = judged->as_boolean();
  return wanted;
}

}  // namespace tributary::validation
