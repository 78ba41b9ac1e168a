// SPDX-License-Identifier: Apache-2.0
#include "completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <tributary/sim/parameters.h>

#include <platforms.h>
#include <run/experiment.h>

#include "preset_path.h"

namespace tributary {
namespace {

constexpr const char* script =
    R"script(# Completion of tributary in bash: eval "$(tributary completion bash)"
_tributary() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} last=${{COMP_WORDS[COMP_CWORD-1]}} offers=
  local platforms="{platforms}"
  local presets="{presets}"
  local parameters="{parameters}"
  if [[ $COMP_CWORD -eq 1 ]]; then
    offers="{commands}"
  elif [[ $last == --set ]]; then
    compopt -o nospace
    offers="${{parameters// /= }}="
  else
    case ${{COMP_WORDS[1]}} in
{options}    esac
  fi
  COMPREPLY=($(compgen -W "$offers" -- "$word"))
}}
# Files too, where nothing else fits.
complete -o default -F _tributary tributary
)script";

std::vector<std::string> all_presets() {
  std::vector<std::string> names;
  for (const std::string& platform : platform_names()) {
    for (const preset& each : presets_of(platform)) names.push_back(each.name);
  }
  return names;
}

/// Of all platforms; one that two of them have is there twice, which a shell shows once.
std::vector<std::string> all_parameters() {
  std::vector<std::string> names;
  for (const std::string& platform : platform_names()) {
    experiment any(platform);
    for (const parameter_description& each : parameter_set::of(any).describe()) {
      if (each.name.find('[') == std::string::npos) names.push_back(each.name);
    }
  }
  return names;
}

std::string spaced(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

/// What a command takes in addition to its options, as variables of the script.
std::string arguments_of(const std::string& command) {
  if (command == "run" || command == "validate-config") return " $presets";
  if (command == "describe") return " $platforms $presets $parameters";
  return "";
}

}  // namespace

std::string bash_completion(const std::vector<completed_command>& commands) {
  std::vector<std::string> names;
  std::string options;
  for (const completed_command& each : commands) {
    names.push_back(each.name);
    options += fmt::format("      {}) offers=\"{}{}\" ;;\n", each.name, spaced(each.options),
                           arguments_of(each.name));
  }
  return fmt::format(script, fmt::arg("platforms", spaced(platform_names())),
                     fmt::arg("presets", spaced(all_presets())),
                     fmt::arg("parameters", spaced(all_parameters())),
                     fmt::arg("commands", spaced(names)), fmt::arg("options", options));
}

}  // namespace tributary
