// SPDX-License-Identifier: Apache-2.0
#include "results.h"

#include <cstddef>
#include <filesystem>
#include <set>
#include <system_error>

#include <tributary/sim/error.h>

#include "file_bytes.h"
#include "json_path.h"
#include "sealed_json.h"

namespace tributary {
namespace {

json_value texts_to_json(const std::vector<std::string>& texts) {
  json_value list = json_value::make_array();
  for (const std::string& text : texts) list.push_back(json_value(text));
  return list;
}

json_value run_to_json(const run_result& result) {
  json_value run = json_value::make_object();
  run.set("seed", json_value(result.seed));
  run.set("cycles", json_value(result.cycles));
  run.set("partial", json_value(result.partial));
  run.set("warnings", texts_to_json(result.warnings));
  const json_value tree = result.statistics.to_json();
  for (const json_member& member : tree.as_object()) {
    run.set(member.key == "schema" ? "statistics_schema" : member.key, member.value);
  }
  return run;
}

/// Mean and interval of every statistic over the runs that were not interrupted.
json_value summary_of(const std::vector<run_result>& runs) {
  std::vector<std::vector<flat_statistic>> all;
  for (const run_result& run : runs) {
    if (!run.partial) all.push_back(run.statistics.flatten());
  }
  json_value summary = json_value::make_object();
  if (all.empty()) return summary;
  for (std::size_t i = 0; i < all.front().size(); ++i) {
    std::vector<double> samples;
    for (const std::vector<flat_statistic>& run : all) {
      if (i < run.size() && run[i].path == all.front()[i].path) samples.push_back(run[i].value);
    }
    // What some seeds have and others do not, as a program's marks, has no mean over seeds.
    if (samples.size() != all.size()) continue;
    const interval_estimate estimate = estimate_mean(samples, seed_confidence);
    json_value entry = json_value::make_object();
    entry.set("mean", json_value(estimate.mean));
    entry.set("half_width", json_value(estimate.half_width));
    entry.set("unit", json_value(all.front()[i].unit));
    summary.append_member({all.front()[i].path, std::move(entry), 0, 0});
  }
  return summary;
}

json_value point_to_json(const experiment& measured, const std::vector<run_result>& runs) {
  json_value coordinates = json_value::make_object();
  for (const auto& [name, value] : measured.point) coordinates.set(name, value);
  json_value point = json_value::make_object();
  point.set("name", json_value(measured.name()));
  point.set("series", measured.series.empty() ? json_value() : json_value(measured.series));
  point.set("point", std::move(coordinates));
  point.set("platform", json_value(measured.machine->platform()));
  point.set("processors", measured.processors());
  point.set("configuration", measured.configuration());
  const std::string rtl = measured.machine->rtl();
  point.set("rtl", rtl.empty() ? json_value() : json_value(rtl));
  point.set("warnings", texts_to_json(measured.warnings()));
  json_value& list = point.set("runs", json_value::make_array());
  for (const run_result& run : runs) list.push_back(run_to_json(run));
  point.set("summary", summary_of(runs));
  return point;
}

/// Reads the parts of a results file that `compare` needs.
class results_reader {
 public:
  explicit results_reader(const std::string& path) : document_(checked(path)) {}

  measured_file read() const {
    const json_value& root = document_.root();
    const json_value* schema = root.find("schema");
    if (schema == nullptr || *schema != json_value(results_schema)) {
      throw input_error(document_.source_name() + ": this is no results file of schema " +
                        results_schema + "; give the results.json that `tributary run` wrote");
    }
    measured_file file;
    file.path = document_.source_name();
    file.version = member(root, "version").as_string();
    file.partial = member(root, "partial").as_boolean();
    std::set<std::string> names;
    for (const json_value& each : member(root, "points").as_array()) {
      file.points.push_back(read_point(each));
      const std::string& name = file.points.back().name;
      if (names.insert(name).second) continue;
      throw input_error(document_.place(each) + ": points: \"" + name +
                        "\" is there twice; remove one of the two, or run again");
    }
    return file;
  }

 private:
  static json_document checked(const std::string& path) {
    const std::string text = read_bytes(path, "give the results.json that `tributary run` wrote");
    json_document document = json_document::from_text(text, path);
    check_seal(text, path);
    return document;
  }

  const json_value& member(const json_value& object, const char* key) const {
    const json_value* found = object.find(key);
    if (found == nullptr) {
      throw input_error(document_.place(object) + ": \"" + key +
                        "\" is missing; the file was not written by `tributary run`");
    }
    return *found;
  }

  measured_point read_point(const json_value& value) const {
    measured_point point;
    point.name = member(value, "name").as_string();
    point.configuration = flatten_object(member(value, "configuration"));
    for (const json_value& each : member(value, "runs").as_array()) {
      measured_point::run run;
      run.seed = member(each, "seed").as_unsigned();
      run.partial = member(each, "partial").as_boolean();
      json_value tree = json_value::make_object();
      tree.set("schema", member(each, "statistics_schema"));
      tree.set("statistics", member(each, "statistics"));
      run.statistics = flatten_statistics(tree, document_.source_name());
      run.series = statistics_of_kind(tree, "series", document_.source_name());
      run.histograms = statistics_of_kind(tree, "histogram", document_.source_name());
      point.runs.push_back(std::move(run));
    }
    return point;
  }

  json_document document_;
};

}  // namespace

std::string program_version() { return TRIBUTARY_VERSION; }

json_value results_to_json(const experiment_file& file, const std::vector<std::uint64_t>& seeds,
                           const std::vector<std::vector<run_result>>& results, bool partial) {
  json_value root = json_value::make_object();
  root.set("schema", json_value(results_schema));
  root.set("version", json_value(program_version()));
  root.set("platform", json_value(file.platform));
  root.set("title", json_value(file.title));
  root.set("partial", json_value(partial));
  json_value& seed_list = root.set("seeds", json_value::make_array());
  for (const std::uint64_t seed : seeds) seed_list.push_back(json_value(seed));
  root.set("series", texts_to_json(file.series));
  root.set("varied", texts_to_json(file.varied));
  root.set("confidence", json_value(seed_confidence));
  json_value& points = root.set("points", json_value::make_array());
  for (std::size_t i = 0; i < file.experiments.size(); ++i) {
    points.push_back(point_to_json(file.experiments[i], results[i]));
  }
  return root;
}

measured_file load_results(const std::string& path) {
  std::error_code unknown;
  const bool folder = std::filesystem::is_directory(path, unknown);
  const std::string file = folder ? (std::filesystem::path(path) / "results.json").string() : path;
  const results_reader reader(file);
  try {
    return reader.read();
  } catch (const input_error&) {
    throw;
  } catch (const error& problem) {
    throw input_error(file + ": " + problem.what() +
                      "; the file was not written by `tributary run`");
  }
}

}  // namespace tributary
