// SPDX-License-Identifier: Apache-2.0
#include "rtl_waveforms.h"

#include <algorithm>
#include <filesystem>

#include <tributary/network/omega/switch_selection.h>
#include <tributary/sim/error.h>

#include <ultracomputer/rtl_switches.h>
#include <ultracomputer/ultracomputer_model.h>

#include "output_folder.h"

namespace tributary {
namespace {

/// Throws `configuration_error` unless all of `places` are RTL.
void check_rtl(const std::vector<switch_place>& places, const omega_network_config& network) {
  const std::size_t switches = network.processing_elements / 2;
  const std::vector<switch_place> rtl =
      select_switches("network.rtl", network.rtl, network.stages(), switches);
  for (const switch_place& place : places) {
    if (std::find(rtl.begin(), rtl.end(), place) != rtl.end()) continue;
    throw configuration_error({"--fst", "", to_string(place) + " is not RTL",
                               describe_selection(rtl, network.stages(), switches),
                               "let it be RTL by --set network.rtl=\"" + to_string(place) + "\""});
  }
}

std::string file_of(const switch_place& place, const std::string& folder) {
  std::string name = to_string(place) + ".fst";
  std::replace(name.begin(), name.end(), ' ', '_');
  return (std::filesystem::path(folder) / name).string();
}

}  // namespace

std::vector<std::string> write_waveforms(experiment& point, std::uint64_t seed,
                                         const std::string& text, const std::string& folder,
                                         cycle_t first, cycle_t last) {
  if (point.machine->platform() != ultracomputer_model::name) {
    throw configuration_error({"--fst", "",
                               "the platform " + point.machine->platform() + " has no parts in RTL",
                               "", "leave it out"});
  }
  omega_network_config& network = ultracomputer_in(point.machine).network;
  const std::vector<switch_place> places =
      select_switches("--fst", text, network.stages(), network.processing_elements / 2);
  if (places.empty()) {
    throw configuration_error({"--fst", "", "\"" + text + "\" names no switch", "",
                               "name one, as "
                               "\"stage 0 switch 0\", or leave the option out"});
  }
  check_rtl(places, network);
  require_waveforms();
  std::vector<std::string> files;
  for (const switch_place& place : places) {
    files.push_back(file_of(place, folder));
    check_writable(files.back());
  }
  use_built_rtl(network, seed, [=](const switch_place& place) {
    const bool wanted = std::find(places.begin(), places.end(), place) != places.end();
    return waveform_request{wanted ? file_of(place, folder) : "", first, last};
  });
  return files;
}

}  // namespace tributary
