// SPDX-License-Identifier: Apache-2.0
#include <tributary/controller/cost_table.h>

#include <algorithm>
#include <vector>

#include <tributary/sim/error.h>
#include <tributary/sim/json_document.h>
#include <tributary/sim/parameters.h>

namespace tributary {
namespace {

/// Dotted names of everything in an object that is no object itself.
void collect_entries(const json_value& object, const std::string& prefix,
                     std::vector<std::string>& entries) {
  for (const json_member& each : object.as_object()) {
    const std::string name = prefix + each.key;
    if (each.value.is_object()) {
      collect_entries(each.value, name + ".", entries);
    } else {
      entries.push_back(name);
    }
  }
}

/// Whether one of the entries gives the parameter its value; a list's entry does so for all that is
/// in the list.
bool mentioned(const std::string& parameter, const std::vector<std::string>& entries) {
  return std::any_of(entries.begin(), entries.end(), [&](const std::string& entry) {
    return entry == parameter || parameter.compare(0, entry.size() + 1, entry + ".") == 0;
  });
}

}  // namespace

void cost_binder::operator()(const char* name, std::uint64_t& cost, const char* description) {
  parameters_.add(name, cost, interval<std::uint64_t>{0, 100000}, "cycles", description);
}

void load_cost_table(parameter_set& costs, const std::string& path) {
  const json_document table = json_document::from_file(path);
  std::vector<std::string> entries;
  if (table.root().is_object()) collect_entries(table.root(), "", entries);
  const bool all_known = std::all_of(entries.begin(), entries.end(), [&](const std::string& entry) {
    return costs.contains(entry);
  });
  // A misspelt entry is both unknown and missing; the set's message about it says more.
  if (table.root().is_object() && all_known) {
    for (const std::string& name : costs.names()) {
      if (mentioned(name, entries)) continue;
      throw configuration_error({name, path, "the cost table has no such entry", "",
                                 "add it; a cost table has all entries, so that none is taken "
                                 "from elsewhere unnoticed"});
    }
  }
  costs.read(table.root(), table.source_name());
}

}  // namespace tributary
