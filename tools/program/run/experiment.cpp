// SPDX-License-Identifier: Apache-2.0
#include "experiment.h"

#include <tributary/sim/parameters.h>

#include <platforms.h>

namespace tributary {

experiment::experiment() : experiment(platform_names().front()) {}
experiment::experiment(const std::string& platform) : machine(machine_of(platform)) {}

void experiment::bind(parameter_set& parameters) {
  machine->bind(parameters);
  parameters.add_group("run", run, "How long the machine runs and what is measured.");
}

std::string experiment::own_name(const std::string& parameter) const {
  return parameter == common_processors ? machine->processors_parameter() : parameter;
}

std::string experiment::name() const {
  std::string text = series;
  for (const auto& [parameter, value] : point) {
    if (!text.empty()) text += ", ";
    text += parameter + " = " + (value.is_string() ? value.as_string() : value.to_text(0));
  }
  return text.empty() ? "the only point" : text;
}

json_value experiment::configuration() const {
  experiment copy = *this;
  json_value all = parameter_set::of(copy).resolved();
  json_value told = json_value::make_object();
  for (const json_member& each : all.find("run")->as_object()) {
    if (each.key != "threads") told.set(each.key, each.value);
  }
  all.set("run", told);
  return all;
}

json_value experiment::processors() const {
  experiment copy = *this;
  return parameter_set::of(copy).value(own_name(common_processors));
}

std::vector<std::string> experiment::warnings() const {
  std::vector<std::string> found = machine->warnings();
  if (run.until == run_end::finished && machine->endless()) {
    found.push_back(
        "run.until = finished, but this workload never finishes; the run ends after "
        "run.maximum_cycles");
  }
  const auto idle = [&](const char* key, const std::string& path, const char* why) {
    if (!path.empty()) found.push_back(std::string(key) + " = " + path + " does nothing: " + why);
  };
  if (run.until != run_end::steady) {
    idle("run.watch", run.watch, "only a run with run.until = steady watches a counter");
    idle("run.least_of", run.least_of, "only a run with run.until = steady waits for its count");
  }
  if (run.threads != 1 && !machine->uses_threads(run.engine)) {
    found.push_back("run.threads = " + std::to_string(run.threads) +
                    " does nothing: only an ultracomputer with run.engine = loop uses threads");
  }
  if (run.until == run_end::finished) {
    idle("run.warmup_of", run.warmup_of, "a run with run.until = finished has no warm-up");
  }
  return found;
}

}  // namespace tributary
