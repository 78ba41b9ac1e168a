// SPDX-License-Identifier: Apache-2.0
// The folder that gets the results.
#pragma once

#include <string>

namespace tributary {

/// Makes the folder if it is not there, and makes sure that a file can be written into it, so that
/// a run does not find out at its end. Throws `input_error`.
void prepare_output_folder(const std::string& path);

/// Makes sure that a file of this name can be written. Throws `input_error`.
void check_writable(const std::string& path);

}  // namespace tributary
