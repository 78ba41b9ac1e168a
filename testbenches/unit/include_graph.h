// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tributary::testing {

/// Files, or folders, and which others each includes.
using include_graph = std::map<std::string, std::set<std::string>>;

/// The graph of texts by their paths from the root of the repository, as "tools/program/run/x.h".
/// A header is found beside its file if it is quoted, else in models, platforms or tools/program;
/// one that is in none of them, as <vector>, is left out.
include_graph graph_of(const std::map<std::string, std::string>& texts);

/// The sources below models, platforms and tools, by their paths from the root.
std::map<std::string, std::string> source_texts(const std::filesystem::path& root);

/// The same graph between folders.
include_graph folders_of(const include_graph& files);

/// A circle, its first name again at its end; empty if there is none.
std::vector<std::string> circle_in(const include_graph& graph);

/// Each include, as "file -> file", from which no arrow may lead: out of models into platforms or
/// tools, out of a machine into tools, an example or another machine, and between tools and
/// examples.
std::vector<std::string> wrong_arrows(const include_graph& files);

}  // namespace tributary::testing
