// SPDX-License-Identifier: Apache-2.0
// Networks from files in the DOT language.
#pragma once

#include <string>
#include <string_view>

#include <tributary/network/graph/graph_description.h>

namespace tributary {

/// A subset of the DOT language; `source_name` stands in messages for the path. Throws
/// `input_error` with line and column.
graph_description describe_dot(std::string_view text, const std::string& source_name);

}  // namespace tributary
