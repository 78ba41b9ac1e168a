// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include <tributary/sim/parameters.h>

#include <run/experiment.h>
#include <run/text_table.h>

#include "commands.h"
#include "preset_path.h"

namespace tributary {
namespace {

void list_presets(const std::string& platform) {
  text_table table(2);
  table.add_row({"preset", "title"});
  for (const preset& each : presets_of(platform)) table.add_row({each.name, each.title});
  fmt::print("{}", table.to_text(2, line_width()));
}

/// The values of choices that name something to run.
void list_choices(const std::string& platform) {
  constexpr std::string_view names[] = {"workload.kind", "workload.program.name",
                                        "workload.traffic.pattern", "workload.pattern",
                                        "workload.initiator"};
  experiment any(platform);
  for (const parameter_description& each : parameter_set::of(any).describe()) {
    if (std::find(std::begin(names), std::end(names), each.name) != std::end(names)) {
      fmt::print("  {}", wrap_text(each.name + ": " + each.range, line_width(), 4).substr(4));
    }
  }
}

}  // namespace

int list_command() {
  for (const std::string& platform : platform_names()) {
    fmt::print("{}platform {}\n\n", platform == platform_names().front() ? "" : "\n", platform);
    list_presets(platform);
    fmt::print("\nworkloads\n");
    list_choices(platform);
  }
  fmt::print("\nRun a preset by its name: tributary run polling\n");
  return success;
}

}  // namespace tributary
