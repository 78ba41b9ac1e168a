// SPDX-License-Identifier: Apache-2.0
#include "kept_runs.h"

#include <filesystem>
#include <limits>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <tributary/sim/atomic_file.h>
#include <tributary/sim/error.h>

#include "digest.h"

namespace tributary::validation {
namespace {

json_value key_of(const json_value& configuration, std::uint64_t seed) {
  json_value key = json_value::make_object();
  key.set("seed", json_value(seed));
  key.set("configuration", configuration);
  return key;
}

json_value to_json(const run_outcome& outcome) {
  json_value list = json_value::make_array();
  for (const flat_statistic& each : outcome.statistics) {
    json_value one = json_value::make_array();
    one.push_back(json_value(each.path));
    one.push_back(json_value(each.unit));
    one.push_back(json_value(each.value));  // null if it is not a number
    list.push_back(std::move(one));
  }
  return list;
}

run_outcome outcome_in(const json_value& steady, const json_value& statistics) {
  run_outcome outcome;
  outcome.steady = steady.as_boolean();
  for (const json_value& each : statistics.as_array()) {
    const json_value::array_type& one = each.as_array();
    outcome.statistics.push_back(
        {one.at(0).as_string(), one.at(1).as_string(),
         one.at(2).is_null() ? std::numeric_limits<double>::quiet_NaN() : one.at(2).as_number()});
  }
  return outcome;
}

}  // namespace

kept_runs::kept_runs(std::string folder, std::string program)
    : folder_(std::move(folder)), program_(std::move(program)) {
  std::error_code problem;
  std::filesystem::create_directories(folder_, problem);
  if (problem) {
    throw input_error(folder_ + ": cannot make this folder for runs: " + problem.message() +
                      "; name one that can be written by --runs, or leave it out");
  }
}

std::optional<run_outcome> kept_runs::find(const json_value& configuration,
                                           std::uint64_t seed) const {
  const std::optional<json_document> file = file_of(configuration, seed);
  if (!file) return std::nullopt;
  const json_value* program = file->root().find("program");
  const json_value* steady = file->root().find("steady");
  const json_value* statistics = file->root().find("statistics");
  if (program == nullptr || *program != json_value(program_) || steady == nullptr ||
      statistics == nullptr) {
    return std::nullopt;
  }
  return outcome_in(*steady, *statistics);
}

std::optional<double> kept_runs::seconds_of(const json_value& configuration,
                                            std::uint64_t seed) const {
  const std::optional<json_document> file = file_of(configuration, seed);
  const json_value* seconds = file ? file->root().find("seconds") : nullptr;
  if (seconds == nullptr) return std::nullopt;
  return seconds->as_number();
}

void kept_runs::keep(const json_value& configuration, std::uint64_t seed,
                     const run_outcome& outcome) const {
  const json_value key = key_of(configuration, seed);
  json_value file = json_value::make_object();
  file.set("schema", json_value("tributary.validation.run/2"));
  file.set("run", key);
  file.set("program", json_value(program_));
  file.set("seconds", json_value(outcome.seconds));
  file.set("steady", json_value(outcome.steady));
  file.set("statistics", to_json(outcome));
  write_file_atomically(path_of(key), file.to_text() + "\n");
}

std::optional<json_document> kept_runs::file_of(const json_value& configuration,
                                                std::uint64_t seed) const {
  const json_value key = key_of(configuration, seed);
  const std::string path = path_of(key);
  if (!std::filesystem::exists(path)) return std::nullopt;
  json_document file = json_document::from_file(path);
  const json_value* found = file.root().find("run");
  if (found == nullptr || *found != key) return std::nullopt;
  return file;
}

// Two keys of one name do no harm: the second run replaces the first, and a key is compared whole
// before its run is used.
std::string kept_runs::path_of(const json_value& key) const {
  return fmt::format("{}/{:016x}.json", folder_, digest_of(key.to_text(0)));
}

}  // namespace tributary::validation
