// SPDX-License-Identifier: Apache-2.0
#include "completion.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <tributary/sim/parameters.h>

#include <platforms.h>
#include <run/experiment.h>

#include "preset_path.h"

namespace tributary {
namespace {

// What is offered follows from two words: the command, and the one before the word that is typed.

constexpr const char* bash_script =
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

constexpr const char* zsh_script =
    R"script(# Completion of tributary in zsh, after compinit: eval "$(tributary completion zsh)"
_tributary() {{
  local offers=
  local platforms="{platforms}"
  local presets="{presets}"
  local parameters="{parameters}"
  if (( CURRENT == 2 )); then
    offers="{commands}"
  elif [[ ${{words[CURRENT-1]}} == --set ]]; then
    compadd -S '=' -- ${{=parameters}}
    return
  else
    case ${{words[2]}} in
{options}    esac
  fi
  # Files too, where nothing else fits.
  compadd -- ${{=offers}} || _files
}}
compdef _tributary tributary
)script";

constexpr const char* fish_script =
    R"script(# Completion of tributary in fish: tributary completion fish | source
set -l platforms {platforms}
set -l presets {presets}
set -l parameters {parameters}
set -l assignments $parameters=
complete -c tributary -f -n __fish_use_subcommand -a "{commands}"
{options}complete -c tributary -f -n 'test (commandline -poc)[-1] = --set' -a "$assignments"
)script";

constexpr const char* case_of_command = "      {}) offers=\"{}{}\" ;;\n";
constexpr const char* line_of_command =
    "complete -c tributary -n '__fish_seen_subcommand_from {}' -a \"{}{}\"\n";

struct shell {
  const char* name;
  const char* script;
  const char* options;  ///< of a command, in the script
};
constexpr shell shells[] = {{"bash", bash_script, case_of_command},
                            {"zsh", zsh_script, case_of_command},
                            {"fish", fish_script, line_of_command}};

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

std::vector<std::string> completing_shells() {
  std::vector<std::string> names;
  for (const shell& each : shells) names.emplace_back(each.name);
  return names;
}

std::string completion_of(const std::string& shell_name,
                          const std::vector<completed_command>& commands) {
  const shell& chosen = *std::find_if(std::begin(shells), std::end(shells),
                                      [&](const shell& each) { return each.name == shell_name; });
  std::vector<std::string> names;
  std::string options;
  for (const completed_command& each : commands) {
    names.push_back(each.name);
    options += fmt::format(fmt::runtime(chosen.options), each.name, spaced(each.options),
                           arguments_of(each.name));
  }
  return fmt::format(fmt::runtime(chosen.script), fmt::arg("platforms", spaced(platform_names())),
                     fmt::arg("presets", spaced(all_presets())),
                     fmt::arg("parameters", spaced(all_parameters())),
                     fmt::arg("commands", spaced(names)), fmt::arg("options", options));
}

}  // namespace tributary
