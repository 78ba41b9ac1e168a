// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <tributary/sim/error.h>
#include <tributary/sim/names.h>
#include <tributary/sim/parameters.h>

#include <platforms.h>
#include <run/experiment.h>
#include <run/run_file.h>
#include <run/text_table.h>

#include "commands.h"
#include "preset_path.h"

namespace tributary {
namespace {

/// The platform that is meant: by its name, or as that of a run file or preset.
std::string platform_of(const std::string& name) {
  if (is_platform(name)) return name;
  std::string file;
  try {
    file = find_run_file(name);
  } catch (const configuration_error&) {
    const std::vector<std::string>& known = platform_names();
    throw configuration_error({name, "", "there is no such platform",
                               fmt::format("{}", fmt::join(known, ", ")),
                               did_you_mean(name, known, "run `tributary list`")});
  }
  try {
    return read_run_file(file).platform;
  } catch (const input_error& problem) {
    throw configuration_error(problem.what());
  }
}

json_value to_json(const std::string& platform, const parameter_set& parameters) {
  json_value root = json_value::make_object();
  root.set("schema", json_value("tributary.parameters/1"));
  root.set("platform", json_value(platform));
  json_value& list = root.set("parameters", json_value::make_array());
  for (const parameter_description& each : parameters.describe()) {
    json_value entry = json_value::make_object();
    entry.set("name", json_value(each.name));
    entry.set("type", json_value(each.type));
    entry.set("unit", json_value(each.unit));
    entry.set("default", json_value(each.default_value));
    entry.set("range", json_value(each.range));
    entry.set("description", json_value(each.description));
    list.push_back(std::move(entry));
  }
  return root;
}

/// "network.switches.slots" -> "network.switches"
std::string group_of(const std::string& parameter) {
  const std::size_t dot = parameter.rfind('.');
  return dot == std::string::npos ? "" : parameter.substr(0, dot);
}

std::string group_title(const std::string& name, const parameter_set& parameters) {
  for (const group_description& group : parameters.groups()) {
    if (group.name == name) return name + ": " + group.description;
  }
  return name;
}

void print_parameter(const parameter_description& each) {
  std::string facts = each.type;
  if (!each.range.empty()) facts += ", " + each.range;
  if (!each.unit.empty() && each.unit != "1" && each.range.find(each.unit) == std::string::npos) {
    facts += " " + each.unit;
  }
  const std::string value = each.default_value.empty() ? "\"\"" : each.default_value;
  fmt::print("  {:<34} default {}; {}\n{}", each.name, value, facts,
             wrap_text(each.description, 100, 6));
}

void print_text(const std::string& platform, const parameter_set& parameters) {
  fmt::print("Parameters of the platform {}. Set them in a run file or by --set NAME=VALUE.\n",
             platform);
  std::string group;
  for (const parameter_description& each : parameters.describe()) {
    if (group_of(each.name) != group) {
      group = group_of(each.name);
      fmt::print("\n{}\n", group_title(group, parameters));
    }
    print_parameter(each);
  }
}

}  // namespace

int describe_command(const describe_options& options) {
  const std::string platform = platform_of(options.platform);
  experiment any(platform);
  const parameter_set parameters = parameter_set::of(any);
  if (options.json) {
    fmt::print("{}\n", to_json(platform, parameters).to_text());
  } else {
    print_text(platform, parameters);
  }
  return success;
}

}  // namespace tributary
