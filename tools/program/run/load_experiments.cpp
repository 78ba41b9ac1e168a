// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <memory>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

#include "experiment.h"
#include "run_file.h"

namespace tributary {
namespace {

constexpr const char* command_line = "--set";
constexpr const char* unset = "default";  // the origin of a value that nobody gave

/// The name in "name=value".
std::string name_in(const std::string& assignment) {
  return assignment.substr(0, assignment.find('='));
}

/// Whether "name=value" gives several values to a parameter that takes one.
bool sweeps(const std::string& assignment, const experiment& any, const parameter_set& parameters) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos || assignment.compare(equals + 1, 1, "[") != 0) return false;
  const std::string name = any.own_name(assignment.substr(0, equals));
  return parameters.contains(name) && !parameters.value(name).is_array();
}

/// The values of a sweep on the command line: a JSON array.
variation read_sweep(const std::string& assignment) {
  const std::string name = name_in(assignment);
  const std::string source = std::string(command_line) + " " + name;
  const json_document values =
      json_document::from_text(std::string_view(assignment).substr(name.size() + 1), source);
  if (values.root().as_array().empty()) {
    throw configuration_error({name, command_line, "an empty list gives no point",
                               "a list with one value or more", "name the values"});
  }
  return {name, values.root().as_array(), source};
}

json_value one_member(const std::string& name, const json_value& value) {
  json_value object = json_value::make_object();
  object.append_member({name, value, value.line(), value.column()});
  return object;
}

/// Two points of one name could not be told apart. Values are compared as the parameter takes them:
/// 1 and 1.0, or 2 and "0x2", are one.
void refuse_repeated_values(const variation& varied, const std::string& platform) {
  experiment any(platform);
  parameter_set parameters = parameter_set::of(any);
  const std::string name = any.own_name(varied.parameter);
  std::set<std::string> known;
  for (const json_value& value : varied.values) {
    parameters.read(one_member(name, value), varied.source);
    if (known.insert(parameters.value(name).to_text(0)).second) continue;
    throw configuration_error({varied.parameter,
                               json_place(varied.source, value.line(), value.column()),
                               value.to_text(0) + " is there twice", "each value once",
                               "remove one; --seeds runs a point several times"});
  }
}

/// What the command line does to the file: single values that override, and sweeps.
class overrides {
 public:
  overrides(const std::vector<std::string>& sets, run_file& file) {
    std::vector<variation>& variations = file.variations;
    experiment any(file.platform);
    parameter_set parameters = parameter_set::of(any);
    for (const std::string& assignment : sets) {
      const std::string name = name_in(assignment);
      const auto varied = std::find_if(variations.begin(), variations.end(),
                                       [&](const variation& v) { return v.parameter == name; });
      if (sweeps(assignment, any, parameters)) {
        // The last word on a parameter counts.
        assignments_.erase(std::remove_if(assignments_.begin(), assignments_.end(),
                                          [&](const std::string& a) { return name_in(a) == name; }),
                           assignments_.end());
        if (varied == variations.end()) {
          variations.push_back(read_sweep(assignment));
        } else {
          *varied = read_sweep(assignment);
        }
        continue;
      }
      // A single value of a varied parameter stays a coordinate of the points.
      if (varied != variations.end()) varied->values.resize(1);
      assignments_.push_back(assignment);
    }
  }

  void apply(const experiment& point, parameter_set& parameters) const {
    for (const std::string& assignment : assignments_) {
      const std::string name = name_in(assignment);
      parameters.set_assignment(point.own_name(name) + assignment.substr(name.size()),
                                command_line);
    }
  }

 private:
  std::vector<std::string> assignments_;
};

void read_layers(const std::vector<parameter_layer>& layers, parameter_set& parameters) {
  for (const parameter_layer& layer : layers) parameters.read(layer.parameters, layer.source);
}

/// Whether `text` has `name` in it as a word of its own.
bool mentions(const std::string& text, const std::string& name) {
  const std::string literal = std::regex_replace(name, std::regex("\\."), "\\.");
  return std::regex_search(text, std::regex("(^|[^\\w.])" + literal + "($|[^\\w.])"));
}

/// Refuses what the machine cannot measure.
void check_offers(const experiment& point) {
  const bool watches_latency = point.run.until == run_end::steady && point.run.watch.empty();
  if (!watches_latency && point.run.occupancy_window == 0) return;
  const std::unique_ptr<simulation> machine = point.machine->make(engine_kind::loop, 1);
  const std::string platform = point.machine->platform();
  if (watches_latency && !machine->latency()) {
    throw configuration_error(
        {"run.until", "",
         "the platform " + platform + " has no mean latency that could become steady",
         "cycles, finished", "choose one of these, or name a counter in run.watch"});
  }
  if (point.run.occupancy_window != 0 && machine->occupancy() == nullptr) {
    throw configuration_error({"run.occupancy_window", "",
                               "the platform " + platform + " does not record occupancy over time",
                               "0", "leave it out"});
  }
}

