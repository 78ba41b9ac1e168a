// SPDX-License-Identifier: Apache-2.0
// Values in nested JSON objects by their dotted names.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <tributary/sim/json_document.h>

namespace tributary {

/// The value at "group.name", or nullptr.
const json_value* find_path(const json_value& object, const std::string& path);

/// Every value that is no object, under its dotted name, in order.
std::vector<std::pair<std::string, json_value>> flatten_object(const json_value& object);

/// A value as a person would write it in a table: texts without quotes.
std::string plain_text(const json_value& value);

}  // namespace tributary
