// SPDX-License-Identifier: Apache-2.0
// The switches of a machine that are verilated RTL.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include <tributary/network/omega/omega_network.h>
#include <tributary/sim/cycle.h>

namespace tributary {

/// The waveform of a switch: its file, empty for none, and the cycles in it, both inclusive.
struct waveform_request {
  std::string file;
  cycle_t first = 1;
  cycle_t last = never;
};
using waveform_choice = std::function<waveform_request(const switch_place&)>;

/// Lets the switches that `network.rtl` names be the RTL that this program was built with, unless
/// something makes them already; nothing where it names none. `seed` chooses what registers hold
/// before reset. Throws `configuration_error` where `network.rtl` names no switch, this program has
/// no RTL, or none with these parameters.
void use_built_rtl(omega_network_config& network, std::uint64_t seed,
                   const waveform_choice& waveforms = {});

/// Throws `configuration_error` where the program has no RTL with waveforms.
void require_waveforms();

/// Throws what `use_built_rtl` does.
void require_rtl(const omega_network_config& network);

/// Which switches are RTL and of which variant, for people: "stage 1 (8), stage 2 switch 3
/// (variant improved)"; empty if none are. Throws as `use_built_rtl` does.
std::string describe_rtl(const omega_network_config& network);

}  // namespace tributary
