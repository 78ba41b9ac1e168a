// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

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

/// The platform that a word means: by its name, or as that of a run file or preset.
std::optional<std::string> platform_of(const std::string& word) {
  if (is_platform(word)) return word;
  std::string file;
  try {
    file = find_run_file(word);
  } catch (const configuration_error&) {
    return std::nullopt;
  }
  try {
    return read_run_file(file).platform;
  } catch (const input_error& problem) {
    throw configuration_error(problem.what());
  }
}

using descriptions = std::vector<parameter_description>;

/// "network.slots" is in "network" and in "network.slots", and is called "slots".
bool is_named(const std::string& parameter, const std::string& word) {
  const std::size_t rest = parameter.size() - std::min(word.size(), parameter.size());
  if (parameter.rfind(word, 0) == 0) {
    return rest == 0 || parameter[word.size()] == '.' || parameter[word.size()] == '[';
  }
  return rest > 1 && parameter.compare(rest, word.size(), word) == 0 && parameter[rest - 1] == '.';
}

bool is_any_named(const parameter_set& parameters, const std::string& word) {
  const descriptions all = parameters.describe();
  return std::any_of(all.begin(), all.end(),
                     [&](const parameter_description& each) { return is_named(each.name, word); });
}

[[noreturn]] void refuse(const parameter_set& parameters, const std::string& word) {
  std::vector<std::string> known = platform_names();
  for (const group_description& group : parameters.groups()) known.push_back(group.name);
  for (const parameter_description& each : parameters.describe()) {
    known.push_back(each.name);
    known.push_back(each.name.substr(each.name.rfind('.') + 1));
  }
  throw configuration_error(
      {word, "", "there is no such platform, group or parameter",
       fmt::format("the platforms {}, and what they have", fmt::join(platform_names(), ", ")),
       did_you_mean(word, known, "run `tributary describe` for all")});
}

/// The parameters that the words name; all if there are none.
descriptions chosen(const parameter_set& parameters, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (!is_any_named(parameters, word)) refuse(parameters, word);
  }
  descriptions found;
  for (const parameter_description& each : parameters.describe()) {
    const auto names_it = [&](const std::string& word) { return is_named(each.name, word); };
    if (words.empty() || std::any_of(words.begin(), words.end(), names_it)) found.push_back(each);
  }
  return found;
}

/// Takes the platform out of the words: the first, unless it is a parameter of the usual platform.
std::string take_platform(const std::string& given, std::vector<std::string>& words) {
  const std::string usual = platform_names().front();
  experiment any(usual);
  const parameter_set parameters = parameter_set::of(any);
  const std::string word = given.empty() && !words.empty() ? words.front() : given;
  if (word.empty()) return usual;
  if (given.empty() && !is_platform(word) && is_any_named(parameters, word)) return usual;
  const std::optional<std::string> platform = platform_of(word);
  if (!platform) refuse(parameters, word);
  if (given.empty()) words.erase(words.begin());
  return *platform;
}

json_value to_json(const std::string& platform, const descriptions& parameters) {
  json_value root = json_value::make_object();
  root.set("schema", json_value("tributary.parameters/1"));
  root.set("platform", json_value(platform));
  json_value& list = root.set("parameters", json_value::make_array());
  for (const parameter_description& each : parameters) {
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
             wrap_text(each.description, line_width(), 6));
}

void print_text(const std::string& platform, const parameter_set& parameters,
                const descriptions& wanted) {
  fmt::print("Parameters of the platform {}. Set them in a run file or by --set NAME=VALUE.\n",
             platform);
  std::string group;
  for (const parameter_description& each : wanted) {
    if (group_of(each.name) != group) {
      group = group_of(each.name);
      fmt::print("\n{}\n", group_title(group, parameters));
    }
    print_parameter(each);
  }
}

/// A schema is of whole run files.
void refuse_words_of_schema(const std::vector<std::string>& words) {
  if (words.empty()) return;
  throw configuration_error(
      {"--schema", "",
       fmt::format("a schema has all parameters, and {} names some", fmt::join(words, ", ")),
       "a platform, run file or preset next to it",
       "leave out groups and parameters, or --schema"});
}

}  // namespace

int describe_command(const describe_options& options) {
  std::vector<std::string> words = options.words;
  const std::string platform = take_platform(options.platform, words);
  experiment any(platform);
  const parameter_set parameters = parameter_set::of(any);
  const descriptions wanted = chosen(parameters, words);
  if (options.schema) refuse_words_of_schema(words);
  if (options.schema) {
    fmt::print("{}\n", run_file_schema(platform).to_text());
  } else if (options.json) {
    fmt::print("{}\n", to_json(platform, wanted).to_text());
  } else {
    print_text(platform, parameters, wanted);
  }
  return success;
}

}  // namespace tributary
