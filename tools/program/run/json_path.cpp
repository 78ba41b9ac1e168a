// SPDX-License-Identifier: Apache-2.0
#include "json_path.h"

#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>

namespace tributary {
namespace {

void flatten(const json_value& value, const std::string& path,
             std::vector<std::pair<std::string, json_value>>& flat) {
  if (!value.is_object()) {
    flat.emplace_back(path, value);
    return;
  }
  for (const json_member& member : value.as_object()) {
    flatten(member.value, path.empty() ? member.key : path + "." + member.key, flat);
  }
}

}  // namespace

const json_value* find_path(const json_value& object, const std::string& path) {
  const json_value* here = &object;
  std::vector<std::string> keys;
  for (const std::string& key : boost::split(keys, path, boost::is_any_of("."))) {
    if (here != nullptr) here = here->find(key);
  }
  return here;
}

std::vector<std::pair<std::string, json_value>> flatten_object(const json_value& object) {
  std::vector<std::pair<std::string, json_value>> flat;
  flatten(object, "", flat);
  return flat;
}

std::string plain_text(const json_value& value) {
  return value.is_string() ? value.as_string() : value.to_text(0);
}

}  // namespace tributary
