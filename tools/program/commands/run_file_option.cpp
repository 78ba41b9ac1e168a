// SPDX-License-Identifier: Apache-2.0
#include "run_file_option.h"

#include <algorithm>

#include <fmt/format.h>

#include <tributary/sim/error.h>
#include <tributary/sim/names.h>

#include <run/result_table.h>

#include "preset_path.h"
#include "say.h"

namespace tributary {
namespace {

bool is_among(const std::string& name, const std::vector<std::string>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Keeps only the series that are wanted.
void select_series(const std::vector<std::string>& wanted, experiment_file& file) {
  if (wanted.empty()) return;
  for (const std::string& name : wanted) {
    if (is_among(name, file.series)) continue;
    const std::string nearest = nearest_name(name, file.series);
    throw configuration_error(
        {"--series", "", "there is no series \"" + name + "\" in " + file.path,
         fmt::format("{}", fmt::join(file.series, ", ")),
         nearest.empty() ? "name one that is there" : "did you mean \"" + nearest + "\"?"});
  }
  const auto unwanted = [&](const std::string& name) { return !is_among(name, wanted); };
  file.series.erase(std::remove_if(file.series.begin(), file.series.end(), unwanted),
                    file.series.end());
  file.experiments.erase(
      std::remove_if(file.experiments.begin(), file.experiments.end(),
                     [&](const experiment& each) { return unwanted(each.series); }),
      file.experiments.end());
}

}  // namespace

experiment_file load_run_file(const run_file_options& options, progress_style style) {
  try {
    reading_display display(style);
    experiment_file file = load_experiments(
        find_run_file(options.file), options.sets,
        [&](std::size_t done, std::size_t points) { display.advanced(done, points); });
    display.clear();
    select_series(options.series, file);
    check_tables(file);
    return file;
  } catch (const input_error& problem) {
    throw configuration_error(problem.what());
  }
}

void print_warnings(const experiment_file& file) {
  std::vector<std::pair<std::string, std::size_t>> found;
  for (const experiment& each : file.experiments) {
    for (const std::string& text : each.warnings()) {
      const auto same = std::find_if(found.begin(), found.end(),
                                     [&](const auto& known) { return known.first == text; });
      if (same == found.end()) {
        found.emplace_back(text, 1);
      } else {
        ++same->second;
      }
    }
  }
  for (const auto& [text, points] : found) {
    say(fmt::format("tributary: warning: {}{}\n", text,
                    file.experiments.size() == 1
                        ? ""
                        : fmt::format(" ({} of {} points)", points, file.experiments.size())));
  }
}

}  // namespace tributary
