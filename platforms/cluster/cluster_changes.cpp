// SPDX-License-Identifier: Apache-2.0
#include "cluster_changes.h"

#include <cstdint>
#include <sstream>
#include <vector>

#include <tributary/sim/error.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

std::vector<std::string> listed(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream from(text);
  for (std::string part; std::getline(from, part, ',');) parts.push_back(part);
  return parts;
}

/// Streams take -1 for a great number.
bool ends_well(std::istringstream& words) {
  std::string rest;
  return !words.fail() && !(words >> rest) && words.str().find('-') == std::string::npos;
}

switch_event event_in(const std::string& text) {
  std::istringstream words(text);
  cycle_t at = 0;
  std::string change;
  std::uint32_t which = 0;
  words >> at >> change >> which;
  if (ends_well(words) && (change == "on" || change == "off")) {
    return {at, switch_id{which}, change == "on"};
  }
  throw configuration_error({"network.reconfiguration.events", "",
                             "\"" + text + "\" is no change of a switch",
                             "changes such as 150000 off 0, 200000 on 0",
                             "write a cycle, off or on, and the number of a switch"});
}

switch_id switch_in(const std::string& text) {
  std::istringstream words(text);
  std::uint32_t which = 0;
  words >> which;
  if (ends_well(words)) return switch_id{which};
  throw configuration_error({"network.reconfiguration.off_at_first", "",
                             "\"" + text + "\" is no switch", "numbers of switches, as 3, 7",
                             "write numbers with commas between them"});
}

}  // namespace

void cluster_changes::bind(parameter_set& parameters) {
  parameters.add("events", events,
                 "Which switches go off and on, in cycles of the network that ascend, as "
                 "150000 off 0, 200000 on 0. Routes are adaptive, with an escape that changes.");
  parameters.add("off_at_first", off_at_first,
                 "Switches that are off when the run begins, as 3, 7.");
  how.bind(parameters);
}

void cluster_changes::validate(const network_graph& graph) const {
  const reconfiguration_config made_of = made();
  check_part("network", [&] { made_of.validate(graph); });
}

reconfiguration_config cluster_changes::made() const {
  reconfiguration_config result = how;
  for (const std::string& each : listed(events)) result.events.push_back(event_in(each));
  for (const std::string& each : listed(off_at_first)) {
    result.off_at_first.push_back(switch_in(each));
  }
  return result;
}

}  // namespace tributary
