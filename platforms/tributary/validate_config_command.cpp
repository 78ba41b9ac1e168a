// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <memory>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <tributary/base/json_document.h>

#include <run/json_path.h>

#include "commands.h"
#include "run_file_option.h"

namespace tributary {
namespace {

using flat_configuration = std::vector<std::pair<std::string, json_value>>;

/// Names whose values are not the same at every point.
std::vector<std::string> differing_names(const std::vector<flat_configuration>& all) {
  std::vector<std::string> names;
  for (const auto& [name, value] : all.front()) {
    const bool same =
        std::all_of(all.begin(), all.end(), [&, &n = name, &v = value](const auto& c) {
          return std::find(c.begin(), c.end(), std::make_pair(n, v)) != c.end();
        });
    if (!same) names.push_back(name);
  }
  return names;
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

json_value resolved(const experiment_file& file) {
  std::vector<flat_configuration> all;
  for (const experiment& each : file.experiments)
    all.push_back(flatten_object(each.configuration()));
  const std::vector<std::string> differing = differing_names(all);
  json_value root = json_value::make_object();
  root.set("platform", json_value(file.platform));
  root.set("title", json_value(file.title));
  root.set("configuration", common_part(file.experiments.front().configuration(), "", differing));
  json_value& points = root.set("points", json_value::make_array());
  for (std::size_t i = 0; i < all.size(); ++i) {
    json_value point = json_value::make_object();
    if (!file.experiments[i].series.empty()) {
      point.set("series", json_value(file.experiments[i].series));
    }
    for (const auto& [name, value] : all[i]) {
      const bool differs = std::find(differing.begin(), differing.end(), name) != differing.end();
      if (differs) point.set(name, value);
    }
    points.push_back(std::move(point));
  }
  return root;
}

}  // namespace

void add_validate_config_command(CLI::App& program, int& status) {
  CLI::App* command = program.add_subcommand(
      "validate-config",
      "Check a run file and print its resolved configuration: the values that all points share, "
      "then those of each point. Warnings go to stderr.");
  auto options = std::make_shared<run_file_options>();
  add_run_file_options(*command, *options);
  command->callback([options, &status] {
    const experiment_file file = load_run_file(*options);
    print_warnings(file);
    fmt::print("{}\n", resolved(file).to_text());
    status = success;
  });
}

}  // namespace tributary