/// Where the value of a parameter came from, or of an element of a list: "--set" if it was
/// addresses.regions.0.size that was set of addresses.regions. `usual` if nothing was set.
std::string origin_of(const std::string& key, const parameter_set& parameters,
                      const std::string& usual) {
  if (parameters.contains(key) && parameters.origin(key) != unset) return parameters.origin(key);
  for (const std::string& name : parameters.names()) {
    if (name.rfind(key + ".", 0) == 0 && parameters.origin(name) != unset) {
      return parameters.origin(name);
    }
  }
  return usual;
}

/// Refuses combinations that cannot work, and names where the values in the message come from.
void check(const experiment& point, const parameter_set& parameters, const std::string& path,
           bool alone) {
  try {
    point.machine->validate();
    point.run.validate();
    check_offers(point);
    require_engine(point.run.engine);
    point.machine->require_built();
  } catch (const configuration_error& problem) {
    const std::string text = problem.what();
    const std::string key = text.substr(0, text.find(": "));
    // Messages name parameters of the key's own group without the group.
    const std::string group = key.substr(0, key.rfind('.') + 1);
    std::string others;
    for (const std::string& name : parameters.names()) {
      if (name == key || parameters.origin(name) == unset) continue;
      const bool beside = !group.empty() && name.rfind(group, 0) == 0;
      if (!mentions(text, beside ? name.substr(group.size()) : name)) continue;
      others += (others.empty() ? "; here " : ", ") + parameters.assignment(name);
    }
    throw configuration_error(origin_of(key, parameters, path) +
                              (alone ? "" : " (" + point.name() + ")") + ": " + text + others);
  }
}

/// The point of a series whose varied parameters have the values at `chosen`.
experiment make_experiment(const run_file& file, const series_text* series,
                           const std::vector<std::size_t>& chosen, const overrides& set,
                           const std::string& path) {
  experiment point(series == nullptr ? file.platform : series->platform);
  parameter_set parameters = parameter_set::of(point);
  read_layers(file.extended, parameters);
  if (series != nullptr) read_layers(series->extended, parameters);
  parameters.read(file.own.parameters, file.own.source);
  if (series != nullptr) parameters.read(series->own.parameters, series->own.source);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const variation& varied = file.variations[i];
    parameters.read(one_member(point.own_name(varied.parameter), varied.values[chosen[i]]),
                    varied.source);
  }
  set.apply(point, parameters);
  for (const variation& varied : file.variations) {
    point.point.emplace_back(varied.parameter, parameters.value(point.own_name(varied.parameter)));
  }
  if (series != nullptr) point.series = series->name;
  const bool alone = file.series.size() < 2 &&
                     std::all_of(file.variations.begin(), file.variations.end(),
                                 [](const variation& varied) { return varied.values.size() == 1; });
  check(point, parameters, path, alone);
  return point;
}

/// Counts `chosen` up, the last digit fastest. Returns false after the last combination.
bool next_combination(std::vector<std::size_t>& chosen, const std::vector<variation>& variations) {
  for (std::size_t i = chosen.size(); i-- > 0;) {
    if (++chosen[i] < variations[i].values.size()) return true;
    chosen[i] = 0;
  }
  return false;
}

/// The number of points. Throws `configuration_error` if there are too many.
std::size_t count_points(const run_file& file, const std::string& path) {
  std::size_t points = std::max<std::size_t>(file.series.size(), 1);
  std::string key = "series";
  for (const variation& varied : file.variations) {
    points *= varied.values.size();
    key = "vary." + varied.parameter;
    if (points > most_points) break;
  }
  if (points <= most_points) return points;
  throw configuration_error({key, path,
                             "the values that vary make " + std::to_string(points) + " points" +
                                 (file.variations.size() > 1 ? " or more" : ""),
                             "1 to " + std::to_string(most_points) + " points, of all series",
                             "vary fewer values, or write several run files"});
}

void add_points(const run_file& file, const series_text* series, const overrides& set,
                experiment_file& loaded, const std::function<void()>& read) {
  std::vector<std::size_t> chosen(file.variations.size(), 0);
  do {
    loaded.experiments.push_back(make_experiment(file, series, chosen, set, loaded.path));
    read();
  } while (next_combination(chosen, file.variations));
}

}  // namespace

experiment_file load_experiments(const std::string& path, const std::vector<std::string>& sets,
                                 const std::function<void(std::size_t, std::size_t)>& read) {
  run_file text = read_run_file(path);
  const overrides set(sets, text);

  experiment_file file;
  file.path = path;
  file.platform = text.platform;
  file.title = text.title;
  file.description = text.description;
  file.tables = text.tables;
  for (const variation& varied : text.variations) {
    refuse_repeated_values(varied, file.platform);
    file.varied.push_back(varied.parameter);
  }
  for (const series_text& series : text.series) file.series.push_back(series.name);

  const std::size_t points = count_points(text, path);
  const auto one_more = [&] {
    if (read) read(file.experiments.size(), points);
  };
  if (text.series.empty()) add_points(text, nullptr, set, file, one_more);
  for (const series_text& series : text.series) add_points(text, &series, set, file, one_more);
  return file;
}

}  // namespace tributary
