// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <tributary/sim/json_document.h>

#include <run/json_path.h>

#include "commands.h"

namespace tributary {
namespace {

using flat_configuration = std::vector<std::pair<std::string, json_value>>;

/// Where a configuration is not that of the first point: which of its parameters, in ascending
/// order, and their values.
using differences = std::vector<std::pair<std::size_t, json_value>>;

differences differences_from(const flat_configuration& first, const flat_configuration& other) {
  differences found;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (other[i].second != first[i].second) found.emplace_back(i, other[i].second);
  }
  return found;
}

/// The configuration of the first point without the names that differ.
json_value common_part(const json_value& object, const std::string& path,
                       const std::vector<std::string>& differing) {
  json_value common = json_value::make_object();
  for (const json_member& member : object.as_object()) {
    const std::string name = path.empty() ? member.key : path + "." + member.key;
    if (std::find(differing.begin(), differing.end(), name) != differing.end()) continue;
    common.set(member.key, member.value.is_object() ? common_part(member.value, name, differing)
                                                    : member.value);
  }
  return common;
}

/// The values of one point of what is not the same at every point.
void add_values(const flat_configuration& first, const std::vector<bool>& differs,
                const differences& own, json_value& point) {
  auto next = own.begin();
  for (std::size_t i = 0; i < first.size(); ++i) {
    const bool is_own = next != own.end() && next->first == i;
    if (differs[i])
      point.append_member({first[i].first, is_own ? next->second : first[i].second, 0, 0});
    if (is_own) ++next;
  }
}

json_value resolved(const experiment_file& file) {
  // Every configuration has the same names in the same order; only what differs is kept.
  const json_value configuration = file.experiments.front().configuration();
  const flat_configuration first = flatten_object(configuration);
  std::vector<bool> differs(first.size(), false);
  std::vector<differences> own;
  for (const experiment& each : file.experiments) {
    own.push_back(differences_from(first, flatten_object(each.configuration())));
    for (const auto& [index, value] : own.back()) differs[index] = true;
  }
  std::vector<std::string> differing;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (differs[i]) differing.push_back(first[i].first);
  }
  json_value root = json_value::make_object();
  root.set("platform", json_value(file.platform));
  root.set("title", json_value(file.title));
  root.set("configuration", common_part(configuration, "", differing));
  json_value& points = root.set("points", json_value::make_array());
  for (std::size_t i = 0; i < file.experiments.size(); ++i) {
    json_value point = json_value::make_object();
    if (!file.experiments[i].series.empty()) {
      point.set("series", json_value(file.experiments[i].series));
    }
    add_values(first, differs, own[i], point);
    points.push_back(std::move(point));
  }
  return root;
}

}  // namespace

int validate_config_command(const run_file_options& options) {
  const experiment_file file = load_run_file(options);
  print_warnings(file);
  fmt::print("{}\n", resolved(file).to_text());
  return success;
}

}  // namespace tributary
