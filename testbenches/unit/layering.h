// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace tributary::testing {

/// One breach of a rule of the library's structure. `file` is relative to models/.
struct layering_breach {
  std::string file;
  std::size_t line = 0;
  std::string what;
};

/// "file:line: what".
std::string to_string(const layering_breach& breach);

/// Checks the text of one library file, named by its path relative to models/ as in
/// "tributary/network/link.h". The rules: includes point only down the list of layers
/// (architecture.md); library headers are included as <tributary/...>; what is not among
/// `systemc_files`, those of tributary::models, includes no SystemC; nothing writes to stdout or
/// ends the program.
std::vector<layering_breach> check_layering(const std::string& file, const std::string& text,
                                            const std::set<std::string>& systemc_files);

/// A header as it is included: of `"x.h"` the name x.h, quoted.
struct included_header {
  std::string name;
  bool quoted = false;
};

/// The headers that a text includes, those in comments and literals left out.
std::vector<included_header> included_headers(const std::string& text);

/// The files that a CMakeLists.txt lists after "add_library(tributary_models)".
std::set<std::string> systemc_files(const std::string& cmake_text);

/// The library files below models/, sorted, relative to it.
std::vector<std::string> library_files(const std::filesystem::path& models);

}  // namespace tributary::testing
