// SPDX-License-Identifier: Apache-2.0
#include "published.h"

#include <algorithm>
#include <filesystem>

#include <tributary/sim/error.h>
#include <tributary/sim/names.h>

#include "json_path.h"

namespace tributary {
namespace {

constexpr const char* published_schema = "tributary.published/1";

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

void read_end(const json_value& ends, const char* key, std::optional<double>& end) {
  if (const json_value* found = ends.find(key)) end = found->as_number();
}

/// Reads the numbers of one file.
class published_reader {
 public:
  explicit published_reader(const std::string& path) : document_(json_document::from_file(path)) {
    const json_value* schema = document_.root().find("schema");
    if (schema == nullptr || *schema != json_value(published_schema)) {
      throw input_error(document_.source_name() + ": these are no published numbers of schema " +
                        published_schema + "; give the platform's published.json");
    }
  }

  published_number read(const std::string& id) const {
    const json_value& entry = find_number(id);
    published_number number;
    number.id = id;
    number.unit = text_in(entry, "unit");
    number.source = text_in(entry, "source");
    if (const json_value* value = entry.find("value")) number.value = value->as_number();
    if (const json_value* fitted = entry.find("calibrated")) {
      number.calibrated = fitted->as_boolean();
    }
    if (entry.find("rule") == nullptr && entry.find("blocks") == nullptr) {
      number.statistic = text_in(entry, "statistic");
      number.at = read_place(member(entry, "at"));
    }
    const json_value* judged = entry.find("judged");
    if (judged == nullptr || judged->as_boolean()) {
      number.accepted = read_accepted(entry, number.value);
    }
    return number;
  }

 private:
  const json_value& member(const json_value& object, const std::string& key) const {
    const json_value* found = object.find(key);
    if (found != nullptr) return *found;
    throw input_error(document_.place(object) + ": \"" + key + "\" is missing; add it");
  }

  std::string text_in(const json_value& object, const std::string& key) const {
    return member(object, key).as_string();
  }

  const json_value& find_number(const std::string& id) const {
    const json_value& numbers = member(document_.root(), "numbers");
    if (const json_value* entry = numbers.find(id)) return *entry;
    std::vector<std::string> known;
    for (const json_member& each : numbers.as_object()) known.push_back(each.key);
    throw configuration_error({"table.published", "",
                               "there is no number \"" + id + "\" in " + document_.source_name(),
                               "", did_you_mean(id, known, "name one that is there")});
  }

  /// The parameters of "at", those of the conditions that it names among them.
  std::vector<std::pair<std::string, json_value>> read_place(const json_value& at) const {
    std::vector<std::pair<std::string, json_value>> place;
    const auto add = [&](const json_value& parameters) {
      for (const json_member& each : parameters.as_object()) {
        if (each.key != "conditions") place.emplace_back(each.key, each.value);
      }
    };
    if (const json_value* names = at.find("conditions")) {
      const json_value& conditions = member(document_.root(), "conditions");
      for (const json_value& name : names->as_array()) {
        add(member(conditions, name.as_string()));
      }
    }
    add(at);
    return place;
  }

  accepted_range read_accepted(const json_value& entry, std::optional<double> value) const {
    accepted_range range;
    if (const json_value* ends = entry.find("accepted")) {
      range.read_ends(*ends);
    } else if (value) {
      range.low = range.high = value;
      range.read_tolerance(member(entry, "tolerance"));
    } else {
      throw input_error(document_.place(entry) +
                        ": the published number has neither \"value\" nor \"accepted\"; add one");
    }
    return range;
  }

  json_document document_;
};

published_number read_number(const published_reader& reader, const std::string& file,
                             const std::string& id) {
  try {
    return reader.read(id);
  } catch (const input_error&) {
    throw;
  } catch (const configuration_error&) {
    throw;
  } catch (const error& problem) {
    throw input_error(file + ": " + id + ": " + problem.what());
  }
}

}  // namespace

void accepted_range::read_ends(const json_value& ends) {
  for (const char* key : {"from", "at_least", "above"}) read_end(ends, key, low);
  for (const char* key : {"to", "at_most", "below"}) read_end(ends, key, high);
  strict = ends.find("above") != nullptr || ends.find("below") != nullptr;
}

void accepted_range::read_tolerance(const json_value& tolerance) {
  if (const json_value* fraction = tolerance.find("relative")) relative = fraction->as_number();
  if (const json_value* distance = tolerance.find("absolute")) absolute = distance->as_number();
}

bool published_number::holds_at(const experiment& where) const {
  if (at.empty()) return false;
  const json_value configuration = where.configuration();
  return std::all_of(at.begin(), at.end(), [&](const auto& parameter) {
    const json_value* here = find_path(configuration, parameter.first);
    return here != nullptr && equal_values(*here, parameter.second);
  });
}

std::vector<published_number> load_published(const std::string& run_file_path,
                                             const std::vector<std::string>& ids) {
  std::vector<published_number> numbers;
  if (ids.empty()) return numbers;
  const std::string file = find_file(run_file_path);
  const published_reader reader(file);
  for (const std::string& id : ids) numbers.push_back(read_number(reader, file, id));
  return numbers;
}

}  // namespace tributary
