// SPDX-License-Identifier: Apache-2.0
// clock: what the paper says of the cycle time of switches, by the circuits that ./dev cycle-time
// measured of the RTL.
#include <algorithm>
#include <string>

#include <tributary/sim/error.h>

#include "checks.h"

namespace tributary::validation {
namespace {

/// Whether a circuit has all these parameters with these values.
bool has_parameters(const json_value& circuit, const json_value& wanted) {
  const json_value* parameters = circuit.find("parameters");
  if (parameters == nullptr) return false;
  const auto& all = wanted.as_object();
  return std::all_of(all.begin(), all.end(), [&](const json_member& each) {
    const json_value* found = parameters->find(each.key);
    return found != nullptr && *found == each.value;
  });
}

/// Whether the circuit merges all operations that combine.
bool merges_all(const json_value& circuit) {
  const auto& parameters = circuit.find("parameters")->as_object();
  return std::all_of(parameters.begin(), parameters.end(), [](const json_member& each) {
    return each.key.rfind("network.combine.", 0) != 0 || each.value.as_boolean();
  });
}

/// The cycle of the family's switch by its fastest recipe, in FO4.
double shortest_cycle(const family& claim, const std::string& root, bool coupled) {
  const std::string file = root + "/" + claim.text("report");
  const json_document clocks = json_document::from_file(file);
  json_value wanted = claim.member("switch");
  wanted.set("network.coupled", json_value(coupled));
  const json_value* found = nullptr;
  for (const json_value& each : clocks.root().find("circuits")->as_array()) {
    if (each.find("sum")->as_string() != claim.text("sum") || !has_parameters(each, wanted) ||
        !merges_all(each)) {
      continue;
    }
    if (found != nullptr) throw input_error(file + ": two circuits are that of " + claim.id());
    found = &each;
  }
  if (found == nullptr) {
    throw input_error(file + ": no circuit is that of " + claim.id() + "; run ./dev cycle-time");
  }
  return found->find("fo4")->find("low")->as_number();
}

planned_row decoupled_over_coupled(const family& claim, const std::string& root) {
  planned_row row = claim.row();
  row.shape.configuration = json_value::make_object();
  for (const char* key : {"report", "switch", "sum"}) {
    row.shape.configuration.set(key, claim.member(key));
  }
  row.measure = [claim, root](const point_results&) {
    return shortest_cycle(claim, root, false) / shortest_cycle(claim, root, true);
  };
  return row;
}

}  // namespace

std::vector<planned_row> clock_checks(const claims& all) {
  const std::string root = all.presets() + "/../../..";
  std::vector<planned_row> rows;
  for (const char* id : {"clock.decoupled", "clock.decoupled_on_arrival"}) {
    rows.push_back(decoupled_over_coupled(all[id], root));
  }
  return rows;
}

}  // namespace tributary::validation
