// SPDX-License-Identifier: Apache-2.0
#include "include_graph.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "layering.h"

namespace tributary::testing {
namespace {

namespace fs = std::filesystem;

bool starts_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

std::string folder_of(const std::string& file) {
  return fs::path(file).parent_path().generic_string();
}

std::optional<std::string> included_file(const std::string& from, const included_header& header,
                                         const std::map<std::string, std::string>& texts) {
  std::vector<std::string> places = {"models", "platforms", "tools/program"};
  if (header.quoted) places.insert(places.begin(), folder_of(from));
  for (const std::string& place : places) {
    std::string path = (fs::path(place) / header.name).lexically_normal().generic_string();
    if (texts.count(path) != 0) return path;
  }
  return std::nullopt;
}

/// What knows none of its like: the library, a machine, the examples, the programs.
/// `level` 0 is known to all above; 1 and 2 are a machine's and the list of all machines.
struct place {
  int level = 0;
  std::string name;
};

place place_of(const std::string& file) {
  const std::string folder = folder_of(file);
  if (starts_with(folder, "models/")) return {0, "models"};
  if (starts_with(folder, "tools/")) return {4, "tools"};
  if (starts_with(folder, "platforms/examples")) return {4, folder};
  if (folder == "platforms") return {3, "platforms"};
  if (folder == "platforms/driver" || folder == "platforms/sinks") return {1, folder};
  return {2, folder};
}

/// Goes down from a name; leaves the circle in `way` and returns true at the first one.
bool finds_circle(const include_graph& graph, const std::string& name, std::set<std::string>& done,
                  std::vector<std::string>& way) {
  const auto again = std::find(way.begin(), way.end(), name);
  if (again != way.end()) {
    way.erase(way.begin(), again);
    way.push_back(name);
    return true;
  }
  if (!done.insert(name).second) return false;
  way.push_back(name);
  if (const auto found = graph.find(name); found != graph.end()) {
    for (const std::string& next : found->second) {
      if (finds_circle(graph, next, done, way)) return true;
    }
  }
  way.pop_back();
  return false;
}

}  // namespace

include_graph graph_of(const std::map<std::string, std::string>& texts) {
  include_graph graph;
  for (const auto& [file, text] : texts) {
    std::set<std::string>& included = graph[file];
    for (const included_header& header : included_headers(text)) {
      if (auto found = included_file(file, header, texts)) included.insert(std::move(*found));
    }
  }
  return graph;
}

std::map<std::string, std::string> source_texts(const fs::path& root) {
  std::map<std::string, std::string> texts;
  for (const char* top : {"models", "platforms", "tools"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".h" && extension != ".cpp" && extension != ".def") continue;
      std::ifstream in(entry.path(), std::ios::binary);
      texts[entry.path().lexically_relative(root).generic_string()] = {
          std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    }
  }
  return texts;
}

include_graph folders_of(const include_graph& files) {
  include_graph folders;
  for (const auto& [file, included] : files) {
    std::set<std::string>& known = folders[folder_of(file)];
    for (const std::string& each : included) {
      if (folder_of(each) != folder_of(file)) known.insert(folder_of(each));
    }
  }
  return folders;
}

std::vector<std::string> circle_in(const include_graph& graph) {
  std::set<std::string> done;
  std::vector<std::string> way;
  for (const auto& each : graph) {
    if (finds_circle(graph, each.first, done, way)) return way;
  }
  return {};
}

std::vector<std::string> wrong_arrows(const include_graph& files) {
  std::vector<std::string> found;
  for (const auto& [file, included] : files) {
    const place from = place_of(file);
    for (const std::string& each : included) {
      const place to = place_of(each);
      const bool stranger = to.level == from.level && to.level > 1 && to.name != from.name;
      if (to.level > from.level || stranger) found.push_back(file + " -> " + each);
    }
  }
  return found;
}

}  // namespace tributary::testing
