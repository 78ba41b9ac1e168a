// SPDX-License-Identifier: Apache-2.0
#include "measured_rows.h"

#include <filesystem>
#include <limits>

#include <fmt/format.h>

#include <tributary/sim/error.h>

#include "digest.h"

namespace tributary::validation {
namespace {

constexpr const char* schema = "tributary.validation.measured/1";

/// Of what is measured, and at which settings.
std::string digest_of_row(const row& each) {
  return fmt::format(
      "{:016x}", digest_of(each.configuration.to_text(0) + "\n" + each.what + "\n" + each.unit));
}

row_state state_named(const json_document& file, const json_value& name) {
  for (const row_state each : {row_state::measured, row_state::undecided}) {
    if (name == json_value(name_of(each))) return each;
  }
  throw input_error(file.place(name) +
                    ": no state of a measured row (allowed: " + name_of(row_state::measured) +
                    ", " + name_of(row_state::undecided) + "); take the file as it was committed");
}

const json_value& member(const json_document& file, const std::string& key) {
  const json_value* found = file.root().find(key);
  if (found != nullptr) return *found;
  throw input_error(file.place(file.root()) + ": " + key +
                    " is missing; take the file as it was committed");
}

}  // namespace

measured_rows::measured_rows(const std::string& path) {
  if (!std::filesystem::exists(path)) return;
  const json_document file = json_document::from_file(path);
  if (member(file, "schema") != json_value(schema)) {
    throw input_error(file.place(member(file, "schema")) + ": schema: not " + schema +
                      "; take the file as it was committed");
  }
  for (const json_member& version : member(file, "versions").as_object()) {
    for (const json_member& each : version.value.as_object()) {
      const json_value::array_type& parts = each.value.as_array();
      if (parts.size() != 3) {
        throw input_error(file.place(each.value) + ": " + each.key +
                          ": no value, state and digest; take the file as it was committed");
      }
      values_[each.key] = {version.key, state_named(file, parts.at(1)),
                           parts.at(0).is_null() ? std::numeric_limits<double>::quiet_NaN()
                                                 : parts.at(0).as_number(),
                           parts.at(2).as_string()};
    }
  }
}

void measured_rows::give(row& wanted) const {
  const auto found = values_.find(wanted.id);
  if (wanted.state != row_state::not_measured || found == values_.end()) return;
  const value& last = found->second;
  if (last.digest != digest_of_row(wanted)) return;
  wanted.version = last.version;
  wanted.state = last.state;
  wanted.measured = last.measured;
}

std::string measured_rows::to_text(const std::vector<row>& rows) {
  std::map<std::string, std::map<std::string, const row*>> by_version;
  for (const row& each : rows) {
    if (each.state != row_state::not_measured) by_version[each.version][each.id] = &each;
  }
  // A line a row, so that a difference of two files can be read.
  std::string text = fmt::format("{{\n\"schema\": \"{}\",\n\"versions\": {{", schema);
  const char* before_version = "\n";
  for (const auto& [version, of_version] : by_version) {
    text += before_version + json_value(version).to_text(0) + ": {";
    before_version = ",\n";
    const char* before = "\n";
    for (const auto& [id, each] : of_version) {
      json_value parts = json_value::make_array();
      parts.push_back(json_value(each->measured));
      parts.push_back(json_value(name_of(each->state)));
      parts.push_back(json_value(digest_of_row(*each)));
      text += before + json_value(id).to_text(0) + ": " + parts.to_text(0);
      before = ",\n";
    }
    text += "\n}";
  }
  return text + "\n}\n}\n";
}

}  // namespace tributary::validation
