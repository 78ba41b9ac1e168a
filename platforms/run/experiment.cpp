// SPDX-License-Identifier: Apache-2.0
#include "experiment.h"

#include <tributary/base/parameters.h>

#include "platforms.h"

namespace tributary {

experiment::experiment() : experiment(platform_names().front()) {}
experiment::experiment(const std::string& platform) : machine(machine_of(platform)) {}

void experiment::bind(parameter_set& parameters) {
  machine->bind(parameters);
  parameters.add_group("run", run, "How long the machine runs and what is measured.");
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
  return parameter_set::of(copy).resolved();
}

std::vector<std::string> experiment::warnings() const {
  std::vector<std::string> found = machine->warnings();
  if (run.until == run_end::finished && machine->endless()) {
    found.push_back(
        "run.until = finished, but this workload never finishes; the run ends after "
        "run.maximum_cycles");
  }
  return found;
}

}  // namespace tributary
