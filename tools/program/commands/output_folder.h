// SPDX-License-Identifier: Apache-2.0
// The folder that gets the results, and other files that are written.
#pragma once

#include <string>
#include <vector>

namespace tributary {

/// Makes the folder if it is not there, and makes sure that a file can be written into it, so that
/// a run does not find out at its end. Throws `input_error`.
void prepare_output_folder(const std::string& path);

/// Makes sure that a file of this name can be written. Throws `input_error`.
void check_writable(const std::string& path);

/// The same of several; an empty path is none. Throws `configuration_error` if two of them are one
/// file, or one is `taken`: the last written would be all that is left.
void check_output_files(const std::vector<std::string>& paths, const std::string& taken);

}  // namespace tributary
