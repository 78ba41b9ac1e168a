// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <tributary/sim/json_document.h>

#include <run/json_path.h>

#include "commands.h"

namespace tributary {
namespace {

/// The configuration of the first point without the names that differ.
json_value common_part(const json_value& object, const std::string& path,
                       const std::set<std::string>& differing) {
  json_value common = json_value::make_object();
  for (const json_member& member : object.as_object()) {
    const std::string name = path.empty() ? member.key : path + "." + member.key;
    if (differing.count(name) != 0) continue;
    common.set(member.key, member.value.is_object() ? common_part(member.value, name, differing)
                                                    : member.value);
  }
  return common;
}

/// Names of the parameters in which points differ. Configurations are made twice and not kept,
/// because a file may have many points.
std::set<std::string> differing_names(const experiment_file& file) {
  std::set<std::string> differing;
  const auto first = flatten_object(file.experiments.front().configuration());
  for (const experiment& each : file.experiments) {
    // Of one platform every configuration has the same names in the same order.
    const auto own = flatten_object(each.configuration());
    for (std::size_t i = 0; i < first.size(); ++i) {
      if (own[i] != first[i]) differing.insert(first[i].first);
    }
  }
  return differing;
}

bool has_several_platforms(const experiment_file& file) {
  return std::any_of(file.experiments.begin(), file.experiments.end(), [&](const experiment& each) {
    return each.machine->platform() != file.platform;
  });
}

json_value resolved(const experiment_file& file) {
  // Those of several platforms have nothing in common.
  const bool several = has_several_platforms(file);
  const std::set<std::string> differing = several ? std::set<std::string>{} : differing_names(file);
  json_value root = json_value::make_object();
  root.set("platform", json_value(file.platform));
  root.set("title", json_value(file.title));
  root.set("configuration",
           several ? json_value::make_object()
                   : common_part(file.experiments.front().configuration(), "", differing));
  json_value& points = root.set("points", json_value::make_array());
  for (const experiment& each : file.experiments) {
    json_value point = json_value::make_object();
    if (several) {
      point.set("platform", json_value(each.machine->platform()));
      point.set("processors", each.processors());
    }
    if (!each.series.empty()) point.set("series", json_value(each.series));
    for (const auto& [name, value] : flatten_object(each.configuration())) {
      if (several || differing.count(name) != 0) point.append_member({name, value, 0, 0});
    }
    points.push_back(std::move(point));
  }
  return root;
}

}  // namespace

int validate_config_command(const run_file_options& options) {
  const experiment_file file = load_run_file(options, usual_progress_style());
  print_warnings(file);
  fmt::print("{}\n", resolved(file).to_text());
  return success;
}

}  // namespace tributary
