// SPDX-License-Identifier: Apache-2.0
#include "published.h"

#include <filesystem>

#include <tributary/base/error.h>
#include <tributary/base/nearest_name.h>

#include "json_path.h"

namespace tributary {
namespace {

bool equal_values(const json_value& a, const json_value& b) {
  if (a.is_number() && b.is_number()) return a.as_number() == b.as_number();
  return a == b;
}

std::string find_file(const std::string& run_file_path) {
  const std::filesystem::path folder = std::filesystem::path(run_file_path).parent_path();
  const std::filesystem::path beside = folder / "published.json";
  if (std::filesystem::exists(beside)) return beside.string();
  return (folder / ".." / "published.json").lexically_normal().string();
}

std::string text_of(const json_value& entry, const std::string& key) {
  const json_value* member = entry.find(key);
  return member != nullptr && member->is_string() ? member->as_string() : "";
}

published_number read_number(const json_document& document, const std::string& id) {
  const json_value* entry = document.root().find(id);
  if (entry == nullptr) {
    std::vector<std::string> known;
    if (document.root().is_object()) {
      for (const json_member& member : document.root().as_object()) known.push_back(member.key);
    }
    const std::string nearest = nearest_name(id, known);
    throw configuration_error(
        {"table.published", "", "there is no number \"" + id + "\" in " + document.source_name(),
         "", nearest.empty() ? "name one that is there" : "did you mean " + nearest + "?"});
  }
  const json_value* value = entry->find("value");
  if (value == nullptr || !value->is_number()) {
    throw input_error(document.place(*entry) + ": " + id +
                      ": the published number has no \"value\" that is a number");
  }
  published_number number{
      id,    value->as_number(),       text_of(*entry, "unit"), text_of(*entry, "source"),
      false, json_value::make_object()};
  if (const json_value* fitted = entry->find("calibrated")) {
    number.calibrated = fitted->is_boolean() && fitted->as_boolean();
  }
  if (const json_value* at = entry->find("at")) number.at = *at;
  return number;
}

}  // namespace

bool published_number::holds_at(const experiment& where) const {
  if (!at.is_object() || at.as_object().empty()) return false;
  const json_value configuration = where.configuration();
  for (const json_member& member : at.as_object()) {
    if (member.key == "series") {
      if (!member.value.is_string() || member.value.as_string() != where.series) return false;
      continue;
    }
    const json_value* here = find_path(configuration, member.key);
    if (here == nullptr || !equal_values(*here, member.value)) return false;
  }
  return true;
}

std::vector<published_number> load_published(const std::string& run_file_path,
                                             const std::vector<std::string>& ids) {
  std::vector<published_number> numbers;
  if (ids.empty()) return numbers;
  const json_document document = json_document::from_file(find_file(run_file_path));
  for (const std::string& id : ids) numbers.push_back(read_number(document, id));
  return numbers;
}

}  // namespace tributary
