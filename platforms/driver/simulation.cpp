// SPDX-License-Identifier: Apache-2.0
#include "simulation.h"

#include <string_view>
#include <utility>

#include <tributary/sim/json_document.h>
#include <tributary/sim/names.h>

namespace tributary {
namespace {

bool is_counter(const json_value& leaf) {
  const json_value* kind = leaf.find("kind");
  return kind != nullptr && *kind == json_value("counter");
}

/// Every counter of a written group by its dotted path.
void list_counters(const json_value& group, const std::string& before,
                   std::vector<std::pair<std::string, const json_value*>>& found) {
  for (const json_member& member : group.as_object()) {
    if (!member.value.is_object()) continue;
    if (is_counter(member.value)) {
      found.emplace_back(before + member.key, &member.value);
    } else {
      list_counters(member.value, before + member.key + ".", found);
    }
  }
}

}  // namespace

std::uint64_t simulation::count_at(const std::string& path) const {
  const std::string_view prefix = "workload.";
  if (path.rfind(prefix, 0) == 0) {
    const counter* const found =
        find_workload_counter(std::string_view(path).substr(prefix.size()));
    if (found != nullptr) return found->value();
  }
  const json_value tree = statistics().to_json();
  std::vector<std::pair<std::string, const json_value*>> counters;
  list_counters(*tree.find("statistics"), "", counters);
  std::vector<std::string> names;
  for (const auto& [name, leaf] : counters) {
    if (name == path) return leaf->find("value")->as_unsigned();
    names.push_back(name);
  }
  throw error("no counter " + path + "; " +
              did_you_mean(path, names, "results.json has all, of kind counter"));
}

}  // namespace tributary
