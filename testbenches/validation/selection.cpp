// SPDX-License-Identifier: Apache-2.0
#include "selection.h"

#include <algorithm>

#include <tributary/sim/error.h>
#include <tributary/sim/names.h>

namespace tributary::validation {
namespace {

bool any_selects(const std::vector<std::string>& names, const planned_row& one) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return selects(name, one.shape.id); });
}

bool selects_any(const std::string& name, const std::vector<planned_row>& rows) {
  return std::any_of(rows.begin(), rows.end(),
                     [&](const planned_row& each) { return selects(name, each.shape.id); });
}

/// Every id and every group of ids, each once.
std::vector<std::string> selectable(const std::vector<planned_row>& rows) {
  std::vector<std::string> names;
  for (const planned_row& each : rows) {
    const std::string& id = each.shape.id;
    for (std::size_t end = id.find('.');; end = id.find('.', end + 1)) {
      const std::string name = id.substr(0, end);
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
      if (end == std::string::npos) break;
    }
  }
  return names;
}

[[noreturn]] void refuse(const std::string& name, const std::vector<planned_row>& rows) {
  const std::vector<std::string> known = selectable(rows);
  const std::string nearest = nearest_name(name, known);
  std::string checks;
  for (const std::string& each : known) {
    if (each.find('.') == std::string::npos) checks += (checks.empty() ? "" : ", ") + each;
  }
  throw error("there is no row " + name + " (allowed: " + checks +
              ", and what --list shows below them)" +
              (nearest.empty() ? std::string() : "; did you mean " + nearest + "?"));
}

}  // namespace

std::vector<planned_row> select_rows(std::vector<planned_row> rows,
                                     const std::vector<std::string>& ids,
                                     const std::vector<std::string>& without) {
  for (const auto* names : {&ids, &without}) {
    for (const std::string& name : *names) {
      if (!selects_any(name, rows)) refuse(name, rows);
    }
  }
  std::vector<planned_row> chosen;
  for (planned_row& each : rows) {
    const bool wanted = ids.empty() || any_selects(ids, each);
    if (wanted && !any_selects(without, each)) chosen.push_back(std::move(each));
  }
  return chosen;
}

}  // namespace tributary::validation
