// SPDX-License-Identifier: Apache-2.0
// The platforms that this program has.
#pragma once

#include <string>
#include <vector>

#include <driver/platform_model.h>

namespace tributary {

/// Names of the platforms that a run file may name; the first is that of a file without one.
const std::vector<std::string>& platform_names();

bool is_platform(const std::string& name);

/// A machine of the platform with its default parameters. Throws `error` for a name that is none.
machine_choice machine_of(const std::string& platform);

}  // namespace tributary
