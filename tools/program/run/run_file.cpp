// SPDX-License-Identifier: Apache-2.0
#include "run_file.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <tributary/sim/error.h>
#include <tributary/sim/names.h>
#include <tributary/sim/parameters.h>

#include <platforms.h>

#include "file_place.h"
#include "preset_files.h"

namespace tributary {
namespace {

const std::vector<std::string>& reserved_keys() {
  static const std::vector<std::string> keys{"platform", "extends", "title", "description",
                                             "series",   "vary",    "table", "$schema"};
  return keys;
}

std::vector<std::string> table_keys() {
  return {"title", "rows", "columns", "value", "decimals", "relative_to", "published"};
}

bool is_among(const std::string& name, const std::vector<std::string>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Every name that a platform's run file may have at its top: reserved keys, groups and parameters.
std::vector<std::string> known_names(const std::string& platform) {
  experiment any(platform);
  const parameter_set parameters = parameter_set::of(any);
  std::vector<std::string> known = reserved_keys();
  for (const group_description& group : parameters.groups()) known.push_back(group.name);
  for (const std::string& name : parameters.names()) known.push_back(name);
  return known;
}

/// Reads one file; `opened` are the files that led to it, to notice circles.
class run_file_reader {
 public:
  /// `usual`: the platform of a file that names none.
  run_file_reader(const std::string& path, std::string usual,
                  std::vector<std::filesystem::path> opened)
      : document_(json_document::from_file(path)),
        platform_(std::move(usual)),
        opened_(std::move(opened)) {
    opened_.push_back(place_of(path));
  }

  run_file read() {
    const json_value& root = document_.root();
    if (!root.is_object()) fail("the file", root, "an object with parameters in it");
    run_file file;
    const json_value* const platform = root.find("platform");
    if (platform != nullptr) platform_ = platform_in(*platform, "platform");
    if (const json_value* extends = root.find("extends")) {
      file = extended_file(*extends, "extends", platform_, platform != nullptr);
      platform_ = file.platform;
    }
    file.platform = platform_;
    begin_own_layer(file);
    read_texts(root, file);
    if (const json_value* vary = root.find("vary")) file.variations = read_variations(*vary);
    if (const json_value* series = root.find("series")) file.series = read_all_series(*series);
    if (const json_value* tables = root.find("table")) file.tables = read_tables(*tables);
    file.own = {parameters_of(root), document_.source_name()};
    return file;
  }

 private:
  [[noreturn]] void refuse(const std::string& key, const json_value& value,
                           const std::string& problem, const std::string& allowed,
                           const std::string& advice) const {
    throw configuration_error({key, document_.place(value), problem, allowed, advice});
  }
  [[noreturn]] void refuse_key(const std::string& key, const json_member& member,
                               const std::string& problem, const std::string& allowed,
                               const std::string& advice) const {
    const std::string place = json_place(document_.source_name(), member.line, member.column);
    throw configuration_error({key, place, problem, allowed, advice});
  }
  [[noreturn]] void fail(const std::string& key, const json_value& value,
                         const std::string& allowed) const {
    refuse(key, value, value.describe() + " does not fit", allowed, "write it so");
  }

  const std::string& text(const std::string& key, const json_value& value) const {
    if (!value.is_string()) fail(key, value, "a text");
    return value.as_string();
  }

  static void begin_own_layer(run_file& file) {
    if (file.own.parameters.is_object()) file.extended.push_back(std::move(file.own));
    file.own = {};
  }

  /// `chosen`: whether the file has to be of that platform, and not this file of its.
  run_file extended_file(const json_value& value, const std::string& key,
                         const std::string& platform, bool chosen) const {
    const std::filesystem::path path = path_of(text(key, value));
    std::error_code problem;
    if (!std::filesystem::exists(path, problem)) {
      const std::string nearest = nearest_preset(text(key, value));
      refuse(key, value,
             problem ? path.string() + ": " + problem.message()
                     : "there is no file " + path.string() + ", and no preset of that name",
             "a path relative to the folder of this file, or the name of a preset",
             nearest.empty() ? "correct it" : "did you mean the preset " + nearest + "?");
    }
    if (is_open(place_of(path))) {
      refuse(key, value, path.string() + " leads back to itself",
             "a file that does not extend this one", "end the circle");
    }
    run_file file = run_file_reader(path.string(), platform, opened_).read();
    if (chosen && file.platform != platform) {
      refuse(key, value, path.string() + " is of the platform " + file.platform,
             "a file of " + platform, "extend such a file");
    }
    return file;
  }

  /// A file next to this one, or else the preset of that name.
  std::filesystem::path path_of(const std::string& named) const {
    std::filesystem::path beside =
        std::filesystem::path(document_.source_name()).parent_path() / named;
    std::error_code unknown;
    const std::filesystem::file_status found = std::filesystem::status(beside, unknown);
    // A folder of that name, as of results, does not hide the preset.
    if (std::filesystem::exists(found) && !std::filesystem::is_directory(found)) return beside;
    return find_preset(named).value_or(beside.string());
  }

  bool is_open(const std::filesystem::path& path) const {
    return std::find(opened_.begin(), opened_.end(), path) != opened_.end();
  }

  void read_texts(const json_value& root, run_file& file) const {
    if (const json_value* title = root.find("title")) {
      file.title = text("title", *title);
      file.description.clear();  // what is inherited describes something else
    }
    if (const json_value* words = root.find("description")) {
      file.description = text("description", *words);
    }
  }

  const std::string& platform_in(const json_value& value, const std::string& key) const {
    const std::string& platform = text(key, value);
    if (is_platform(platform)) return platform;
    refuse(key, value, "there is no platform \"" + platform + "\"",
           fmt::format("{}", fmt::join(platform_names(), ", ")), "run `tributary list`");
  }

  /// The members of the root that are not reserved.
  json_value parameters_of(const json_value& root) const {
    json_value parameters = json_value::make_object();
    std::vector<std::string> known;
    for (const json_member& member : root.as_object()) {
      if (is_among(member.key, reserved_keys())) continue;
      if (known.empty()) known = known_names(platform_);
      if (!is_among(member.key, known)) {
        refuse_key(member.key, member, "there is no such parameter or key", "",
                   did_you_mean(member.key, known, "run `tributary describe` for all"));
      }
      parameters.append_member(member);
    }
    return parameters;
  }

  std::vector<variation> read_variations(const json_value& vary) const {
    if (!vary.is_object())
      fail("vary", vary, "an object of parameters, each with a list of values");
    std::vector<variation> variations;
    for (const json_member& member : vary.as_object()) {
      const std::string key = "vary." + member.key;
      if (!member.value.is_array() || member.value.as_array().empty()) {
        fail(key, member.value, "a list with one value or more");
      }
      variations.push_back({member.key, member.value.as_array(), document_.source_name()});
    }
    return variations;
  }

  std::vector<series_text> read_all_series(const json_value& list) const {
    if (!list.is_array()) fail("series", list, "a list of objects, each with a name");
    std::vector<series_text> all;
    std::vector<std::string> names;
    for (const json_value& each : list.as_array()) {
      const std::string key = "series." + std::to_string(all.size());
      all.push_back(read_series(each, key));
      if (is_among(all.back().name, names)) {
        refuse(key + ".name", each, "\"" + all.back().name + "\" is there twice", "",
               "give each series its own name");
      }
      names.push_back(all.back().name);
    }
    return all;
  }

  series_text read_series(const json_value& value, const std::string& key) const {
    if (!value.is_object()) fail(key, value, "an object with a name and parameters");
    series_text series;
    series.own = {json_value::make_object(), document_.source_name()};
    const json_value* const platform = value.find("platform");
    series.platform = platform == nullptr ? platform_ : platform_in(*platform, key + ".platform");
    for (const json_member& member : value.as_object()) {
      if (member.key == "platform") continue;
      if (member.key == "name") {
        series.name = text(key + ".name", member.value);
      } else if (member.key == "extends") {
        series.extended = extended_parameters(member.value, key + ".extends", series.platform);
      } else {
        series.own.parameters.append_member(member);
      }
    }
    if (series.name.empty()) {
      refuse(key + ".name", value, "the series has no name", "a text", "add \"name\"");
    }
    return series;
  }

  std::vector<parameter_layer> extended_parameters(const json_value& value, const std::string& key,
                                                   const std::string& platform) const {
    run_file file = extended_file(value, key, platform, true);
    if (!file.series.empty() || !file.variations.empty()) {
      refuse(key, value, value.as_string() + " has series or varied parameters of its own",
             "a file with a single point", "extend such a file");
    }
    file.extended.push_back(std::move(file.own));
    return std::move(file.extended);
  }

  std::vector<table_layout> read_tables(const json_value& value) const {
    std::vector<table_layout> tables;
    if (!value.is_array()) return {read_table(value, "table")};
    for (const json_value& each : value.as_array()) {
      tables.push_back(read_table(each, "table." + std::to_string(tables.size())));
    }
    return tables;
  }

  table_layout read_table(const json_value& value, const std::string& key) const {
    if (!value.is_object()) fail(key, value, "an object with rows, columns and value");
    table_layout table;
    for (const json_member& member : value.as_object()) {
      const std::string name = key + "." + member.key;
      if (member.key == "title") {
        table.title = text(name, member.value);
      } else if (member.key == "rows") {
        table.rows = texts(name, member.value);
        for (const std::string& row : table.rows) check_parameter(name, row, member.value);
      } else if (member.key == "columns") {
        table.columns = text(name, member.value);
        if (table.columns != "series") check_parameter(name, table.columns, member.value);
      } else if (member.key == "value") {
        table.value = text(name, member.value);
      } else if (member.key == "decimals") {
        if (!member.value.is_unsigned() || member.value.as_unsigned() > 15) {
          fail(name, member.value, "0 to 15");
        }
        table.decimals = static_cast<std::uint32_t>(member.value.as_unsigned());
      } else if (member.key == "relative_to") {
        table.relative_to = text(name, member.value);
      } else if (member.key == "published") {
        table.published = texts(name, member.value);
      } else {
        refuse_key(name, member, "there is no such key of a table",
                   fmt::format("{}", fmt::join(table_keys(), ", ")),
                   did_you_mean(member.key, table_keys(), "remove it"));
      }
    }
    if (table.value.empty()) {
      refuse(key + ".value", value, "the table shows no statistic",
             "the path of a statistic, as interface.latency.mean", "add \"value\"");
    }
    if (!table.relative_to.empty() && !table.published.empty()) {
      refuse(key + ".published", value,
             "published numbers stand next to values as they are, and " + key +
                 ".relative_to divides the values",
             "published or relative_to", "leave one of them out");
    }
    return table;
  }

  void check_parameter(const std::string& key, const std::string& name,
                       const json_value& place) const {
    experiment any(platform_);
    const parameter_set parameters = parameter_set::of(any);
    if (parameters.contains(any.own_name(name))) return;
    refuse(key, place, "there is no parameter \"" + name + "\"", "",
           did_you_mean(name, parameters.names(), "run `tributary describe` for all"));
  }

  /// One text, or a list of them.
  std::vector<std::string> texts(const std::string& key, const json_value& value) const {
    if (!value.is_array()) return {text(key, value)};
    std::vector<std::string> all;
    for (const json_value& each : value.as_array()) all.push_back(text(key, each));
    return all;
  }

  json_document document_;
  std::string platform_;
  std::vector<std::filesystem::path> opened_;
};

}  // namespace

run_file read_run_file(const std::string& path) {
  return run_file_reader(path, platform_names().front(), {}).read();
}

}  // namespace tributary
